/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The lines users' scripts parse: what ASTRA-sim prints when a rank ends, byte for byte after
 * three bracketed groups of prefix (system-layer.md#end-of-a-rank). The first group is
 * simulated time where ASTRA-sim has the wall clock, so that output is reproducible. The
 * order of the classes is fixed. Where ASTRA-sim's number is wrong ours is right: exposed
 * communication does not wrap, overlap is measured, and no class of op loses the rest.
 *
 * Of jobs of more than 16 ranks there are quantiles instead, unless --verbose.
 *
 * A rank's block is printed once no earlier event can occur anywhere, so blocks are in order of
 * time for any lookahead window.
 */
#include "report/report.h"
#include "sim/rank/breakdown.h"
#include "sim/rank/event.h"
#include "sim/rank/tensor.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* Cut at 256 bytes; the longest line has about 120. */
static void say(const struct asim_world *world, uint64_t t, const char *logger, const char *fmt,
                ...) ASIM_PRINTF(4, 5);

static void say(const struct asim_world *world, uint64_t t, const char *logger, const char *fmt,
                ...)
{
    char line[256];
    va_list args;
    int n = snprintf(line, sizeof line, "[%llu ns] [%s] [info] ", (unsigned long long)t, logger);

    va_start(args, fmt);
    vsnprintf(line + n, sizeof line - (size_t)n, fmt, args);
    va_end(args);
    world->hooks.line(world->hooks.self, line);
}

/* One rank's block, without another's lines in between. Names and order are parsed by scripts.
 * parity: the denominator is one more than the time. */
static void roofline(const struct asim_world *world, uint64_t t, uint32_t id,
                     const struct asim_track *track)
{
    double all = 1 + track->comp_ns;

    if (!world->set.system.roofline)
        return;
    say(world, t, "statistics", "sys[%u], Compute bound percentage: %.3f%%", id,
        track->bound_ns / all * 100);
    say(world, t, "statistics", "sys[%u], Average compute utilization: %.3f%%", id,
        track->compute_use_ns / all * 100);
    say(world, t, "statistics", "sys[%u], Average memory utilization: %.3f%%", id,
        track->memory_use_ns / all * 100);
    say(world, t, "statistics", "sys[%u], Average operation intensity: %.3f", id,
        track->intensity_ns / all);
}

static void memory(const struct asim_world *world, const struct asim_event *event,
                   const struct asim_rank_facts *facts)
{
    static const char *const units[] = {"B", "KB", "MB", "GB", "TB"};
    float peak;
    size_t unit = 0;

    if (!world->set.system.track_local_mem)
        return;
    for (peak = (float)facts->peak_bytes; peak >= 1024 && unit < 4; unit++)
        peak /= 1024;
    say(world, event->t, "workload", "sys[%u] peak memory usage: %.2f %s", event->rank,
        (double)peak, units[unit]);
}

static void see(void *self, const struct asim_world *world, const struct asim_event *event)
{
    const char *const names[ASIM_SPANS] = {"GPU time", "Comm time", "CPU time", "Remote mem time",
                                           "Invalid time"};
    struct asim_rank_facts facts;
    const struct asim_track *track = &facts.track;
    uint64_t t = event->t;
    uint32_t id = event->rank;

    (void)self;
    asim_event_rank_peak(world, event, &facts);
    say(world, t, "workload", "sys[%u] finished, %llu cycles, exposed communication %llu cycles.",
        id, (unsigned long long)t, (unsigned long long)asim_rank_exposed(&facts));
    say(world, t, "statistics", "sys[%u]. Post statistics processing start.", id);
    say(world, t, "statistics", "sys[%u]. Post statistics processing end.", id);
    say(world, t, "statistics", "sys[%u], Wall time: %llu", id,
        (unsigned long long)track->last_end);
    for (int span = 0; span < ASIM_SPANS; span++)
        if (track->seen[span])
            say(world, t, "statistics", "sys[%u], %s: %llu", id, names[span],
                (unsigned long long)track->total[span]);
    if (track->overlap)
        say(world, t, "statistics", "sys[%u], Total compute-communication overlap: %llu", id,
            (unsigned long long)track->overlap);
    roofline(world, t, id, track);
    memory(world, event, &facts);
}

/* --- many ranks ------------------------------------------------------------------------------- */
/* Jobs of more ranks get quantiles in place of lines, unless --verbose. */
enum { RANKS_SHOWN = 16 };

struct figure {
    uint64_t value;
    uint32_t rank;
};

struct many {
    ASIM_VEC(struct figure) finish;
    int failed;
};

static void see_many(void *self, const struct asim_world *world, const struct asim_event *event)
{
    struct many *many = self;
    struct figure figure = {event->t, event->rank};

    (void)world;
    many->failed |= ASIM_VEC_PUSH(many->finish, figure) != 0;
}

ASIM_ORDER(by_value, struct figure, ->value, ->rank)

/* Quantiles are those of a rank: the least value that so many have or stay below. */
static void say_quantiles(const struct asim_world *world, const char *name, struct figure *at,
                          size_t n)
{
    char line[256];

    if (!n)
        return;
    qsort(at, n, sizeof *at, by_value);
    snprintf(line, sizeof line,
             "[ranks] %s of %zu ranks, cycles: least %llu (rank %u), 10 %% %llu, median %llu, 90 "
             "%% %llu, most %llu (rank %u)",
             name, n, (unsigned long long)at[0].value, at[0].rank,
             (unsigned long long)at[(n + 9) / 10 - 1].value,
             (unsigned long long)at[(n + 1) / 2 - 1].value,
             (unsigned long long)at[(n * 9 + 9) / 10 - 1].value,
             (unsigned long long)at[n - 1].value, at[n - 1].rank);
    world->hooks.line(world->hooks.self, line);
}

/* Where the time is divided into classes (--out). Takes the place of the finish times. */
static void say_exposed(const struct asim_world *world, struct many *many)
{
    for (size_t i = 0; i < many->finish.n; i++) {
        const struct asim_rank_time *time = asim_breakdown_of(world, many->finish.at[i].rank);

        if (!time)
            return;
        many->finish.at[i].value = time->ns[ASIM_TIME_EXPOSED];
    }
    say_quantiles(world, "exposed communication", many->finish.at, many->finish.n);
}

static int close_many(void *self, const struct asim_world *world, struct asim_err *err)
{
    struct many *many = self;
    int failed = many->failed;

    if (!world->run.failed && !failed) {
        say_quantiles(world, "finish", many->finish.at, many->finish.n);
        say_exposed(world, many);
    }
    ASIM_FREE(many->finish.at, many);
    return failed ? asim_err_nomem(err, "summing up ranks") : 0;
}

/* Lines need no file, hence neither close nor state; without a line hook there are none. */
static int open_finish(struct asim_event_observer *observer, struct asim_world *world,
                       const char *out, struct asim_err *err)
{
    struct many *many;

    (void)out;
    if (!world->hooks.line || world->set.settings.quiet)
        return 0;
    if (world->set.n_ranks <= RANKS_SHOWN || world->set.settings.verbose) {
        *observer = (struct asim_event_observer){.wants = 1u << ASIM_EV_RANK_DONE, .on_event = see};
        return 0;
    }
    many = calloc(1, sizeof *many);
    if (!many)
        return asim_err_nomem(err, "summing up ranks");
    *observer = (struct asim_event_observer){
        .wants = 1u << ASIM_EV_RANK_DONE, .self = many, .on_event = see_many, .close = close_many};
    return 0;
}

const struct asim_report asim_report_finish = {
    .member = {.name = "finish", .about = "ASTRA-sim's lines at the end of each rank"},
    .open = open_finish,
};
