/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The account of the search for repetitions (search_budget.h).
 */
#include "fabric/memo/region/search_budget.h"

#include "fabric/memo/state/counters.h"
#include "fabric/memo/memo.h"

/* The simulation of a packet-hop takes as long as a look at 50 words. So the search gets 0.03 % of
 * the time of simulated packet-hops, eager ones 0.5 % until so many packet-hops brought nothing,
 * and a sixth of the time of skipped ones. */
enum {
    HOPS_A_WORD = 64,
    EAGER_HOPS_A_WORD = 4,
    EAGER_HOPS = 1 << 30,
    WORDS_A_SAVED_HOP = 8,
    FIRST_PAUSE = 16,
    WIRES_A_WORD = 2
};

void asim_search_budget_raise(struct asim_search_budget *budget, uint64_t words)
{
    if ((int64_t)words <= budget->most)
        return;
    budget->left += (int64_t)words - budget->most;
    budget->most = (int64_t)words;
}

static void earn(struct asim_search_budget *budget, uint64_t words)
{
    budget->left += (int64_t)words;
    if (budget->left > budget->most)
        budget->left = budget->most;
}

int asim_search_budget_has(const struct asim_fabric *fabric, struct asim_search_budget *budget,
                           uint64_t words)
{
    const struct asim_fabric_engine *engine = asim_engine_of(fabric);
    uint64_t hops;

    if (budget->left >= (int64_t)words)
        return 1;
    if (engine->run.windows < budget->count_at)
        return 0;
    hops = asim_memo_carried(fabric);
    asim_search_budget_spend(budget, fabric->set.links * 2 / WIRES_A_WORD);
    if (budget->most < 2 * (int64_t)words) /* the budget can save up for the search */
        budget->most = 2 * (int64_t)words;
    budget->unproductive += hops - budget->hops;
    earn(budget, (hops - budget->hops) / (budget->is_eager && budget->unproductive < EAGER_HOPS
                                              ? EAGER_HOPS_A_WORD
                                              : HOPS_A_WORD));
    budget->hops = hops;
    if (budget->left >= (int64_t)words || !budget->pause)
        budget->pause = FIRST_PAUSE;
    else
        budget->pause *= 2;
    budget->count_at = engine->run.windows + budget->pause;
    return budget->left >= (int64_t)words;
}

/* Replayed and skipped packet-hops earn more than simulated ones. */
void asim_search_budget_saved(struct asim_search_budget *budget, uint64_t hops)
{
    budget->unproductive = 0;
    earn(budget, hops * WORDS_A_SAVED_HOP);
}
