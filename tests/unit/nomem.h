/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Memory running out at every allocation in turn, for tests that compile the sources under test
 * into themselves: include every header first, then this, then the .c files. nomem_run repeats a
 * scenario with allocation 1, 2, 3 ... failing until it succeeds; each failure must come back as
 * ASIM_ENOMEM and leave nothing allocated.
 */
#ifndef ASIM_TESTS_NOMEM_H
#define ASIM_TESTS_NOMEM_H

#include <stdlib.h>
#include <string.h>
#include "asim/err.h"
#include "check.h"

static long nomem_left;   /* 0 = the next allocation fails */
static long nomem_blocks; /* allocated and not yet freed */

static inline void *nomem_realloc(void *old, size_t size)
{
    void *got;

    if (nomem_left == 0)
        return NULL;
    nomem_left--;
    got = realloc(old, size);
    nomem_blocks += got && !old;
    return got;
}

static inline void *nomem_malloc(size_t size)
{
    return nomem_realloc(NULL, size ? size : 1);
}

static inline void *nomem_calloc(size_t n, size_t size)
{
    void *got = n && size > (size_t)-1 / n ? NULL : nomem_malloc(n * size);

    return got ? memset(got, 0, n * size) : NULL;
}

static inline char *nomem_strdup(const char *text)
{
    char *got = nomem_malloc(strlen(text) + 1);

    return got ? strcpy(got, text) : NULL;
}

static inline void nomem_free(void *old)
{
    nomem_blocks -= old != NULL;
    free(old);
}

static inline void nomem_run(int (*scenario)(struct asim_err *err))
{
    long n = 0;
    int rc;

    do {
        struct asim_err err = {0};

        nomem_left = n++;
        rc = scenario(&err);
        CHECK(rc == 0 || rc == ASIM_ENOMEM);
        if (rc && rc != ASIM_ENOMEM)
            fprintf(stderr, "  %s\n", err.text);
        CHECK(rc == err.code);
        CHECK_U64(nomem_blocks, 0);
    } while (rc == ASIM_ENOMEM && n < 100000);
    CHECK(rc == 0 && n > 3);
}

#define malloc  nomem_malloc
#define calloc  nomem_calloc
#define realloc nomem_realloc
#define strdup  nomem_strdup
#define free    nomem_free

#endif
