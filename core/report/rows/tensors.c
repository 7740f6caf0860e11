/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The local memory trace: <local-mem-trace-filename>.<rank>.json, in Chrome's trace event format
 * (open it in a trace viewer), in the groups and with the process ids of ASTRA-sim
 * (system-layer.md#local-memory-trace). Tensors are numbered in order of first appearance (there:
 * in the order of a hash table). A relative name stands in the --out folder where there is one.
 *
 * Written at the end from the records of sim/rank/tensor.c; costs nothing during the run and needs
 * memory for two changes per tensor while it is written.
 */
#include "base/io/quote.h"
#include "report/report.h"
#include "sim/distributed/distribution.h"
#include "sim/rank/tensor.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Added to the rank: the process ids of the groups. */
enum { PID_LIFETIME = 1000000, PID_COUNTER = 2000000, PID_HEAT = 3000000, NAME_SHOWN = 17 };
static const double MIB = 1048576;

struct page { /* one rank's file */
    struct asim_out *file;
    const struct asim_tensors *tensors;
    uint32_t rank;
    uint64_t end; /* of the run on this rank */
    int first;
};

/* Observers want microseconds. */
static double us(uint64_t ns)
{
    return (double)ns * 0.001;
}

/* Opens one event; the comma belongs to the one before. */
static void begin(struct page *page)
{
    asim_out_printf(page->file, "%s\n    {", page->first ? "" : ",");
    page->first = 0;
}

/* One B or E event. */
struct mark {
    const char *name, *phase;
    uint32_t pid;
    size_t tid;
    uint64_t t;
};

/* Names come from the trace and are escaped. */
static void write_mark(struct page *page, const struct mark *mark)
{
    begin(page);
    asim_out_printf(page->file, "\"name\": ");
    asim_quote_json(page->file, mark->name);
    asim_out_printf(page->file, ", \"ph\": \"%s\", \"pid\": %u, \"tid\": %zu, \"ts\": %.3f}",
                    mark->phase, mark->pid, mark->tid, us(mark->t));
}

/* A tensor nobody reads lives to the end. */
static uint64_t last_of(const struct page *page, const struct asim_tensor *tensor)
{
    return tensor->read ? tensor->read_end : page->end;
}

/* E never precedes B: a use still open at the end of the run ends there. */
static void write_pair(struct page *page, struct mark mark, uint64_t end)
{
    mark.phase = "B";
    write_mark(page, &mark);
    mark.phase = "E";
    mark.t = end > mark.t ? end : mark.t;
    write_mark(page, &mark);
}

static uint64_t at_most(uint64_t t, uint64_t end)
{
    return t < end ? t : end;
}

/* Reads, writes and lifetimes: groups of ASTRA-sim, in its order. */
static void write_uses(struct page *page)
{
    const struct asim_tensors *tensors = page->tensors;

    for (size_t i = 0; i < tensors->reads.n; i++)
        write_pair(page,
                   (struct mark){"tensorRead", NULL, page->rank, tensors->reads.at[i].tensor,
                                 tensors->reads.at[i].start},
                   at_most(tensors->reads.at[i].end, page->end));
    for (size_t i = 0; i < tensors->list.n; i++)
        write_pair(
            page,
            (struct mark){"tensorWrite", NULL, page->rank, i, tensors->list.at[i].write_start},
            at_most(tensors->list.at[i].write_end, page->end));
    for (size_t i = 0; i < tensors->list.n; i++)
        write_pair(page,
                   (struct mark){"tensorLifetime", NULL, page->rank + PID_LIFETIME, i,
                                 tensors->list.at[i].write_start},
                   last_of(page, &tensors->list.at[i]));
}

/* One sample per tick at which the content changes, after all changes of that tick. */
static int write_counter(struct page *page)
{
    const struct asim_tensors *tensors = page->tensors;
    uint64_t held = 0;
    size_t n = 0;
    struct asim_tensor_change *changes = asim_tensors_changes(tensors, &n);

    if (!changes)
        return ASIM_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        held += changes[i].comes ? changes[i].bytes : 0 - changes[i].bytes;
        if (i + 1 < n && changes[i + 1].t == changes[i].t)
            continue;
        begin(page);
        asim_out_printf(page->file,
                        "\"name\": \"GPU Memory Usage (MB)\", \"ph\": \"C\", \"pid\": %u, \"ts\": "
                        "%.3f, \"args\": {\"Memory_MB\": %.6f}}",
                        page->rank + PID_COUNTER, us(changes[i].t), (double)held / MIB);
    }
    free(changes);
    return 0;
}

struct heat_scale { /* rows by lifetime, red by size */
    uint64_t shortest_life, longest_life, largest_bytes;
};

static struct heat_scale heat_scale_of(const struct page *page)
{
    struct heat_scale scale = {.shortest_life = UINT64_MAX};

    for (size_t i = 0; i < page->tensors->list.n; i++) {
        const struct asim_tensor *tensor = &page->tensors->list.at[i];
        uint64_t life = last_of(page, tensor) - tensor->write_start;

        scale.shortest_life = life < scale.shortest_life ? life : scale.shortest_life;
        scale.longest_life = life > scale.longest_life ? life : scale.longest_life;
        scale.largest_bytes =
            tensor->bytes > scale.largest_bytes ? tensor->bytes : scale.largest_bytes;
    }
    return scale;
}

