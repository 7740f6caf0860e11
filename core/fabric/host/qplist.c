/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The list of a NIC's queue pairs: adding, dropping, and counting positions
 * (rdma-network.md#host-transmit-order).
 */
#include "fabric/host/qplist.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static uint32_t count_bits(uint64_t bits)
{
    return (uint32_t)__builtin_popcountll(bits);
}

/* The bits of a block for places in [from, to); at least one of these places lies in the block. */
static uint64_t span(uint32_t block, uint32_t from, uint32_t to)
{
    uint64_t mask = UINT64_MAX;

    if (from > block * ASIM_QP_BLOCK)
        mask <<= from % ASIM_QP_BLOCK;
    if (to < (block + 1) * ASIM_QP_BLOCK)
        mask &= (1ull << to % ASIM_QP_BLOCK) - 1;
    return mask;
}

/* Number of queue pairs before `place`. */
static uint32_t position_of(const struct asim_qplist *list, uint32_t place)
{
    uint32_t n = 0, b = list->first / ASIM_QP_BLOCK;

    for (; b < place / ASIM_QP_BLOCK; b++)
        n += count_bits(list->block[b].in_use);
    return n + count_bits(list->block[b].in_use & ((1ull << place % ASIM_QP_BLOCK) - 1));
}

/* Place of the queue pair that has `position` others before it; it must exist. */
static uint32_t place_of(const struct asim_qplist *list, uint32_t position)
{
    uint32_t b = list->first / ASIM_QP_BLOCK, n;
    uint64_t bits;

    for (; n = count_bits(list->block[b].in_use), position >= n; b++)
        position -= n;
    for (bits = list->block[b].in_use; position; position--)
        bits &= bits - 1;
    return b * ASIM_QP_BLOCK + (uint32_t)__builtin_ctzll(bits);
}

uint32_t asim_qplist_position(const struct asim_qplist *list)
{
    return list->cursor ? position_of(list, list->cursor - 1) : list->last_position;
}

/* Places are about to change: from here on the position alone says where the scan begins. */
static void unplace(struct asim_qplist *list)
{
    list->last_position = asim_qplist_position(list);
    list->cursor = 0;
}

void asim_qplist_clear(struct asim_qplist *list)
{
    unplace(list);
    for (uint32_t b = 0; b < asim_qplist_blocks(list); b++)
        list->block[b].in_use = list->block[b].finished = list->block[b].ready = 0;
    list->n = list->n_finished = list->first = list->end = 0;
}

uint32_t asim_qplist_next(const struct asim_qplist *list, uint32_t place)
{
    for (uint32_t b = place / ASIM_QP_BLOCK; b < asim_qplist_blocks(list); b++) {
        uint64_t bits = list->block[b].in_use & span(b, place, list->end);

        if (bits)
            return b * ASIM_QP_BLOCK + (uint32_t)__builtin_ctzll(bits);
    }
    return ASIM_QP_NONE;
}

uint32_t asim_qplist_before(const struct asim_qplist *list, uint32_t place)
{
    for (uint32_t b = (place + ASIM_QP_BLOCK - 1) / ASIM_QP_BLOCK; b-- > 0;) {
        uint64_t bits = list->block[b].in_use & span(b, 0, place);

        if (bits)
            return b * ASIM_QP_BLOCK + 63 - (uint32_t)__builtin_clzll(bits);
    }
    return ASIM_QP_NONE;
}

static void put(struct asim_qplist *list, struct asim_flow *flow)
{
    struct asim_qp_block *block = &list->block[list->end / ASIM_QP_BLOCK];
    uint64_t bit = 1ull << list->end % ASIM_QP_BLOCK;

    list->flow[list->end] = flow;
    block->in_use |= bit;
    block->ready |= bit;
    list->needs_scan = 1;
    flow->place = list->end++;
}

/* Closes the gaps; each queue pair moves to its own or an earlier place. */
static void pack(struct asim_qplist *list)
{
    uint32_t end = list->end, n_finished = list->n_finished;

    unplace(list);
    list->first = list->end = 0;
    for (uint32_t b = 0; b * ASIM_QP_BLOCK < end; b++) {
        struct asim_qp_block *block = &list->block[b];
        uint64_t here = block->in_use, over = block->finished;

        block->in_use = block->finished = block->ready = 0;
        for (; here; here &= here - 1) {
            put(list, asim_qplist_in(list, b, here));
            if (over & here & -here)
                asim_qplist_mark_finished(list, list->end - 1);
        }
    }
    list->n_finished = n_finished;
    if (list->n)
        list->front = asim_qplist_at(list, 0);
}

static void free_blocks(struct asim_qplist *list)
{
    if (list->block != &list->inline_block)
        free(list->block);
}

/* Packs the list if half of it is empty, else doubles it: so each queue pair is moved a few times
 * at most. */
static int make_room(struct asim_qplist *list)
{
    size_t had = list->cap_blocks, places = had * ASIM_QP_BLOCK, cap;
    struct asim_qp_block *block;

    if (had && list->n <= list->end / 2) {
        pack(list);
        return 0;
    }
    if (asim_grow(&list->flow, &places, places + ASIM_QP_BLOCK, sizeof(*list->flow)))
        return ASIM_ENOMEM;
    cap = places / ASIM_QP_BLOCK;
    if (cap > 1) {
        block = calloc(cap, sizeof *block);
        if (!block)
            return ASIM_ENOMEM;
        memcpy(block, list->block, had * sizeof *block);
        free_blocks(list);
        list->block = block;
    }
    list->cap_blocks = (uint32_t)cap;
    return 0;
}

void asim_qplist_close(struct asim_qplist *list)
{
    free(list->flow);
    free_blocks(list);
}

/* Sets the ready bit of the first queue pair, which nobody kept up to date while it was alone. */
static void mark_front(struct asim_qplist *list)
{
    struct asim_qp_block *block = &list->block[list->first / ASIM_QP_BLOCK];
    uint64_t bit = 1ull << list->first % ASIM_QP_BLOCK;

    if (asim_flow_has_room(list->front) || list->front->sack)
        block->ready |= bit;
    else
        block->ready &= ~bit;
}

int asim_qplist_add_slow(struct asim_qplist *list, struct asim_flow *flow)
{
    if (list->end == list->cap_blocks * ASIM_QP_BLOCK && make_room(list))
        return ASIM_ENOMEM;
    if (list->n == 1)
        mark_front(list);
    put(list, flow);
    if (!list->n++)
        list->front = flow;
    if (asim_flow_is_over(flow)) /* moved here from another NIC */
        asim_qplist_mark_finished(list, flow->place);
    return 0;
}

/* parity: behind the position served last, which is another queue pair's if queue pairs before it
 * were dropped since. A position beyond the end is taken modulo their number and keeps its value,
 * since there may be more of them the next time. */
uint32_t asim_qplist_cursor_slow(struct asim_qplist *list)
{
    uint32_t place = place_of(list, list->last_position % list->n);

    if (list->last_position < list->n)
        asim_qplist_set_last_served(list, place);
    return place + 1;
}

/* The first finished queue pair in [from, to). */
static uint32_t first_over(const struct asim_qplist *list, uint32_t from, uint32_t to)
{
    for (uint32_t b = from / ASIM_QP_BLOCK; b * ASIM_QP_BLOCK < to; b++) {
        uint64_t bits = list->block[b].finished & span(b, from, to);

        if (bits)
            return b * ASIM_QP_BLOCK + (uint32_t)__builtin_ctzll(bits);
    }
    return ASIM_QP_NONE;
}

/* Drops the finished queue pairs from place `from` on, in order. */
static void drop(struct asim_qplist *list, struct asim_host *host, uint32_t from)
{
    for (uint32_t b = from / ASIM_QP_BLOCK; b < asim_qplist_blocks(list); b++) {
        struct asim_qp_block *block = &list->block[b];
        uint64_t gone = block->finished & span(b, from, list->end);

        block->in_use &= ~gone;
        block->finished &= ~gone;
        block->ready &= ~gone;
        for (; gone; gone &= gone - 1) {
            asim_flow_release(host, asim_qplist_in(list, b, gone)->slot);
            list->n--;
            list->n_finished--;
        }
    }
    if (!list->n) {
        list->first = list->end = 0;
        return;
    }
    list->first = asim_qplist_next(list, list->first);
    list->front = asim_qplist_at(list, list->first);
}

/* Drops the only queue pair, the usual case where a rank sends one message at a time. If only the
 * position served last is known (cursor is 0), it keeps its value. */
void asim_qplist_drop_only(struct asim_qplist *list, struct asim_host *host)
{
    struct asim_qp_block *block = &list->block[list->first / ASIM_QP_BLOCK];

    block->in_use = block->finished = block->ready = 0;
    if (list->cursor)
        list->last_position = 0;
    list->cursor = list->first = list->end = list->n = list->n_finished = 0;
    asim_flow_release(host, list->front->slot);
}

/* The first finished place that the scan passed. It passed [begin, end) and [first, begin), up to
 * the chosen place. */
static uint32_t first_passed(const struct asim_qplist *list, uint32_t begin, uint32_t chosen)
{
    uint32_t from;

    if (chosen == ASIM_QP_NONE)
        return first_over(list, list->first, list->end);
    if (chosen >= begin)
        return first_over(list, begin, chosen);
    from = first_over(list, list->first, chosen);
    return from != ASIM_QP_NONE ? from : first_over(list, begin, list->end);
}

/* Drops the first finished queue pair that the scan passed, and all finished ones behind it, passed
 * or not (rdma-network.md#host-transmit-order). */
void asim_qplist_reap(struct asim_qplist *list, struct asim_host *host, uint32_t begin,
                      uint32_t chosen)
{
    uint32_t from;

    if (list->n == 1) {
        asim_qplist_drop_only(list, host);
        return;
    }
    from = first_passed(list, begin, chosen);
    if (from == ASIM_QP_NONE)
        return;
    /* A chosen queue pair will be the last served; without one the position stays. */
    if (chosen == ASIM_QP_NONE && from < list->cursor)
        unplace(list);
    drop(list, host, from);
}
