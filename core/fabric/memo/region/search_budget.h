/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A bound on the cost of the search for repetitions, since most networks have none. A budget counts
 * the words that the search looks at, 2 to 3 ns each. It begins with `most` words. Each 64th
 * simulated packet-hop earns a word, each skipped one several; an eager budget gets 16 words in
 * place of one, until 2^30 packet-hops have brought nothing. The budget never holds more than
 * `most`. An unproductive search so takes less than 0.1 % of the simulation, or less than 1 % at
 * its start, and `most` once.
 *
 * A search may overdraw the budget. The next one then waits until the words are earned, so the
 * intervals between searches grow with their cost.
 */
#ifndef ASIM_FABRIC_MEMO_REGION_SEARCH_BUDGET_H
#define ASIM_FABRIC_MEMO_REGION_SEARCH_BUDGET_H

#include <stdint.h>

struct asim_fabric;

/* All zeros: an empty budget. */
struct asim_search_budget {
    int64_t left, most;    /* words */
    uint64_t hops;         /* packet-hops simulated up to the last count */
    uint64_t count_at;     /* window of the next count, which looks at every link */
    uint64_t pause;        /* windows between counts; doubles while counts bring nothing */
    uint64_t unproductive; /* packet-hops simulated since some were saved, up to the last count */
    int is_eager;
};

/* Raises `most` to that many words, and adds the difference. */
void asim_search_budget_raise(struct asim_search_budget *budget, uint64_t words);
/* Whether the budget has so many words, at least 1. Counts packet-hops now and then if not. */
int asim_search_budget_has(const struct asim_fabric *fabric, struct asim_search_budget *budget,
                           uint64_t words);
static inline void asim_search_budget_spend(struct asim_search_budget *budget, uint64_t words)
{
    budget->left -= (int64_t)words;
}
/* The memo replayed or skipped so many packet-hops. */
void asim_search_budget_saved(struct asim_search_budget *budget, uint64_t hops);

#endif
