/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The timeline of a run (--timeline): timeline.pftrace in --out, which ui.perfetto.dev opens, or
 * with --timeline-format=json a file timeline/rank_<r>.json a rank as PyTorch's profiler writes
 * them. --timeline-ranks, -from and -to choose; at most ASIM_TIMELINE_MOST ops and as many
 * messages, the first of the run, and a note tells what was left out.
 */
#include "report/timeline/timeline.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/op_times.h"
#include "report/ways.h"
#include "report/report.h"
#include "base/text.h"
#include "sim/distributed/distribution.h"
#include "sim/world.h"
#include "topo/topo.h"

struct collector {
    struct asim_run_timeline timeline;
    struct asim_op_times times;
    struct asim_map arrived;  /* (0, id of a message) -> time + 1 of an arrival before its end */
    struct asim_map finished; /* (0, id) -> index of a message that has ended, + 1 */
    struct asim_bin_cursor *ports;
    uint64_t *paused; /* [port] since when, + 1; 0 = not paused */
    uint8_t *wanted;  /* [ranks] */
    uint64_t from, to, left_out;
    char *folder;
    int failed;
};

static int in_range(const struct collector *collector, uint64_t start, uint64_t end)
{
    return end >= collector->from && start <= collector->to;
}

static enum asim_track_kind track_of(const struct asim_op_time *op)
{
    if (op->is_cpu)
        return ASIM_TRACK_OF_CPU;
    switch (op->type) {
    case ASIM_OP_COMM_COLL:
        return ASIM_TRACK_OF_COLLECTIVE;
    case ASIM_OP_COMM_SEND:
        return ASIM_TRACK_OF_SEND;
    case ASIM_OP_COMM_RECV:
        return ASIM_TRACK_OF_RECEIVE;
    case ASIM_OP_MEM_LOAD:
    case ASIM_OP_MEM_STORE:
        return ASIM_TRACK_OF_MEMORY;
    default:
        return ASIM_TRACK_OF_COMPUTE;
    }
}

/* An op without an end gets the end of the run when that is known. */
static void see_op(void *self, const struct asim_op_time *op)
{
    struct collector *collector = self;
    struct asim_timeline_op row = {.issue = op->issue,
                                   .ready = op->start,
                                   .end = op->end,
                                   .id = op->id,
                                   .bytes = op->bytes,
                                   .tag = op->tag,
                                   .group = op->group,
                                   .exchange = op->exchange,
                                   .ordinal = op->ordinal,
                                   .members = op->members,
                                   .rank = op->rank,
                                   .peer = op->peer,
                                   .type = (int)op->type,
                                   .kind = op->kind,
                                   .track = track_of(op),
                                   .is_ended = op->is_ended};

    if (!collector->wanted[op->rank] ||
        !in_range(collector, op->issue, op->is_ended ? op->end : UINT64_MAX))
        return;
    if (collector->timeline.ops.n == ASIM_TIMELINE_MOST) {
        collector->left_out++;
        return;
    }
    row.name = strdup(op->name);
    if (!row.name || ASIM_VEC_PUSH(collector->timeline.ops, row)) {
        free(row.name);
        collector->failed = 1;
    }
}

static int wants_message(const struct collector *collector, uint32_t src, uint32_t dst)
{
    uint32_t ranks = collector->timeline.ranks;

    return src < ranks && (collector->wanted[src] || (dst < ranks && collector->wanted[dst]));
}

/* Hops of a path that is looked at; longer ones count on no link. */
enum { HOPS = 256 };

/* Messages of all ranks, since links carry them all. */
static void see_rate(struct collector *collector, const struct asim_world *world,
                     const struct asim_event *event)
{
    struct asim_hop hops[HOPS];
    struct asim_carried message = {.hops = hops,
                                   .n = asim_ways_path(world, event, hops, HOPS),
                                   .bytes = event->of.fct.bytes,
                                   .start = event->of.fct.start,
                                   .end = event->t};

    if (message.n <= HOPS)
        asim_link_rates_add(&collector->timeline.rates, collector->timeline.topo, &message);
}

