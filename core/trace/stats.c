/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Sums up a trace. Sums stop at UINT64_MAX instead of wrapping: a trace with absurd sizes shows
 * absurd totals and not small ones.
 *
 * `asim trace check` uses this; runs do not. To add a figure: a field in asim/trace.h and a line in
 * count().
 */
#include "asim/trace_record.h"

static void add(uint64_t *sum, uint64_t value)
{
    *sum = value > UINT64_MAX - *sum ? UINT64_MAX : *sum + value;
}

/* Counts unknown types of collectives, too: statistics describe and do not judge. */
static void count_comm(struct asim_trace_stats *stats, const struct asim_op *op)
{
    stats->no_size += !(op->has & ASIM_HAS_COMM_SIZE);
    if (op->type == ASIM_OP_COMM_SEND) {
        add(&stats->sent_bytes, op->comm_bytes);
    } else if (op->type == ASIM_OP_COMM_RECV) {
        add(&stats->received_bytes, op->comm_bytes);
    } else if ((op->has & ASIM_HAS_COMM_TYPE) && op->comm_type < ASIM_COLL_TYPES) {
        stats->colls[op->comm_type]++;
        add(&stats->coll_bytes[op->comm_type], op->comm_bytes);
    } else {
        stats->other_colls++;
    }
}

/* Counts one op; ids need not ascend. */
static void count(struct asim_trace_stats *stats, const struct asim_op *op)
{
    if (!stats->ops || op->id < stats->first_id)
        stats->first_id = op->id;
    if (op->id > stats->last_id)
        stats->last_id = op->id;
    stats->ops++;
    stats->cpu_ops += op->is_cpu != 0;
    stats->by_type[op->type]++;
    add(&stats->micros_by_type[op->type], op->duration_micros);
    stats->data_deps += op->data_dep_n;
    stats->ctrl_deps += op->ctrl_dep_n;
    if (asim_op_is_comm(op->type))
        count_comm(stats, op);
}

int asim_trace_stats(struct asim_trace_stats *stats, struct asim_trace *trace, struct asim_err *err)
{
    struct asim_op op;
    int rc;
    *stats = (struct asim_trace_stats){0};
    while ((rc = asim_trace_next(trace, &op, err)) > 0)
        count(stats, &op);
    return rc;
}
