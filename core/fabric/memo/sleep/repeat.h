/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Repeats: hosts and egress ports of switches that do in each window what they did in the last one.
 * A period of the whole network (steady_state.h) needs all of it steady at one time. In rings of
 * many hosts some message begins or ends at nearly any time, but most hosts and ports notice
 * nothing of it. All windows then have one length. In each of them a host or port is in one of two
 * states:
 *
 * - awake: it is simulated, and what it sends is compared with what it sent in the last window;
 * - asleep: its state at the begin of a window equals that of the window before, but for the clock
 *   and the progress of messages, and so do the frames that come in. It is not looked at.
 *
 * A frame takes at least a window from node to node. So if an awake host or port sends anything
 * else than in its last window, those that get these frames wake in time: they move on by the
 * windows that they slept, and are simulated from then on. A host also wakes for its timers, before
 * a message of its own comes to its end, and, inside a window, for a frame on a short link
 * (clock/domain_windows.c). All comparisons are of whole states, so results are exact.
 *
 * Only links that are not shorter than a window take part. Hosts fall asleep while their other
 * links (NVLinks) are still, and while the part of their server neither leads nor follows. The
 * order of ports that decides ties in a switch goes on as if all were awake: a switch with an awake
 * port counts the last arrivals of its sleeping ports, too (switch/bulk/sleeping.h).
 *
 *     repeat_setup.c  whether a network allows sleep, and memory
 *     repeat.c        windows: when to begin and to end, what wakes and what falls asleep
 *     repeat_host.c   a host: its state, its move by some windows
 *     repeat_port.c   an egress port
 *     repeat_wire.c   what a wire carries in each window
 */
#ifndef ASIM_FABRIC_MEMO_SLEEP_REPEAT_H
#define ASIM_FABRIC_MEMO_SLEEP_REPEAT_H

#include "fabric/node.h"

/* Flows and directions on one wire, messages that one host sends or receives, words of the state of
 * one host or port: more of them exclude sleep. */
enum { ASIM_REPEAT_STEPS = 8, ASIM_REPEAT_MESSAGES = 16, ASIM_REPEAT_WORDS = 4096 };

/* Frames of one flow and type in a window: each has a sequence number greater by `by` than a window
 * ago, ASIM_NEVER where that is not known yet. */
struct asim_repeat_step {
    uint64_t flow, by;
    uint64_t end; /* of the last one in window `seen`, with its headers */
    uint32_t type;
};

/* What a wire carries in a window. What each window needs comes first, for the cache. */
struct asim_repeat_wire {
    uint64_t sender_since; /* its sender sleeps since this window; ASIM_NEVER: it is awake */
    /* All that read it sleep since this window: its frames are not in the ring. ASIM_NEVER: no. */
    uint64_t reader_since;
    uint64_t deviated; /* later arrivals equal those a window before; ticks */
    uint64_t of, seen; /* seen: the last window; it equals `of`, or repeats it */
    uint64_t before;   /* frames put on the wire before this window */
    uint32_t depth;    /* frames of so many windows can be on the wire; 0: the wire takes no part */
    uint32_t n, cap, n_steps;
    /* [n] frames sent in window `of`; t: arrival, from the begin of `of`. Then [n] the same frames
     * as they arrive in one window; t: from its begin. */
    struct asim_frame *frame, *arrival;
    uint8_t *step_of; /* [n] frames: index in `step`; ASIM_REPEAT_STEPS: it has none */
    uint64_t bytes;   /* of all of them */
    uint64_t listed;  /* `arrival` is of the frames of this window; ASIM_NEVER: of none */
    struct asim_repeat_step step[ASIM_REPEAT_STEPS];
};

/* Of a host or port. */
struct asim_repeat_state {
    uint64_t since;    /* asleep since this window; ASIM_NEVER: awake */
    uint64_t taken_at; /* the window at whose begin `words` was the state; ASIM_NEVER: none */
    uint64_t *words;
    size_t n_words, cap;
};

