/* SPDX-License-Identifier: GPL-2.0-only
 *
 * background.csv: a row for each object of "background" in the scenario and class of flow sizes:
 * the load that it offers, its flows, and their slowdown against idle links. Written with --out
 * where the scenario has background traffic.
 */
#include "report/report.h"
#include "scenario/scenario.h"
#include "sim/distributed/distribution.h"
#include "sim/scenario/plan.h"

#include <inttypes.h>
#include <stdlib.h>

static const char *const classes[] = {"to-100kB", "to-1MB", "larger", "all"};

static uint64_t flows_of(const struct asim_traffic_use *use, uint32_t size_class)
{
    uint64_t n = 0;

    for (uint32_t c = 0; c < ASIM_TRAFFIC_CLASSES; c++)
        for (uint32_t b = 0; b < ASIM_TRAFFIC_BINS; b++)
            if (c == size_class || size_class == ASIM_TRAFFIC_CLASSES)
                n += use->slowdown[c][b];
    return n;
}

static void write_rows(struct asim_out *file, const struct asim_world *world, uint32_t i,
                       const struct asim_traffic_use *use)
{
    const struct asim_scenario_background *from = &world->set.scenario->background.at[i];
    const struct asim_traffic_load *load = &world->set.plan->loads[i];

    for (uint32_t c = 0; c <= ASIM_TRAFFIC_CLASSES; c++) {
        asim_out_printf(file, "%u,%u,%s,%.0f,%.6f,%.6f,%s,%" PRIu64, i, from->line, from->sizes,
                        load->mean_bytes, load->hosts, load->uplinks, classes[c], flows_of(use, c));
        asim_out_printf(file, ",%.3f,%.3f,%.3f", asim_traffic_quantile(use, c, 0.5),
                        asim_traffic_quantile(use, c, 0.95), asim_traffic_quantile(use, c, 0.99));
        if (c == ASIM_TRAFFIC_CLASSES)
            asim_out_printf(file, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, use->started,
                            use->started_bytes, use->finished_bytes, use->given_up);
        else
            asim_out_printf(file, ",,,,");
        asim_out_printf(file, "\n");
    }
}

static int has_traffic(const struct asim_world *world)
{
    return world->set.plan && world->set.plan->traffics.n;
}

static int write_all(void *self, const struct asim_world *world, struct asim_err *err)
{
    struct asim_traffic_use *use = malloc(sizeof *use);

    if (!use)
        return asim_err_nomem(err, "writing background.csv");
    for (uint32_t i = 0; i < world->set.plan->traffics.n; i++) {
        asim_distribution_traffic_use(world, i, use);
        write_rows(asim_report_out(self), world, i, use);
    }
    free(use);
    return 0;
}

const struct asim_report asim_report_background = {
    .member = {.name = "background",
               .about = "background.csv: flows that no job sends, with their "
                        "slowdown"},
    .in_out = ASIM_OUT_ALWAYS,
    .asks = has_traffic,
    .file = "background.csv",
    .head = "background,line,sizes,mean_bytes,host_load,uplink_load,class,flows,slowdown_p50,"
            "slowdown_p95,slowdown_p99,started,started_bytes,finished_bytes,given_up",
    .end = write_all,
};
