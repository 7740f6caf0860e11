/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The job as a whole: one line at the end, and summary.json with --out. Everything in it is
 * simulated, so the bytes are the same for the same input; wall-clock figures go to stderr.
 *
 * The state is that of the run: finished, ended (at the time of the scenario's end), stalled or
 * interrupted. A failed one has no summary. Message and hop counts come from the network, so an
 * analytical run has no packet-hops.
 */
#include "report/report.h"
#include "report/network_use.h"
#include "sim/distributed/distribution.h"
#include "sim/distributed/totals.h"
#include "sim/rank/breakdown.h"
#include "sim/world.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct totals {
    struct asim_out *file; /* NULL without --out */
    uint64_t longest, shortest;
    uint64_t finished, sum[ASIM_TIME_CLASSES], most[ASIM_TIME_CLASSES]; /* with file */
    struct asim_ways ways; /* with file, where flows have a choice */
};

/* Only the first and the last finish are kept, and the sums of where the time went. */
static void see_finish(struct totals *totals, const struct asim_world *world,
                       const struct asim_event *event)
{
    const struct asim_rank_time *time = totals->file ? asim_breakdown_of(world, event->rank) : NULL;

    for (int c = 0; time && c < ASIM_TIME_CLASSES; c++) {
        totals->sum[c] += time->ns[c];
        totals->most[c] = time->ns[c] > totals->most[c] ? time->ns[c] : totals->most[c];
    }
    totals->finished++;
    if (event->t > totals->longest)
        totals->longest = event->t;
    if (event->t < totals->shortest)
        totals->shortest = event->t;
}

static void see(void *self, const struct asim_world *world, const struct asim_event *event)
{
    struct totals *totals = self;

    if (event->kind == ASIM_EV_FCT)
        asim_ways_see(&totals->ways, world, event);
    else
        see_finish(totals, world, event);
}

/* A failed world has no summary. */
static const char *state_of(const struct asim_world *world, const struct asim_totals *all)
{
    if (all->ranks_done == world->set.n_ranks)
        return "finished";
    if (world->run.stopped)
        return "interrupted";
    return all->ranks_cut ? "ended" : "stalled";
}

static uint64_t simulated_ns(const struct asim_totals *all)
{
    return all->last_ns > all->net.last_ns ? all->last_ns : all->net.last_ns;
}

/* Not with --quiet, which keeps the file. */
static void line(const struct asim_world *world, const struct totals *totals,
                 const struct asim_totals *all)
{
    int is_cut = world->run.stopped && all->ranks_done < world->set.n_ranks;
    char text[256];

    if (!world->hooks.line || world->set.settings.quiet)
        return;
    snprintf(text, sizeof text,
             "[job] %s: %u of %u ranks, %" PRIu64 " cycles%s (1 cycle = 1 ns), %" PRIu64
             " ops, %" PRIu64 " messages, %" PRIu64 " packet-hops",
             state_of(world, all), all->ranks_done, world->set.n_ranks,
             is_cut ? simulated_ns(all) : totals->longest, is_cut ? " simulated" : "",
             all->ops_done, all->messages, all->net.hops);
    world->hooks.line(world->hooks.self, text);
}

/* The mean over finished ranks, rounded down, and the most of any rank. */
static void times(struct asim_out *file, const struct totals *totals)
{
    static const struct {
        enum asim_time_class class;
        const char *name;
    } rows[] = {{ASIM_TIME_COMPUTE, "compute"},
                {ASIM_TIME_HIDDEN, "hidden_comm"},
                {ASIM_TIME_EXPOSED, "exposed_comm"},
                {ASIM_TIME_MEMORY, "memory_bound"},
                {ASIM_TIME_CPU, "cpu_bound"},
                {ASIM_TIME_WAITING, "waiting"},
                {ASIM_TIME_IDLE, "idle"}};
    const char *before = "";

    asim_out_printf(file, "  \"rank_time\": {");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++, before = ", ")
        asim_out_printf(file, "%s\"%s_mean_ns\": %" PRIu64 ", \"%s_max_ns\": %" PRIu64, before,
                        rows[i].name,
                        totals->finished ? totals->sum[rows[i].class] / totals->finished : 0,
                        rows[i].name, totals->most[rows[i].class]);
    asim_out_printf(file, "},\n");
}