static void see_message(struct collector *collector, const struct asim_event *event)
{
    struct asim_timeline_message row = {.start = event->of.fct.start,
                                        .end = event->t,
                                        .arrival = UINT64_MAX,
                                        .id = event->of.fct.id,
                                        .bytes = event->of.fct.bytes,
                                        .src = event->rank,
                                        .dst = event->of.fct.dst};
    uint64_t *arrived = asim_map_get(&collector->arrived, 0, row.id), *finished;

    if (arrived) {
        row.arrival = *arrived - 1;
        asim_map_delete(&collector->arrived, 0, row.id);
    }
    if (!wants_message(collector, row.src, row.dst) || !in_range(collector, row.start, row.end))
        return;
    if (collector->timeline.messages.n == ASIM_TIMELINE_MOST) {
        collector->left_out++;
        return;
    }
    if (ASIM_VEC_PUSH(collector->timeline.messages, row))
        collector->failed = 1;
    if (arrived || row.dst >= collector->timeline.ranks)
        return;
    finished = asim_map_put(&collector->finished, 0, row.id);
    if (finished)
        *finished = collector->timeline.messages.n;
    collector->failed |= !finished;
}

/* Before the last ACK is back, or after. */
static void see_arrival(struct collector *collector, const struct asim_event *event)
{
    uint64_t id = event->of.arrival.id;
    uint64_t *finished = asim_map_get(&collector->finished, 0, id), *arrived;

    if (finished) {
        collector->timeline.messages.at[*finished - 1].arrival = event->t;
        asim_map_delete(&collector->finished, 0, id);
        return;
    }
    if (!wants_message(collector, (uint32_t)(id >> 32), event->rank))
        return;
    arrived = asim_map_put(&collector->arrived, 0, id);
    if (arrived)
        *arrived = event->t + 1;
    collector->failed |= !arrived;
}

static uint32_t port_of(const struct collector *collector, uint32_t node, uint32_t port)
{
    return collector->timeline.topo->first_port[node] + port - 1;
}

static void end_pause(struct collector *collector, uint32_t port, uint64_t end)
{
    struct asim_timeline_pause row = {
        .start = collector->paused[port] - 1, .end = end, .port = port};

    collector->paused[port] = 0;
    if (!in_range(collector, row.start, row.end))
        return;
    if (collector->timeline.pauses.n == ASIM_TIMELINE_MOST)
        collector->left_out++;
    else if (ASIM_VEC_PUSH(collector->timeline.pauses, row))
        collector->failed = 1;
}

/* A pause that is repeated goes on. */
static void see_pause(struct collector *collector, const struct asim_event *event)
{
    uint32_t port = port_of(collector, event->rank, event->of.pfc.port);

    if (event->of.pfc.pause && !collector->paused[port])
        collector->paused[port] = event->t + 1;
    else if (!event->of.pfc.pause && collector->paused[port])
        end_pause(collector, port, event->t);
}

static void see_queue(struct collector *collector, const struct asim_world *world,
                      const struct asim_event *event)
{
    uint32_t port = port_of(collector, event->rank, event->of.queue.port);
    uint64_t length = event->of.queue.bytes - event->of.queue.control;

    if (in_range(collector, event->t, event->t))
        asim_bins_step(&collector->timeline.queues, &collector->ports[port], port,
                       asim_report_sample_after(world, event->t),
                       length < ASIM_QLEN_BYTES ? 0 : length);
}

static void see(void *self, const struct asim_world *world, const struct asim_event *event)
{
    struct collector *collector = self;

    if (event->kind == ASIM_EV_FCT) {
        see_message(collector, event);
        see_rate(collector, world, event);
    } else if (event->kind == ASIM_EV_ARRIVAL)
        see_arrival(collector, event);
    else if (event->kind == ASIM_EV_PFC)
        see_pause(collector, event);
    else if (event->kind == ASIM_EV_QUEUE_SAMPLE)
        see_queue(collector, world, event);
    else
        asim_op_times_see(&collector->times, world, event);
}

