/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What reports may see. The spine records events while hosts run ahead of each other inside a
 * window, and shows them in order of time once a window is settled. A kind nobody wants costs a
 * test of a bit and is not recorded.
 *
 * Observers see events one by one, each once, in an order that follows from the run
 * alone; on one thread, but for those that may be shown theirs aside. An event holds what it says
 * but for the names of ops and the figures of ranks, which are asked for where they are wanted
 * (event.h).
 */
#ifndef ASIM_SIM_RANK_EVENT_BUS_H
#define ASIM_SIM_RANK_EVENT_BUS_H

#include <stddef.h>
#include <stdint.h>
#include "asim/err.h"
#include "base/mem.h"

struct asim_netconf;
struct asim_topo;
struct asim_world;
struct asim_rank_facts;

enum asim_event_kind {
    ASIM_EV_RANK_DONE,
    ASIM_EV_FCT,
    ASIM_EV_PFC,
    ASIM_EV_OP_ISSUE,     /* of.op */
    ASIM_EV_COLL_JOIN,    /* of.join: the rank's part of a collective is issued */
    ASIM_EV_OP_END,       /* of.op.index */
    ASIM_EV_RATE,         /* of.rate: a flow's rate changed; rank = its source */
    ASIM_EV_QUEUE,        /* of.queue: bytes queued at a switch port; rank = the node */
    ASIM_EV_QUEUE_SAMPLE, /* the same where it matters to a sample (qlen.txt); maybe more of them */
    ASIM_EV_LINKS,        /* never recorded: who wants it asks what links carried, at the end */
    ASIM_EV_NO_TENSOR_LIST, /* of.op: it names no tensors; once a rank, with track-local-mem */
    ASIM_EV_KINDS
};

/* The order of events is (t, turn, rank, order), whoever recorded them and in which thread: two
 * runs of one input show the same rows, whatever they were dealt to. */
struct asim_event {
    uint64_t t;
    uint16_t kind;  /* enum asim_event_kind */
    uint16_t turn;  /* of one time: ASIM_STAGE_START goes before ASIM_STAGE_NODES */
    uint32_t rank;  /* of a rank, or the node that recorded it: its own events are in its order */
    uint64_t order; /* insertion where it was recorded: compared within one node only */
    union {
        struct {
            uint64_t start, bytes, ideal;
            uint32_t dst;
            uint16_t sport;
        } fct;
        struct {
            uint64_t bps, start;
            uint32_t dst;
            uint16_t sport;
        } rate;
        struct {
            uint64_t bytes, control; /* control: of these, in queue 0 */
            uint32_t port;
        } queue;
        struct {
            uint32_t port, node_kind;
            int pause;
        } pfc;
        struct {
            uint64_t id, bytes;
            char *name;                /* where its rank lives elsewhere, else NULL (event.h) */
            uint32_t index, tag, peer; /* tag, peer: of sends and receives */
            uint32_t type;             /* enum asim_op_type */
        } op;
        struct {
            struct asim_rank_facts *facts; /* where the rank lives elsewhere, else NULL */
        } done;
        struct {
            uint64_t group, sequence; /* group id + 1, 0 = all ranks; n-th of that group */
            uint32_t index, kind;
            uint32_t first;   /* lowest rank of those: which ring it is, where rings are alike */
            uint32_t sized;   /* an all-to-all with sizes of each pair's own */
            uint64_t members; /* that exchange data with each other */
        } join;
    } of;
};

/* One report: a row of the family in report/. */
struct asim_event_observer {
    unsigned wants; /* bit per enum asim_event_kind */
    /* see() looks at nothing but self, the event and what never changes in the world: it may be
     * called by any thread, while the run goes on (async_observers.h). Not for kinds that own
     * memory. */
    int async;
    void *self;
    void (*on_event)(void *self, const struct asim_world *world, const struct asim_event *event);
    /* The end. Writes what is left, or drops it where world->run.failed; 0 or a negative code. */
    int (*close)(void *self, const struct asim_world *world, struct asim_err *err);
};

/* All ranks start before any of them goes on, also at time 0. */
enum { ASIM_STAGE_START, ASIM_STAGE_NODES };

/* Samples of qlen.txt: their distance, and the least length that is written
 * (rdma-network.md#output-files). */
