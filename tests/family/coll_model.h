/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The data in the messages of a collective, by the published description of each algorithm. A block
 * is a set of contributors, one bit a member. carry() fills the message a step sends, take() merges
 * an arrival, last_block() is a member's expected result. A reduction counts nobody twice.
 */
#ifndef ASIM_TESTS_COLL_MODEL_H
#define ASIM_TESTS_COLL_MODEL_H

#include "check.h"
#include "coll/coll.h"

enum { MOST = 17, MAX_STEPS = 2048 };

struct flight { /* one message: size, and the contributors of each block it carries */
    uint64_t bytes;
    uint32_t block[MOST];
    int adds; /* to be reduced into what the receiver holds: nobody may be counted twice */
};

struct member {
    struct asim_plan plan;
    uint64_t step, received, credits, pending_credits;
    uint32_t block[MOST];            /* contributors of each block held, a bit per member */
    uint32_t relay[MAX_STEPS];       /* all-to-all on a ring: (from << 8 | for) to pass on */
    uint32_t relay_head, relay_tail; /* of relay */
};

static struct member members[MOST];
static uint32_t n_members;

static inline int is(const struct member *m, const char *algorithm)
{
    return !strcmp(m->plan.algo->member.name, algorithm);
}

static inline uint32_t everyone(void)
{
    return (1u << n_members) - 1;
}

static inline uint32_t back(const struct member *m, uint64_t by)
{
    return asim_coll_peer(&m->plan.coll, n_members - by % n_members);
}

/* --- what a message carries, by the published description of each algorithm ------------------- */

static inline int is_power_of_two(uint32_t n)
{
    return !(n & (n - 1));
}

/* Bruck's algorithm also stands in for halving and doubling where n is no power of two. */
static inline int is_bruck(const struct member *m)
{
    return is(m, "bruck") || (is(m, "halvingDoubling") && !is_power_of_two(n_members));
}

static inline int is_modelled(const struct member *m)
{
    return is_bruck(m) || is(m, "ring") || is(m, "direct") || is(m, "halvingDoubling") ||
           is(m, "doubleBinaryTree") || is(m, "binomialTree") || is(m, "dissemination");
}

/* 1 while step k of m reduces: all of a reduce-scatter, the first half of an all-reduce. */
static inline int is_reducing(const struct member *m, uint64_t k)
{
    if (m->plan.coll.coll_type == ASIM_ALL_REDUCE)
        return k < m->plan.steps / 2;
    return m->plan.coll.coll_type == ASIM_REDUCE_SCATTER;
}

static inline void carry_ring(struct member *m, uint64_t k, struct flight *f)
{
    uint32_t b = back(m, k % n_members);

    if (m->plan.coll.coll_type == ASIM_ALL_TO_ALL) {
        CHECK(m->relay_head < m->relay_tail); /* nothing to pass on yet: sent too early */
        f->block[0] = m->relay[m->relay_head++];
        return;
    }
    /* Own block first, then the one that just came; the second half of an all-reduce so starts
     * from the block that is complete, the next one. */
    f->block[b] = m->block[b];
}

static inline void carry_direct(struct member *m, uint64_t k, uint32_t to, struct flight *f)
{
    uint32_t i = m->plan.coll.index;

    if (m->plan.coll.coll_type == ASIM_ALL_TO_ALL || is_reducing(m, k))
        f->block[to] = 1u << i; /* the part of ours that is for them */
    else
        f->block[i] = m->block[i];
}

/* Halving sends the half of what it still answers for that the partner keeps; doubling sends all
 * it has gathered so far. Both are the blocks that agree with one end up to this distance. */
static inline void carry_halving(struct member *m, uint64_t k, uint32_t to, struct flight *f)
{
    uint32_t i = m->plan.coll.index, distance = i ^ to, low = 2 * distance - 1;
    uint32_t end = is_reducing(m, k) ? to : i;

    for (uint32_t b = 0; b < n_members; b++)
        if ((b & low) == (end & low))
            f->block[b] = m->block[b];
}

/* A gather step over a distance d passes the d blocks from one's own on, as many as are missing
 * there; a scatter step the partial sums of the d blocks from the partner's own on. */
static inline void carry_bruck(struct member *m, uint64_t k, uint32_t to, struct flight *f)
{
    uint32_t n = n_members, i = m->plan.coll.index, from = is_reducing(m, k) ? to : i;
    uint32_t distance = (is_reducing(m, k) ? to + n - i : i + n - to) % n;
    struct asim_coll place = m->plan.coll;

    if (place.step < 0)
        distance = (n - distance) % n;
    place.index = from;
    for (uint32_t j = 0; j < distance && j < n - distance; j++) {
        uint32_t b = asim_coll_peer(&place, j);

        f->block[b] = m->block[b];
    }
}

