/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Binomial tree for collectives with a root (Thakur, Rabenseifner and Gropp 2005), any number of
 * members. Member v places on from the root has its parent v - b away, b being v's lowest set bit,
 * and the children v + b/2, v + b/4, …, v + 1: the subtree of v is the b places from v on.
 *
 * Broadcast and scatter go down, the largest subtree first; reduce and gather come up. A scatter
 * hands each subtree its share, a gather collects them; bytes is what the root holds before a
 * scatter and what each member holds before a gather. ASTRA-sim has none of these.
 */
#include "coll/coll.h"

/* Positions are counted from the root on, so that the tree has one shape for every root. */
static uint32_t place_of(const struct asim_coll *coll)
{
    return (coll->index + coll->n - coll->root) % coll->n;
}

/* The inverse; in 64 bits because place + root may pass 2^32. */
static uint32_t position_of(const struct asim_coll *coll, uint32_t place)
{
    return (uint32_t)(((uint64_t)place + coll->root) % coll->n);
}

/* Places a member and those below it cover; for the root the power of two that covers all.
 * The subtree's width; its last places may lie beyond n and do not exist. */
static uint32_t reach_of(const struct asim_coll *coll, uint32_t place)
{
    uint32_t reach = 1;

    if (place)
        return place & (0u - place);
    while (reach < coll->n)
        reach <<= 1;
    return reach;
}

/* How many children; the i-th is 2^i places on. */
static uint32_t children_of(const struct asim_coll *coll, uint32_t place)
{
    uint32_t reach = reach_of(coll, place), children = 0;

    for (uint32_t by = 1; by < reach && place + by < coll->n; by <<= 1)
        children++;
    return children;
}

/* Whether data flows to the root. */
static int is_upward(const struct asim_coll *coll)
{
    return coll->coll_type == ASIM_REDUCE || coll->coll_type == ASIM_GATHER;
}

/* Bytes on the edge above `place`: the data of all places below it. */
static uint64_t edge_bytes(const struct asim_coll *coll, uint32_t place)
{
    uint32_t left = coll->n - place, reach = reach_of(coll, place);
    uint64_t below = reach < left ? reach : left;

    if (coll->coll_type == ASIM_GATHER)
        return coll->bytes * below;
    return coll->coll_type == ASIM_SCATTER ? coll->bytes / coll->n * below : coll->bytes;
}

/* Tokens: upward, a leaf may send at once and others after every child has come; downward, only the
 * root starts, and everybody else forwards after its parent's message. */
static int tree_plan(struct asim_plan *plan, struct asim_err *err)
{
    const struct asim_coll *coll = &plan->coll;
    uint32_t place = place_of(coll), children = children_of(coll, place);

    if (coll->coll_type == ASIM_GATHER && coll->bytes > UINT64_MAX / coll->n)
        return asim_err_set(err, ASIM_EINVAL,
                            "a gather of %llu bytes from each of %u members is "
                            "more than 64 bits can count",
                            (unsigned long long)coll->bytes, coll->n);
    plan->steps = children + (place != 0);
    plan->arrivals = is_upward(coll) ? children : place != 0;
    if (is_upward(coll)) {
        plan->start_credits = children ? 0 : 1;
        plan->end_credits = place ? 0 : children;
    } else {
        plan->start_credits = place ? 0 : 1;
        plan->end_credits = children ? 0 : 1;
    }
    return 0;
}

/* The message on the edge above place `edge`, with the member at place `with`: sent or received
 * depending on which end we are and which way data flows. */
static void exchange(const struct asim_coll *coll, struct asim_coll_step *step, uint32_t with,
                     uint32_t edge)
{
    int sends = (with == edge) != is_upward(coll); /* with == edge: a child */
    uint32_t peer = position_of(coll, with);

    step->to = sends ? peer : ASIM_NOBODY;
    step->from = sends ? ASIM_NOBODY : peer;
    step->send_bytes = step->recv_bytes = edge_bytes(coll, edge);
}

/* Upward: the children, smallest subtree first, then the parent. Downward: the parent, then the
 * children, largest subtree first, because below it the way is longest. */
static void tree_step(const struct asim_plan *plan, uint64_t k, struct asim_coll_step *step)
{
    const struct asim_coll *coll = &plan->coll;
    uint32_t place = place_of(coll), children = children_of(coll, place);
    uint32_t parent = place - reach_of(coll, place) * (place != 0);
    int up = is_upward(coll), down_k = up || !place ? (int)k : (int)k - 1;

    step->min_arrivals = 0;
    step->credits = 0;
    if (up && k < children) {
        exchange(coll, step, place + (1u << k), place + (1u << k));
    } else if (up) {
        exchange(coll, step, parent, place);
        step->credits = children ? children : 1;
    } else if (down_k < 0) {
        exchange(coll, step, parent, place);
    } else {
        uint32_t child = place + (1u << (children - 1 - (uint32_t)down_k));

        exchange(coll, step, child, child);
        step->credits = down_k == 0;
    }
}

/* Only a reduce adds up what arrives; the others copy. */
static uint64_t tree_arrival(const struct asim_plan *plan, uint64_t i)
{
    (void)i;
    return plan->coll.coll_type == ASIM_REDUCE ? plan->coll.bytes : 0;
}

const struct asim_coll_algo asim_coll_algo_binomial_tree = {
    .member = {.name = "binomialTree", .about = "rooted collectives over a binomial tree"},
    .coll_types = 1u << ASIM_BROADCAST | 1u << ASIM_SCATTER | 1u << ASIM_REDUCE | 1u << ASIM_GATHER,
    .plan = tree_plan,
    .step = tree_step,
    .arrival = tree_arrival,
};
