/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A malloc that refuses the allocation numbered `left`, counted from 0, and sets `refused`. For
 * programs test_*_nomem_run.c only: there the linker puts it in place of libc's for everything
 * linked into the test (tests/CMakeLists.txt, --wrap), so the code tested is the code as it is.
 */
#ifndef ASIM_TESTS_NOMEM_MALLOC_H
#define ASIM_TESTS_NOMEM_MALLOC_H

#include <stddef.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *old, size_t size);

static long left = -1; /* allocations until the one that fails; negative: none does */
static int refused;

static int refuse_now(void)
{
    if (left < 0)
        return 0;
    refused |= left == 0;
    return left-- == 0;
}

void *__wrap_malloc(size_t size)
{
    return refuse_now() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
    return refuse_now() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return refuse_now() ? NULL : __real_realloc(old, size);
}

#endif
