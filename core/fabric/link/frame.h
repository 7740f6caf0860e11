/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A frame and the FIFO of frames. A frame takes 32 bytes and refers to its flow by (source host,
 * slot). rdma-network.md#frame-sizes lists the sizes on the wire (2 B link header,
 * no preamble, gap or FCS).
 */
#ifndef ASIM_FABRIC_LINK_FRAME_H
#define ASIM_FABRIC_LINK_FRAME_H

#include <stdint.h>
#include <stdlib.h>

/* PFC frames come last. ASIM_DATAGRAM: an IP packet of another simulator (asim/datagram.h). */
enum asim_frame_type { ASIM_DATA, ASIM_ACK, ASIM_NACK, ASIM_DATAGRAM, ASIM_PAUSE, ASIM_RESUME };

enum asim_frame_flag {
    ASIM_CE = 1,     /* ECN: congestion experienced */
    ASIM_CNP = 2,    /* on ACK/NACK: the data packet was marked */
    ASIM_FINAL = 4,  /* on ACK: acknowledges the whole message */
    ASIM_SOLICIT = 8 /* on DATA: a retransmission after a timeout; the receiver always ACKs it */
};

/* In a set of flags: frames with any flags, or none. */
enum { ASIM_EACH_ACK = 32 };

enum { ASIM_PFC_WIRE = 31 }; /* bytes; those of data frames and ACKs: cc/cc.h */

/* Value of `tries` for a frame without a telemetry record: a packet sent too often to be counted,
 * or an ACK that answers no single packet. */
enum { ASIM_NO_RECORD = 15 };

/* Bits of `seq`: messages are shorter than 16 TiB. */
#define ASIM_SEQ_MASK ((1ull << 44) - 1)

/* Queues of a port (802.1Qbb priorities). A port serves queue 0 first and never pauses it. */
enum { ASIM_QUEUES = 8 };

/* Bits of a node's number: topologies have at most 2^24 nodes (topo/build.h). */
enum { ASIM_NODE_BITS = 24 };

/* Four 64-bit words; unions name their parts. Code writes and copies whole words
 * (asim_frame_copy) even where it needs one part: a load wider than the last store to its place
 * must wait until the store has left the processor, and that wait costs more than the rest of a
 * hop.
 *
 * A datagram has its destination in `src`, as an ACK has, its source in `dst`, its token in `slot`,
 * the two ports in the low 32 bits of `seq` (the destination's above), and its queue in `tries`. */
struct asim_frame {
    uint64_t t; /* arrival time at the far end of the link; unused while the frame is queued */
    union {
        struct {
            uint64_t seq : 44;  /* DATA: offset of its first byte; ACK/NACK: next byte expected */
            uint64_t tries : 4; /* with telemetry: number of earlier transmissions of the packet */
            uint64_t wire : 16; /* bytes on the wire */
        };
        uint64_t word1; /* made by asim_frame_word1 */
    };
    union {
        struct {
            uint32_t src : ASIM_NODE_BITS; /* host that owns the flow (the data's sender) */
            uint32_t traffic_class : 8;    /* of the message (asim/net.h), in its ACKs too */
            uint32_t slot; /* generation << 24 | slot of the flow at src; PFC: the queue */
        };
        uint64_t flow;
    };
    union {
        struct {
            /* DATA, PFC: destination node. ACK, NACK (their destination is src): 0, or 1 + the
             * distance in packets from seq to a packet acknowledged out of order. */
            uint32_t dst;
            union {
                struct {
                    uint32_t cause_recency : 24; /* on a wire: of the event that sent the frame */
                    uint32_t type : 3;
                    uint32_t flags : 5;
                };
                struct {
                    uint32_t ingress : 24; /* in a switch queue: the ingress port */
                    uint32_t : 8;
                };
            };
        };
        uint64_t word2; /* made by asim_frame_word2 */
    };
};
/* By words (memo/state/fields.h). word1: its `seq`. PFC frames are of no message. */
#define ASIM_FRAME_STATE(X) X(CLOCK, t), X(SEQ, word1), X(SAME, flow), X(SAME, word2)

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the words of struct asim_frame are laid out for little-endian machines"
#endif

/* seq is one of ASIM_SEQ_MASK. */
static inline uint64_t asim_frame_word1(uint64_t seq, uint32_t tries, uint32_t wire)
{
    return seq | (uint64_t)(tries & 15) << 44 | (uint64_t)wire << 48;
}

/* cause_recency is left 0. */
static inline uint64_t asim_frame_word2(uint32_t dst, enum asim_frame_type type, unsigned flags)
{
    return dst | (uint64_t)type << 56 | (uint64_t)(flags & 31) << 59;
}

/* Copies all words but t and sets the 24 bits of cause_recency or ingress. `volatile` keeps the
 * compiler from merging the words into wider loads. */
static inline void asim_frame_copy(struct asim_frame *to, const volatile struct asim_frame *from,
                                   uint32_t cause_or_ingress)
{
    to->word1 = from->word1;
    to->flow = from->flow;
    to->word2 = (from->word2 & ~(0xffffffull << 32)) | (uint64_t)cause_or_ingress << 32;
}

/* The node that a frame is routed to. Branch-free: where data and ACKs mix, a branch predictor
 * fails. */
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

/* Doubles the ring; 0 when out of memory. Out of line: the steady state never calls it. */
int asim_ring_grow(struct asim_ring *ring);

/* Place of a new last frame, which the caller writes; NULL when out of memory. */
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

/* The oldest frame; the ring must not be empty. The next push may move all frames. */
static inline struct asim_frame *asim_ring_head(struct asim_ring *ring)
{
    return &ring->at[ring->head];
}

/* Removes the oldest frame. */
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
