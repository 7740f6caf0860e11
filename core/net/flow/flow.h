/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The flow level: a message is a fluid on the path that its packets would take
 * (doc/model/flow.md). A rate is packets a ns, an amount is packets; packets of all flows have one
 * size, so a link serves one packet in packet_ns.
 *
 * A flow is active while its sender has bytes to send and its queue pair's turn has come; drained
 * when the last byte has passed its bottleneck; through when the last ACK is back.
 */
#ifndef ASIM_NET_FLOW_FLOW_H
#define ASIM_NET_FLOW_FLOW_H

#include "asim/net.h"
#include "base/index_set.h"
#include "base/map.h"
#include "cc/cc.h"
#include "cc/flow.h"
#include "net/ecmp.h"
#include "net/flow/due.h"
#include "net/flow/parts.h"
#include "net/flow/trust.h"
#include "net/packets.h"
#include "net/queue.h"

/* Links of a path, at most; the first source port (rdma-network.md#queue-pairs). */
enum { ASIM_FLUID_HOPS = 16, ASIM_FLUID_FIRST_SPORT = 10000 };
#define ASIM_FLUID_TRAFFIC_QP UINT32_MAX
#define ASIM_FLUID_NONE       1e300 /* no limit to a rate */
#define ASIM_FLUID_NO_ACKS    1e-9  /* a share of a link that sums of shares leave */

/* Its level is to be found anew: at the end of the ns; then or, if it has many flows, a moment
 * later; only if ACKs take another share then. */
enum asim_fluid_dirty { ASIM_FLUID_CLEAN, ASIM_FLUID_NOW, ASIM_FLUID_SOON, ASIM_FLUID_IF_ACKS };
/* The flows of a link, in no order. path: the flow's, which a look takes from here; hop: of it,
 * that the link is. */
struct asim_fluid_flow;
struct asim_fluid_path;
struct asim_fluid_place {
    struct asim_fluid_flow *flow;
    const struct asim_fluid_path *path;
    uint32_t hop;
};
struct asim_fluid_places {
    struct asim_fluid_place *at;
    size_t n, cap;
};
struct asim_fluid_round {        /* flow.md#bursts, flow.md#turns */
    uint32_t joining, turn, all; /* flows of this ns; which is next; with those there before */
    double packets, free_ns;     /* free_ns: of the packets of turns so far */
};
/* One direction of a link; number 2 l + d as in links.csv. In large jobs a link is mostly not in
 * the cache, so what belongs together is in one line of it. */
struct asim_fluid_link {
    /* What a look at a flow reads of each link of its path. level: the most that a flow gets here
     * that nothing else limits; ASIM_FLUID_NONE: not saturated. */
    _Alignas(ASIM_LINE_BYTES) double level;
    double share;                     /* of what comes to its queue that goes on at once */
    double wait_ns, slope, target_ns; /* at wait_at; how it moves, and to where */
    uint64_t wait_at;
    uint32_t order;    /* links of a lower one are visited first (order.c) */
    uint8_t has_queue; /* of a switch, which windows share: it has a wait in place of a level */
    uint8_t is_dirty;  /* enum asim_fluid_dirty */
    uint8_t is_stirred;
    /* What a visit reads, too. */
    double sum;     /* of the rates of its flows */
    double ack;     /* share that ACKs take */
    double step_ns; /* from one packet to the next: less where it stands for several links */
    struct asim_fluid_places flows;
    /* When flows come and go. */
    double ack_used;  /* what the rates have seen of `ack` */
    double packet_ns; /* of a full packet */
    double ack_step_ns, delay_ns;
    double told_ns; /* the wait that the flows whose ACKs wait here know */
    double soon_ns; /* SOON, IF_ACKS: what the messages last for which it is, the least */
    struct asim_fluid_places ack_flows; /* whose ACKs wait here */
    uint8_t is_planned; /* `refresh` is in the queue of events; is_stirred: `stir` */
    double ack_ns, refresh_ns;
    struct asim_fluid_site *site; /* where phases repeat; NULL: none so far */
    struct asim_due refresh, stir;
    double kmin_bytes, kmax_bytes, pmax; /* of its queue; kmax_bytes below 0: no marks */
    double arrive, burst_rate;           /* of flows and bursts that come */
    uint32_t bursts, expected;           /* these; messages that they are of, or are to be */
    struct asim_fluid_round round;       /* of a NIC */
    /* So far: its longest queue; expected marks. While it is carried for other links, too (a
     * ring in lock-step), its longest queue counts anew; peak_before: until then. */
    double peak_bytes, marks, peak_before;
    uint64_t queued_ns;           /* that it has last had a queue */
    struct asim_fluid_ring *ring; /* in lock-step, that has the link; NULL: none */
    uint32_t as;                  /* then: the link that is carried for it */
    uint8_t has_data, has_acks;   /* then: of a member of the ring */
    /* Of sprayed packets: 0, or the link that stands for this one and those beside it; the next of
     * these, of that link the first; how many it stands for, 0: it carries nothing itself. */
    uint32_t group, beside, ways;
    uint64_t rate_bps;
    uint64_t frames, bytes, first_frames; /* so far; first_frames: data on its first link */
};

