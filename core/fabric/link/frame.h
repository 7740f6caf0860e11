/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What travels: frames in rings. A frame is 32 bytes and refers to its flow by (source host,
 * slot); sizes on the wire follow spec rdma-network.md section 1.2 (variant A: 2 B link header,
 * no preamble, gap or FCS).
 */
#ifndef ASIM_FABRIC_LINK_FRAME_H
#define ASIM_FABRIC_LINK_FRAME_H

#include <stdint.h>
#include <stdlib.h>

enum asim_frame_type { ASIM_DATA, ASIM_ACK, ASIM_NACK, ASIM_PAUSE, ASIM_RESUME };

enum asim_frame_flag {
    ASIM_CE = 1,     /* ECN: congestion experienced */
    ASIM_CNP = 2,    /* on ACK/NACK: the data packet was marked */
    ASIM_FINAL = 4,  /* on ACK: acknowledges the whole message */
    ASIM_SOLICIT = 8 /* on DATA: sent again after a timeout; wants an ACK though it be known */
};

/* Bytes around the payload without telemetry. */
enum { ASIM_DATA_OVERHEAD = 36, ASIM_ACK_WIRE = 48, ASIM_PFC_WIRE = 31 };

/* In `tries`: it has no record of telemetry (a packet sent more often than can be counted), or
 * leads back to none (an ACK). */
enum { ASIM_NO_RECORD = 15 };

/* Bits of `seq`: messages are shorter than 16 TiB. */
#define ASIM_SEQ_MASK ((1ull << 44) - 1)

/* Queues of a port (802.1Qbb priorities): 0 is served first and never paused. */
enum { ASIM_QUEUES = 8, ASIM_DATA_QUEUE = 3 };

/* Four words with names for their parts. A frame is written and copied a word at a time
 * (asim_frame_copy), whatever part of it is wanted: a load that is wider than the last stores to
 * its place has to wait until these have left the processor, and costs more than the rest of a hop.
 */
struct asim_frame {
    uint64_t t; /* arrival at the far end of the link it is on; in a queue: unused */
    union {
        struct {
            uint64_t seq : 44;  /* DATA: offset of its first byte; ACK/NACK: next byte expected */
            uint64_t tries : 4; /* with telemetry: how often the packet was sent before */
            uint64_t wire : 16;
        };
        uint64_t extent; /* as asim_frame_word1 says */
    };
    union {
        struct {
            uint32_t src;  /* host that owns the flow (the data's sender) */
            uint32_t slot; /* generation << 24 | slot of the flow at src; PFC: the queue */
        };
        uint64_t flow;
    };
    union {
        struct {
            /* DATA, PFC: node this frame goes to. ACK, NACK (which go to src): 0, or 1 + how many
             * packets beyond seq the one stands that is acknowledged out of order. */
            uint32_t dst;
            uint32_t side : 24; /* on a wire: youth of what sent it; in a switch: ingress port */
            uint32_t type : 3;
            uint32_t flags : 5;
        };
        uint64_t rest; /* as asim_frame_word2 says */
    };
};

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the words of struct asim_frame are laid out for little-endian machines"
#endif

static inline uint64_t asim_frame_word1(uint64_t seq, uint32_t tries, uint32_t wire)
{
    return (seq & ((1ull << 44) - 1)) | (uint64_t)(tries & 15) << 44 | (uint64_t)wire << 48;
}

/* Side is left 0. */
static inline uint64_t asim_frame_word2(uint32_t dst, enum asim_frame_type type, unsigned flags)
{
    return dst | (uint64_t)type << 56 | (uint64_t)(flags & 31) << 59;
}

/* All but t, with another side. Volatile keeps the compiler from joining the words again. */
static inline void asim_frame_copy(struct asim_frame *to, const volatile struct asim_frame *from,
                                   uint32_t side)
{
    to->extent = from->extent;
    to->flow = from->flow;
    to->rest = (from->rest & ~(0xffffffull << 32)) | (uint64_t)(side & 0xffffff) << 32;
}

/* Node a frame is routed to. Without a branch: where data and ACKs mix nobody guesses which. */
static inline uint32_t asim_frame_goal(const struct asim_frame *frame)
{
    uint32_t data = 0u - (frame->type == ASIM_DATA);

    return (frame->dst & data) | (frame->src & ~data);
}

/* FIFO of frames; cap is 0 or a power of two. */
struct asim_ring {
    struct asim_frame *at;
    uint32_t head, n, cap;
};

/* Doubles the ring; 0 when out of memory. Kept out of line: it is not the steady state. */
int asim_ring_grow(struct asim_ring *ring);

/* Place of a new last frame, to be written by the caller; NULL when out of memory. */
static inline struct asim_frame *asim_ring_slot(struct asim_ring *ring)
{
    if (ring->n == ring->cap && !asim_ring_grow(ring))
        return NULL;
    return &ring->at[(ring->head + ring->n++) & (ring->cap - 1)];
}

/* 0 when out of memory; the ring is then unchanged. */
static inline int asim_ring_push(struct asim_ring *ring, const struct asim_frame *frame)
{
    struct asim_frame *slot = asim_ring_slot(ring);

    if (slot)
        *slot = *frame;
    return slot != NULL;
}

/* The oldest frame; the ring must not be empty. Valid until the next push, which may move all. */
static inline struct asim_frame *asim_ring_head(struct asim_ring *ring)
{
    return &ring->at[ring->head];
}

/* Forgets the oldest frame. */
static inline void asim_ring_drop(struct asim_ring *ring)
{
    ring->head = (ring->head + 1) & (ring->cap - 1);
    ring->n--;
}

static inline void asim_ring_fini(struct asim_ring *ring)
{
    free(ring->at);
}

#endif