enum { ASIM_QLEN_NS = 100, ASIM_QLEN_BYTES = 1000 };

/* What one shard has recorded. Its thread alone writes it, and only between windows may another
 * look at it. */
struct asim_events {
    struct asim_event *at;
    size_t n, cap;
    uint64_t order;
    int failed; /* one was lost: no memory */
};

/* The observers of one kind of event: indices into the bus's observers, in the order of adding. */
struct asim_observer_list {
    uint32_t *at;
    size_t n, cap;
};

struct asim_event_bus {
    ASIM_VEC(struct asim_event_observer) observers; /* in the order of adding */
    struct asim_observer_list of_kind[ASIM_EV_KINDS];
    /* A bit for each kind that any observer wants, and that any async observer wants. */
    unsigned wants, async_wants;
    struct asim_async_observers *async; /* NULL: the thread of the bus calls all observers */
    struct asim_events pending;
    ASIM_VEC(uint64_t) keys; /* room for sorting */
    /* in_order: insertion is the order within one time, as all ranks have one clock.
     * turn: of events from now on; changed between windows only. */
    int in_order;
    uint16_t turn;
    int lost;    /* a observer could not write what it had: those closed after it leave nothing */
    int stopped; /* a observer found the run to have failed: nothing behind that event is shown */
};

/* Adds a copy of the observer; asim_event_bus_close closes observers in the order of adding. Not
 * while events are delivered. 0 or ASIM_ENOMEM: nothing was added then. */
int asim_event_bus_add(struct asim_event_bus *event_bus,
                       const struct asim_event_observer *observer);
/* 1 if it is worth filling in an event of that kind. */
static inline int asim_event_bus_wants(const struct asim_event_bus *event_bus,
                                       enum asim_event_kind kind)
{
    return (event_bus->wants >> kind & 1) != 0;
}
/* Which observers an event goes to: all, or those with or without `async`. */
enum asim_audience { ASIM_AUDIENCE_SYNC, ASIM_AUDIENCE_ASYNC, ASIM_AUDIENCE_ALL };
/* Calls the observers of this audience that want the event's kind, in the order of adding. */
static inline void asim_event_bus_notify(const struct asim_event_bus *event_bus,
                                         const struct asim_world *world,
                                         enum asim_audience audience,
                                         const struct asim_event *event)
{
    const struct asim_observer_list *list = &event_bus->of_kind[event->kind];

    for (size_t i = 0; i < list->n; i++) {
        const struct asim_event_observer *observer = &event_bus->observers.at[list->at[i]];

        if (audience == ASIM_AUDIENCE_ALL || (observer->async != 0) == (int)audience)
            observer->on_event(observer->self, world, event);
    }
}
/* Frees what an event of another process owns; events of this process own nothing. */
void asim_event_fini(struct asim_event *event);
/* Records one event if anybody wants its kind; its turn is the show's. */
void asim_event_bus_record(const struct asim_event_bus *event_bus, struct asim_events *into,
                           const struct asim_event *event);
/* The place of one event more of a kind somebody wants, for the caller to fill in but for kind,
 * turn and order; NULL when out of memory. For rows a message: nothing is built elsewhere and
 * copied. Whoever gathers has looked at these places last: one to come is asked for ahead. */
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
    event->turn = event_bus->turn;
    event->order = into->order++;
    return event;
}
/* Between windows: what a shard has recorded becomes pending. */
void asim_event_bus_gather(struct asim_event_bus *event_bus, struct asim_events *from);
/* Forgets what is pending and does not come before `last` (t, turn, rank and order count). */
void asim_event_bus_cut(struct asim_event_bus *event_bus, const struct asim_event *last);
/* What is pending, in order, as indices into it; NULL when out of memory. Borrowed until the next
 * call. */
const uint64_t *asim_event_bus_sort(struct asim_event_bus *event_bus);
/* Shows everything before `until`, in order of time. */
void asim_event_bus_deliver(struct asim_event_bus *event_bus, const struct asim_world *world,
                            uint64_t until);
/* Shows the rest and closes every observer; the first failure is returned. */
int asim_event_bus_close(struct asim_event_bus *event_bus, const struct asim_world *world,
                         struct asim_err *err);

#endif
