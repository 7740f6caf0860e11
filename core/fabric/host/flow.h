/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A flow: one message on its way as congestion control, sender and receiver see it. It lives in a
 * slot of its source host (flow.c) and is found by (source host, slot) from frames and timers.
 */
#ifndef ASIM_FABRIC_HOST_FLOW_H
#define ASIM_FABRIC_HOST_FLOW_H

#include <stdatomic.h>
#include <stdint.h>
#include "cc/cc.h"
#include "fabric/host/recovery.h"
#include "fabric/link/hash.h"
#include "net/net.h"

struct asim_fabric;
struct asim_host;
struct asim_worker;

/* The one destination port there is (rdma-network.md#queue-pairs). */
enum { ASIM_DPORT = 100 };

/* The sender's view, touched by the source host only. What a packet or its ACK touches lies in the
 * first two cache lines, and so does what its end tells: with many messages under way at a host it
 * is seldom near. */
struct asim_flow {
    uint64_t frame_word; /* how frames refer to it: their word `flow` */
    uint64_t snd_high;   /* end of what was ever sent */
    /* Frames the sender has made less those it has taken in, modulo 2^32: while the sum with the
     * receiver's is not 0 something of the flow is under way, and the slot is not reused. */
    uint32_t tx_frames;
    uint32_t dst;      /* node its data goes to */
    uint32_t timeouts; /* since the last progress */
    /* generation: of the slot, wraps at 256; live until complete; stage: zero-delay events
     * passed. */
    uint8_t generation, live, stage;
    uint8_t aborted : 1;   /* undeliverable: neither live nor finished, keeps its slot */
    uint8_t had_loss : 1;  /* the sender's side of losses, below, is not all 0 */
    uint32_t slot;         /* its own, without generation */
    uint32_t place;        /* in its NIC's list (qplist.h) */
    uint32_t nic;          /* index of the NIC it sends on, chosen by hash when it opened */
    uint16_t last_wire;    /* size of the packet sent last, bytes */
    uint16_t sport;        /* the message itself is in its struct asim_rx */
    uint64_t start, ideal; /* for the log: when the queue pair was made; on idle links */
    /* What the scan over a NIC's queue pairs asks of each of them, up to the fourth word of `cc`:
     * first byte not yet acknowledged; bytes allowed in flight now, 0 = no limit; earliest time of
     * the next packet, ticks: the end of the pacing gap; selective repeat, made at the first gap.
     */
    _Alignas(64) uint64_t snd_una;
    uint64_t window, next_avail;
    struct asim_sack *sack;
    struct asim_cc_flow cc; /* snd_next, size, rate, line rate first */
    uint64_t timer_armed;   /* the congestion-control timer on its way; ASIM_NEVER = none */
    /* Most messages touch nothing from here on. Sender's side of losses (recovery.c): packets
     * before solicit_below are repeats that want an ACK; times of the last go-back-N and timeout.
     */
    _Alignas(64) uint64_t solicit_below;
    uint64_t last_gbn, timed_out;
    uint64_t skip_bytes;    /* bytes that the memo skips (steady_state.c) */
    uint32_t message_index; /* how many messages of its source came before it (memo.h) */
};

/* What other nodes than the source know of a flow: facts that are constant while it lives, and the
 * receiver's view, touched by the destination host only. It has the number of the sender's slot. */
struct asim_rx {
    /* Every packet and ACK: next byte expected; size, at least 1. */
    _Alignas(64) uint64_t next;
    uint64_t size;
    atomic_uint frames; /* like tx_frames; notices to the destination count, too */
    uint16_t sport;
    uint8_t generation;       /* of the slot; a frame of another is of an earlier message */
    uint8_t begun_generation; /* generation the destination has begun with */
    uint8_t nacked, notified;
    /* Where source and destination are of different processes (distributed.h). released: the source
     * has heard of `frames` since its message's end; owes: the destination is going to tell it. */
    uint8_t released, release_pending;
    uint32_t message_index; /* the flow's */
    /* 1 + the NIC answers leave by, 0 = not asked yet: the destination's, as long as no link goes
     * down. */
    uint32_t reply_nic;
    struct asim_ranges out_of_order; /* what has come beyond a gap */
    /* Begin and end of the message. */
    _Alignas(64) struct asim_msg msg;
    uint64_t base_rtt_ns;
    /* Losses and telemetry: no second NACK for nack_seq before nack_until (ticks). */
    uint64_t nack_until, nack_seq;
    /* What packets under way have gathered (telemetry.c): entry (seq / payload) mod seen_cap. Made
     * by the source, written where frames pass. */
    struct asim_telemetry *seen;
    uint32_t seen_cap;
    atomic_flag seen_lock; /* of `seen`, which grows while others write into it */
};

/* Counts frames made less frames taken in: the destination's, after all else it does with the flow,
 * since the source may give the slot to another message as soon as the sum is 0. */
static inline void asim_rx_count(struct asim_rx *rx, uint32_t more)
{
    uint32_t frames = atomic_load_explicit(&rx->frames, memory_order_relaxed);

    atomic_store_explicit(&rx->frames, frames + more, memory_order_release);
}

/* All bytes acknowledged, or given up; snd_next may still be behind after a go-back-N. */
static inline int asim_flow_is_over(const struct asim_flow *flow)
{
    return flow->snd_una >= flow->cc.size || flow->aborted;
}

/* Bytes not yet sent, and room for them in the window. */
static inline int asim_flow_has_room(const struct asim_flow *flow)
{
    return flow->cc.snd_next < flow->cc.size &&
           (!flow->window || flow->cc.snd_next - flow->snd_una < flow->window);
}

enum { ASIM_FLOW_CHUNK = 16 };

/* --- flow.c ---------------------------------------------------------------------------------- */
/* Room for what others know of a slot. 0 or ASIM_ENOMEM. */
int asim_rx_reserve(struct asim_host *host, uint32_t slot);
/* The next source port towards dst; ASIM_NEVER when out of memory. */
uint64_t asim_flow_sport(struct asim_host *host, uint32_t dst);
/* The two together: the next port, and a slot. */
uint64_t asim_flow_create(struct asim_host *host, const struct asim_msg *msg);
/* Takes a slot for *msg; ASIM_NEVER when out of memory. */
uint64_t asim_flow_alloc(struct asim_host *host, const struct asim_msg *msg, uint16_t sport);
/* The queue pair is out of its NIC's list: the slot is free once nothing is under way. */
void asim_flow_release(struct asim_host *host, uint32_t slot);
/* Sets window, rate and NIC; the flow is then ready to be scheduled. */
void asim_flow_open(struct asim_fabric *fabric, struct asim_host *host, uint32_t slot);
/* Recomputes flow->window after a change of rate. */
void asim_flow_rewindow(const struct asim_fabric *fabric, struct asim_flow *flow);
/* Index among n equal-cost NICs for a tuple (rdma-network.md#nic-choice). */
uint32_t asim_flow_nic(struct asim_fabric *fabric, const struct asim_tuple *tuple);
/* The destination has counted frames of a flow (asim_rx_count): the source's process is to hear. */
void asim_flow_add_release_slow(struct asim_worker *worker, uint32_t src, uint32_t slot);

#endif