/* Values of is_shared: by all messages; by those that drained before routes changed. */
enum { ASIM_FLUID_SHARED = 1, ASIM_FLUID_SHARED_BEFORE };
/* The way of the messages of a connection: figures of one full packet. Rates look at the first
 * cache line. */
struct asim_fluid_path {
    double rtt_ns; /* without any wait */
    double line;   /* of its slowest link: packets a ns */
    uint16_t n, n_acks;
    uint16_t slowest;                   /* of link[] */
    uint8_t is_shared;                  /* by messages of the connection */
    uint8_t has_choice;                 /* a hash has chosen some link */
    uint32_t link[2 * ASIM_FLUID_HOPS]; /* [n] of data, then [n_acks] of ACKs */
    uint64_t frames, bytes;             /* through, and not yet counted on the links */
};

/* What depends on path and size only (doc/model/flow.md#latency). */
struct asim_fluid_shape {
    double window;              /* rate behind waits: window / (round trip + waits) */
    double packets;             /* in full packets of the slowest link */
    uint8_t is_windowed;        /* it is longer than its window */
    uint8_t needs_acks;         /* they load links, or its window waits for them */
    uint8_t is_short;           /* drained before an ACK is under way */
    uint64_t bytes;             /* of the message that it is of */
    double forward_ns, back_ns; /* after it is drained: to the receiver, and back */
    double most;                /* that the window allows: packets a ns */
    uint64_t frames;
};

struct asim_fluid_burst;
struct asim_fluid_train;
struct asim_fluid_control;
struct asim_fluid_record;
struct asim_fluid_site;
/* A queue pair: of a pair of hosts, or with QPS_PER_CONNECTION one of several. */
struct asim_fluid_conn {
    struct asim_fluid_path *path; /* NULL until the first message, or a path a message */
    struct asim_fluid_shape shape;
    struct asim_fluid_flow *head, *tail; /* in the order sent; head is active */
    uint64_t sent;                       /* messages of the pair so far */
    uint32_t under_way;                  /* of these: begun and not yet drained */
    uint64_t passed_ns;                  /* when the last one passed its turn on */
    uint8_t is_single;                   /* a queue pair a message: it begins at once */
    double window;
    uint64_t rtt_ns, rate_bps; /* of the base path, for the ideal time */
};

enum asim_fluid_acks { ASIM_ACKS_NONE, ASIM_ACKS_WAIT, ASIM_ACKS_LOAD, ASIM_ACKS_OVER };

/* A look at a flow reads its first cache line, up to shape.packets, and its path. In an all-to-all
 * of thousands of ranks each further line is one more wait for memory. */
