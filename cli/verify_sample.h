/* SPDX-License-Identifier: GPL-2.0-only
 *
 * One collective of a run, taken out of it with what was under way beside it.
 */
#ifndef ASIM_CLI_VERIFY_SAMPLE_H
#define ASIM_CLI_VERIFY_SAMPLE_H

#include "asim/asim.h"

/* Ranks of collectives, in the order of their group; equal lists are one. */
struct asim_verify_ranks {
    uint32_t n, *at;
};

struct asim_verify_exchange {
    uint64_t start_ns, end_ns, bytes; /* as in struct asim_observed_exchange */
    const struct asim_verify_ranks *ranks;
    int type;
};

/* All exchanges of the run. */
struct asim_verify_run {
    const struct asim_settings *settings;
    const struct asim_verify_exchange *at;
    size_t n;
    uint32_t ranks;
    double hops_a_byte; /* packet-hops for each byte that a member sends */
};

struct asim_verify_sample {
    size_t at;        /* the collective */
    double most_hops; /* packet-hops that the sample may take in packets, about */
    /* Found out. members: of these that run again, the first ones of the group. */
    uint32_t members;
    uint64_t flow_ns, packet_ns;
    struct asim_err err;
};

/* Packet-hops of an exchange in which only `members` take part and bytes shrink alike. */
double asim_verify_hops(const struct asim_verify_run *run,
                        const struct asim_verify_exchange *exchange, uint32_t members);
/* Runs it at the flow level and in packets, with traces in a temporary folder; sample->err tells
 * what failed. */
void asim_verify_sample_run(const struct asim_verify_run *run, struct asim_verify_sample *sample);

#endif
