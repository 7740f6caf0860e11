/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Messages, and pieces of messages, that go from queue to queue (flow.md#bursts).
 */
#ifndef ASIM_NET_FLOW_BURSTS_H
#define ASIM_NET_FLOW_BURSTS_H

#include "net/flow/rings.h"

/* What a burst brings to a link, evenly. */
struct asim_fluid_pulse {
    double rate, left; /* packets a ns; packets to come, at at_ns */
    uint64_t at_ns;
};

/* What goes from queue to queue: a message, or a piece of one that is longer than its window. Its
 * pulses are on the links from `end` to `front`. */
struct asim_fluid_burst {
    struct asim_due front_due, end_due;
    uint8_t is_front_due, is_end_due, is_sent, is_last; /* is_sent: by its NIC */
    /* Links of its path that its first packet, and its end, come to next; of a piece, `front` goes
     * on with those of its first ACK. */
    uint8_t front, end;
    double front_rate; /* at which it will come there */
    double front_ns;   /* when; */
    double passed_ns;  /* latencies of the links before its end */
    /* Of a piece: when its first packet came to the receiver, how long the ACK of that took, and
     * when its end came (0: it has not); of the pieces of its message. */
    double came_ns, back_ns, ended_ns;
    uint32_t number;
    double packets;
    struct asim_fluid_flow *flow;
    const struct asim_fluid_path *path;
    struct asim_fluid_pulse pulse[ASIM_FLUID_HOPS];
};

/* A message that is longer than its window goes in pieces of a part of the window: the next one
 * begins as the first ACK of the one a window before is back, and is no sooner sent than the last
 * ACK of that one. */
enum { ASIM_FLUID_PIECES = 16 };
struct asim_fluid_train {
    double unsent, piece;               /* packets that its NIC has not begun; of a piece */
    uint32_t begun, acked, most;        /* pieces: so far, ACKed so far; under way at most */
    double paced;                       /* its controller allows so much, packets a ns */
    double ready_ns[ASIM_FLUID_PIECES]; /* of each piece, when its last ACK is back */
    uint8_t is_waiting;                 /* for an ACK */
    uint8_t is_stale;                   /* links have changed: a new path for the next piece */
};

/* The links of a path that share it out by rates: of a burst its NIC only. */
static inline uint32_t asim_fluid_reach(const struct asim_fluid_flow *flow,
                                        const struct asim_fluid_path *path)
{
    return flow->is_burst ? 1 : path->n;
}

/* A message joins its NIC, beside others of this ns. */
void asim_fluid_take_round(struct asim_fluid *fluid, struct asim_fluid_flow *flow);
/* A burst is sent from now on; not 0 when out of memory. */
int asim_fluid_begin_burst(struct asim_fluid *fluid, struct asim_fluid_flow *flow);
/* Its NIC sends it at another rate; has sent it. */
void asim_fluid_pace_burst(struct asim_fluid *fluid, struct asim_fluid_flow *flow);
void asim_fluid_end_burst(struct asim_fluid *fluid, struct asim_fluid_burst *burst);
/* What of it is not yet sent goes another way. */
void asim_fluid_cut_burst(struct asim_fluid *fluid, struct asim_fluid_flow *flow);
/* Its first packet, or the ACK of that, comes to a link; 1: the ACK of a piece is back. */
int asim_fluid_burst_front(struct asim_fluid *fluid, struct asim_fluid_burst *burst);
/* Its end comes to a link. LAST, PIECE: that of the message, or of a piece before its last one, has
 * left the last link. */
enum asim_burst_came { ASIM_BURST_NOT, ASIM_BURST_PIECE, ASIM_BURST_LAST };
enum asim_burst_came asim_fluid_burst_end(struct asim_fluid *fluid, struct asim_fluid_burst *burst);
/* Frees it once nothing of it is to come, and its message, too. */
void asim_fluid_forget_burst(struct asim_fluid *fluid, struct asim_fluid_burst *burst);

/* --- trains.c --- */
/* A message that is longer than its window begins, to go in pieces, beside so many of its NIC, it
 * included; not 0 when out of memory. */
int asim_fluid_begin_train(struct asim_fluid *fluid, struct asim_fluid_flow *flow, uint32_t beside);
/* Its NIC has sent a piece: the next one begins or waits for an ACK; 0: there is none. */
int asim_fluid_next_piece(struct asim_fluid *fluid, struct asim_fluid_flow *flow);
/* The first ACK of a piece is back. */
void asim_fluid_piece_acked(struct asim_fluid *fluid, struct asim_fluid_burst *burst);
/* Its end has come. */
void asim_fluid_piece_came(struct asim_fluid *fluid, struct asim_fluid_burst *burst);
/* Its controller allows such a rate, packets a ns, and window, packets. */
static inline void asim_fluid_pace_train(struct asim_fluid_flow *flow, double most, double window)
{
    struct asim_fluid_train *train = flow->train;
    double pieces = asim_fluid_max(1, window / train->piece), was = train->paced;

    train->most = (uint32_t)asim_fluid_min(ASIM_FLUID_PIECES, pieces);
    train->paced = most;
    flow->most = most < flow->most || flow->most >= was ? most : flow->most;
}

/* --- queues.c, acks.c, messages.c --- */
/* Bursts bring so much more to a link; packets: that they bring at once; bursts: so many more
 * begin. */
void asim_fluid_bring(struct asim_fluid *fluid, uint32_t l, double rate, double packets,
                      int bursts);
/* Beside bursts: from when an ACK comes to link `hop` of its way until it comes to the next one;
 * packets: whose ACKs are work for the link from now on. */
double asim_fluid_pass_ack(struct asim_fluid *fluid, const struct asim_fluid_path *path,
                           uint32_t hop, double packets);
/* Its end has left its last link; passed_ns: the latencies of those before. */
void asim_fluid_arrived_burst(struct asim_fluid *fluid, struct asim_fluid_flow *flow,
                              double passed_ns);
/* Beside bursts: its last packet has come, or its ACK to the next link. 1: it is back. */
int asim_fluid_come(struct asim_fluid *fluid, struct asim_fluid_flow *flow);

#endif
