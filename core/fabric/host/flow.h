/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A flow: one message on its way, as congestion control, sender and receiver see it. It lives in a
 * slot of its source host (flow.c); frames and timers name it by (source host, slot).
 */
#ifndef ASIM_FABRIC_HOST_FLOW_H
#define ASIM_FABRIC_HOST_FLOW_H

#include <stdatomic.h>
#include <stdint.h>
#include "asim/msg.h"
#include "cc/flow.h"
#include "fabric/link/ranges.h"

struct asim_fabric;
struct asim_frame;
struct asim_host;
struct asim_nic;
struct asim_sack;
struct asim_tuple;
struct asim_wire;
struct asim_worker;

/* HAS_WIN 0. */
#define ASIM_NO_WINDOW UINT64_MAX

/* The sender's half; the source host alone touches it. A packet, its ACK, and the end of the
 * message touch only the first two cache lines: with many messages under way at a host, a flow is
 * seldom in the cache. */
struct asim_flow {
    uint64_t frame_word; /* the word `flow` of its frames */
    uint64_t snd_high;   /* end of what was ever sent */
    /* Frames the sender made minus frames it received, modulo 2^32. While the sum with the
     * receiver's count is not 0, frames of the flow are under way, and the slot is not reused. */
    uint32_t tx_frames;
    uint32_t dst;      /* node its data goes to */
    uint32_t timeouts; /* since the last progress */
    /* generation: of the slot, wraps at 256; live until complete; stage: zero-delay events passed.
     */
    uint8_t generation, live, stage;
    uint8_t aborted : 1;  /* undeliverable: neither live nor finished, keeps its slot */
    uint8_t had_loss : 1; /* the fields for losses below are not all 0 */
    uint8_t queue : 3;    /* of its data: the message's traffic class, or PRIORITY_GROUP */
    uint32_t slot;        /* its own, without generation */
    uint32_t place;       /* in its NIC's list (qplist.h) */
    uint32_t nic;         /* index of the NIC it sends on, chosen by hash when it opened */
    uint16_t last_wire;   /* size of the packet sent last, bytes */
    uint16_t sport;       /* the message itself is in its struct asim_rx */
    uint64_t start,
        ideal; /* for the log: time of the queue pair's start; completion time on idle links */
    /* The scan reads these, up to the fourth word of `cc`: first byte not yet acknowledged; bytes
     * allowed in flight, 0 = it waits for another message (connection.c); earliest time of the
     * next packet in ticks, the end of the pacing gap; state of selective repeat, made at the first
     * gap. */
    _Alignas(64) uint64_t snd_una;
    uint64_t window, next_avail;
    struct asim_sack *sack;
    struct asim_cc_flow cc; /* snd_next, size, rate, line rate first */
    uint64_t timer_armed;   /* the congestion-control timer on its way; ASIM_NEVER = none */
    /* Most messages touch no field from here on. Losses (recovery.c): packets before solicit_below
     * are retransmissions that want an ACK; times of the last go-back-N and of the last timeout. */
    _Alignas(64) uint64_t solicit_below;
    uint64_t last_gbn, timed_out;
    uint64_t skip_bytes;    /* bytes that the memo skips (steady_state.c) */
    uint32_t message_index; /* how many messages of its source came before it (memo.h) */
};
/* Of a regular flow (asim_flow_is_regular), else there is no period. BITS: of bit-fields. */
#define ASIM_FLOW_STATE(X, BITS)                                                                   \
    X(CONSTANT, frame_word), X(BASE, snd_high), X(SAME, tx_frames), X(CONSTANT, dst),              \
        X(CONSTANT, timeouts), X(CONSTANT, generation), X(CONSTANT, live), X(CONSTANT, stage),     \
        BITS(CONSTANT, aborted), BITS(CONSTANT, had_loss), BITS(CONSTANT, queue), X(OWN, slot),    \
        X(CONSTANT, place), X(CONSTANT, nic), X(SAME, last_wire), X(CONSTANT, sport),              \
        X(CONSTANT, start), X(CONSTANT, ideal), X(BASE, snd_una), X(SAME, window),                 \
        X(CLOCK, next_avail), X(CONSTANT, sack), X(OWN, cc), X(OWN, timer_armed),                  \
        X(CONSTANT, solicit_below), X(CONSTANT, last_gbn), X(CONSTANT, timed_out),                 \
        X(DERIVED, skip_bytes), X(CONSTANT, message_index)
