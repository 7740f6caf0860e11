/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What advances the network: the present window, the workers, which are the threads of this
 * process, and the livelock's looks. The network itself is the first member, so that each function
 * may take `struct asim_fabric *` and code below this room sees no more than that.
 */
#ifndef ASIM_FABRIC_CLOCK_ENGINE_H
#define ASIM_FABRIC_CLOCK_ENGINE_H

#include "cc/flow.h"
#include "fabric/clock/livelock.h"
#include "fabric/ground/ground.h"
#include "fabric/ground/worker.h"
#include "net/watch.h"

struct asim_exchange;
struct asim_thread_team;

/* What changes from window to window. */
struct asim_fabric_run {
    /* The caller writes these between windows, and workers read them. half: the half whose window
     * it is; shards_due: a sharded switch has work in it. */
    _Alignas(ASIM_LINE_BYTES) uint64_t until; /* the window's end */
    int half, shards_due, is_long;            /* is_long: longer than set.lookahead */
    /* Only the caller uses these. */
    _Alignas(ASIM_LINE_BYTES) uint64_t horizon[2]; /* how far each half has advanced */
    uint64_t windows, committed; /* committed: the user knows of all before this time, ns */
};

/* Threads. A network of one thread has one worker and no team. */
struct asim_fabric_workers {
    struct asim_worker *at; /* [n] */
    uint32_t n;
    uint32_t parallel_threshold;   /* active nodes from which on the team works together */
    uint16_t *of;                  /* [nodes] the worker of each node; NULL: one worker */
    struct asim_thread_team *team; /* NULL: one thread */
    uint64_t lookahead;  /* how far workers may go on their own, ticks: set.lookahead or more */
    uint32_t *domain_of; /* [nodes] a node of the domain; NULL: no domains */
    uint64_t domain_lookahead;     /* the same for scale-up domains (domains.h) */
    struct asim_switch **sharded;  /* [n_sharded] switches with shards of several workers */
    uint32_t n_sharded, min_ports; /* min_ports: from which on a switch is sharded */
};

struct asim_fabric_engine {
    struct asim_fabric fabric;
    struct asim_fabric_run run;
    struct asim_fabric_workers workers;
    struct asim_livelock livelock;
    struct asim_cc_config cc_config; /* of fabric.set */
    struct asim_fabric_watch watch;  /* of fabric */
    uint64_t limit;                  /* no event at or after this time is due yet */
    struct asim_exchange *exchange;  /* NULL: one process (processes/exchange.h) */
};

static inline struct asim_fabric_engine *asim_engine_of(const struct asim_fabric *fabric)
{
    return (struct asim_fabric_engine *)fabric;
}

#endif
