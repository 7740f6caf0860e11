/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Packs what other processes must know of a window. A buffer is a list of records (wire_records.h).
 * It carries:
 *
 * - frames, from the receive rings of cut wires, where the sending node has put them as always;
 * - ahead of a message's first frame the constants of its flow (struct asim_rx), since switches and
 *   the receiver work on the copy in their own process;
 * - with in-band telemetry the record of a packet, beside every frame that may add to it or bring
 *   it back;
 * - notifications for hosts elsewhere;
 * - releases: how many frames of a finished flow are gone, so that its source knows when none is
 *   left and the slot is free;
 * - sums of this process, where all look for a livelock;
 * - its vote on a common period.
 *
 * A window of the smallest cut delay is short enough: frames due inside it were sent before it, and
 * notifications are made one link delay, or one timeout, ahead. In half-steps, what reaches a half
 * before (k+1)W the other half has sent before kW, its horizon after window k-1.
 */
#include "asim/topology.h"
#include "base/text.h"
#include "fabric/processes/exchange.h"
#include "fabric/clock/hooks.h"
#include "fabric/clock/workers.h"
#include "fabric/host/host.h"
#include "topo/partition.h"
#include "fabric/processes/wire_records.h"
#include "fabric/host/telemetry.h"
#include "fabric/link/notification.h"
#include "fabric/processes/peers.h"

#include <stdlib.h>
#include <string.h>

enum { MIN_LOOKAHEAD_NS = 2 };

/* A record's kind, then its bytes. */
static int put(struct asim_peer *to, enum asim_record_kind kind, const void *record, size_t size)
{
    const uint32_t word = kind;

    if (to->packed)
        to->out.n = 0;
    to->packed = 0;
    if (ASIM_VEC_RESERVE(to->out, to->out.n + sizeof word + size))
        return ASIM_ENOMEM;
    memcpy(to->out.at + to->out.n, &word, sizeof word);
    memcpy(to->out.at + to->out.n + sizeof word, record, size);
    to->out.n += sizeof word + size;
    return 0;
}

/* It was made in this window and is due W or more after the window's begin, so in a later one. */
static int put_notification(struct asim_fabric *fabric, const struct asim_notification *note)
{
    uint32_t host = note->lost ? note->msg.src : note->msg.dst;

    return put(&asim_engine_of(fabric)->exchange->peer[fabric->set.process_of[host]],
               ASIM_RECORD_NOTIFICATION, note, sizeof *note);
}

static int put_releases(struct asim_fabric *fabric, struct asim_worker *worker)
{
    int code = 0;

    for (size_t i = 0; !code && i < worker->pending_releases.n; i++) {
        struct asim_release_record release = {.src = worker->pending_releases.at[i].src,
                                              .slot = worker->pending_releases.at[i].slot};
        struct asim_rx *rx = asim_rx_of(fabric, release.src, release.slot);

        release.frames = atomic_exchange(&rx->frames, 0);
        rx->release_pending = 0;
        code = put(&asim_engine_of(fabric)->exchange->peer[fabric->set.process_of[release.src]],
                   ASIM_RECORD_RELEASE, &release, sizeof release);
    }
    worker->pending_releases.n = 0;
    return code;
}

static const struct asim_process_hooks hooks = {.notification = put_notification,
                                                .releases = put_releases};

/* --- opening ---------------------------------------------------------------------------------- */

/* The wires from this process into node v of another one. */
static int list_wires_to(struct asim_fabric *fabric, uint32_t v)
{
    const struct asim_topo *topo = fabric->set.topo;
    struct asim_peer *to = &asim_engine_of(fabric)->exchange->peer[fabric->set.process_of[v]];
    const struct asim_peer_node node = {v, to->wires.n};

    for (uint32_t i = topo->first_port[v]; i < topo->first_port[v + 1]; i++) {
        uint32_t link = topo->ports[i].link, wire = 2 * link + (topo->links[link].a == v);

        if (asim_fabric_owns(fabric, topo->ports[i].peer) && ASIM_VEC_PUSH(to->wires, wire))
            return ASIM_ENOMEM;
    }
    return to->wires.n > node.from && ASIM_VEC_PUSH(to->nodes, node) ? ASIM_ENOMEM : 0;
}

/* Wires are listed by node at the far end, so that packing looks only at nodes to which a frame
 * goes: most of a large network is not busy in most windows. */
