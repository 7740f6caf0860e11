/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The account of what runs look for (budget.h).
 */
#include "fabric/budget.h"

#include "fabric/episode.h"
#include "fabric/node.h"

/* A packet-hop takes the time of some 40 words. A hop that is left out pays for one word: most of
 * what it would have cost stays saved. */
enum { HOPS_A_WORD = 24, FIRST_PAUSE = 16, WIRES_A_WORD = 4 };

void asim_budget_open(struct asim_budget *budget, uint64_t words)
{
    budget->left = budget->most = (int64_t)words;
    budget->pause = FIRST_PAUSE;
}

int asim_budget_has(const struct asim_fabric *fabric, struct asim_budget *budget)
{
    uint64_t hops;

    if (budget->left > 0)
        return 1;
    if (fabric->windows < budget->count_at)
        return 0;
    hops = asim_counts_hops(fabric);
    budget->left += (int64_t)((hops - budget->hops) / HOPS_A_WORD);
    budget->left -= (int64_t)(fabric->topo->n_links * 2 / WIRES_A_WORD);
    budget->hops = hops;
    if (budget->left > budget->most)
        budget->left = budget->most;
    budget->pause = budget->left > 0 ? FIRST_PAUSE : 2 * budget->pause;
    budget->count_at = fabric->windows + budget->pause;
    return budget->left > 0;
}

/* They count among those of the network, but are worth more than those simulated. */
void asim_budget_saved(struct asim_budget *budget, uint64_t hops)
{
    budget->hops += hops;
    budget->left += (int64_t)hops;
    if (budget->left > budget->most)
        budget->left = budget->most;
}
