/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What a frame gets from a switch as its transmission starts: an ECN mark, and telemetry.
 */
#ifndef ASIM_FABRIC_SWITCH_STAMP_H
#define ASIM_FABRIC_SWITCH_STAMP_H

#include "fabric/ground/ground.h"
#include "fabric/switch/ecn.h"

/* A frame leaves switch port p: a data frame's record gets the port's values. Call before
 * asim_port_commit. */
void asim_telemetry_write(struct asim_fabric *fabric, struct asim_switch *sw, uint32_t p,
                          const struct asim_frame *frame, uint64_t now);

/* Marks the frame, and writes telemetry into it. The frame's transmission starts at t. */
static inline void asim_ecn_stamp(struct asim_fabric *fabric, struct asim_switch *sw,
                                  struct asim_transit transit, struct asim_frame *frame, uint64_t t)
{
    struct asim_switch_port *port = &sw->ports[transit.out];

    if (transit.q)
        asim_ecn_start(sw, port, transit.q, frame);
    if (fabric->set.writes_telemetry)
        asim_telemetry_write(fabric, sw, transit.out, frame, asim_to_ns(fabric, t));
}

#endif
