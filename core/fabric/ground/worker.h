/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A worker: the nodes of one thread, and the state that this thread writes while nodes advance side
 * by side inside a window. The caller merges that state when the window is over. Every node belongs
 * to one worker.
 */
#ifndef ASIM_FABRIC_GROUND_WORKER_H
#define ASIM_FABRIC_GROUND_WORKER_H

#include <stdint.h>
#include "asim/err.h"
#include "base/mem.h"

struct asim_domains;
struct asim_fabric;
struct asim_notification;
struct asim_wire;

/* A flow whose source lives in another process, which must learn that the flow's frames are gone
 * before it reuses the slot. */
struct asim_pending_release {
    uint32_t src, slot;
};

struct asim_worker {
    _Alignas(ASIM_LINE_BYTES) uint32_t *node, n_nodes; /* its nodes of this process */
    uint32_t n_hosts; /* hosts come first; see break_strides in workers.c for the order */
    uint64_t *next;   /* [n_nodes] their part of fabric->schedule.next */
    uint64_t
        *block_min; /* their part of fabric->schedule.block_min: of hosts, by blocks of slots */
    uint32_t first_slot; /* the slot of node[0] */
    uint32_t *active;    /* [n_nodes] indices of `node`: nodes with events in this window */
    struct asim_domains *domains; /* NULL: none (clock/domains.h) */
    /* Wires between this worker and others: those it receives from, then those it sends on. */
    struct asim_wire **cross;
    uint32_t n_inbound, n_cross;
    uint32_t *neighbour, n_neighbours; /* nodes of others that it may send to */
    /* Nodes touch these. min_arrival: the earliest frame put on a wire to each node, by slot. */
    _Alignas(ASIM_LINE_BYTES) struct asim_fabric *fabric;
    uint64_t *min_arrival;
    /* Completions its hosts know of that are not yet due; messages of its hosts begun and not yet
     * complete; calls of its ranks, and messages begun: no period has those (steady_state.c). */
    uint64_t waiting, open, calls;
    int failed;             /* first failure, enum asim_code; the worker's nodes stop */
    int contested;          /* a tie whose order keys do not know (link/tie_key.h) */
    int silent;             /* the memo simulates again what ranks have been told */
    int is_alone;           /* all nodes are its own */
    uint64_t last_notified; /* latest time of the notifications it has delivered itself */
    /* The caller reads these after each window. */
    _Alignas(ASIM_LINE_BYTES) uint64_t half_next[2]; /* earliest event of its own nodes, by half */
    ASIM_VEC(struct asim_notification) outbox;
    ASIM_VEC(struct asim_wire *) overflowed; /* wires with frames outside their rings */
    ASIM_VEC(void *)
    deferred_frees; /* replaced in this window; other threads may still read them */
    ASIM_VEC(struct asim_pending_release) pending_releases;
    /* Completions in parts that lead: their logs get them between windows, since hosts of other
     * threads follow these logs. */
    ASIM_VEC(struct asim_notification) logged;
    struct asim_err failure; /* the sentence of `failed`, unless it is "out of memory" */
};

#endif
