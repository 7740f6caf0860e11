/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The queue pairs of a NIC in the order of creation, with a bit each for what the scan of qp.c asks
 * of them: 64 to a word, so that it comes to the next one that may send without looking at those
 * that may not, whose flows would mostly have to be fetched from memory.
 *
 * A queue pair keeps its place until the list is packed; where one was dropped the place stays
 * empty. The round robin of the reference counts positions, that is queue pairs without the empty
 * places, and does not move its own when others are dropped: parity, see asim_qplist_cursor_slow.
 *
 * Costs: a new one and a finished one are O(1), but for packing, which comes once in as many
 * additions as there are queue pairs; 8.4 bytes a place. Owned by the NIC; the flows are the
 * host's.
 */
#ifndef ASIM_FABRIC_HOST_QPLIST_H
#define ASIM_FABRIC_HOST_QPLIST_H

#include "fabric/host/flow.h"

enum { ASIM_QP_BLOCK = 64 };
#define ASIM_QP_NONE UINT32_MAX

struct asim_qp_block {
    uint64_t in_use, finished; /* bit per place: in use; of these, finished but not yet dropped */
    /* May be willing to send. Set by all that could make it so, taken back by who asks and is told
     * no: so it may be set in vain, and costs nobody a look at each packet. */
    uint64_t ready;
};

struct asim_qplist {
    struct asim_flow *front; /* the one at `first`: mostly all there is; any value where n is 0 */
    /* How many; 0 if a scan found none willing and nothing has happened since to any of them, so
     * that another would find, do and arm nothing; how many are finished. n and n_finished not side
     * by side: asked for together they would be one load, which has to wait where one of them was
     * just stored. */
    uint32_t n, needs_scan, n_finished;
    /* Behind the place served last, where the scan begins; 0: only its position is known. The last
     * that each packet touches: up to here it is the NIC's second cache line. */
    uint32_t cursor;
    uint32_t first, end; /* the first place in use; the place behind the last ever used */
    uint32_t last_position, cap_blocks;
    struct asim_flow **flow;     /* [ASIM_QP_BLOCK x cap_blocks] */
    struct asim_qp_block *block; /* [cap_blocks]: `only` as long as one will do */
    struct asim_qp_block inline_block;
};

/* A zeroed list becomes an empty one, which stays where it is; close frees what it holds. */
static inline void asim_qplist_open(struct asim_qplist *list)
{
    list->block = &list->inline_block;
}
void asim_qplist_close(struct asim_qplist *list);

static inline struct asim_flow *asim_qplist_at(const struct asim_qplist *list, uint32_t place)
{
    return list->flow[place];
}

/* That of the lowest of a block's bits. */
static inline struct asim_flow *asim_qplist_in(const struct asim_qplist *list, uint32_t block,
                                               uint64_t bits)
{
    return list->flow[block * ASIM_QP_BLOCK + (uint32_t)__builtin_ctzll(bits)];
}

/* Something has happened that may have made it willing. While it is alone nobody looks at the bit,
 * and a second one sets it (asim_qplist_add). */
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

/* Has been served: the scan begins behind it the next time. */
static inline void asim_qplist_set_last_served(struct asim_qplist *list, uint32_t place)
{
    list->cursor = place + 1;
    list->needs_scan = 1;
}

static inline uint32_t asim_qplist_blocks(const struct asim_qplist *list)
{
    return (list->end + ASIM_QP_BLOCK - 1) / ASIM_QP_BLOCK;
}

/* Joins at the end; sets flow->place. 0 or ASIM_ENOMEM. Mostly it comes to an empty list, whose
 * bits are all 0. */
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
/* Place from which the scan looks, 1 up to `end`; the list must not be empty. */
uint32_t asim_qplist_cursor_slow(struct asim_qplist *list);
static inline uint32_t asim_qplist_cursor(struct asim_qplist *list)
{
    return list->cursor ? list->cursor : asim_qplist_cursor_slow(list);
}
/* What the scan does with finished ones, if n_finished is not 0: `chosen` (or ASIM_QP_NONE) was
 * found looking from `begin`. Drops all from the first one it has passed on, and gives back their
 * slots.
 */
struct asim_host;
void asim_qplist_reap(struct asim_qplist *list, struct asim_host *host, uint32_t begin,
                      uint32_t chosen);
/* The same where there is but one, which is finished and was not chosen. */
void asim_qplist_drop_only(struct asim_qplist *list, struct asim_host *host);
/* The first place in use from `place` on; ASIM_QP_NONE where there is none. */
uint32_t asim_qplist_next(const struct asim_qplist *list, uint32_t place);
/* Position served last, as the reference counts it. */
uint32_t asim_qplist_position(const struct asim_qplist *list);
/* Forgets all queue pairs, but not the position. */
void asim_qplist_clear(struct asim_qplist *list);

#endif
