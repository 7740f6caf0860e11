/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The account of what runs look for: what it begins with is spent once, an act may overdraw it,
 * what is saved pays for more, and it never holds more than its most.
 */
#include "fabric/memo/search_budget.h"
#include "testbench.h"

int main(void)
{
    struct testbench *bench = bench_open(2, 1);
    struct asim_search_budget budget = {0};

    bench_link(bench, 0, 2, (const uint64_t[2]){400, 500});
    bench_link(bench, 1, 2, (const uint64_t[2]){400, 500});
    bench_prepare(bench, 0);
    CHECK(!asim_search_budget_has(bench->fabric, &budget, 1)); /* nobody has given it anything */
    asim_search_budget_raise(&budget, 100);
    asim_search_budget_raise(&budget, 60); /* less than it may hold: no second beginning */
    CHECK(budget.left <= 100 && budget.left >= 90);
    CHECK(asim_search_budget_has(bench->fabric, &budget, 1));
    asim_search_budget_spend(&budget, 1000);
    CHECK(!asim_search_budget_has(bench->fabric, &budget, 1)); /* no hop has been simulated since */
    asim_search_budget_saved(&budget, 1000000);
    CHECK(budget.left == budget.most); /* what was spent, and no more */
    CHECK(asim_search_budget_has(bench->fabric, &budget, 1));
    asim_search_budget_spend(&budget, (uint64_t)budget.most + 50);
    bench->fabric->wires[0].frames = 2000000; /* of them a million are those saved */
    bench->fabric->run.windows = 1000;
    CHECK(asim_search_budget_has(bench->fabric, &budget, 1));
    CHECK(budget.left <= budget.most);
    bench_close(bench);
    return CHECK_DONE();
}
