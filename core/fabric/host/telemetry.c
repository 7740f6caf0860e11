/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Telemetry that packets collect: HPCC's INT records, the timestamp of TIMELY and Swift, PINT's
 * digest (rdma-network.md#telemetry-headers). The records lie beside the flow, one for each packet
 * in flight, found by the packet's sequence number, so frames do not grow in memory; their sizes on
 * the wire do. The ACK or NACK of a packet leads the sender back to its record.
 *
 * Memory: about 136 bytes for each packet in flight, only for algorithms that need it; the flow's
 * slot keeps it for its next message.
 */
#include "fabric/host/telemetry.h"
#include "fabric/host/host.h"
#include "cc/cc.h"

#include <stdlib.h>
#include <string.h>

enum { BYTE_UNIT = 128 };

void asim_telemetry_sizes(struct asim_fabric *fabric)
{
    struct asim_cc_frames frames = asim_cc_frames(fabric->set.cc, fabric->set.net->pint_log_base);

    fabric->set.data_overhead = frames.overhead + fabric->set.net->frame_extra_bytes;
    fabric->set.ack_wire = frames.ack;
}

/* Makes room for `packets` in flight, the oldest being number `first`; each record keeps its place
 * by sequence number. */
static int grow(struct asim_rx *rx, uint64_t first, uint64_t packets)
{
    uint32_t cap = rx->seen_cap ? rx->seen_cap : 16;
    struct asim_telemetry *seen;

    while (cap < packets && cap < 1u << 30)
        cap *= 2;
    seen = calloc(cap, sizeof *seen);
    if (!seen || cap < packets) {
        free(seen);
        return ASIM_ENOMEM;
    }
    for (uint64_t i = 0; i < rx->seen_cap; i++)
        seen[(first + i) & (cap - 1)] = rx->seen[(first + i) & (rx->seen_cap - 1)];
    free(rx->seen);
    rx->seen = seen;
    rx->seen_cap = cap;
    return 0;
}

static struct asim_telemetry *place_of(const struct asim_fabric *fabric, const struct asim_rx *rx,
                                       uint64_t seq)
{
    return &rx->seen[seq / fabric->set.net->payload_bytes & (rx->seen_cap - 1)];
}

/* The record of the packet that holds byte seq, for the sending that this frame is or answers.
 * After a loss an older copy of a packet may still be under way when the sender begins a new record
 * in the same place. The copy finds that the record is another sending's, whenever it looks; so the
 * result does not depend on how far the sender has run ahead. A packet sent more often than `tries`
 * can count has no record. */
static inline struct asim_telemetry *record_of(const struct asim_fabric *fabric,
                                               const struct asim_rx *rx,
                                               const struct asim_frame *frame, uint64_t seq)
{
    struct asim_telemetry *record =
        rx->seen_cap && frame->tries != ASIM_NO_RECORD ? place_of(fabric, rx, seq) : NULL;

    return record && record->seq == seq - seq % fabric->set.net->payload_bytes &&
                   record->tries == frame->tries
               ? record
               : NULL;
}

const struct asim_telemetry *asim_telemetry_by(const struct asim_fabric *fabric,
                                               const struct asim_rx *rx,
                                               const struct asim_frame *frame)
{
    uint64_t beyond = frame->dst ? (uint64_t)(frame->dst - 1) * fabric->set.net->payload_bytes : 0;
    int before = frame->type == ASIM_ACK && !frame->dst;

    if (frame->type == ASIM_DATA)
        return record_of(fabric, rx, frame, frame->seq);
    return record_of(fabric, rx, frame, frame->seq + beyond - (before && frame->seq));
}

/* Makes room for as many records as the sender has: then two packets want one place only if the
 * sender has given up the older one. */
static int grow_to(const struct asim_fabric *fabric, struct asim_rx *rx, uint32_t cap)
{
    struct asim_telemetry *old = rx->seen;
    uint32_t old_cap = rx->seen_cap;

    if (cap <= old_cap)
        return 0;
    rx->seen = malloc(cap * sizeof *rx->seen);
    if (!rx->seen) {
        rx->seen = old;
        return ASIM_ENOMEM;
    }
    rx->seen_cap = cap;
    for (uint32_t i = 0; i < cap; i++)
        rx->seen[i].seq = UINT64_MAX;
    for (uint32_t i = 0; i < old_cap; i++)
        if (old[i].seq != UINT64_MAX)
            *place_of(fabric, rx, old[i].seq) = old[i];
    free(old);
    return 0;
}

/* A later sending of the packet, or a later packet in its place, replaces the record: the sender
 * has given up the earlier one. */
int asim_telemetry_take(struct asim_fabric *fabric, struct asim_rx *rx,
                        const struct asim_telemetry *seen, uint32_t cap)
{
    struct asim_telemetry *record;

    if (cap && grow_to(fabric, rx, cap))
        return ASIM_ENOMEM;
    record = place_of(fabric, rx, seen->seq);
    if (record->seq == seen->seq &&
        (cap ? record->tries <= seen->tries : record->tries == seen->tries))
        *record = *seen;
    else if (cap && (record->seq == UINT64_MAX || record->seq < seen->seq))
        *record = *seen;
    return 0;
}

/* Number of earlier sendings of the packet; 0 if the record is of another packet or of an earlier
 * message of the slot. The count saturates at ASIM_NO_RECORD. */
static uint32_t earlier_sendings(const struct asim_fabric *fabric, const struct asim_flow *flow,
                                 const struct asim_telemetry *record, uint64_t seq)
{
    if (record->seq != seq || record->sent_at < asim_to_ns(fabric, flow->start))
        return 0;
    return record->tries < ASIM_NO_RECORD ? record->tries + 1u : ASIM_NO_RECORD;
}

/* Needed between threads only: a switch that writes, and a sender that grows the list. Held for
 * some 20 ns. */
static inline void lock(const struct asim_fabric *fabric, struct asim_rx *rx)
{
    while (fabric->set.threads > 1 &&
           atomic_flag_test_and_set_explicit(&rx->seen_lock, memory_order_acquire))
        ;
}

static inline void unlock(const struct asim_fabric *fabric, struct asim_rx *rx)
{
    if (fabric->set.threads > 1)
        atomic_flag_clear_explicit(&rx->seen_lock, memory_order_release);
}

struct asim_telemetry *asim_telemetry_lock(const struct asim_fabric *fabric,
                                           const struct asim_frame *frame)
{
    struct asim_rx *rx = asim_rx_of(fabric, frame->src, frame->slot);

    lock(fabric, rx);
    return record_of(fabric, rx, frame, frame->seq);
}

void asim_telemetry_unlock_slow(const struct asim_fabric *fabric, const struct asim_frame *frame)
{
    unlock(fabric, asim_rx_of(fabric, frame->src, frame->slot));
}

int asim_telemetry_begin(struct asim_fabric *fabric, struct asim_flow *flow,
                         struct asim_frame *frame, uint64_t now)
{
    uint32_t payload = fabric->set.net->payload_bytes;
    uint64_t first = flow->snd_una / payload, in_flight = frame->seq / payload - first + 2;
    struct asim_rx *rx = asim_rx_of(fabric, frame->src, frame->slot);
    struct asim_telemetry *record;
    uint32_t tries;

    lock(fabric, rx);
    if (in_flight > rx->seen_cap && grow(rx, first, in_flight)) {
        unlock(fabric, rx);
        return ASIM_ENOMEM;
    }
    record = place_of(fabric, rx, frame->seq);
    tries = earlier_sendings(fabric, flow, record, frame->seq);
    memset(record, 0, sizeof *record);
    record->sent_at = now;
    record->seq = frame->seq;
    record->tries = tries;
    unlock(fabric, rx);
    frame->tries = tries & ASIM_NO_RECORD;
    return 0;
}

uint32_t asim_telemetry_unit(const struct asim_fabric *fabric)
{
    return BYTE_UNIT * asim_telemetry_multi(fabric);
}

uint64_t asim_telemetry_first(const struct asim_fabric *fabric, const struct asim_flow *flow)
{
    return flow->snd_una - flow->snd_una % fabric->set.net->payload_bytes;
}

struct asim_telemetry *asim_telemetry_at(const struct asim_fabric *fabric, const struct asim_rx *rx,
                                         uint64_t seq)
{
    struct asim_telemetry *record = rx->seen_cap ? place_of(fabric, rx, seq) : NULL;

    return record && record->seq == seq ? record : NULL;
}

void asim_telemetry_flip(const struct asim_fabric *fabric, struct asim_int_hop *hop, uint64_t t)
{
    uint64_t counter = fabric->wires[hop->wire].bytes / asim_telemetry_unit(fabric);

    if (!hop->rate_bps)
        return;
    hop->time = (asim_to_ns(fabric, t) - hop->time) & ASIM_INT_TIME_MASK;
    hop->bytes = (counter - hop->bytes) & ASIM_INT_BYTES_MASK;
}

static void reverse(struct asim_telemetry *record, uint64_t n)
{
    for (uint64_t i = 0; i < n / 2; i++) {
        struct asim_telemetry other = record[i];

        record[i] = record[n - 1 - i];
        record[n - 1 - i] = other;
    }
}

/* A record keeps the place of its sequence number, so all places rotate: three reversals. Records
 * of earlier packets end up in places where nothing looks for them. */
void asim_telemetry_skip(const struct asim_fabric *fabric, const struct asim_flow *flow,
                         uint64_t ns)
{
    struct asim_rx *rx = asim_rx_of_flow(fabric, flow);
    uint64_t payload = fabric->set.net->payload_bytes, by;

    if (!rx->seen_cap)
        return;
    by = flow->skip_bytes / payload & (rx->seen_cap - 1);
    for (uint64_t seq = asim_telemetry_first(fabric, flow); seq < flow->cc.snd_next;
         seq += payload) {
        struct asim_telemetry *record = place_of(fabric, rx, seq);

        record->seq += flow->skip_bytes;
        record->sent_at += ns;
    }
    reverse(rx->seen, rx->seen_cap);
    reverse(rx->seen, by);
    reverse(rx->seen + by, rx->seen_cap - by);
}
