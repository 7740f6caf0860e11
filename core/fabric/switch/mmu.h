/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The shared buffer of a switch (rdma-network.md#shared-buffer): dynamic thresholds, headroom and
 * PFC. These steps are inline, because every frame enters and leaves the buffer once per switch.
 *
 * Bytes of an ingress queue fill its reserve first, then the shared buffer up to a threshold, then
 * the port's headroom, which takes the frames in flight after a PAUSE. Frames that leave empty them
 * in reverse. All counters are 0 when the switch is empty.
 */
#ifndef ASIM_FABRIC_SWITCH_MMU_H
#define ASIM_FABRIC_SWITCH_MMU_H

#include "fabric/switch/switch.h"

/* Constants of ASTRA-sim's ns-3 backend, not settings of it. */
enum { ASIM_RESERVE_BYTES = 4096, ASIM_RESUME_OFFSET_BYTES = 3072 };

/* The limit for the shared part of one ingress queue: the free part of the shared buffer, shifted.
 * It shrinks as other ports fill the buffer, so ports share it fairly. */
static inline uint64_t asim_mmu_threshold(const struct asim_switch *sw,
                                          const struct asim_switch_port *port)
{
    if (sw->shareable == UINT64_MAX)
        return UINT64_MAX;
    return sw->shared_used < sw->shareable ? (sw->shareable - sw->shared_used) >> port->shift : 0;
}

/* Bytes of the queue in the shared buffer. */
static inline uint64_t asim_mmu_shared(const struct asim_queue_occupancy *occupancy)
{
    return occupancy->ingress > ASIM_RESERVE_BYTES ? occupancy->ingress - ASIM_RESERVE_BYTES : 0;
}

/* parity: headroom is open to a frame even if no PAUSE was sent. No test looks at the egress side.
 */
static inline int asim_mmu_admits(const struct asim_switch *sw, uint32_t p, uint32_t q,
                                  uint32_t bytes)
{
    const struct asim_switch_port *port = &sw->ports[p];
    const struct asim_queue_occupancy *occupancy = &port->occupancy[q];

    return bytes + occupancy->headroom <= port->headroom_limit ||
           bytes + asim_mmu_shared(occupancy) <= asim_mmu_threshold(sw, port);
}

/* A frame that would exceed the threshold goes into headroom with all its bytes. */
static inline void asim_mmu_enter(struct asim_switch *sw, struct asim_transit transit,
                                  uint32_t bytes)
{
    struct asim_switch_port *in = &sw->ports[transit.in];
    struct asim_queue_occupancy *occupancy = &in->occupancy[transit.q];
    uint64_t grown = occupancy->ingress + bytes;

    if (grown <= ASIM_RESERVE_BYTES) {
        occupancy->ingress = grown;
    } else if (grown - ASIM_RESERVE_BYTES > asim_mmu_threshold(sw, in)) {
        occupancy->headroom += bytes;
    } else {
        occupancy->ingress = grown;
        sw->shared_used += bytes < grown - ASIM_RESERVE_BYTES ? bytes : grown - ASIM_RESERVE_BYTES;
    }
    sw->ports[transit.out].occupancy[transit.q].egress += bytes;
}

/* Undoes asim_mmu_enter in sum, headroom first. Call it as the transmission starts. */
static inline void asim_mmu_leave(struct asim_switch *sw, struct asim_transit transit,
                                  uint32_t bytes)
{
    struct asim_queue_occupancy *occupancy = &sw->ports[transit.in].occupancy[transit.q];
    uint64_t from_headroom = occupancy->headroom < bytes ? occupancy->headroom : bytes;
    uint64_t rest = bytes - from_headroom, shared = asim_mmu_shared(occupancy);

    occupancy->headroom -= from_headroom;
    occupancy->ingress -= rest;
    sw->shared_used -= rest < shared ? rest : shared;
    sw->ports[transit.out].occupancy[transit.q].egress -= bytes;
}

/* Ask after a frame has entered, for the frame's own ingress only. */
static inline int asim_mmu_wants_pause(const struct asim_switch *sw, uint32_t p, uint32_t q)
{
    const struct asim_switch_port *port = &sw->ports[p];

    return !(port->pausing >> q & 1) && !sw->without_pfc &&
           (port->occupancy[q].headroom > 0 ||
            asim_mmu_shared(&port->occupancy[q]) >= asim_mmu_threshold(sw, port));
}

/* Ask after a frame of this ingress has left. The offset prevents PAUSE and RESUME from
 * alternating. */
static inline int asim_mmu_wants_resume(const struct asim_switch *sw, uint32_t p, uint32_t q)
{
    const struct asim_switch_port *port = &sw->ports[p];
    uint64_t shared = asim_mmu_shared(&port->occupancy[q]), limit = asim_mmu_threshold(sw, port);

    if (!(port->pausing >> q & 1) || port->occupancy[q].headroom)
        return 0;
    return !shared || limit == UINT64_MAX || shared + ASIM_RESUME_OFFSET_BYTES <= limit;
}

/* Whether a frame that arrives at p, and finds its egress port idle, can bypass the buffer: the MMU
 * admits it into the reserve alone. Entering and leaving in one event then changes nothing, and
 * asks for no PAUSE or RESUME. parity: the MMU refuses a frame that fits into the reserve, if
 * neither headroom nor threshold has room for it. */
static inline int asim_mmu_bypasses(const struct asim_switch *sw, uint32_t p, uint32_t q,
                                    uint32_t bytes)
{
    const struct asim_switch_port *in = &sw->ports[p];

    return in->occupancy[q].ingress + bytes <= ASIM_RESERVE_BYTES && !in->occupancy[q].headroom &&
           !in->pausing && asim_mmu_admits(sw, p, q, bytes);
}

/* Whether the switch marks at all: not with ENABLE_QCN 0; SimAI: NVSwitches do not, and the rate
 * maps have no entry for NVLink. */
int asim_mmu_may_mark(const struct asim_fabric *fabric, const struct asim_switch *sw);
/* What follows from the ports' ECN thresholds, and from the rates of their links. */
void asim_mmu_ecn_changed(const struct asim_fabric *fabric, struct asim_switch *sw);
void asim_mmu_rate_changed(const struct asim_fabric *fabric, struct asim_switch *sw);
/* Set-up: headroom, shares and ECN thresholds of every port. Linear in ports. */
void asim_mmu_init(struct asim_fabric *fabric, struct asim_switch *sw, uint64_t nic_bps);

#endif
