/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Compares a job with the tables that its machine's file lists. The errors are those of tables that
 * were not fitted (tests/truth); each doubling of nodes beyond the tables adds a quarter, an op, a
 * number of GPUs or a size without a table a half. A machine without a table of sends or of
 * collectives has the errors of machines whose tables were left out (tests/truth/left_out).
 */
#include "tools/machine/distance.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "tools/machine/sweep.h"

enum { SMALL = 65536 };
static const double left_out_percent = 25, left_out_small_percent = 35;

struct reach {
    uint32_t least, most; /* nodes of tables of the op; of all */
    uint32_t most_of_all;
    int has_gpus, has_kind; /* kind: sends, or collectives */
    uint64_t from, to;      /* bytes, of tables of the op */
};

static int is_send(int op)
{
    return op == ASIM_NCCL_ALL_TO_ALL || op == ASIM_NCCL_ALL_TO_ALL_V ||
           op == ASIM_NCCL_SEND_RECV || op == ASIM_NCCL_GATHER || op == ASIM_NCCL_SCATTER;
}

static struct reach reach_of(const struct asim_nccl_job *job)
{
    struct reach r = {0};
    const char *at = job->machine->measured;
    struct asim_machine_table table;

    while (asim_machine_next_measured(&at, &table)) {
        if (table.nodes > r.most_of_all)
            r.most_of_all = table.nodes;
        r.has_kind |= is_send(asim_nccl_op_find(table.op)) == is_send(job->op);
        if (asim_nccl_op_find(table.op) != job->op)
            continue;
        r.least = r.least && r.least < table.nodes ? r.least : table.nodes;
        r.most = r.most > table.nodes ? r.most : table.nodes;
        r.has_gpus |= table.gpus == job->gpus;
        r.from = r.from && r.from < table.from ? r.from : table.from;
        r.to = r.to > table.to ? r.to : table.to;
    }
    return r;
}

void asim_distance_find(struct asim_distance *d, const struct asim_nccl_job *job)
{
    const struct asim_machine *m = job->machine;
    struct reach r = reach_of(job);
    int is_size = job->bytes >= r.from && job->bytes <= r.to;
    double factor = 1 + .25 * fmax(0, log2((double)job->nodes / fmax(1, r.most_of_all)));

    *d = (struct asim_distance){"inside",
                                job->bytes < SMALL ? left_out_small_percent : left_out_percent};
    if (!r.most_of_all) {
        snprintf(d->text, sizeof d->text, "not measured: no table of this machine");
        return;
    }
    if (!r.most)
        snprintf(d->text, sizeof d->text, "extrapolated: no table of %s",
                 asim_nccl_op_names[job->op]);
    else if (job->nodes > r.most)
        snprintf(d->text, sizeof d->text, "extrapolated: %u nodes and tables reach %u", job->nodes,
                 r.most);
    else if (job->nodes < r.least)
        snprintf(d->text, sizeof d->text, "extrapolated: %u nodes and tables begin at %u",
                 job->nodes, r.least);
    else if (!r.has_gpus)
        snprintf(d->text, sizeof d->text, "extrapolated: no table with %u GPUs a node", job->gpus);
    else if (!is_size)
        snprintf(d->text, sizeof d->text,
                 "extrapolated: %" PRIu64 " bytes and tables have %" PRIu64 " to %" PRIu64,
                 job->bytes, r.from, r.to);
    if (!r.most || !r.has_gpus || !is_size)
        factor *= 1.5;
    if (r.has_kind)
        d->percent = factor * (job->bytes < SMALL ? m->error_small_percent : m->error_percent);
}
