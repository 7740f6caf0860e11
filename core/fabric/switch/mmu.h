/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The shared buffer, frame by frame: see mmu.c for what it is. Inlined, because every frame enters
 * and leaves once per switch.
 */
#ifndef ASIM_FABRIC_SWITCH_MMU_H
#define ASIM_FABRIC_SWITCH_MMU_H

#include "fabric/switch/switch.h"

/* Constants of the reference's switch (spec 4.4), not settings of it. */
enum { ASIM_RESERVE_BYTES = 4096, ASIM_RESUME_OFFSET_BYTES = 3072 };

/* How far the shared part of one ingress queue may grow now: the free rest of the shared buffer,
 * shifted. It shrinks as others fill the buffer, which is what makes it fair. */
static inline uint64_t asim_mmu_threshold(const struct asim_switch *sw,
                                          const struct asim_switch_port *port)
{
    if (sw->shareable == UINT64_MAX)
        return UINT64_MAX;
    return sw->shared_used < sw->shareable ? (sw->shareable - sw->shared_used) >> port->shift : 0;
}

/* What the queue holds beyond its reserve; only this competes for the shared buffer. */
static inline uint64_t asim_mmu_shared(const struct asim_queue_occupancy *occupancy)
{
    return occupancy->ingress > ASIM_RESERVE_BYTES ? occupancy->ingress - ASIM_RESERVE_BYTES : 0;
}

/* parity: headroom is tried whether or not a pause was sent. There is no test on the egress
 * side. */
static inline int asim_mmu_admits(const struct asim_switch *sw, uint32_t p, uint32_t q,
                                  uint32_t bytes)
{
    const struct asim_switch_port *port = &sw->ports[p];
    const struct asim_queue_occupancy *occupancy = &port->occupancy[q];

    return bytes + occupancy->headroom <= port->headroom_limit ||
           bytes + asim_mmu_shared(occupancy) <= asim_mmu_threshold(sw, port);
}

/* Fills reserve, then shared buffer, then headroom. A frame that would pass the threshold counts as
 * headroom as a whole. in_out_q = ingress port, egress port, queue. */
static inline void asim_mmu_enter(struct asim_switch *sw, const uint32_t in_out_q[3],
                                  uint32_t bytes)
{
    struct asim_switch_port *in = &sw->ports[in_out_q[0]];
    struct asim_queue_occupancy *occupancy = &in->occupancy[in_out_q[2]];
    uint64_t grown = occupancy->ingress + bytes;

    if (grown <= ASIM_RESERVE_BYTES) {
        occupancy->ingress = grown;
    } else if (grown - ASIM_RESERVE_BYTES > asim_mmu_threshold(sw, in)) {
        occupancy->headroom += bytes;
    } else {
        occupancy->ingress = grown;
        sw->shared_used += bytes < grown - ASIM_RESERVE_BYTES ? bytes : grown - ASIM_RESERVE_BYTES;
    }
    sw->ports[in_out_q[1]].occupancy[in_out_q[2]].egress += bytes;
}

/* Exactly undoes what entering did in sum, headroom first. Called at the start of serialization. */
static inline void asim_mmu_leave(struct asim_switch *sw, const uint32_t in_out_q[3],
                                  uint32_t bytes)
{
    struct asim_queue_occupancy *occupancy = &sw->ports[in_out_q[0]].occupancy[in_out_q[2]];
    uint64_t from_headroom = occupancy->headroom < bytes ? occupancy->headroom : bytes;
    uint64_t rest = bytes - from_headroom, shared = asim_mmu_shared(occupancy);

    occupancy->headroom -= from_headroom;
    occupancy->ingress -= rest;
    sw->shared_used -= rest < shared ? rest : shared;
    sw->ports[in_out_q[1]].occupancy[in_out_q[2]].egress -= bytes;
}

/* Asked after a frame has entered, for its own ingress only (spec 4.6). */
static inline int asim_mmu_wants_pause(const struct asim_switch *sw, uint32_t p, uint32_t q)
{
    const struct asim_switch_port *port = &sw->ports[p];

    return !(port->pausing >> q & 1) &&
           (port->occupancy[q].headroom > 0 ||
            asim_mmu_shared(&port->occupancy[q]) >= asim_mmu_threshold(sw, port));
}

/* Asked when a frame that came in there leaves. The offset keeps pause and resume from
 * chattering. */
static inline int asim_mmu_wants_resume(const struct asim_switch *sw, uint32_t p, uint32_t q)
{
    const struct asim_switch_port *port = &sw->ports[p];
    uint64_t shared = asim_mmu_shared(&port->occupancy[q]), limit = asim_mmu_threshold(sw, port);

    if (!(port->pausing >> q & 1) || port->occupancy[q].headroom)
        return 0;
    return !shared || limit == UINT64_MAX || shared + ASIM_RESUME_OFFSET_BYTES <= limit;
}

/* 1 if a frame that comes in at p while its way out is free is admitted and touches the reserve
 * only: then entering and leaving in one event changes nothing and asks for no pause or resume.
 * parity: a frame that the reserve would hold is refused, too, where neither the headroom nor the
 * threshold has room for it. */
static inline int asim_mmu_bypasses(const struct asim_switch *sw, uint32_t p, uint32_t q,
                                    uint32_t bytes)
{
    const struct asim_switch_port *in = &sw->ports[p];

    return in->occupancy[q].ingress + bytes <= ASIM_RESERVE_BYTES && !in->occupancy[q].headroom &&
           !in->pausing && asim_mmu_admits(sw, p, q, bytes);
}

#endif
