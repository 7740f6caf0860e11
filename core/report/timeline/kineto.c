/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The ops of a rank as PyTorch's profiler writes them, one file a rank: GPU ops are kernels with a
 * stream, CPU ops are cpu_op. Tools take kernels whose name begins with "nccl" for communication,
 * so names of other communication get that prefix. Times are microseconds.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "asim/trace.h"
#include "base/io/quote.h"
#include "report/timeline/timeline.h"

enum { NAME_MOST = 400, CPU_PID = 100000 };

static const char *name_of(char *buf, const struct asim_timeline_op *op)
{
    int is_comm = op->track >= ASIM_TRACK_OF_COLLECTIVE && strncmp(op->name, "nccl", 4);

    snprintf(buf, NAME_MOST, "%s%s", is_comm ? "nccl:" : "", op->name);
    return buf;
}

static void write_op(struct asim_out *file, const struct asim_timeline_op *op, uint32_t stream,
                     size_t number)
{
    char name[NAME_MOST];
    int is_cpu = op->track == ASIM_TRACK_OF_CPU;

    asim_out_printf(file,
                    ",\n{\"ph\": \"X\", \"cat\": \"%s\", \"name\": ", is_cpu ? "cpu_op" : "kernel");
    asim_quote_json(file, name_of(name, op));
    asim_out_printf(file, ", \"pid\": %u, \"tid\": %u, \"ts\": %.3f, \"dur\": %.3f, \"args\": {",
                    is_cpu ? CPU_PID + op->rank : op->rank, stream, (double)op->issue * 1e-3,
                    (double)(op->end - op->issue) * 1e-3);
    if (is_cpu)
        asim_out_printf(file, "\"External id\": %zu}}", number);
    else
        asim_out_printf(file,
                        "\"External id\": %zu, \"correlation\": %zu, \"device\": %u, \"stream\": "
                        "%u, \"bytes\": %" PRIu64 "}}",
                        number, number, op->rank, stream, op->bytes);
}

/* A stream is a track of a kind and, of collectives, of a group. */
void asim_timeline_write_kineto(const struct asim_run_timeline *timeline, uint32_t rank,
                                struct asim_out *file)
{
    const struct asim_timeline_op *ops = timeline->ops.at;
    uint32_t base = 0, rows = 0;
    size_t number = 0, last = SIZE_MAX;

    asim_out_printf(file,
                    "{\"schemaVersion\": 1, \"distributedInfo\": {\"rank\": %u, \"world_size\": "
                    "%u},\n\"displayTimeUnit\": \"ms\", \"traceEvents\": [\n{\"ph\": \"M\", "
                    "\"name\": \"process_name\", \"pid\": %u, \"tid\": 0, \"ts\": 0, \"args\": "
                    "{\"name\": \"GPU of rank %u\"}}",
                    rank, timeline->ranks, rank, rank);
    for (size_t i = 0; i < timeline->ops.n; i++) {
        if (ops[i].rank != rank)
            continue;
        if (last != SIZE_MAX &&
            (ops[last].track != ops[i].track || ops[last].group != ops[i].group)) {
            base += rows;
            rows = 0;
        }
        last = i;
        rows = rows > ops[i].row ? rows : ops[i].row + 1;
        write_op(file, &ops[i], base + ops[i].row, ++number);
    }
    asim_out_printf(file, "\n]}\n");
}