static int list_wires(struct asim_fabric *fabric)
{
    struct asim_exchange *exchange = asim_engine_of(fabric)->exchange;
    int code = 0;

    for (uint32_t v = 0; !code && v < fabric->set.nodes; v++)
        code = asim_fabric_owns(fabric, v) ? 0 : list_wires_to(fabric, v);
    for (uint32_t p = 0; !code && p < exchange->n; p++)
        code = ASIM_VEC_PUSH(exchange->peer[p].nodes,
                             ((struct asim_peer_node){UINT32_MAX, exchange->peer[p].wires.n}));
    return code;
}

/* Processes find a common period (memo/period/common_period.c) only where the network repeats after
 * whole windows, so the window may be a little shorter than it could be. */
static uint64_t window_of_periods(const struct asim_fabric *fabric, uint64_t most_ns)
{
    uint64_t ticks = asim_repeating_window(fabric, asim_to_ticks(fabric, most_ns));
    uint64_t ns = asim_to_ns(fabric, ticks);

    return 2 * ns >= most_ns && asim_to_ticks(fabric, ns) == ticks ? ns : most_ns;
}

/* A timeout acts on another process too, by a notification, so it limits the lookahead as well. */
int asim_exchange_open(struct asim_fabric *fabric, const struct asim_partition *part, uint32_t self,
                       struct asim_err *err)
{
    struct asim_exchange *exchange = calloc(1, sizeof *exchange);
    uint64_t window = part->lookahead_fs / ASIM_FS_PER_NS;

    asim_engine_of(fabric)->exchange = exchange;
    fabric->process_hooks = &hooks;
    if (!exchange || !(exchange->peer = calloc(part->n, sizeof *exchange->peer)))
        return asim_err_nomem(err, "preparing for several processes");
    exchange->n = part->n;
    fabric->set.process_of = part->of;
    fabric->set.process = self;
    for (uint32_t p = 0; p < part->n; p++)
        asim_map_init(&exchange->peer[p].described);
    if (fabric->set.rto && asim_to_ns(fabric, fabric->set.rto) < window)
        window = asim_to_ns(fabric, fabric->set.rto);
    exchange->lookahead_ns = window_of_periods(fabric, window);
    if (asim_partition_used(part) < part->n)
        return asim_err_set(err, ASIM_EINVAL,
                            "the network cannot be cut into %u parts, only into %u: leaves keep "
                            "their hosts, NVLinks are never cut; start fewer processes.",
                            part->n, asim_partition_used(part));
    if (window < MIN_LOOKAHEAD_NS)
        return asim_err_set(err, ASIM_EINVAL,
                            "several processes need links of at least %d ns between them; run this "
                            "on one process.",
                            MIN_LOOKAHEAD_NS);
    return list_wires(fabric) || asim_workers_open(fabric, 1, NULL)
               ? asim_err_nomem(err, "preparing for several processes")
               : 0;
}

void asim_exchange_close(struct asim_fabric *fabric)
{
    struct asim_exchange *exchange = asim_engine_of(fabric)->exchange;

    for (uint32_t p = 0; exchange && exchange->peer && p < exchange->n; p++) {
        ASIM_FREE(exchange->peer[p].nodes.at, exchange->peer[p].wires.at, exchange->peer[p].out.at);
        asim_map_fini(&exchange->peer[p].described);
    }
    if (exchange)
        free(exchange->peer);
    free(exchange);
}

int asim_exchange_is_local(const struct asim_fabric *fabric, uint32_t node)
{
    return asim_fabric_owns(fabric, node);
}

uint32_t asim_exchange_size(const struct asim_fabric *fabric)
{
    const struct asim_fabric_engine *engine = asim_engine_of(fabric);

    return engine->exchange ? engine->exchange->n : 1;
}

uint64_t asim_exchange_lookahead(const struct asim_fabric *fabric)
{
    const struct asim_fabric_engine *engine = asim_engine_of(fabric);

    return engine->exchange ? engine->exchange->lookahead_ns : 0;
}

/* --- out -------------------------------------------------------------------------------------- */

/* Once per message and process; the process of the source knows its flows. */
static int put_flow(struct asim_fabric *fabric, uint32_t peer, const struct asim_frame *frame)
{
    struct asim_peer *to = &asim_engine_of(fabric)->exchange->peer[peer];
    uint32_t slot = frame->slot & 0xffffff;
    const struct asim_rx *rx = asim_rx_of(fabric, frame->src, slot);
    struct asim_flow_record record = {.msg = rx->msg,
                                      .size = rx->size,
                                      .base_rtt_ns = rx->base_rtt_ns,
                                      .slot = slot,
                                      .sport = rx->sport,
                                      .generation = rx->generation};
    uint64_t *described;

    if (fabric->set.process_of[frame->src] == peer)
        return 0;
    described = asim_map_put(&to->described, frame->src, slot);
    if (!described)
        return ASIM_ENOMEM;
    if (*described == rx->msg.id + 1)
        return 0;
    *described = rx->msg.id + 1;
    return put(to, ASIM_RECORD_FLOW, &record, sizeof record);
}

