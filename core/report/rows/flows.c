/* SPDX-License-Identifier: GPL-2.0-only
 *
 * flows.csv: one row per message: source, destination, times, and the slowdown against a message
 * alone on idle links (1 = as fast as the network can). At the flow level a column says so.
 * Messages under way when the run ended come last, without an end. Where the scenario has
 * background traffic, its finished flows are rows, too, and a column tells them apart. Written with
 * --out and --reports=flows.
 */
#include "base/text.h"
#include "report/report.h"
#include "sim/world.h"

#include <inttypes.h>

/* Its messages had no frames: the rows say so. */
static int is_modelled(const struct asim_world *world)
{
    return !asim_world_has(world, ASIM_NET_FRAMES);
}

static int has_background(const struct asim_world *world)
{
    return world->set.n_generators > 0;
}

/* Of a scenario: the job and the rank of the source, and the rank of the destination; none of a
 * background flow. */
static void put_ranks(struct asim_out *file, const struct asim_world *world,
                      const struct asim_event *event, uint32_t dst)
{
    int is_background = event->kind == ASIM_EV_BACKGROUND;

    asim_report_job(file, world, is_background ? UINT32_MAX : event->rank);
    if (is_modelled(world))
        asim_out_printf(file, ",flow");
    if (world->set.scenario && !is_background && dst < world->set.n_ranks)
        asim_out_printf(file, ",%" PRIu32, dst - asim_world_job_of(world, dst)->first);
    else if (world->set.scenario)
        asim_out_write(file, ",", 1);
    if (is_background)
        asim_out_printf(file, ",background %" PRIu64, event->of.fct.id);
    else if (has_background(world))
        asim_out_printf(file, ",job");
    asim_out_write(file, "\n", 1);
}

static void see_left(struct asim_out *file, const struct asim_world *world,
                     const struct asim_event *event)
{
    asim_out_printf(file, "%u,%u,%u,%" PRIu64 ",%" PRIu64 ",,,%" PRIu64 ",,%" PRIu64,
                    asim_topo_external_id(&world->set.topo, event->rank),
                    asim_topo_external_id(&world->set.topo, event->of.left.dst),
                    event->of.left.sport, event->of.left.bytes, event->of.left.start,
                    event->of.left.ideal, event->of.left.acked);
    put_ranks(file, world, event, event->of.left.dst);
}

/* The most frequent row of all reports: without printf. */
static void see_done(struct asim_out *file, const struct asim_world *world,
                     const struct asim_event *event)
{
    uint64_t took = event->t - event->of.fct.start;
    const uint64_t numbers[] = {asim_topo_external_id(&world->set.topo, event->rank),
                                asim_topo_external_id(&world->set.topo, event->of.fct.dst),
                                event->of.fct.sport,
                                event->of.fct.bytes,
                                event->of.fct.start,
                                event->t,
                                took,
                                event->of.fct.ideal};
    char row[400], *at = row;

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        at = asim_text_put_u64(at, numbers[i]);
        *at++ = ',';
    }
    at = asim_report_put_slowdown(at, took, event->of.fct.ideal);
    *at++ = ',';
    at = asim_text_put_u64(at, event->of.fct.bytes);
    asim_out_write(file, row, (size_t)(at - row));
    put_ranks(file, world, event, event->of.fct.dst);
}

static void see(void *self, const struct asim_world *world, const struct asim_event *event)
{
    if (event->kind != ASIM_EV_MESSAGE_LEFT)
        see_done(asim_report_out(self), world, event);
    else
        see_left(asim_report_out(self), world, event);
}

static int begin(void *self, struct asim_world *world, struct asim_err *err)
{
    struct asim_out *file = asim_report_out(self);

    (void)err;
    asim_out_printf(file,
                    "src,dst,sport,bytes,start_ns,end_ns,fct_ns,ideal_ns,slowdown,acked_bytes");
    asim_report_job_header(file, world);
    asim_out_printf(file, is_modelled(world) ? ",model" : "");
    asim_out_printf(file, world->set.scenario ? ",dst_job_rank" : "");
    asim_out_printf(file, has_background(world) ? ",class\n" : "\n");
    return 0;
}

const struct asim_report asim_report_flows = {
    .member = {.name = "flows", .about = "flows.csv: a row a message, with its slowdown"},
    .in_out = ASIM_OUT_NAMED,
    .needs = ASIM_NET_FLOWS,
    .file = "flows.csv",
    .wants = 1u << ASIM_EV_FCT | 1u << ASIM_EV_BACKGROUND | 1u << ASIM_EV_MESSAGE_LEFT,
    .see = see,
    .begin = begin,
};
