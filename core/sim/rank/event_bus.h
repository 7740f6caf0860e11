/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Events for reports and other observers. Ranks and the network record events while hosts run ahead
 * of each other inside a window; the bus delivers them in order of time once the window is settled.
 * An event that no observer wants costs a test of a bit and is not recorded.
 *
 * Each observer sees each of its events once, in an order that follows from the run alone. One
 * thread calls all observers. Names of ops and facts about ranks are not part of an event; event.h
 * finds them.
 */
#ifndef ASIM_SIM_RANK_EVENT_BUS_H
#define ASIM_SIM_RANK_EVENT_BUS_H

#include <stddef.h>
#include <stdint.h>
#include "asim/err.h"
#include "base/mem.h"

struct asim_world;
struct asim_rank_facts;

enum asim_event_kind {
    ASIM_EV_RANK_DONE,      /* of.done */
    ASIM_EV_FCT,            /* of.fct: a message is complete; rank = its source */
    ASIM_EV_BACKGROUND,     /* of.fct: a background flow is complete; id = its generator from 0 */
    ASIM_EV_MESSAGE_LEFT,   /* of.left: a message under way at the end; rank = its source */
    ASIM_EV_ARRIVAL,        /* of.arrival: a message is there; rank = its destination */
    ASIM_EV_PFC,            /* of.pfc: a PFC frame takes effect; rank = the node */
    ASIM_EV_OP_ISSUE,       /* of.op */
    ASIM_EV_COLL_JOIN,      /* of.join: the rank issues its part of a collective */
    ASIM_EV_OP_END,         /* of.op.index */
    ASIM_EV_OP_LEFT,        /* of.op.index, .bytes (done): an op under way at the end */
    ASIM_EV_RATE,           /* of.rate: a flow's rate changed; rank = its source */
    ASIM_EV_QUEUE,          /* of.queue: bytes queued at a switch port; rank = the node */
    ASIM_EV_QUEUE_SAMPLE,   /* the same where a sample (qlen.txt) may show it */
    ASIM_EV_LINKS,          /* never recorded: a wish for link use at the end of the run */
    ASIM_EV_HOSTS,          /* never recorded: the same for hosts */
    ASIM_EV_NO_TENSOR_LIST, /* of.op: it lists no tensors; once a rank, with track-local-mem */
    ASIM_EV_ROUND_DONE,     /* of.round: a rank has gone through its trace once */
    ASIM_EV_KINDS
};

/* The order of events is (t, stage, rank, order) and does not depend on threads or processes: two
 * runs of one input deliver the same events. */
struct asim_event {
    uint64_t t;
    uint16_t kind;  /* enum asim_event_kind */
    uint16_t stage; /* ASIM_STAGE_START comes before ASIM_STAGE_NODES at one time */
    uint32_t rank;  /* the rank, or the node that recorded the event */
    uint64_t order; /* order of recording: comparable within one node only */
    union {
        struct {
            uint64_t start, bytes, ideal, id; /* id: of the message, as in of.arrival */
            uint32_t dst;
            uint16_t sport;
        } fct;
        struct {
            uint64_t start, bytes, ideal, acked; /* acked: bytes */
            uint32_t dst;
            uint16_t sport;
        } left;
        struct {
            uint64_t id, bytes;
            uint32_t src;
            int32_t coll_type; /* enum asim_coll_type, -1 = of a SEND op */
        } arrival;
        struct {
            uint64_t bps, start;
            uint32_t dst;
            uint16_t sport;
        } rate;
        struct {
            uint64_t bytes, control; /* control: bytes of queue 0 among them */
            uint32_t port;
        } queue;
        struct {
            uint32_t port, node_kind;
            int pause;
        } pfc;
        struct {
            uint64_t id, bytes;
            char *name;                /* of a rank in another process; else NULL (event.h) */
            uint32_t index, tag, peer; /* tag, peer: of sends and receives */
            uint16_t type;             /* enum asim_op_type */
            uint16_t is_cpu;           /* a CPU op; of its issue only */
        } op;
        struct {
            uint32_t number; /* from 1 */
        } round;
        struct {
            struct asim_rank_facts *facts; /* of a rank in another process; else NULL */
        } done;
        struct {
            uint64_t sequence, bytes; /* sequence: number among the group's; bytes: comm_size */
            uint32_t group, index;    /* group: id + 1, 0 = all ranks */
            uint32_t first;           /* lowest member: tells equal rings of a dimension apart */
            uint32_t members;         /* number of ranks that exchange data */
            uint32_t root;            /* rank of a rooted collective, else 0 */
            uint8_t kind, sized;      /* sized: an all-to-all-v */
        } join;
    } of;
};