struct asim_fluid_flow {
    double rate, most;        /* packets a ns; most: that its window allows */
    double left;              /* packets, */
    uint64_t left_at;         /* at this time */
    double back_ns;           /* that its ACKs wait, */
    uint64_t back_until : 61; /* taken for the same until then; 0: to be found anew */
    uint64_t acks : 2;        /* enum asim_fluid_acks */
    uint64_t is_burst : 1;    /* it goes from queue to queue */
    struct asim_fluid_shape shape;
    uint8_t is_touched;    /* its rate, or what is left, changes in this settlement */
    uint8_t has_first_ack; /* since this ns */
    uint8_t is_queued;     /* `drain` is in the queue of events */
    uint8_t is_moved;      /* its end is in the heap, so `drain` means nothing */
    uint8_t is_drained, is_through, is_beside;
    struct asim_fluid_path *path;
    uint64_t end_ns;             /* when it is drained at this rate */
    uint64_t start_ns, began_ns; /* began_ns: its queue pair's turn came */
    struct asim_fluid_conn *conn;
    struct asim_fluid_flow *next;  /* behind it in its queue pair */
    double ack_rate;               /* of the ACKs while they load their links */
    uint32_t id, n_bursts;         /* index in fluid.flow; bursts under way */
    uint32_t heap_at;              /* 1 + index in the heap of ends; 0: not there */
    double rounded;                /* packets of `left` for its place in the last round */
    double turn_ns;                /* that its last packet waits at least */
    double queued_ns;              /* that its last packet waits in queues of data */
    int queues_there, queues_back; /* that it waited in then, and its ACKs */
    uint8_t is_sprayed, is_steered;
    uint8_t is_sent;   /* of a burst: its NIC has sent it */
    uint64_t again_ns; /* what was lost comes then, 0: none */
    uint8_t is_parked; /* a link is down, or a timeout is to come: it stands still, on no list */
    uint8_t
        is_coming; /* drained, and its last packet has not come: how long the ACK waits is open */
    uint8_t is_ending;  /* drained in this ns: the settlement finds when it is through */
    uint8_t is_joining; /* begun in this ns, on no link yet */
    uint8_t is_gone;    /* another one is carried for it now; its events mean nothing */
    uint16_t sport;
    uint32_t place[2 * ASIM_FLUID_HOPS]; /* in the lists of its links */
    struct asim_due through, drain, ack_due, control_due;
    struct asim_fluid_control *control; /* NULL: none so far */
    struct asim_fluid_burst *burst;     /* that its NIC sends, or has sent last; NULL: none */
    struct asim_fluid_train *train;     /* of a message in pieces */
    uint8_t is_control_due, is_ack_due; /* these are in the queue of events */
    uint8_t is_to_control;              /* once its ring is unfolded */
    struct asim_msg msg;
    uint64_t through_ns, ack_ns;    /* when these two are due */
    struct asim_fluid_relay *relay; /* whose message it is; NULL: of the user */
    struct asim_fluid_flow *beside; /* the next one under way of its relay */
    double chain_ns; /* that queues held up those that led to it one after another, and it */
    uint64_t lost_ns, resume_ns; /* its first loss, 0: none; that timeout, once it has a path */
};

/* What decides when it comes to its links beside others of this ns. */
struct asim_fluid_joining {
    uint64_t ends, id; /* source and destination; of the message */
    struct asim_fluid_flow *flow;
};

/* What limits a flow beside one link: levels of others; its round trip with the waits of others;
 * what the queues before that link let through at once. */
struct asim_fluid_limit {
    double rate, span_ns, before;
};

struct asim_fluid_counts {
    uint64_t messages, visits, last_ns; /* last_ns: when the last message was through */
    uint64_t traffic;                   /* messages: of background traffic */
    uint64_t folded;                    /* messages that links have counted */
    uint64_t crowded;                   /* messages that began beside 8 others from their source */
};

