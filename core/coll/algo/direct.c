/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Direct: every member exchanges with every other, at most `window` at a time (direct4), else all
 * at once; system-layer.md#direct. The k-th message goes k places on and one comes from
 * k places back, skipping oneself. The second half of an all-reduce waits until the whole first
 * half has arrived. parity: arrived, not reduced; and in sub-groups the second half pays
 * reductions again, because the pattern's cycle is longer there.
 *
 * An all-to-all-v (coll.sizes) is the same exchange with a size of its own for each message; its
 * receiver takes what comes. Our own: ASTRA-sim has none.
 *
 * With PXN (coll.pxn) a message to GPU g of another server goes over NVLink to GPU g of the own
 * one, which sends it on along its rail (NCCL's search.cc: ncclTopoGetNetDev, NCCL_P2P_PXN_LEVEL
 * 2). A member sends its own messages first, then one for each that another GPU handed over; any
 * arrival pays for it, and NVLinks bring those first.
 *
 * Time on idle links without contention: all-reduce D + T + D + R + T + D; the others D + T + D (+
 * R). With a window the rounds add up. Its contention is the network's to find.
 */
#include "coll/pipeline.h"

/* How many messages other GPUs of the server hand over to a member. */
static uint64_t relayed(const struct asim_coll *coll)
{
    return coll->pxn ? (uint64_t)(coll->pxn - 1) * (coll->n / coll->pxn - 1) : 0;
}

/* The window is the number of credits: with W of them free, W sends are under way. No window, or
 * one larger than the ring, means all at once. */
static int direct_plan(struct asim_plan *plan, struct asim_err *err)
{
    const struct asim_coll *coll = &plan->coll;
    uint32_t peers = coll->n - 1;
    uint32_t window = coll->window && coll->window < peers ? coll->window : peers;

    (void)err;
    plan->msg_bytes = coll->coll_type == ASIM_ALL_GATHER ? coll->bytes : coll->bytes / coll->n;
    plan->steps = (coll->coll_type == ASIM_ALL_REDUCE ? 2ull * peers : peers) + relayed(coll);
    plan->arrivals = plan->steps;
    asim_pipeline_init(plan, window, coll->subgroup ? (uint64_t)peers * window : window);
    return 0;
}

/* Every chunk of the collective carries a share of each size, so that a rank's sizes change what a
 * chunk holds but not how many there are.
 * Of a size that does not divide, the first shares have a byte more. */
static uint64_t share_of(const struct asim_coll *coll, uint64_t bytes)
{
    return bytes / coll->shares + (coll->share < bytes % coll->shares);
}

/* The member with the place of `to` in the server of `from`. */
static uint32_t by_way_of(const struct asim_coll *coll, uint32_t from, uint32_t to)
{
    return from / coll->pxn * coll->pxn + to % coll->pxn;
}

/* Own messages by rising distance; then those of each other GPU of the server in turn, to the next
 * servers. */
static void pxn_step(const struct asim_plan *plan, uint64_t k, struct asim_coll_step *step)
{
    const struct asim_coll *coll = &plan->coll;
    uint32_t n = coll->n, pxn = coll->pxn, own = coll->index, peers = n - 1;

    step->send_bytes = step->recv_bytes = plan->msg_bytes;
    step->min_arrivals = 0;
    step->credits = 1;
    if (k < peers) {
        uint32_t to = (uint32_t)((own + k + 1) % n), from = (uint32_t)((own + n - k - 1) % n);

        step->to = by_way_of(coll, own, to);
        step->to = step->to == own ? to : step->to; /* it is its own relay */
        step->from = from / pxn == own / pxn ? from : by_way_of(coll, from, own);
    } else {
        uint32_t server = (uint32_t)((k - peers) / (pxn - 1)) + 1;
        uint32_t place = (uint32_t)((k - peers) % (pxn - 1)) + 1;

        step->to = (own + server * pxn) % n;
        step->from = own / pxn * pxn + (own + pxn - place) % pxn;
    }
}

/* Peers in rising distance from each member, so that at every step no two send to the same one. The
 * gate holds the second half of an all-reduce back until all of the first half has arrived. */
static void direct_step(const struct asim_plan *plan, uint64_t k, struct asim_coll_step *step)
{
    uint64_t peers = plan->coll.n - 1, hop = k % peers + 1;

    if (plan->coll.pxn) {
        pxn_step(plan, k, step);
        return;
    }
    step->to = asim_coll_peer(&plan->coll, hop);
    step->from = asim_coll_peer(&plan->coll, plan->coll.n - hop);
    step->send_bytes = step->recv_bytes = plan->msg_bytes;
    if (plan->coll.sizes) {
        step->send_bytes = share_of(&plan->coll, plan->coll.sizes[step->to]);
        step->recv_bytes = ASIM_ANY_BYTES;
    }
    step->min_arrivals = plan->coll.coll_type == ASIM_ALL_REDUCE && k >= peers ? peers : 0;
    step->credits = 1;
}

const struct asim_coll_algo asim_coll_algo_direct = {
    .member = {.name = "direct", .about = "all pairs at once, direct<W>: W messages at a time"},
    .coll_types = 1u << ASIM_ALL_REDUCE | 1u << ASIM_ALL_GATHER | 1u << ASIM_REDUCE_SCATTER |
                  1u << ASIM_ALL_TO_ALL,
    .plan = direct_plan,
    .step = direct_step,
    .arrival = asim_pipeline_arrival,
    .constant_until = asim_pipeline_constant_until,
};