/* An observer: a report (report/), or one of the caller's (asim/observe.h). */
struct asim_event_observer {
    unsigned wants;   /* bit per enum asim_event_kind */
    int only_choices; /* of ASIM_EV_FCT: messages on paths that a hash has chosen will do */
    void *self;
    void (*on_event)(void *self, const struct asim_world *world, const struct asim_event *event);
    /* The end. Writes the remaining data, or drops it where world->run.failed. 0 or a negative
     * code. */
    int (*close)(void *self, const struct asim_world *world, struct asim_err *err);
};

/* Stages of one time: all ranks start before any rank continues, also at time 0. */
enum { ASIM_STAGE_START, ASIM_STAGE_NODES };

/* Samples of qlen.txt: their distance, and the least length that a line shows
 * (rdma-network.md#output-files). */
enum { ASIM_QLEN_NS = 100, ASIM_QLEN_BYTES = 1000 };

/* The events that one shard has recorded. Only its thread writes them; other threads may read them
 * between windows. */
struct asim_events {
    struct asim_event *at;
    size_t n, cap;
    uint64_t order;
    int failed; /* lost an event: out of memory */
};

/* The observers of one kind of event: indices into the bus's observers, in the order of adding. */
struct asim_observer_list {
    uint32_t *at;
    size_t n, cap;
};

struct asim_event_bus {
    ASIM_VEC(struct asim_event_observer) observers; /* in the order of adding */
    struct asim_observer_list of_kind[ASIM_EV_KINDS];
    unsigned wants; /* a bit for each kind that any observer wants */
    struct asim_events pending;
    ASIM_VEC(uint64_t) keys; /* room for sorting */
    /* in_order: events of one time keep the order of insertion, since all ranks share one clock.
     * stage: of events recorded from now on; changes between windows only. */
    int in_order;
    uint16_t stage;
    int lost;    /* an observer failed to write: observers closed later drop their files */
    int stopped; /* an observer has failed the run: no later event is delivered */
};

/* Adds a copy of the observer; asim_event_bus_close closes observers in the order of adding. Not
 * while events are delivered. 0 or ASIM_ENOMEM: nothing was added then. */
int asim_event_bus_add(struct asim_event_bus *event_bus,
                       const struct asim_event_observer *observer);
/* 1 if all observers of ASIM_EV_FCT have only_choices. */
int asim_event_bus_only_choices(const struct asim_event_bus *event_bus);
/* 1 if any observer wants events of that kind. */
static inline int asim_event_bus_wants(const struct asim_event_bus *event_bus,
                                       enum asim_event_kind kind)
{
    return (event_bus->wants >> kind & 1) != 0;
}
/* Whether observers may ask for the op of the event (event.h). */
static inline int asim_event_has_op(const struct asim_event *event)
{
    return event->kind == ASIM_EV_OP_ISSUE || event->kind == ASIM_EV_OP_END ||
           event->kind == ASIM_EV_OP_LEFT || event->kind == ASIM_EV_NO_TENSOR_LIST;
}
/* Frees what an event of another process owns; events of this process own nothing. */
void asim_event_fini(struct asim_event *event);
/* Records a copy of the event if any observer wants its kind; sets order and stage. */
void asim_event_bus_record(const struct asim_event_bus *event_bus, struct asim_events *into,
                           const struct asim_event *event);
/* Room for one more event of a kind that an observer wants. The caller fills in all but kind, stage
 * and order. NULL when out of memory. For events of every message: saves a copy. Another thread
 * read these places last, so the next one is prefetched. */
static inline struct asim_event *asim_event_bus_slot(const struct asim_event_bus *event_bus,
                                                     struct asim_events *into,
                                                     enum asim_event_kind kind)
{
    const size_t ahead = 8;
    struct asim_event *event;

    if (ASIM_VEC_RESERVE(*into, into->n + ahead)) {
        into->failed = 1;
        return NULL;
    }
    __builtin_prefetch(&into->at[into->n + ahead - 1], 1);
    event = &into->at[into->n++];
    event->kind = (uint16_t)kind;
    event->stage = event_bus->stage;
    event->order = into->order++;
    return event;
}
/* Between windows: makes the events of a shard pending. */
void asim_event_bus_gather(struct asim_event_bus *event_bus, struct asim_events *from);
/* Drops pending events that do not come before `last` (by t, stage, rank and order). */
void asim_event_bus_cut(struct asim_event_bus *event_bus, const struct asim_event *last);
/* Delivers all events before `until`, in order. */
void asim_event_bus_deliver(struct asim_event_bus *event_bus, const struct asim_world *world,
                            uint64_t until);
/* Delivers the remaining events and closes every observer; returns the first failure. */
int asim_event_bus_close(struct asim_event_bus *event_bus, const struct asim_world *world,
                         struct asim_err *err);

#endif
