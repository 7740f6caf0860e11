/* SPDX-License-Identifier: GPL-2.0-only
 *
 * events.csv: a row for each thing that happens to the network or to hosts by the scenario, in
 * order of time: its end (empty: for good), for a crash the work that is lost, whether the run
 * reached it, whether it was drawn, and the line of the scenario. Written with --out where the
 * scenario has "events" or "failures".
 */
#include "report/report.h"
#include "scenario/scenario.h"
#include "sim/scenario/plan.h"

#include <inttypes.h>

static int has_events(const struct asim_world *world)
{
    return world->set.plan && world->set.plan->occurrences.n;
}

static int write_rows(void *self, const struct asim_world *world, struct asim_err *err)
{
    struct asim_out *file = asim_report_out(self);
    const struct asim_network_plan *plan = world->set.plan;
    uint64_t end = asim_report_end_ns(world);

    (void)err;
    for (size_t i = 0; i < plan->occurrences.n; i++) {
        const struct asim_occurrence *row = &plan->occurrences.at[i];

        asim_out_printf(file, "%" PRIu64 ",%s,%s,", row->at_ns, asim_scenario_kind_name(row->kind),
                        row->of);
        if (row->until_ns != ASIM_NEVER)
            asim_out_printf(file, "%" PRIu64, row->until_ns);
        asim_out_printf(file, ",%" PRIu64 ",%d,%d,%u\n", row->lost_work_ns, row->at_ns <= end,
                        row->is_drawn, row->line);
    }
    return 0;
}

const struct asim_report asim_report_events = {
    .member = {.name = "events",
               .about = "events.csv: what the scenario does to links, switches "
                        "and hosts"},
    .in_out = ASIM_OUT_ALWAYS,
    .asks = has_events,
    .file = "events.csv",
    .head = "time_ns,event,part,until_ns,lost_work_ns,reached,drawn,line",
    .end = write_rows,
};