/* What all congestion controls have (cc/cc.h); the fields of each stand in its row. */
#define ASIM_CC_FLOW_STATE(X)                                                                      \
    X(SEQ, snd_next), X(CONSTANT, size), X(SAME, rate_bps), X(CONSTANT, line_bps),                 \
        X(CONSTANT, min_bps), X(OWN, window_bytes), X(CONSTANT, base_rtt_ns), X(OWN, timer_at),    \
        X(CONSTANT, draws), X(CONSTANT, seed), X(OWN, state)

/* The half of a flow that nodes other than the source use: constants of the message, and the
 * receiver's state, which the destination host alone touches. It has the number of the sender's
 * slot. */
struct asim_rx {
    /* Every packet and ACK: next byte expected; size, at least 1. */
    _Alignas(64) uint64_t next;
    uint64_t size;
    atomic_uint frames; /* like tx_frames; a notification to the destination counts, too */
    uint16_t sport;
    uint8_t generation;       /* of the slot; a frame with another one is of an earlier message */
    uint8_t begun_generation; /* generation of the message that the destination has begun */
    uint8_t nacked, notified;
    /* For a source and a destination in different processes (processes/exchange.h). released: the
     * source knows the count `frames` after its message's end; release_pending: the destination
     * will tell it. */
    uint8_t released, release_pending;
    uint32_t message_index; /* the flow's */
    /* 1 + the NIC that sends the destination's ACKs, 0 = not chosen yet; unused where links go
     * down. */
    uint32_t reply_nic;
    uint32_t dst;                    /* msg.dst, for ECMP hashes: they need no other cache line */
    struct asim_ranges out_of_order; /* bytes received beyond a gap */
    /* Start and end of the message. */
    _Alignas(64) struct asim_msg msg;
    uint64_t base_rtt_ns;
    /* Losses and telemetry: no second NACK for nack_seq before nack_until (ticks). */
    uint64_t nack_until, nack_seq;
    /* Telemetry records of packets under way (telemetry.c): entry (seq / payload) mod seen_cap. The
     * source makes a record, the nodes on the path write into it. */
    struct asim_telemetry *seen;
    uint32_t seen_cap;
    atomic_flag seen_lock; /* of `seen`, which grows while other nodes write into it */
    /* In a process other than the source's, for periods (memo/snapshot.h): the snapshot that has
     * met the message last; its sequence numbers count from there; bytes that the memo skips. */
    uint32_t met_by;
    uint64_t base, skip_bytes;
};
/* Of a regular receiver (asim_rx_is_regular). */
#define ASIM_RX_STATE(X)                                                                           \
    X(SEQ, next), X(CONSTANT, size), X(SAME, frames), X(CONSTANT, sport), X(CONSTANT, generation), \
        X(CONSTANT, begun_generation), X(CONSTANT, nacked), X(CONSTANT, notified),                 \
        X(CONSTANT, released), X(CONSTANT, release_pending), X(CONSTANT, message_index),           \
        X(CONSTANT, reply_nic), X(CONSTANT, dst), X(CONSTANT, out_of_order), X(CONSTANT, msg),     \
        X(CONSTANT, base_rtt_ns), X(CONSTANT, nack_until), X(CONSTANT, nack_seq), X(OWN, seen),    \
        X(CONSTANT, seen_cap), X(DERIVED, seen_lock), X(DERIVED, met_by), X(DERIVED, base),        \
        X(DERIVED, skip_bytes)

/* Counts frames made minus frames received. The destination calls it after all other work on the
 * flow, since the source may give the slot to another message as soon as the sum is 0. */
static inline void asim_rx_count(struct asim_rx *rx, uint32_t more)
{
    uint32_t frames = atomic_load_explicit(&rx->frames, memory_order_relaxed);

    atomic_store_explicit(&rx->frames, frames + more, memory_order_release);
}

/* All bytes are acknowledged, or the flow is aborted; snd_next may still be behind after a
 * go-back-N. */
static inline int asim_flow_is_over(const struct asim_flow *flow)
{
    return flow->snd_una >= flow->cc.size || flow->aborted;
}

/* The flow has unsent bytes and room for them in the window. */
static inline int asim_flow_has_room(const struct asim_flow *flow)
{
    return flow->cc.snd_next < flow->cc.size && flow->cc.snd_next - flow->snd_una < flow->window;
}