struct asim_fluid {
    struct asim_due_queue queue;
    struct asim_net_user user;
    struct asim_fabric_watch watch;
    const struct asim_topo *topo;
    const struct asim_netconf *net;
    struct asim_route *routes, *all_routes; /* routes: over links that are up */
    struct asim_fluid_events *events;       /* NULL: none planned */
    struct asim_fluid_traffic *traffic;     /* NULL: none */
    struct asim_traffic_use *traffic_use;   /* of each generator */
    uint32_t *down;                         /* each link: for how many reasons; NULL: none */
    uint32_t parts;                         /* enum asim_fluid_part */
    uint32_t payload, overhead, ack_wire, qps;
    int has_control; /* other than none */
    int is_sprayed;
    int has_bursts;              /* messages, or pieces of them, go from queue to queue: some, */
    int has_traffic;             /* all */
    int has_window, is_whole_ns; /* is_whole_ns: TIME_BASE ns */
    double worst_window;         /* GLOBAL_T 1 */
    double pause_bytes;          /* queues from here on may pause senders */
    struct asim_fluid_link *link;
    uint32_t n_links, n_groups; /* link[n_links …] stand for several */
    double *chains;             /* of what has ended last at each host */
    struct asim_map conns;
    const struct asim_cc *cc; /* NULL: none */
    struct asim_cc_config cc_config;
    uint64_t min_bps, worst_rtt_ns; /* worst_rtt_ns: GLOBAL_T 1 */
    int has_var_window;
    struct asim_pool conn_pool, path_pool, flow_pool, call_pool, control_pool, relay_pool,
        ring_pool, burst_pool, train_pool;
    struct asim_map relays, rings;
    struct asim_map repeats; /* phases of which not all members have started, by tag and `at` */
    struct asim_map sites;                       /* by end point */
    struct asim_repeat *phases;                  /* all: a list */
    struct asim_map records;                     /* of phases that may repeat, by hash */
    size_t n_records;
    void (*catch_up)(struct asim_fluid *fluid, struct asim_repeat *phase); /* repeats.h */
    ASIM_VEC(struct asim_fluid_site *) shapes;   /* the first site of each */
    uint32_t n_repeated;                         /* phases that are not carried by messages now */
    ASIM_VEC(struct asim_repeat *) starting;     /* in this ns */
    ASIM_VEC(struct asim_fluid_joining) joining; /* begun in this ns, on no link yet */
    ASIM_VEC(struct asim_fluid_flow *) held;     /* for the end of the present event */
    struct asim_fluid_ring *folded;              /* a list */
    ASIM_VEC(struct asim_fluid_ring *) to_fold;  /* at the end of this ns */
    ASIM_VEC(struct asim_fluid_relay *) members; /* of a ring that may be folded */
    ASIM_VEC(struct asim_fluid_flow *) flow;     /* by number */
    ASIM_VEC(uint32_t) free_ids, touched;
    ASIM_VEC(struct asim_fluid_end) heap;     /* of ends that have moved */
    ASIM_VEC(struct asim_fluid_limit) limits; /* of the flows of the link that is visited */
    ASIM_VEC(double) waters;                  /* the same, of what they share */
    struct asim_index_set work;               /* links whose rates are to be found anew, */
    uint32_t *by_order;                       /* by their order */
    struct asim_fluid_counts counts;
    struct asim_fluid_trust trust;
    int failed; /* enum asim_code; why: err */
    struct asim_err err;
};

#define asim_fluid_fail(fluid, code, ...)                                                          \
    ((fluid)->failed ? 0 : ((fluid)->failed = asim_err_set(&(fluid)->err, (code), __VA_ARGS__)))

/* fmin and fmax of libm are calls. */
static inline double asim_fluid_min(double a, double b)
{
    return a < b ? a : b;
}

static inline double asim_fluid_max(double a, double b)
{
    return a > b ? a : b;
}

static inline struct asim_fluid *asim_fluid_of(struct asim_net *net)
{
    return (struct asim_fluid *)(void *)net;
}

#endif
