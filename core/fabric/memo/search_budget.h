/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What looking for repetitions may cost (memo.h), since most networks have none to be found. A
 * budget counts words looked at, 2 to 3 ns each. It begins with `most`, gains one for so many
 * packet-hops simulated and some for each that is left out, but never holds more than `most`. So
 * what is looked for in vain takes no more than a fixed share of the simulation, less than 0.1 %,
 * and `most` once. An act may overdraw it: then no other follows until that is earned, so the
 * intervals between acts grow with what they cost.
 */
#ifndef ASIM_FABRIC_MEMO_SEARCH_BUDGET_H
#define ASIM_FABRIC_MEMO_SEARCH_BUDGET_H

#include <stdint.h>

struct asim_fabric;

struct asim_search_budget {
    int64_t left, most; /* words */
    uint64_t hops;      /* of the network, when counted last */
    uint64_t count_at;  /* window from which on to count again, which costs a look at each wire */
    uint64_t pause;     /* windows between counts: doubles while they bring nothing */
};

/* From now on it holds `words` at most if that is more than before, and has what it holds more.
 * A budget of zeroes has nothing. */
void asim_search_budget_raise(struct asim_search_budget *budget, uint64_t words);
/* Whether so many words are there, at least 1. Counts hops, now and then, where they are not. */
int asim_search_budget_has(const struct asim_fabric *fabric, struct asim_search_budget *budget,
                           uint64_t words);
static inline void asim_search_budget_spend(struct asim_search_budget *budget, uint64_t words)
{
    budget->left -= (int64_t)words;
}
/* So many packet-hops need not be simulated. */
void asim_search_budget_saved(struct asim_search_budget *budget, uint64_t hops);

#endif
