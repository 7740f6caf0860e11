/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Unpacks the buffers of other processes: their records take effect as if the node that made them
 * were in this process. Between windows, on one thread. A buffer is trusted: it comes from the same
 * program and the same settings. Costs one copy a frame.
 */
#include "fabric/link/schedule.h"
#include "fabric/processes/wire_records.h"
#include "fabric/processes/exchange.h"
#include "fabric/host/telemetry.h"
#include "fabric/host/completion.h"
#include "fabric/clock/engine.h"
#include "fabric/host/host.h"
#include "fabric/link/notification.h"
#include "fabric/processes/peers.h"

#include <string.h>

/* Several processes on the path may describe the same message. */
static int take_flow(struct asim_fabric *fabric, const struct asim_flow_record *record)
{
    struct asim_host *host = &fabric->host[record->msg.src];
    struct asim_rx *rx;

    if (!asim_fabric_owns(fabric, record->msg.src))
        host->worker = asim_engine_of(fabric)->workers.at;
    if (asim_rx_reserve(host, record->slot))
        return ASIM_ENOMEM;
    rx = asim_rx_of(fabric, record->msg.src, record->slot);
    if (rx->generation == record->generation && rx->msg.id == record->msg.id)
        return 0;
    rx->msg = record->msg;
    rx->size = record->size;
    rx->base_rtt_ns = record->base_rtt_ns;
    rx->sport = record->sport;
    rx->dst = record->msg.dst;
    rx->generation = record->generation;
    rx->begun_generation = (uint8_t)(record->generation - 1);
    atomic_store(&rx->frames, 0);
    rx->out_of_order.n = 0;
    for (uint32_t i = 0; i < rx->seen_cap; i++)
        rx->seen[i].seq = UINT64_MAX;
    return 0;
}

/* Into the receive ring, as by the sending node. */
static int take_frames(struct asim_fabric *fabric, const struct asim_frames_record *record,
                       const uint8_t *bytes)
{
    struct asim_wire *wire = &fabric->wires[record->wire];

    for (uint32_t i = 0; i < record->n; i++) {
        struct asim_frame *frame = asim_link_ring_slot(asim_engine_of(fabric)->workers.at, wire);

        if (!frame)
            return ASIM_ENOMEM;
        memcpy(frame, bytes + i * sizeof *frame, sizeof *frame);
        if (!i)
            asim_node_schedule(fabric, wire->to, frame->t);
        asim_link_ring_commit(wire);
    }
    return asim_link_ring_merge_overflow(wire);
}

/* From the first release on the sum with the source's own count is exact (flow.c, is_quiet). */
static int take_release(struct asim_fabric *fabric, const struct asim_release_record *release)
{
    struct asim_rx *rx = asim_rx_of(fabric, release->src, release->slot);

    atomic_fetch_add(&rx->frames, release->frames);
    rx->released = 1;
    return 0;
}

/* The record at *at; moves *at behind it. */
static int take(struct asim_fabric *fabric, const struct asim_buffer *buffer, size_t *at)
{
    struct asim_fabric_engine *engine = asim_engine_of(fabric);
    union {
        struct asim_flow_record flow;
        struct asim_frames_record frames;
        struct asim_telemetry_record telemetry;
        struct asim_notification notification;
        struct asim_release_record release;
        struct asim_livelock_sums sums;
        struct asim_period_vote vote;
    } of;
    static const size_t sizes[] = {[ASIM_RECORD_FLOW] = sizeof of.flow,
                                   [ASIM_RECORD_FRAMES] = sizeof of.frames,
                                   [ASIM_RECORD_TELEMETRY] = sizeof of.telemetry,
                                   [ASIM_RECORD_NOTIFICATION] = sizeof of.notification,
                                   [ASIM_RECORD_RELEASE] = sizeof of.release,
                                   [ASIM_RECORD_SUMS] = sizeof of.sums,
                                   [ASIM_RECORD_VOTE] = sizeof of.vote};
    uint32_t kind;
    const uint8_t *frames;

    memcpy(&kind, buffer->at + *at, sizeof kind);
    if (kind >= sizeof sizes / sizeof *sizes)
        return ASIM_EBUG;
    memcpy(&of, buffer->at + *at + sizeof kind, sizes[kind]);
    *at += sizeof kind + sizes[kind];
    switch ((enum asim_record_kind)kind) {
    case ASIM_RECORD_FLOW:
        return take_flow(fabric, &of.flow);
    case ASIM_RECORD_FRAMES:
        frames = buffer->at + *at;
        *at += of.frames.n * sizeof(struct asim_frame);
        return take_frames(fabric, &of.frames, frames);
    case ASIM_RECORD_TELEMETRY:
        return asim_telemetry_take(
            fabric, asim_rx_of(fabric, of.telemetry.src, of.telemetry.slot), &of.telemetry.seen,
            asim_fabric_owns(fabric, of.telemetry.src) ? 0 : of.telemetry.cap);
    case ASIM_RECORD_NOTIFICATION:
        return asim_notification_deliver(fabric, &of.notification);
    case ASIM_RECORD_RELEASE:
        return take_release(fabric, &of.release);
    case ASIM_RECORD_SUMS:
        asim_livelock_add(&engine->livelock.others, &of.sums);
        return 0;
    case ASIM_RECORD_VOTE:
        asim_period_vote_add(&engine->exchange->votes, &of.vote);
        return 0;
    }
    return ASIM_EBUG;
}

/* In order: the constants of a flow precede its frames. */
int asim_exchange_unpack(struct asim_fabric *fabric, const struct asim_buffer *buffer,
                         struct asim_err *err)
{
    int code = 0;

    for (size_t at = 0; !code && at < buffer->n;)
        code = take(fabric, buffer, &at);
    if (code == ASIM_EBUG)
        return asim_err_set(err, code, "a buffer of another process has a record of no known kind");
    return code ? asim_err_nomem(err, "taking packets from another process") : 0;
}
