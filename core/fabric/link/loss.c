/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Which frames a wire loses (rdma-network.md#link-errors), and the notice its source gets.
 * ASTRA-sim draws once per frame received, from one stream shared by all links, also at rate
 * 0, and forgets what was lost; here a draw is made only where a link has a rate, keyed by the
 * direction of the link and the count of frames on it, so it is the same in any order of nodes.
 * As there, a link without a rate of its own has ERROR_RATE_PER_LINK, and PFC and ACKs are lost,
 * too. Neither watchers nor counters see a lost frame at its far end.
 *
 * Why at the start and not at the far end: the far end belongs to another node, which may be
 * windows away. What is decided here is known to the sender's side alone and needs no message to be
 * right.
 */
#include "fabric/link/loss.h"
#include "fabric/link/hash.h"
#include "fabric/node.h"

#include <math.h>
#include <stdlib.h>

/* Beside the draws of switches, whose key begins with a node id. */
#define LOSS_DRAWS (1ull << 63)

enum {
    AUTO_RTO_NS = 1000000, /* twice the NACK interval of ASTRA-sim: its own recovery is first */
    AUTO_RTO_TRIPS = 10
};

/* The topology file's own rate goes before the configuration's.
 * parity: a link whose own rate is 0 has the default's, so one link cannot be exempted from it.
 * What leads to an NVSwitch's end point is no link and loses nothing. */
static double rate_of(const struct asim_fabric *fabric, size_t l)
{
    const struct asim_link *link = &fabric->set.topo->links[l];

    if (asim_topo_is_virtual(fabric->set.topo, l))
        return 0;
    return link->error_rate > 0 ? link->error_rate : fabric->set.net->error_rate;
}

/* Where nothing can be lost nothing is allocated, and frames are not even asked about: wire->loss
 * stays NULL. */
int asim_loss_open(struct asim_fabric *fabric, struct asim_err *err)
{
    const struct asim_topo *topo = fabric->set.topo;
    int any = fabric->set.net->link_downs > 0;

    fabric->set.rto = asim_fs_to_ticks(fabric, fabric->set.net->rto_fs);
    if (fabric->set.net->rto_fs && fabric->set.rto <= fabric->set.lookahead)
        fabric->set.rto =
            fabric->set.lookahead + 1; /* no node may act on another within the window */
    for (size_t l = 0; l < topo->n_links && !any; l++)
        any = rate_of(fabric, l) > 0;
    if (!any)
        return 0;
    fabric->losses = calloc(topo->n_links * 2 + 1, sizeof *fabric->losses);
    if (!fabric->losses)
        return asim_err_nomem(err, "preparing lossy links");
    for (size_t w = 0; w < topo->n_links * 2; w++) {
        fabric->losses[w].rate = rate_of(fabric, w / 2);
        if (fabric->losses[w].rate > 0)
            fabric->wires[w].loss = &fabric->losses[w];
    }
    return 0;
}

/* The two wires of a link share their outages, which belong to the even one. */
void asim_loss_close(struct asim_fabric *fabric)
{
    for (size_t w = 0; fabric->losses && w < fabric->set.topo->n_links * 2; w += 2)
        free(fabric->losses[w].outages);
    free(fabric->losses);
}

/* Down at any time between its start and its arrival, both included. */
static int meets_outage(const struct asim_wire_loss *loss, uint64_t start, uint64_t arrival)
{
    for (size_t i = 0; i < loss->n_outages; i++)
        if (start < loss->outages[i].to && arrival >= loss->outages[i].from)
            return 1;
    return 0;
}

/* A draw is made for every frame of a wire with a rate, lost by an outage or not. */
int asim_loss_drops(struct asim_worker *worker, const struct asim_wire *wire,
                    const struct asim_frame *frame, uint64_t start)
{
    struct asim_wire_loss *loss = wire->loss;
    const struct asim_port_id at = {wire->to, wire->to_port + 1};

    if (!meets_outage(loss, start, frame->t) &&
        (loss->rate <= 0 ||
         asim_draw(worker->fabric->set.seed, LOSS_DRAWS | wire->id, wire->frames) >= loss->rate))
        return 0;
    loss->frames++;
    loss->bytes += frame->wire;
    asim_loss_report(worker, frame, start, at);
    return 1;
}

/* RTO of the configuration, or a guess from the flow's base RTT; never within the window, for the
 * notice may cross to another node and could come before its time. */
static uint64_t timeout_of(const struct asim_fabric *fabric, const struct asim_rx *rx)
{
    uint64_t rto = asim_to_ticks(fabric, AUTO_RTO_NS + AUTO_RTO_TRIPS * rx->base_rtt_ns);

    if (fabric->set.rto)
        return fabric->set.rto;
    return rto > fabric->set.lookahead ? rto : fabric->set.lookahead + 1;
}

/* Several frames of a host may be lost at one instant, in any order of nodes: seq puts their
 * notices in an order of their own, by message, packet and kind. */
void asim_loss_report(struct asim_worker *worker, const struct asim_frame *frame, uint64_t t,
                      struct asim_port_id at)
{
    struct asim_fabric *fabric = worker->fabric;
    const struct asim_rx *rx;
    struct asim_notification note = {.since = t,
                                     .at = frame->seq,
                                     .slot = frame->slot,
                                     .lost = 1,
                                     .type = (uint8_t)frame->type,
                                     .flags = (uint8_t)frame->flags};

    if (fabric->watch.frame)
        fabric->watch.frame(fabric->watch.frame_self, ASIM_FRAME_DROP, at, frame,
                            asim_to_ns(fabric, t));
    if (frame->type == ASIM_PAUSE || frame->type == ASIM_RESUME)
        return;
    rx = asim_rx_of(fabric, frame->src, frame->slot);
    note.msg = rx->msg;
    note.rto = timeout_of(fabric, rx);
    note.t = t + note.rto;
    note.tie = asim_tie_key(note.rto, 0, ASIM_CLASS_TIMER);
    note.seq =
        (rx->msg.id << 32) ^ (frame->seq / fabric->set.net->payload_bytes << 2) ^ frame->type;
    if (ASIM_VEC_PUSH(worker->outbox, note))
        worker->failed = ASIM_ENOMEM;
}
