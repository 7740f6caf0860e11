/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What must hold on every bench after a run without losses. Part of lab.h.
 */
#ifndef ASIM_TESTS_LAB_CHECK_H
#define ASIM_TESTS_LAB_CHECK_H

#include "lab.h"

/* Every message came once, both ends were told at the same time, nothing is left in a switch. */
static inline void lab_check_conserved(const struct lab *lab)
{
    struct asim_fabric_stats stats;
    uint32_t before = (uint32_t)check_failures;

    asim_fabric_stats(lab->fabric, &stats);
    CHECK_U64(stats.messages, lab->n);
    CHECK_U64(lab->n_fct, lab->n);
    CHECK_U64(stats.drops, 0);
    CHECK_U64(asim_fabric_buffered(lab->fabric), 0);
    CHECK(asim_fabric_audit(lab->fabric, NULL) == 0);
    for (uint32_t i = 0; i < lab->n && before + 5 > (uint32_t)check_failures; i++) {
        CHECK_U64(lab->msg[i].n_sent, 1);
        CHECK_U64(lab->msg[i].n_arrived, 1);
        CHECK_U64(lab->msg[i].arrived, lab->msg[i].sent);
        CHECK(lab->msg[i].sent > lab->msg[i].at);
    }
}

#endif