/* --- the end ---------------------------------------------------------------------------------- */
static void end_all(struct collector *collector, const struct asim_world *world)
{
    struct asim_run_timeline *timeline = &collector->timeline;

    timeline->end = asim_report_end_ns(world);
    for (size_t i = 0; i < timeline->ops.n; i++) {
        struct asim_timeline_op *op = &timeline->ops.at[i];

        if (!op->is_ended)
            op->end = op->ready = timeline->end > op->issue ? timeline->end : op->issue;
    }
    for (uint32_t p = 0; collector->paused && p < timeline->topo->first_port[timeline->topo->nodes];
         p++) {
        if (collector->paused[p])
            end_pause(collector, p, timeline->end);
        asim_bins_end(&timeline->queues, &collector->ports[p], p, timeline->end);
    }
}

/* Opens folder/name, writes, and commits or drops it. rank: of a file of JSON, else UINT32_MAX. */
static int write_file(struct collector *collector, const struct asim_world *world, uint32_t rank,
                      struct asim_err *err)
{
    struct asim_out *file;
    char name[48] = "timeline.pftrace";
    int code;

    if (rank != UINT32_MAX)
        snprintf(name, sizeof name, "timeline/rank_%u.json", rank);
    code = asim_report_open_file(&file, world, collector->folder, name, err);
    if (code)
        return code;
    if (rank != UINT32_MAX)
        asim_timeline_write_kineto(&collector->timeline, rank, file);
    else
        code = asim_timeline_write_perfetto(&collector->timeline, file, err);
    if (!code)
        return asim_report_file_close(file, world, err);
    asim_out_discard(file);
    free(file);
    return code;
}

static int write_all(struct collector *collector, const struct asim_world *world,
                     struct asim_err *err)
{
    int code = collector->failed || collector->times.failed || collector->timeline.rates.failed
                   ? asim_err_nomem(err, "keeping the timeline")
                   : 0;

    if (!code)
        code = asim_bins_finish(&collector->timeline.queues, err);
    asim_link_rates_finish(&collector->timeline.rates);
    if (!code)
        code = asim_timeline_arrange(&collector->timeline, err);
    if (!code && world->set.settings.timeline_format == 0)
        return write_file(collector, world, UINT32_MAX, err);
    for (uint32_t r = 0; !code && r < collector->timeline.ranks; r++)
        if (collector->wanted[r])
            code = write_file(collector, world, r, err);
    return code;
}

static void drop(struct collector *collector)
{
    for (size_t i = 0; i < collector->timeline.ops.n; i++)
        free(collector->timeline.ops.at[i].name);
    ASIM_FREE(collector->timeline.ops.at, collector->timeline.messages.at,
              collector->timeline.pauses.at);
    asim_bins_fini(&collector->timeline.queues);
    asim_link_rates_fini(&collector->timeline.rates);
    asim_op_times_fini(&collector->times);
    asim_map_fini(&collector->arrived);
    asim_map_fini(&collector->finished);
    ASIM_FREE(collector->ports, collector->paused, collector->wanted, collector->folder, collector);
}

static int close_timeline(void *self, const struct asim_world *world, struct asim_err *err)
{
    struct collector *collector = self;
    int code = 0;

    if (!world->run.failed && asim_distribution_reports(world)) {
        end_all(collector, world);
        code = write_all(collector, world, err);
    }
    if (!code && collector->left_out)
        asim_world_diagnose((struct asim_world *)(uintptr_t)world,
                            "the timeline lacks %" PRIu64
                            " ops and messages beyond %d of each; choose some ranks "
                            "(--timeline-ranks=0-7) or times (--timeline-from, --timeline-to)",
                            collector->left_out, ASIM_TIMELINE_MOST);
    drop(collector);
    return code;
}

