/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The members of the fabric that belong to parallel runs: its workers, which are the threads of
 * this process, and the processes of a distributed run.
 */
#ifndef ASIM_FABRIC_CLOCK_WORKERS_STATE_H
#define ASIM_FABRIC_CLOCK_WORKERS_STATE_H

#include <stdint.h>
#include "fabric/processes/period_vote.h"

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

/* Processes (exchange.h, grid.h). */
struct asim_fabric_processes {
    struct asim_exchange *exchange; /* NULL: one process */
    const uint32_t *process_of;     /* [nodes] the process of each node; NULL: one process */
    uint32_t self;
    int half_steps, wants_half_steps; /* wants: but for windows near a look (livelock.h) */
    uint64_t limit;                   /* no event at or after this time is due yet */
    /* On the last window: of this process; of the others, so far. */
    struct asim_period_vote own_vote, votes;
};

#endif
