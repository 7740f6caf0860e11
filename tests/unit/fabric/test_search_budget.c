/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The budget of the memo's searches: the first words can be spent once, a search may overdraw the
 * budget, skipped packet-hops earn words, and the budget never exceeds `most`.
 */
#include "fabric/memo/region/search_budget.h"
#include "testbench.h"

int main(void)
{
    struct testbench *bench = bench_open(2, 1);
    struct asim_search_budget budget = {0};

    bench_link(bench, 0, 2, (const uint64_t[2]){400, 500});
    bench_link(bench, 1, 2, (const uint64_t[2]){400, 500});
    bench_prepare(bench, 0);
    CHECK(!asim_search_budget_has(bench->fabric, &budget, 1)); /* an empty budget */
    asim_search_budget_raise(&budget, 100);
    asim_search_budget_raise(&budget, 60); /* less than `most`: adds nothing */
    CHECK(budget.left <= 100 && budget.left >= 90);
    CHECK(asim_search_budget_has(bench->fabric, &budget, 1));
    asim_search_budget_spend(&budget, 1000);
    CHECK(
        !asim_search_budget_has(bench->fabric, &budget, 1)); /* no packet-hop was simulated since */
    asim_search_budget_saved(&budget, 1000000);
    CHECK(budget.left == budget.most); /* filled up, not more */
    CHECK(asim_search_budget_has(bench->fabric, &budget, 1));
    asim_search_budget_spend(&budget, (uint64_t)budget.most + 50);
    bench->fabric->wires[0].frames = 2000000; /* a million of them were skipped */
    asim_engine_of(bench->fabric)->run.windows = 1000;
    CHECK(asim_search_budget_has(bench->fabric, &budget, 1));
    CHECK(budget.left <= budget.most);
    bench_close(bench);
    return CHECK_DONE();
}