/* The order of simultaneous events. Tie keys give ns-3's, too, where no tie was contested; short
 * runs take them only then (sim/order.c). */
static void put_order(struct asim_out *file, const struct asim_world *world,
                      const struct asim_fabric_stats *net)
{
    int is_fast = !net->listed_ns && (!world->set.settings.exact_events || net->contested);

    asim_out_printf(file, ",\n  \"event_order\": \"%s", is_fast ? "fast" : "ns-3");
    if (net->listed_ns && net->listed_ns != ASIM_NEVER)
        asim_out_printf(file, " until %" PRIu64 " ns", net->listed_ns);
    asim_out_printf(file, "\"");
    if (is_fast)
        asim_out_printf(file, ",\n  \"contested_ties\": %s", net->contested ? "true" : "false");
}

/* What queues and losses cause: null at the flow level, which models neither. */
static void put_count(struct asim_out *file, const struct asim_world *world, const char *key,
                      uint64_t n)
{
    if (asim_world_has(world, ASIM_NET_FLOWS) && !asim_world_has(world, ASIM_NET_QUEUES))
        asim_out_printf(file, "  \"%s\": null,\n", key);
    else
        asim_out_printf(file, "  \"%s\": %" PRIu64 ",\n", key, n);
}

/* Of networks that approximate packets: null where the error is not known. */
static void put_trust(struct asim_out *file, const struct asim_world *world)
{
    const struct asim_packet_network *packets = world->via.packets;
    struct asim_packet_trust trust;

    if (!packets->trust || !packets->trust(world->via.packet_net, &trust))
        return;
    asim_out_printf(file, ",\n  \"expected_error\": {\"held_up_percent\": %.1f",
                    trust.held_percent);
    if (trust.doubt)
        asim_out_printf(file,
                        ", \"usual_percent\": null, \"most_percent\": null, \"doubt\": \"%s\"}",
                        trust.doubt);
    else
        asim_out_printf(file, ", \"usual_percent\": %.0f, \"most_percent\": %.0f, \"doubt\": null}",
                        trust.usual_percent, trust.most_percent);
}

/* Keys are stable: tools read them. A new one goes at the end. Shares have a fixed number of
 * decimals, all else is integers. 0 or ASIM_ENOMEM. */
static int json(const struct asim_world *world, struct totals *totals,
                const struct asim_totals *all, struct asim_err *err)
{
    const struct asim_fabric_stats *net = &all->net;
    struct asim_out *file = totals->file;
    int code = 0;

    asim_out_printf(file, "{\n  \"state\": \"%s\",\n  \"ranks\": %u,\n  \"ranks_finished\": %u,\n",
                    state_of(world, all), world->set.n_ranks, all->ranks_done);
    asim_out_printf(file, "  \"finish_ns\": %" PRIu64 ",\n  \"first_finish_ns\": %" PRIu64 ",\n",
                    totals->longest, totals->longest ? totals->shortest : 0);
    asim_out_printf(file, "  \"ops\": %" PRIu64 ",\n  \"ops_finished\": %" PRIu64 ",\n",
                    all->ops_total, all->ops_done);
    asim_out_printf(file, "  \"messages\": %" PRIu64 ",\n  \"packet_hops\": %" PRIu64 ",\n",
                    all->messages, net->hops);
    asim_out_printf(file, "  \"wire_bytes\": %" PRIu64 ",\n", net->hop_bytes);
    put_count(file, world, "drops", net->drops);
    put_count(file, world, "ecn_marks", net->marks);
    put_count(file, world, "pfc_pauses", net->pauses);
    asim_out_printf(file, "  \"hosts\": %u,\n  \"switches\": %u,\n  \"links\": %zu,\n",
                    world->set.topo.hosts - world->set.topo.endpoints, world->set.topo.switches,
                    world->set.topo.n_links - world->set.topo.endpoints);
    times(file, totals);
    put_count(file, world, "lost_frames", net->lost);
    asim_out_printf(file, "  \"data_packets\": %" PRIu64 ",\n", net->data);
    put_count(file, world, "retransmitted_packets", net->retransmits);
    put_count(file, world, "nacks", net->nacks);
    put_count(file, world, "timeouts", net->timeouts);
    put_count(file, world, "aborted_messages", net->aborted);
    asim_out_printf(file, "  \"simulated_ns\": %" PRIu64, simulated_ns(all));
    if (asim_world_has(world, ASIM_NET_FRAMES))
        put_order(file, world, net);
    if (asim_world_has(world, ASIM_NET_LINKS))
        code = asim_network_use_put(file, world, &totals->ways, err);
    if (asim_world_has(world, ASIM_NET_LINKS))
        put_trust(file, world);
    asim_out_printf(file, ",\n  \"identity\": \"%s\"\n}\n", world->set.identity);
    return code;
}

