/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The queue pairs of a NIC in the order of creation, with bits for the scan of qp.c, 64 to a word.
 * The scan finds the next queue pair that may send without touching the flows of the others, which
 * mostly lie in memory.
 *
 * A queue pair keeps its place until the list is packed; the place of a dropped one stays empty.
 * ASTRA-sim's round robin counts positions, that is queue pairs without the empty places, and does
 * not move its own position when queue pairs are dropped: parity, see asim_qplist_cursor_slow.
 *
 * Costs: adding and dropping are O(1); packing comes once in as many additions as there are queue
 * pairs; 8.4 bytes a place. The NIC owns the list; the host owns the flows.
 */
#ifndef ASIM_FABRIC_HOST_QPLIST_H
#define ASIM_FABRIC_HOST_QPLIST_H

#include "fabric/host/flow.h"

enum { ASIM_QP_BLOCK = 64 };
#define ASIM_QP_NONE UINT32_MAX

struct asim_qp_block {
    uint64_t in_use, finished; /* bit per place: in use; of these, finished but not yet dropped */
    /* May send. Every event that could make a queue pair ready sets its bit; a scan that finds it
     * not ready clears the bit. So a set bit may be wrong, and no packet pays for keeping it exact.
     */
    uint64_t ready;
};

struct asim_qplist {
    struct asim_flow *front; /* at `first`: mostly the only one; any value where n is 0 */
    /* n: number of queue pairs. needs_scan: 0 if the last scan found none ready and nothing has
     * happened to any of them since, so another scan would find, do and arm nothing. n and
     * n_finished are not neighbours: one wide load of both would wait for a store to either. */
    uint32_t n, needs_scan, n_finished;
    /* Place behind the one served last, where the scan begins; 0: only its position is known. A
     * packet touches nothing beyond this field: the NIC's second cache line ends here. */
    uint32_t cursor;
    uint32_t first, end; /* the first place in use; the place behind the last one ever used */
    uint32_t last_position, cap_blocks;
    struct asim_flow **flow;     /* [ASIM_QP_BLOCK x cap_blocks] */
    struct asim_qp_block *block; /* [cap_blocks]: `only` as long as one will do */
    struct asim_qp_block inline_block;
};

/* Makes an empty list of a zeroed one, which must not move; close frees its memory. */
static inline void asim_qplist_open(struct asim_qplist *list)
{
    list->block = &list->inline_block;
}
void asim_qplist_close(struct asim_qplist *list);

static inline struct asim_flow *asim_qplist_at(const struct asim_qplist *list, uint32_t place)
{
    return list->flow[place];
}

/* The flow of the lowest bit of a block. */
static inline struct asim_flow *asim_qplist_in(const struct asim_qplist *list, uint32_t block,
                                               uint64_t bits)
{
    return list->flow[block * ASIM_QP_BLOCK + (uint32_t)__builtin_ctzll(bits)];
}

/* An event may have made the queue pair ready. A single queue pair needs no bit; adding a second
 * one sets it (asim_qplist_add). */
static inline void asim_qplist_mark_ready(struct asim_qplist *list, uint32_t place)
{
    list->needs_scan = 1;
    if (list->n > 1)
        list->block[place / ASIM_QP_BLOCK].ready |= 1ull << place % ASIM_QP_BLOCK;
}

static inline void asim_qplist_mark_finished(struct asim_qplist *list, uint32_t place)
{
    list->block[place / ASIM_QP_BLOCK].finished |= 1ull << place % ASIM_QP_BLOCK;
    list->n_finished++;
    list->needs_scan = 1;
}

/* The queue pair was served: the next scan begins behind it. */
static inline void asim_qplist_set_last_served(struct asim_qplist *list, uint32_t place)
{
    list->cursor = place + 1;
    list->needs_scan = 1;
}

static inline uint32_t asim_qplist_blocks(const struct asim_qplist *list)
{
    return (list->end + ASIM_QP_BLOCK - 1) / ASIM_QP_BLOCK;
}

/* Joins at the end; sets flow->place. 0 or ASIM_ENOMEM. Inline for the usual case, an empty list
 * whose bits are all 0. */
int asim_qplist_add_slow(struct asim_qplist *list, struct asim_flow *flow);
static inline int asim_qplist_add(struct asim_qplist *list, struct asim_flow *flow)
{
    if (list->n || !list->cap_blocks || asim_flow_is_over(flow))
        return asim_qplist_add_slow(list, flow);
    list->flow[0] = list->front = flow;
    list->block->in_use = list->block->ready = 1;
    list->n = list->end = list->needs_scan = 1;
    flow->place = list->first = 0;
    return 0;
}
/* Place from which the scan looks, 1 to `end`; the list must not be empty. */
uint32_t asim_qplist_cursor_slow(struct asim_qplist *list);
static inline uint32_t asim_qplist_cursor(struct asim_qplist *list)
{
    return list->cursor ? list->cursor : asim_qplist_cursor_slow(list);
}
/* Drops finished queue pairs after a scan; call if n_finished is not 0. The scan began at `begin`
 * and found `chosen` (or ASIM_QP_NONE). Drops all from the first finished one it passed, and frees
 * their slots. */
void asim_qplist_reap(struct asim_qplist *list, struct asim_host *host, uint32_t begin,
                      uint32_t chosen);
/* The same for a list with one queue pair, finished and not chosen. */
void asim_qplist_drop_only(struct asim_qplist *list, struct asim_host *host);
/* The first place in use from `place` on; ASIM_QP_NONE where there is none. */
uint32_t asim_qplist_next(const struct asim_qplist *list, uint32_t place);
/* The last place in use before `place`; ASIM_QP_NONE where there is none. */
uint32_t asim_qplist_before(const struct asim_qplist *list, uint32_t place);
/* Position served last, as ASTRA-sim counts it. */
uint32_t asim_qplist_position(const struct asim_qplist *list);
/* Removes all queue pairs; the position stays. */
void asim_qplist_clear(struct asim_qplist *list);

#endif
