/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Memory running out at every allocation in turn, for programs test_*nomem*.c. nomem_run repeats a
 * scenario while allocation 1, 2, 3 ... fails, until the scenario succeeds. Each failure must come
 * back as ASIM_ENOMEM with its sentence and leave nothing allocated.
 */
#ifndef ASIM_TESTS_NOMEM_H
#define ASIM_TESTS_NOMEM_H

#include "asim/err.h"
#include "check.h"
#include "nomem_malloc.h"

static inline void nomem_run(int (*scenario)(struct asim_err *err))
{
    long n = 0;
    int rc;

    do {
        struct asim_err err = {0};

        memset(nomem_block, 0, sizeof nomem_block);
        nomem_counts = 1;
        left = n++;
        rc = scenario(&err);
        left = -1;
        nomem_counts = 0;
        CHECK(rc == 0 || rc == ASIM_ENOMEM);
        if (rc && rc != ASIM_ENOMEM)
            fprintf(stderr, "  %s\n", err.text);
        CHECK(rc == err.code);
        CHECK(rc == 0 || strstr(err.text, "memory") != NULL);
        CHECK_U64(nomem_blocks, 0);
        nomem_blocks = 0;
    } while (rc == ASIM_ENOMEM && n < 100000);
    CHECK(rc == 0 && n > 1);
}

#endif
