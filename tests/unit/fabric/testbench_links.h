/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Links of two networks held against each other.
 */
#ifndef ASIM_TESTS_TESTBENCH_LINKS_H
#define ASIM_TESTS_TESTBENCH_LINKS_H

#include "testbench.h"

/* A wire of two networks: every figure that links.csv has of it is the same. */
static inline void bench_check_link(const struct testbench *want, const struct testbench *got,
                                    uint32_t wire)
{
    struct asim_link_use x, y;

    asim_fabric_link_use(want->fabric, wire, &x);
    asim_fabric_link_use(got->fabric, wire, &y);
    CHECK_U64(y.frames, x.frames);
    CHECK_U64(y.bytes, x.bytes);
    CHECK_U64(y.peak_queue_bytes, x.peak_queue_bytes);
    CHECK_U64(y.marks, x.marks);
    CHECK_U64(y.pauses, x.pauses);
    CHECK_U64(y.drops, x.drops);
}

#endif
