/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Chooses what limits a run among the changes that would have made it faster (cli/what_if.c). The
 * one that saves most is the cause; but a defect, which costs nothing to mend, goes before faster
 * links and GPUs where it saves a third as much; of links, as much as the class that saves most,
 * since all links together halve the time of any traffic. An algorithm goes before faster links
 * only: where computation saves more, that is the cause, and where another defect saves nearly as
 * much, that one is, since another algorithm is other traffic.
 *
 *   defects   collisions, slow ranks, a pipeline's bubble, congestion control, windows, algorithms,
 *             and what only packets see: the run beside the flow level, beyond PACKETS
 *   bought    links of a class, computation, latency
 */
#include "tools/report/verdict.h"

#include <string.h>

/* The least share of a run that a cause saves. The worst error of the flow level without a warning
 * was 12 % (doc/flow.md). From that share on, halved delays mean small messages. */
static const double least = 0.02, packets_least = 0.1, is_latency = 0.3;

int asim_cause_is(const struct asim_run_change *change, const char *name)
{
    return change && !strcmp(change->name, name);
}

static int is_bought(const struct asim_run_change *change)
{
    return !strncmp(change->name, "links ", 6) || asim_cause_is(change, "compute") ||
           asim_cause_is(change, "latency") || asim_cause_is(change, "kernels");
}

/* All links together are the cause where no class alone saves nearly as much. */
static int is_one_class(const struct asim_run *run, const struct asim_run_change *change)
{
    const double nearly = 0.8;

    for (size_t i = 0; asim_cause_is(change, "links all") && i < run->changes.n; i++)
        if (change != &run->changes.at[i] && !strncmp(run->changes.at[i].name, "links ", 6) &&
            run->changes.at[i].saved >= nearly * change->saved)
            return 1;
    return 0;
}

static int counts(const struct asim_run_change *change)
{
    return change->saved >= (asim_cause_is(change, "packets") ? packets_least : least) &&
           !asim_cause_is(change, "no network");
}

int asim_cause_counts(const struct asim_run *run, const struct asim_run_change *change)
{
    return counts(change) && !is_one_class(run, change);
}

/* The first that is bought, or is not; NULL: none that counts. They are in the order of what they
 * save. */
static const struct asim_run_change *best(const struct asim_run *run, int bought)
{
    for (size_t i = 0; i < run->changes.n; i++)
        if (is_bought(&run->changes.at[i]) == bought && asim_cause_counts(run, &run->changes.at[i]))
            return &run->changes.at[i];
    return NULL;
}

const struct asim_run_change *asim_cause_find(const struct asim_run *run, const char *name)
{
    for (size_t i = 0; i < run->changes.n; i++)
        if (asim_cause_is(&run->changes.at[i], name))
            return &run->changes.at[i];
    return NULL;
}

/* What a defect is weighed against. */
static double weight(const struct asim_run *run, const struct asim_run_change *bought)
{
    for (size_t i = 0; asim_cause_is(bought, "links all") && i < run->changes.n; i++)
        if (&run->changes.at[i] != bought && is_bought(&run->changes.at[i]))
            return run->changes.at[i].saved;
    return bought->saved;
}

/* The defect that saves most; before an algorithm another one that saves nearly as much. */
static const struct asim_run_change *best_defect(const struct asim_run *run)
{
    const double nearly = 0.67;
    const struct asim_run_change *defect = best(run, 0);

    for (size_t i = 0; asim_cause_is(defect, "algorithm") && i < run->changes.n; i++) {
        const struct asim_run_change *other = &run->changes.at[i];

        if (other != defect && !is_bought(other) && asim_cause_counts(run, other) &&
            other->saved >= nearly * defect->saved)
            return other;
    }
    return defect;
}

/* Rings of small messages: another algorithm has fewer of them, and is the remedy, not the cause.
 */
const struct asim_run_change *asim_cause_choose(const struct asim_run *run)
{
    const struct asim_run_change *bought = best(run, 1), *defect = best_defect(run),
                                 *latency = asim_cause_find(run, "latency");

    if (latency && latency->saved >= is_latency && (!defect || asim_cause_is(defect, "algorithm")))
        return latency;
    if (!bought || !defect)
        return bought ? bought : defect;
    if (asim_cause_is(bought, "compute") && asim_cause_is(defect, "algorithm"))
        return defect->saved >= bought->saved ? defect : bought;
    return defect->saved >= weight(run, bought) / 3 ? defect : bought;
}
