/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Double binary tree (Sanders, Speck and Traff, "Two-tree algorithms for full bandwidth broadcast,
 * reduction and scan", 2009; spec astra-system.md, sections 4.9 and 5.6). Chunks alternate between
 * two trees: the root of one is the last member, of the other the first, above a perfect in-order
 * tree. Every chunk goes up whole, reduced on the way, and down whole. parity: whatever the
 * collective, an all-reduce is done; and inner members pay a reduction on the way down.
 */
#include "coll/coll.h"

struct place { /* of one member in its tree; positions, ASIM_NOBODY = none */
    uint32_t parent, left, right;
};

/* In-order numbering of a perfect tree of 2^k - 1 members: member v (from 1) is at the height of
 * its lowest set bit, children half that bit away. */
static struct place perfect_place(uint32_t v, uint32_t size)
{
    struct place place = {ASIM_NOBODY, ASIM_NOBODY, ASIM_NOBODY};
    uint32_t bit = v & (0u - v), up = v & (bit << 1) ? v - bit : v + bit;

    if (up <= size)
        place.parent = up;
    if (bit > 1) {
        place.left = v - bit / 2;
        place.right = v + bit / 2;
    }
    return place;
}

static struct place place_of(const struct asim_coll *coll)
{
    uint32_t n = coll->n, size = n - 1, top = n / 2;
    uint32_t root = coll->variant ? 0 : n - 1;
    uint32_t shift = coll->variant ? 0 : 1; /* perfect member v is position v - shift */
    struct place place;

    if (coll->index == root)
        return (struct place){ASIM_NOBODY, top - shift, ASIM_NOBODY};
    place = perfect_place(coll->index + shift, size);
    place.parent = place.parent == ASIM_NOBODY ? root : place.parent - shift;
    if (place.left != ASIM_NOBODY) {
        place.left -= shift;
        place.right -= shift;
    }
    return place;
}

static int tree_plan(struct asim_plan *plan, struct asim_err *err)
{
    const struct asim_coll *coll = &plan->coll;
    struct place place = place_of(coll);

    if (coll->n & (coll->n - 1))
        return asim_err_set(err, ASIM_EINVAL,
                            "doubleBinaryTree needs a power of two of members in its dimension, "
                            "but there are %u; use ring or direct there",
                            coll->n);
    plan->msg_bytes = coll->bytes;
    if (place.parent == ASIM_NOBODY) {
        plan->steps = 2;
        plan->arrivals = 1;
    } else if (place.left == ASIM_NOBODY) {
        plan->steps = plan->arrivals = 1;
        plan->start_tokens = plan->end_tokens = 1;
    } else {
        plan->steps = 5;
        plan->arrivals = 3;
    }
    return 0;
}

static void set(struct asim_step *step, uint32_t to, uint32_t from, uint32_t need)
{
    step->to = to;
    step->from = from;
    step->need = need;
}

/* Receive from both, send up and receive from above, send down to both. */
static void inner_step(const struct place *place, uint64_t k, struct asim_step *step)
{
    switch (k) {
    case 0:
        set(step, ASIM_NOBODY, place->left, 0);
        break;
    case 1:
        set(step, ASIM_NOBODY, place->right, 0);
        break;
    case 2:
        set(step, place->parent, place->parent, 2);
        break;
    case 3:
        set(step, place->left, ASIM_NOBODY, 1);
        break;
    default:
        set(step, place->right, ASIM_NOBODY, 0);
    }
}

static void tree_step(const struct asim_plan *plan, uint64_t k, struct asim_step *step)
{
    struct place place = place_of(&plan->coll);

    if (place.parent == ASIM_NOBODY)
        set(step, k ? place.left : ASIM_NOBODY, k ? ASIM_NOBODY : place.left, k ? 1 : 0);
    else if (place.left == ASIM_NOBODY)
        set(step, place.parent, place.parent, 1);
    else
        inner_step(&place, k, step);
    step->send_bytes = step->recv_bytes = plan->msg_bytes;
    step->gate = 0;
}

static uint64_t tree_arrival(const struct asim_plan *plan, uint64_t i)
{
    (void)i;
    return plan->end_tokens ? 0 : plan->msg_bytes; /* leaves do not reduce */
}

const struct asim_coll_algo asim_coll_algo_double_binary_tree = {
    .member = {.name = "doubleBinaryTree", .about = "up and down two trees in turn; n = 2^k"},
    .kinds = 1u << ASIM_ALL_REDUCE | 1u << ASIM_ALL_GATHER | 1u << ASIM_REDUCE_SCATTER |
             1u << ASIM_ALL_TO_ALL,
    .whole = 1,
    .plan = tree_plan,
    .step = tree_step,
    .arrival = tree_arrival,
};