/* Red grows with size, the row with lifetime; texts are cut as ASTRA-sim cuts them
 * (system-layer.md#local-memory-trace). */
static void write_heat_of(struct page *page, const struct asim_tensor *tensor,
                          const struct heat_scale *scale)
{
    uint64_t life = last_of(page, tensor) - tensor->write_start;
    double span = (double)(scale->longest_life - scale->shortest_life);
    unsigned red = (unsigned)((double)tensor->bytes / (double)scale->largest_bytes * 255);
    unsigned long row = 0;
    char name[NAME_SHOWN + 4], megabytes[32], text[64];

    if (span > 0)
        row = (unsigned long)((double)(life - scale->shortest_life) / span *
                              (double)(page->tensors->list.n - 1));
    snprintf(name, sizeof name, "%.*s%s", NAME_SHOWN, tensor->name,
             strlen(tensor->name) > NAME_SHOWN ? "..." : "");
    snprintf(megabytes, sizeof megabytes, "%f", (double)tensor->bytes / MIB);
    snprintf(text, sizeof text, "%s (%.5s MB)", name, megabytes);
    begin(page);
    asim_out_printf(page->file, "\"name\": ");
    asim_quote_json(page->file, text);
    asim_out_printf(page->file,
                    ", \"ph\": \"X\", \"pid\": %u, \"tid\": %lu, \"ts\": %.3f, \"dur\": %.3f, "
                    "\"cname\": \"#%02x00%02x\", \"args\": {\"bytes\": %" PRIu64 "}}",
                    page->rank + PID_HEAT, row, us(tensor->write_start), us(life), red, 255 - red,
                    tensor->bytes);
}

/* An overview of all tensors, and their sum. */
static void write_heat(struct page *page)
{
    struct heat_scale scale = heat_scale_of(page);
    uint64_t total = 0;

    begin(page);
    asim_out_printf(page->file,
                    "\"name\": \"process_name\", \"ph\": \"M\", \"pid\": %u, \"args\": {\"name\": "
                    "\"tensors by lifetime\"}}",
                    page->rank + PID_HEAT);
    for (size_t i = 0; i < page->tensors->list.n; i++) {
        write_heat_of(page, &page->tensors->list.at[i], &scale);
        total += page->tensors->list.at[i].bytes;
    }
    begin(page);
    asim_out_printf(page->file,
                    "\"name\": \"totals\", \"ph\": \"i\", \"pid\": %u, \"tid\": 0, \"ts\": %.3f, "
                    "\"args\": {\"tensors\": %zu, \"bytes\": %" PRIu64 "}}",
                    page->rank + PID_HEAT, us(page->end), page->tensors->list.n, total);
}

/* end is where the rank finished, or its last op where it did not. */
static int write_rank(const struct asim_world *world, const struct asim_rank *rank,
                      const char *prefix, struct asim_err *err)
{
    struct page page = {.tensors = rank->tensors, .rank = rank->id, .first = 1};
    struct asim_out file;
    char name[512];

    page.end = rank->finished ? rank->cycles : rank->track.last_end;
    if (snprintf(name, sizeof name, "%s.%u.json", prefix, rank->id) >= (int)sizeof name)
        return asim_err_set(err, ASIM_EINVAL, "local-mem-trace-filename is longer than 500 bytes");
    if (asim_report_check_place(world, name, err))
        return ASIM_EINVAL;
    if (asim_out_open(&file, name, err))
        return ASIM_EIO;
    page.file = &file;
    asim_out_printf(page.file, "{\n  \"traceEvents\": [");
    write_uses(&page);
    if (write_counter(&page)) { /* a file without its counter would pass for a whole one */
        asim_out_discard(page.file);
        return asim_err_nomem(err, "writing the local memory trace");
    }
    write_heat(&page);
    asim_out_printf(page.file, "\n  ]\n}\n");
    return asim_out_commit(page.file, err);
}

/* One file a rank, written by the process it lives in; nothing for a run that failed. */
static int close_tensors(void *self, const struct asim_world *world, struct asim_err *err)
{
    int code = 0;

    for (uint32_t r = 0; asim_distribution_keeps(world) && r < world->set.n_ranks && !code; r++)
        if (asim_rank_is_here(&world->run.ranks[r]))
            code = write_rank(world, &world->run.ranks[r], self, err);
    free(self);
    return code;
}

/* Sees no events: the spine keeps the tensors (sim/rank/tensor.h), this writes them at the end. */
static int open_tensors(struct asim_event_observer *observer, struct asim_world *world,
                        const char *out, struct asim_err *err)
{
    const char *name = world->set.system.local_mem_trace;
    size_t size = (out ? strlen(out) : 0) + strlen(name) + 2;
    char *prefix;

    if (!world->set.system.track_local_mem)
        return 0;
    prefix = malloc(size);
    if (!prefix)
        return asim_err_nomem(err, "opening reports");
    if (name[0] == '/' || !out)
        snprintf(prefix, size, "%s", name);
    else
        snprintf(prefix, size, "%s/%s", out, name);
    *observer = (struct asim_event_observer){.self = prefix, .close = close_tensors};
    return 0;
}

const struct asim_report asim_report_tensors = {
    .member = {.name = "tensors", .about = "local memory over time, for a trace viewer"},
    .open = open_tensors,
};