/* Chunks of a ring that share a NIC packet by packet all end late, and each rank waits for them. */
static void note_crowds(const struct asim_world *world, const struct asim_totals *all)
{
    if (4 * all->net.crowded < all->messages || !all->messages)
        return;
    asim_world_diagnose(world,
                        "%.0f %% of the messages began while their NIC sent 8 others or more, the "
                        "last one to the same host. These shared the NIC packet by packet, as in "
                        "ASTRA-sim, so all of them ended late; NCCL sends them one after another: "
                        "--qps-per-connection=1",
                        100.0 * (double)all->net.crowded / (double)all->messages);
}

/* Lost frames cost time that nobody sees in a finish time. */
static void note_losses(const struct asim_world *world, const struct asim_fabric_stats *net)
{
    if (!(net->lost | net->drops | net->retransmits | net->nacks | net->timeouts))
        return;
    asim_world_diagnose(
        world,
        "%" PRIu64 " frames were lost on links and %" PRIu64 " dropped by switches: %" PRIu64
        " of %" PRIu64 " data packets were sent again, after %" PRIu64 " NACKs and %" PRIu64
        " timeouts (--out=DIR --reports=links,hosts show where)",
        net->lost, net->drops, net->retransmits, net->data, net->nacks, net->timeouts);
}

/* totals is freed here, whatever the outcome. */
static int close_summary(void *self, const struct asim_world *world, struct asim_err *err)
{
    struct totals *totals = self;
    struct asim_totals all;
    int code = 0;

    asim_totals_all(world, &all);
    if (!world->run.failed) {
        line(world, totals, &all);
        note_losses(world, &all.net);
        note_crowds(world, &all);
    }
    if (totals->file && !world->run.failed)
        code = json(world, totals, &all, err);
    if (totals->file && code) {
        asim_out_discard(totals->file);
        free(totals->file);
    } else if (totals->file) {
        code = asim_report_file_close(totals->file, world, err);
    }
    asim_ways_fini(&totals->ways);
    free(totals);
    return code;
}

/* Always wanted: without --out for its line. */
static int open_summary(struct asim_event_observer *observer, struct asim_world *world,
                        const char *out, struct asim_err *err)
{
    struct totals *totals = calloc(1, sizeof *totals);

    if (!totals || (out && asim_breakdown_open(world, err))) {
        free(totals);
        return asim_err_nomem(err, "opening reports");
    }
    totals->shortest = UINT64_MAX;
    if (out && asim_report_open_file(&totals->file, world, out, "summary.json", err)) {
        free(totals);
        return ASIM_EIO;
    }
    *observer = (struct asim_event_observer){
        .wants = 1u << ASIM_EV_RANK_DONE, .self = totals, .on_event = see, .close = close_summary};
    if (out && asim_world_has(world, ASIM_NET_LINKS))
        observer->wants |= 1u << ASIM_EV_LINKS;
    if (out && asim_ways_exist(world))
        observer->wants |= 1u << ASIM_EV_FCT, observer->only_choices = 1;
    return 0;
}

const struct asim_report asim_report_summary = {
    .member = {.name = "summary", .about = "one line for the job; summary.json with --out"},
    .in_out = ASIM_OUT_ALWAYS,
    .file = "summary.json",
    .open = open_summary,
};