/* A scatter hands on the blocks of the receiver's subtree, which are the places from it on. */
static inline void carry_binomial(struct member *m, uint32_t to, struct flight *f)
{
    const struct asim_coll *coll = &m->plan.coll;
    uint64_t unit = coll->bytes / coll->n, count = unit ? f->bytes / unit : n_members;

    for (uint32_t j = 0; j < n_members; j++) {
        uint32_t b = coll->coll_type == ASIM_SCATTER ? (to + j) % n_members : j;

        if (coll->coll_type != ASIM_SCATTER || j < count)
            f->block[b] = m->block[b];
    }
    f->adds = coll->coll_type == ASIM_REDUCE;
}

static inline void carry_all(struct member *m, struct flight *f)
{
    memcpy(f->block, m->block, sizeof f->block);
    f->adds = is(m, "doubleBinaryTree") && m->block[0] != everyone(); /* on its way up */
}

static inline void carry(struct member *m, uint64_t k, uint32_t to, struct flight *f)
{
    f->adds = is_reducing(m, k);
    if (is_bruck(m))
        carry_bruck(m, k, to, f);
    else if (is(m, "ring"))
        carry_ring(m, k, f);
    else if (is(m, "direct"))
        carry_direct(m, k, to, f);
    else if (is(m, "halvingDoubling"))
        carry_halving(m, k, to, f);
    else if (is(m, "binomialTree"))
        carry_binomial(m, to, f);
    else
        carry_all(m, f);
}

/* A block relayed by an all-to-all on a ring: it is ours, or it goes on. */
static inline void take_relayed(struct member *m, uint32_t block)
{
    uint32_t from = block >> 8, to = block & 0xff;

    if (to == m->plan.coll.index) {
        CHECK(!(m->block[to] & 1u << from)); /* every block comes once */
        m->block[to] |= 1u << from;
    } else if (m->relay_tail < MAX_STEPS) {
        m->relay[m->relay_tail++] = block;
    }
}

static inline void take(struct member *m, const struct flight *f)
{
    if (is(m, "ring") && m->plan.coll.coll_type == ASIM_ALL_TO_ALL) {
        take_relayed(m, f->block[0]);
        return;
    }
    for (uint32_t b = 0; b < n_members; b++) {
        if (f->adds)
            CHECK(!(m->block[b] & f->block[b]));
        m->block[b] |= f->block[b];
    }
}

/* What member m holds of block b at the start. */
static inline uint32_t first_block(const struct member *m, uint32_t b)
{
    const struct asim_coll *coll = &m->plan.coll;
    uint32_t own = 1u << coll->index;

    if (coll->coll_type == ASIM_BROADCAST || coll->coll_type == ASIM_SCATTER)
        return coll->index == coll->root ? own : 0;
    if (coll->coll_type == ASIM_GATHER ||
        (coll->coll_type == ASIM_ALL_GATHER && !is(m, "doubleBinaryTree")))
        return b == coll->index ? own : 0;
    return own;
}

static inline void start_blocks(struct member *m)
{
    uint32_t i = m->plan.coll.index;

    m->relay_head = m->relay_tail = 0;
    for (uint32_t b = 0; b < n_members; b++)
        m->block[b] = first_block(m, b);
    if (!is(m, "ring") || m->plan.coll.coll_type != ASIM_ALL_TO_ALL)
        return;
    memset(m->block, 0, sizeof m->block);
    m->block[i] = 1u << i;
    for (uint32_t far = n_members - 1; far > 0; far--) /* the farthest first */
        m->relay[m->relay_tail++] = i << 8 | asim_coll_peer(&m->plan.coll, far);
}

/* What it must hold at the end; 0 = whatever. */
static inline uint32_t last_block(const struct member *m, uint32_t b)
{
    const struct asim_coll *coll = &m->plan.coll;
    /* A ring leaves the block after its own complete, the others their own. */
    uint32_t own = is(m, "ring") ? asim_coll_peer(coll, 1) : coll->index;

    if (is(m, "doubleBinaryTree")) /* does an all-reduce whatever it is asked for */
        return everyone();
    switch (coll->coll_type) {
    case ASIM_ALL_GATHER:
        return 1u << b;
    case ASIM_GATHER:
        return coll->index == coll->root ? 1u << b : 0;
    case ASIM_BROADCAST:
        return 1u << coll->root;
    case ASIM_SCATTER:
        return b == coll->index && coll->bytes >= coll->n ? 1u << coll->root : 0;
    case ASIM_REDUCE:
        return coll->index == coll->root ? everyone() : 0;
    case ASIM_REDUCE_SCATTER:
        return b == own ? everyone() : 0;
    case ASIM_ALL_TO_ALL:
        return b == coll->index ? everyone() : 0;
    default:
        return everyone();
    }
}

#endif
