/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A malloc that refuses one allocation: number `left`, counted from 0. It sets `refused` when it
 * does. For programs test_*nomem*.c only: there the linker replaces the libc functions by these in
 * everything linked statically (tests/CMakeLists.txt, --wrap), so a test runs the library's own
 * object code. Shared libraries keep libc's functions.
 */
#ifndef ASIM_TESTS_NOMEM_MALLOC_H
#define ASIM_TESTS_NOMEM_MALLOC_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t unit, size_t size);
void __real_free(void *old);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t unit, size_t size);
char *__wrap_strdup(const char *text);
void __wrap_free(void *old);

static long left = -1; /* allocations until the one that fails; negative: none does */
static int refused;

/* Live blocks while `nomem_counts` is set, by address, so that blocks of shared libraries do not
 * count. Not for programs with threads. A full table aborts. */
enum { NOMEM_SLOTS = 1 << 18 };
static void *nomem_block[NOMEM_SLOTS];
static long nomem_blocks;
static int nomem_counts;
static char nomem_removed; /* address of a slot whose block is gone */

static inline size_t nomem_hash(const void *block)
{
    return (size_t)((uint64_t)(uintptr_t)block * 0x9e3779b97f4a7c15ull >> 40) % NOMEM_SLOTS;
}

static inline void *nomem_add(void *block)
{
    size_t i = nomem_hash(block);

    if (!block || !nomem_counts)
        return block;
    if (nomem_blocks >= NOMEM_SLOTS / 2)
        abort();
    while (nomem_block[i] && nomem_block[i] != &nomem_removed)
        i = (i + 1) % NOMEM_SLOTS;
    nomem_block[i] = block;
    nomem_blocks++;
    return block;
}

static inline void nomem_remove(const void *block)
{
    size_t i = nomem_hash(block), steps = 0;

    if (!block || !nomem_counts)
        return;
    while (nomem_block[i] && nomem_block[i] != block && steps++ < NOMEM_SLOTS)
        i = (i + 1) % NOMEM_SLOTS;
    if (nomem_block[i] != block)
        return;
    nomem_block[i] = &nomem_removed;
    nomem_blocks--;
}

static int refuse_now(void)
{
    if (left < 0)
        return 0;
    refused |= left == 0;
    return left-- == 0;
}

void *__wrap_malloc(size_t size)
{
    return refuse_now() ? NULL : nomem_add(__real_malloc(size));
}

void *__wrap_calloc(size_t n, size_t size)
{
    return refuse_now() ? NULL : nomem_add(__real_calloc(n, size));
}

void *__wrap_realloc(void *old, size_t size)
{
    uintptr_t was = (uintptr_t)old;
    void *got;

    if (refuse_now())
        return NULL;
    got = __real_realloc(old, size);
    if (got) {
        nomem_remove((const void *)was);
        nomem_add(got);
    }
    return got;
}

void *__wrap_aligned_alloc(size_t unit, size_t size)
{
    return refuse_now() ? NULL : nomem_add(__real_aligned_alloc(unit, size));
}

char *__wrap_strdup(const char *text)
{
    char *got = __wrap_malloc(strlen(text) + 1);

    return got ? strcpy(got, text) : NULL;
}

void __wrap_free(void *old)
{
    nomem_remove(old);
    __real_free(old);
}

#endif
