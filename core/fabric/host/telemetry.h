/* SPDX-License-Identifier: GPL-2.0-only
 *
 * INT, timestamps and PINT (rdma-network.md#telemetry-headers): the values that packets collect,
 * kept beside their flow. Used only where the congestion control has `needs`.
 */
#ifndef ASIM_FABRIC_HOST_TELEMETRY_H
#define ASIM_FABRIC_HOST_TELEMETRY_H

#include "fabric/host/flow.h"
#include "conf/netconf_keys.h"
#include "fabric/ground/ground.h"

/* Sets the frame sizes for the chosen congestion control. */
void asim_telemetry_sizes(struct asim_fabric *fabric);
/* The record that a frame of either direction adds to or brings back; NULL if the packet was sent
 * again since, or is known to have arrived. Only where cc->needs is not 0. */
const struct asim_telemetry *asim_telemetry_by(const struct asim_fabric *fabric,
                                               const struct asim_rx *rx,
                                               const struct asim_frame *frame);
/* Stores a record that came with a frame from another process. cap: number of places at the sender;
 * 0 at the sender itself. 0 or ASIM_ENOMEM. */
int asim_telemetry_take(struct asim_fabric *fabric, struct asim_rx *rx,
                        const struct asim_telemetry *seen, uint32_t cap);
/* A packet leaves its sender: begins its record with the time, and sets frame->tries. 0 or
 * ASIM_ENOMEM. */
int asim_telemetry_begin(struct asim_fabric *fabric, struct asim_flow *flow,
                         struct asim_frame *frame, uint64_t now);

/* --- for switches, which write into the records (switch/stamp.c) ----------------------------- */
enum { ASIM_INT_TIME_MASK = (1 << 24) - 1, ASIM_INT_BYTES_MASK = (1 << 20) - 1 };
/* The record that a frame of data adds to, locked; then unlock it, also where there is none. */
struct asim_telemetry *asim_telemetry_lock(const struct asim_fabric *fabric,
                                           const struct asim_frame *frame);
void asim_telemetry_unlock_slow(const struct asim_fabric *fabric, const struct asim_frame *frame);
static inline void asim_telemetry_unlock(const struct asim_fabric *fabric,
                                         const struct asim_frame *frame)
{
    if (fabric->set.threads > 1)
        asim_telemetry_unlock_slow(fabric, frame);
}
/* INT_MULTI of the configuration, at least 1. */
static inline uint32_t asim_telemetry_multi(const struct asim_fabric *fabric)
{
    return fabric->set.net->int_multi ? fabric->set.net->int_multi : 1;
}

/* --- for periods (memo/feedback.h) ------------------------------------------------------------ */
/* Sequence number of the oldest packet of the flow under way. */
uint64_t asim_telemetry_first(const struct asim_fabric *fabric, const struct asim_flow *flow);
/* The record of the packet under way that begins at seq; NULL: none. */
struct asim_telemetry *asim_telemetry_at(const struct asim_fabric *fabric, const struct asim_rx *rx,
                                         uint64_t seq);
/* Bytes that INT's byte counter counts as one. */
uint32_t asim_telemetry_unit(const struct asim_fabric *fabric);
/* Turns the counter and the time of a hop into their distances from the counter of its port and
 * from t (ticks), and distances back. */
void asim_telemetry_flip(const struct asim_fabric *fabric, struct asim_int_hop *hop, uint64_t t);
/* The packets under way advance by flow->skip_bytes, a multiple of the payload, and by `ns`. Call
 * it before the flow advances. */
void asim_telemetry_skip(const struct asim_fabric *fabric, const struct asim_flow *flow,
                         uint64_t ns);

#endif
