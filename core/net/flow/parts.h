/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Parts of the flow level that can be left out.
 */
#ifndef ASIM_NET_FLOW_PARTS_H
#define ASIM_NET_FLOW_PARTS_H

#include <stdint.h>
#include "asim/err.h"

/* Parts that --flow-without turns off. */
enum asim_fluid_part {
    ASIM_FLUID_ACK_LOAD = 1,     /* ACKs take a share of their links */
    ASIM_FLUID_QUEUES = 2,       /* windows share queues of switches, which have a wait */
    ASIM_FLUID_ACK_WAIT = 4,     /* ACKs wait in queues of others */
    ASIM_FLUID_CONTROL_PART = 8, /* congestion control */
    ASIM_FLUID_LOSSES = 16,      /* error rates, which are refused; without it wires lose nothing */
    ASIM_FLUID_COLLISIONS = 32   /* hashes choose ways; without it each message the emptiest */
};

struct asim_cc;

/* Sets *without from names separated by commas; NULL: none. cc: that of the run. */
int asim_fluid_parts(const char *text, const struct asim_cc *cc, uint32_t *without,
                     struct asim_err *err);

#endif