/* Nothing of the flow is sent again, and the receiver misses nothing. */
static inline int asim_flow_is_regular(const struct asim_flow *flow)
{
    return flow->live && !flow->timeouts && !flow->sack && flow->snd_high == flow->cc.snd_next;
}
static inline int asim_rx_is_regular(const struct asim_rx *rx)
{
    return !rx->nacked && !rx->out_of_order.n;
}

/* Begins to load what a packet or an ACK of the flow touches. */
static inline void asim_flow_prefetch(const struct asim_flow *flow)
{
    __builtin_prefetch(flow, 1);
    __builtin_prefetch(&flow->snd_una, 1);
}

enum { ASIM_FLOW_CHUNK = 16 };

/* --- flow.c: slots ---------------------------------------------------------------------------- */
/* Makes room for the receiver's half of a slot. 0 or ASIM_ENOMEM. */
int asim_rx_reserve(struct asim_host *host, uint32_t slot);
/* The next source port towards dst; ASIM_NEVER when out of memory. */
uint64_t asim_flow_sport(struct asim_host *host, uint32_t dst);
/* Both: the next source port, and a slot with it. */
uint64_t asim_flow_create(struct asim_host *host, const struct asim_msg *msg);
/* Allocates a slot for *msg; ASIM_NEVER when out of memory. */
uint64_t asim_flow_alloc(struct asim_host *host, const struct asim_msg *msg, uint16_t sport);
/* The queue pair has left its NIC's list: the slot is free once no frame of it is under way. */
void asim_flow_release(struct asim_host *host, uint32_t slot);
/* The destination has counted frames of a flow (asim_rx_count): the source's process must learn the
 * count. */
void asim_flow_add_release_slow(struct asim_worker *worker, uint32_t src, uint32_t slot);

/* --- flow_open.c ------------------------------------------------------------------------------ */
/* Sets window, rate and NIC; the flow may then be scheduled. */
void asim_flow_open(struct asim_fabric *fabric, struct asim_host *host, uint32_t slot);
/* Computes flow->window anew: the flow opens, its rate has changed, or it waits no longer. */
void asim_flow_rewindow(const struct asim_fabric *fabric, struct asim_flow *flow);

/* --- message.c: the end of a message, and who hears of it ---------------------------------------
 */
/* The last byte of a flow is acknowledged: writes the log row and calls the rank. The caller then
 * kicks the NIC. */
void asim_message_sent(struct asim_fabric *fabric, struct asim_host *host, struct asim_flow *flow);
/* A notification of completion is due at the destination. */
void asim_message_arrived(struct asim_fabric *fabric, struct asim_host *host, uint32_t src,
                          uint32_t slot);
/* A frame of the flow is lost, or its source thinks so. */
void asim_message_lost(struct asim_fabric *fabric, const struct asim_flow *flow);
/* The flow is given up. */
void asim_message_abort(struct asim_fabric *fabric, struct asim_host *host, struct asim_flow *flow);
/* The row of a finished flow of background traffic, for the observer of messages. generator: its
 * number from 1. */
void asim_message_report_traffic(const struct asim_fabric *fabric, const struct asim_host *host,
                                 const struct asim_flow *flow, uint32_t generator);

/* --- nic_choice.c ----------------------------------------------------------------------------- */
/* Index among n equal-cost NICs for a tuple (rdma-network.md#nic-choice). */
uint32_t asim_flow_nic(struct asim_fabric *fabric, const struct asim_tuple *tuple);
/* The same for the data of a flow. */
uint32_t asim_flow_nic_for_data(struct asim_fabric *fabric, const struct asim_host *host,
                                const struct asim_flow *flow);
/* The NIC that sends the ACKs of *data: hashed like a flow of its own, with the ports exchanged. */
struct asim_nic *asim_nic_for_reply(struct asim_fabric *fabric, struct asim_host *host,
                                    const struct asim_frame *data, struct asim_rx *rx);
/* For switches: the addresses of a frame, for ECMP; a start on loading the flows of all frames in a
 * receive ring that arrive before `until`. */
struct asim_tuple asim_frame_tuple(const struct asim_fabric *fabric,
                                   const struct asim_frame *frame);
void asim_rx_prefetch(const struct asim_fabric *fabric, const struct asim_wire *wire,
                      uint64_t until);

#endif