/* The telemetry of the frame's packet, where switches write any. */
static int put_telemetry(struct asim_fabric *fabric, uint32_t peer, const struct asim_frame *frame)
{
    const struct asim_rx *rx = asim_rx_of(fabric, frame->src, frame->slot);
    const struct asim_telemetry *seen = asim_telemetry_by(fabric, rx, frame);
    struct asim_telemetry_record record = {
        .src = frame->src, .slot = frame->slot & 0xffffff, .cap = rx->seen_cap};

    if (!seen)
        return 0;
    record.seen = *seen;
    return put(&asim_engine_of(fabric)->exchange->peer[peer], ASIM_RECORD_TELEMETRY, &record,
               sizeof record);
}

/* Empties the receive ring of a cut wire, which no node here reads. */
static int pack_wire(struct asim_fabric *fabric, uint32_t peer, struct asim_wire *wire)
{
    struct asim_peer *to = &asim_engine_of(fabric)->exchange->peer[peer];
    struct asim_frames_record record = {.wire = wire->id, .n = asim_link_ring_count(wire)};
    size_t bytes = record.n * sizeof(struct asim_frame);

    if (!record.n)
        return 0;
    for (uint32_t i = 0; i < record.n; i++) {
        const struct asim_frame *frame = asim_link_ring_peek(wire, i);

        if (frame->type >= ASIM_PAUSE)
            continue;
        if (put_flow(fabric, peer, frame) ||
            (fabric->set.cc->needs & (ASIM_CC_INT | ASIM_CC_DIGEST) &&
             put_telemetry(fabric, peer, frame)))
            return ASIM_ENOMEM;
    }
    if (put(to, ASIM_RECORD_FRAMES, &record, sizeof record) ||
        ASIM_VEC_RESERVE(to->out, to->out.n + bytes))
        return ASIM_ENOMEM;
    for (uint32_t i = 0; i < record.n; i++) {
        memcpy(to->out.at + to->out.n, asim_link_ring_peek(wire, 0), sizeof(struct asim_frame));
        to->out.n += sizeof(struct asim_frame);
        asim_link_ring_drop(wire);
    }
    return 0;
}

/* Whether a worker has sent a frame to that node since the last call. unpack.c sets schedule.next
 * in the process that has the node. */
static int has_arrivals(struct asim_fabric *fabric, uint32_t v)
{
    struct asim_fabric_engine *engine = asim_engine_of(fabric);
    int found = 0;

    for (uint32_t w = 0; w < engine->workers.n; w++) {
        found |= engine->workers.at[w].min_arrival[fabric->schedule.slot[v]] != ASIM_NEVER;
        engine->workers.at[w].min_arrival[fabric->schedule.slot[v]] = ASIM_NEVER;
    }
    return found;
}

/* By node and port, though any order of wires gives the same result. */
int asim_exchange_pack(struct asim_fabric *fabric, uint32_t peer, struct asim_buffer *buffer,
                       struct asim_err *err)
{
    struct asim_fabric_engine *engine = asim_engine_of(fabric);
    struct asim_peer *to = &engine->exchange->peer[peer];
    int code = 0;

    if (to->packed)
        to->out.n = 0;
    to->packed = 0;
    if (engine->livelock.is_closing)
        code = put(to, ASIM_RECORD_SUMS, &engine->livelock.own, sizeof engine->livelock.own);
    if (!code && engine->exchange->own_vote.processes)
        code = put(to, ASIM_RECORD_VOTE, &engine->exchange->own_vote,
                   sizeof engine->exchange->own_vote);
    for (const struct asim_peer_node *at = to->nodes.at; !code && at->node != UINT32_MAX; at++)
        if (has_arrivals(fabric, at->node))
            for (size_t i = at[0].from; !code && i < at[1].from; i++)
                code = pack_wire(fabric, peer, &fabric->wires[to->wires.at[i]]);
    to->packed = 1;
    *buffer = (struct asim_buffer){to->out.at, to->out.n};
    return code ? asim_err_nomem(err, "sending packets to another process") : 0;
}