/* Messages that a host sends, and those that it receives. */
struct asim_repeat_messages {
    uint32_t n_flows, n_rx;
    struct {
        struct asim_flow *flow;
        uint64_t at, by; /* acknowledged bytes, and their growth in a window */
    } flow[ASIM_REPEAT_MESSAGES];
    struct asim_repeat_rx {
        struct asim_rx *rx;
        uint64_t name;   /* of the flow, as in frames */
        uint64_t at, by; /* the next byte expected */
    } rx[ASIM_REPEAT_MESSAGES];
};

struct asim_repeat_host {
    struct asim_repeat_state state;
    struct asim_repeat_messages messages;
    struct asim_host_counts counts; /* then, and once it sleeps their growth in a window */
};

/* Sets of ports are rows of n_words words. */
struct asim_repeat_switch {
    struct asim_repeat_state *port; /* [n_ports]; NULL: its ports never sleep */
    uint32_t n_words, n_asleep;
    uint64_t *routes; /* [ingress port] the egress ports of its frames */
    uint64_t *deps;   /* [egress port] the ingress ports whose frames come to it */
    int is_due;       /* a port was awake in the window that is over */
    struct asim_sleeping_ports sleeping;
};

/* A host, or a port of a switch. */
struct asim_repeat_unit {
    uint32_t node, port; /* port: 0-based */
};

struct asim_repeats {
    int is_on;
    uint64_t begin, length;                          /* of window 0; of all windows. Ticks. */
    uint64_t window;                                 /* the present one, or the next one */
    struct asim_repeat_wire *wire;                   /* [2 x links] */
    struct asim_repeat_host *host;                   /* [hosts] */
    struct asim_repeat_switch *sw;                   /* [switches] */
    ASIM_VEC(struct asim_repeat_unit) awake, waking; /* waking: from the next window on */
    ASIM_VEC(struct asim_frame) frames;              /* scratch: those of one wire */
    uint64_t *words;      /* [ASIM_REPEAT_WORDS] scratch: the state of a host or port */
    uint32_t depth;       /* the most of all wires */
    uint64_t each_window; /* packet-hops of all that sleeps */
    /* Packet-hops since the last look at what sleep brings. */
    uint64_t carried, skipped;
    uint64_t look_at, try_at, pause, least_pause, most_pause; /* in windows of the fabric */
    /* Packet-hops of all, of periods of the whole network, and calls of ranks, when sleep was last
     * due. */
    uint64_t hops, by_periods, calls;
    uint64_t slept; /* packet-hops that were not simulated; of these the counters have */
    uint64_t saved;
};

/* 0 or ASIM_ENOMEM. Without effect where the network allows no sleep. */
int asim_repeats_open(struct asim_fabric *fabric);
void asim_repeats_close(struct asim_fabric *fabric);
/* The pause between two tries, in windows, after one that paid; the longest one after others. */
void asim_repeats_pause(struct asim_repeats *repeats, uint64_t least, uint64_t most);
/* Before a window: 1 sets its begin and its end, or 0. Then repeats are off, and all nodes are at
 * the present time. */
int asim_repeats_begin(struct asim_fabric *fabric, uint64_t *begin, uint64_t *until);
/* After such a window. */
void asim_repeats_end(struct asim_fabric *fabric);
/* All wake, and the network goes on without repeats. Between windows. */
void asim_repeats_stop(struct asim_fabric *fabric);
/* Inside a window, before a switch goes through it: all its ports wake. */
void asim_repeats_wake_switch(struct asim_fabric *fabric, struct asim_switch *sw);

static inline uint64_t asim_repeat_time(const struct asim_repeats *repeats, uint64_t window)
{
    return repeats->begin + window * repeats->length;
}

/* Packet-hops that were not simulated, as far as the counters of wires have them. */
static inline uint64_t asim_repeats_saved(const struct asim_fabric *fabric)
{
    return fabric->repeats ? fabric->repeats->saved : 0;
}

static inline int asim_repeats_are_on(const struct asim_fabric *fabric)
{
    return fabric->repeats && fabric->repeats->is_on;
}

#endif
