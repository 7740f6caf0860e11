/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Double binary tree (Sanders, Speck and Traff, "Two-tree algorithms for full bandwidth broadcast,
 * reduction and scan", 2009; system-layer.md#binary-trees and system-layer.md#double-binary-tree).
 * Chunks alternate between two trees: the root of one is the last member, of the other the first,
 * above an in-order tree, which is perfect where n is a power of two (ASTRA-sim crashes for any
 * other n). Every chunk goes up whole, reduced on the way, and down whole. parity: whatever the
 * collective, an all-reduce is done; and inner members pay a reduction on the way down.
 *
 * Members end at different times: parents leave as soon as their last send is issued. Every message
 * is the whole chunk, so one tree uses half of each link's two directions; the other tree, taken by
 * the next chunk, uses the rest.
 */
#include "coll/coll.h"

struct place { /* of one member in its tree; positions, ASIM_NOBODY = none */
    uint32_t parent, left, right;
};

/* In-order numbering of `size` members from 1: member v is at the height of its lowest set bit,
 * children half that bit away. Where size is no 2^k - 1 the right edge is cut: a member whose
 * parent is missing moves up to the left, and a right child is the root of what is left of its
 * subtree. */
static struct place tree_place(uint32_t v, uint32_t size)
{
    struct place place = {ASIM_NOBODY, ASIM_NOBODY, ASIM_NOBODY};
    uint32_t bit = v & (0u - v), up = v & (bit << 1) ? v - bit : v + bit;

    if (up > size)
        up = v - bit;
    if (up)
        place.parent = up;
    if (bit > 1)
        place.left = v - bit / 2;
    for (uint32_t by = bit / 2; by && place.right == ASIM_NOBODY; by /= 2)
        if (v + by <= size)
            place.right = v + by;
    return place;
}

/* The greatest power of two up to n. */
static uint32_t top_of(uint32_t n)
{
    uint32_t top = 1;

    while (top <= n / 2)
        top *= 2;
    return top;
}

/* The root stands outside of the in-order tree of the other n - 1 and has its top as only child.
 * RootMax shifts the tree to positions 0 … n-2, RootMin to 1 … n-1 (system-layer.md#binary-trees).
 */
static struct place place_of(const struct asim_coll *coll)
{
    uint32_t n = coll->n, size = n - 1;
    uint32_t root = coll->variant ? 0 : n - 1;
    uint32_t shift = coll->variant ? 0 : 1; /* member v of the tree is position v - shift */
    struct place place;

    if (coll->index == root)
        return (struct place){ASIM_NOBODY, top_of(size) - shift, ASIM_NOBODY};
    place = tree_place(coll->index + shift, size);
    place.parent = place.parent == ASIM_NOBODY ? root : place.parent - shift;
    if (place.left != ASIM_NOBODY)
        place.left -= shift;
    if (place.right != ASIM_NOBODY)
        place.right -= shift;
    return place;
}

/* Root, leaf or inner member (system-layer.md#double-binary-tree). Only leaves start with a credit;
 * they are the ones that send first. Root and inner members end as soon as their last send is out.
 */
static int tree_plan(struct asim_plan *plan, struct asim_err *err)
{
    const struct asim_coll *coll = &plan->coll;
    struct place place = place_of(coll);

    (void)err;
    plan->msg_bytes = coll->bytes;
    if (place.parent == ASIM_NOBODY) {
        plan->steps = 2;
        plan->arrivals = 1;
    } else if (place.left == ASIM_NOBODY) {
        plan->steps = plan->arrivals = 1;
        plan->start_credits = plan->end_credits = 1;
    } else {
        plan->steps = place.right == ASIM_NOBODY ? 3 : 5;
        plan->arrivals = place.right == ASIM_NOBODY ? 2 : 3;
    }
    return 0;
}

static void set(struct asim_coll_step *step, uint32_t to, uint32_t from, uint32_t need)
{
    step->to = to;
    step->from = from;
    step->credits = need;
}

/* Receive from all below, send up and receive from above, send down to all. */
static void inner_step(const struct place *place, uint64_t k, struct asim_coll_step *step)
{
    int has_right = place->right != ASIM_NOBODY;

    switch (k + (!has_right && k)) { /* without a right child steps 1 and 4 are left out */
    case 0:
        set(step, ASIM_NOBODY, place->left, 0);
        break;
    case 1:
        set(step, ASIM_NOBODY, place->right, 0);
        break;
    case 2:
        set(step, place->parent, place->parent, has_right ? 2 : 1);
        break;
    case 3:
        set(step, place->left, ASIM_NOBODY, 1);
        break;
    default:
        set(step, place->right, ASIM_NOBODY, 0);
    }
}

/* Computed from the place each time: O(log n), and a plan stays a few words. */
static void tree_step(const struct asim_plan *plan, uint64_t k, struct asim_coll_step *step)
{
    struct place place = place_of(&plan->coll);

    if (place.parent == ASIM_NOBODY)
        set(step, k ? place.left : ASIM_NOBODY, k ? ASIM_NOBODY : place.left, k ? 1 : 0);
    else if (place.left == ASIM_NOBODY)
        set(step, place.parent, place.parent, 1);
    else
        inner_step(&place, k, step);
    step->send_bytes = step->recv_bytes = plan->msg_bytes;
    step->min_arrivals = 0;
}

static uint64_t tree_arrival(const struct asim_plan *plan, uint64_t i)
{
    (void)i;
    return plan->end_credits ? 0 : plan->msg_bytes; /* leaves do not reduce */
}

const struct asim_coll_algo asim_coll_algo_double_binary_tree = {
    .member = {.name = "doubleBinaryTree", .about = "up and down two trees in turn"},
    .coll_types = 1u << ASIM_ALL_REDUCE | 1u << ASIM_ALL_GATHER | 1u << ASIM_REDUCE_SCATTER |
                  1u << ASIM_ALL_TO_ALL,
    .keeps_size = 1,
    .subgroup_pays_delay = 1,
    .plan = tree_plan,
    .step = tree_step,
    .arrival = tree_arrival,
};