/* --- the start -------------------------------------------------------------------------------- */
/* "0-7,12" into wanted [ranks]; without a list all are wanted. */
static int read_ranks(struct collector *collector, const char *list, struct asim_err *err)
{
    uint32_t ranks = collector->timeline.ranks;
    const char *at = list;

    if (!list || !*list)
        memset(collector->wanted, 1, ranks);
    while (at && *at) {
        char *end;
        unsigned long first = strtoul(at, &end, 10), last = first;
        int is_number = *at >= '0' && *at <= '9';

        if (is_number && *end == '-') {
            at = end + 1;
            is_number = *at >= '0' && *at <= '9';
            last = strtoul(at, &end, 10);
        }
        if (!is_number || (*end && *end != ',') || last < first)
            return asim_err_set(err, ASIM_EUSAGE,
                                "--timeline-ranks is '%.60s', expected ranks as 0-7,12.", list);
        if (last >= ranks)
            return asim_err_set(err, ASIM_EUSAGE,
                                "--timeline-ranks names rank %lu; the run has the ranks 0 to %u.",
                                last, ranks - 1);
        memset(collector->wanted + first, 1, last - first + 1);
        at = *end ? end + 1 : end;
    }
    return 0;
}

/* The packet network's events, too, where it carries the messages. */
static int watch_network(struct collector *collector, struct asim_world *world, unsigned *wants)
{
    const struct asim_topo *topo = &world->set.topo;
    size_t ports;

    if (!asim_world_has(world, ASIM_NET_FLOWS | ASIM_NET_PAUSES | ASIM_NET_QUEUES))
        return 0;
    ports = topo->first_port[topo->nodes];
    collector->timeline.topo = topo;
    collector->ports = calloc(ports + 1, sizeof *collector->ports);
    collector->paused = calloc(ports + 1, sizeof *collector->paused);
    *wants |=
        1u << ASIM_EV_FCT | 1u << ASIM_EV_ARRIVAL | 1u << ASIM_EV_PFC | 1u << ASIM_EV_QUEUE_SAMPLE;
    return !collector->ports || !collector->paused;
}

static int check_settings(const struct asim_settings *settings, const char *out,
                          struct asim_err *err)
{
    if (!out)
        return asim_err_set(err, ASIM_EUSAGE,
                            "--timeline needs a folder to write to; say --out=DIR.");
    if (settings->timeline_to_fs && settings->timeline_to_fs < settings->timeline_from_fs)
        return asim_err_set(err, ASIM_EUSAGE, "--timeline-to is before --timeline-from.");
    return 0;
}

static int open_timeline(struct asim_event_observer *observer, struct asim_world *world,
                         const char *out, struct asim_err *err)
{
    const struct asim_settings *settings = &world->set.settings;
    struct collector *collector;
    unsigned wants = ASIM_OP_TIMES_WANTS;
    int code;

    if (!settings->timeline)
        return 0;
    if (check_settings(settings, out, err))
        return ASIM_EUSAGE;
    collector = calloc(1, sizeof *collector);
    if (!collector)
        return asim_err_nomem(err, "keeping the timeline");
    collector->timeline.ranks = world->set.n_ranks;
    collector->from = settings->timeline_from_fs / ASIM_FS_PER_NS;
    collector->to =
        settings->timeline_to_fs ? settings->timeline_to_fs / ASIM_FS_PER_NS : UINT64_MAX;
    asim_bins_init(&collector->timeline.queues, settings->report_interval_fs);
    asim_link_rates_init(&collector->timeline.rates, collector->timeline.queues.width_ns);
    collector->timeline.rates.from = collector->from;
    collector->timeline.rates.to = collector->to;
    asim_op_times_init(&collector->times);
    asim_map_init(&collector->arrived);
    asim_map_init(&collector->finished);
    collector->times.self = collector;
    collector->times.row = see_op;
    collector->folder = strdup(out);
    collector->wanted = calloc(world->set.n_ranks, 1);
    code = watch_network(collector, world, &wants) || !collector->folder || !collector->wanted
               ? asim_err_nomem(err, "keeping the timeline")
               : read_ranks(collector, settings->timeline_ranks, err);
    if (code) {
        drop(collector);
        return code;
    }
    *observer = (struct asim_event_observer){
        .wants = wants, .self = collector, .on_event = see, .close = close_timeline};
    return 0;
}

const struct asim_report asim_report_timeline = {
    .member = {.name = "timeline", .about = "spans of ops and messages for Perfetto (--timeline)"},
    .file = "timeline.pftrace",
    .open = open_timeline,
};
