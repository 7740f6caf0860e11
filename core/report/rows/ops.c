/* SPDX-License-Identifier: GPL-2.0-only
 *
 * ops.csv: one row an op, written as ops end. Times in ns of simulated time:
 *
 *   issue_ns  the op gets its slot    start_ns  all its partners are ready    end_ns
 *   wait_ns = start - issue          transfer_ns = end - start
 *
 * algbw and busbw are those of nccl-tests (bytes in the collective's full buffer over the transfer
 * time, and that times the share of it that must cross a link), in GB/s of 1e9 bytes. processor:
 * whose op it is in the trace (is_cpu_op), cpu or gpu. An op under way when the run ended has a row
 * without an end, after those that have ended; done_bytes tells how far a collective has come.
 */
#include "base/io/quote.h"
#include "base/text.h"
#include "report/op_times.h"
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST_ROW = 1024 }; /* without its name: ten numbers, two bandwidths, names of types */

struct table {
    struct asim_report_file own;
    const struct asim_world *world;
    struct asim_op_times times;
};

/* Full buffer of a collective in nccl-tests' sense, and the share of it that crosses a link.
 * Broadcast and reduce have factor 1, as in nccl-tests; a barrier has no bytes to speak of. */
static double buffer_of(const struct asim_op_time *op, double *share)
{
    double n = op->members ? (double)op->members : 1, bytes = (double)op->bytes;

    *share = 1;
    switch (op->kind) {
    case ASIM_ALL_REDUCE:
        *share = 2 * (n - 1) / n;
        return bytes;
    case ASIM_ALL_GATHER:
    case ASIM_GATHER:
        *share = (n - 1) / n;
        return bytes * n;
    case ASIM_REDUCE_SCATTER:
    case ASIM_REDUCE_SCATTER_BLOCK:
    case ASIM_ALL_TO_ALL:
    case ASIM_SCATTER:
        *share = (n - 1) / n;
        return bytes;
    default:
        return bytes;
    }
}

/* Text that has no NUL behind it. */
static char *put_word(char *at, const char *word)
{
    size_t n = strlen(word);

    memcpy(at, word, n);
    return at + n;
}

/* Each with a comma behind it. */
static char *put_numbers(char *at, const uint64_t *numbers, int n)
{
    for (int i = 0; i < n; i++) {
        at = asim_text_put_u64(at, numbers[i]);
        *at++ = ',';
    }
    return at;
}

/* Behind its transfer time: bandwidths are empty where that is 0. */
static char *put_bandwidths(char *at, const struct asim_op_time *op)
{
    int is_comm = op->kind >= 0 || op->type == ASIM_OP_COMM_SEND || op->type == ASIM_OP_COMM_RECV;
    double share, bytes = buffer_of(op, &share), took = (double)(op->end - op->start);

    if (!is_comm || !op->is_ended || op->end == op->start)
        return put_word(at, ",");
    at = asim_text_put_thousandths(at, bytes / took);
    *at++ = ',';
    return asim_text_put_thousandths(at, bytes * share / took);
}

static void write_row(void *self, const struct asim_op_time *op)
{
    const uint64_t times[] = {op->start, op->end, op->start - op->issue, op->end - op->start};
    struct table *table = self;
    char row[LONGEST_ROW], *at = row;

    at = put_numbers(at, (const uint64_t[]){op->rank, op->id}, 2);
    asim_out_write(table->own.out, row, (size_t)(at - row));
    asim_quote_csv(table->own.out, op->name);
    at = row;
    *at++ = ',';
    at = put_word(at, asim_op_type_name((int)op->type));
    *at++ = ',';
    at = put_word(at, op->kind >= 0 ? asim_coll_type_name(op->kind) : "");
    *at++ = ',';
    if (op->group)
        at = asim_text_put_u64(at, op->group - 1);
    *at++ = ',';
    at = put_numbers(at, (const uint64_t[]){op->members, op->bytes, op->issue}, 3);
    at = op->is_ended ? put_numbers(at, times, 4) : put_word(at, ",,,,");
    at = put_bandwidths(at, op);
    at = put_word(at, op->is_cpu ? ",cpu," : ",gpu,");
    if (op->is_ended || op->kind >= 0)
        at = asim_text_put_u64(at, op->is_ended ? op->bytes : op->done);
    asim_out_write(table->own.out, row, (size_t)(at - row));
    asim_report_job(table->own.out, table->world, op->rank);
    asim_out_write(table->own.out, "\n", 1);
}

static void see(void *self, const struct asim_world *world, const struct asim_event *event)
{
    asim_op_times_see(&((struct table *)self)->times, world, event);
}

static int begin(void *self, struct asim_world *world, struct asim_err *err)
{
    struct table *table = self;

    (void)err;
    asim_op_times_init(&table->times);
    table->world = world;
    table->times.self = table;
    table->times.row = write_row;
    return 0;
}

/* A row lost for lack of memory makes the whole file an error. */
static int end(void *self, const struct asim_world *world, struct asim_err *err)
{
    (void)world;
    return ((struct table *)self)->times.failed ? asim_err_nomem(err, "keeping ops for ops.csv")
                                                : 0;
}

static void drop(void *self)
{
    asim_op_times_fini(&((struct table *)self)->times);
}

const struct asim_report asim_report_ops = {
    .member = {.name = "ops", .about = "ops.csv: a row an op, waiting and transfer apart"},
    .in_out = ASIM_OUT_ALWAYS,
    .file = "ops.csv",
    .head = "rank,op,name,type,collective,group,members,bytes,issue_ns,start_ns,end_ns,wait_ns,"
            "transfer_ns,algbw_GBps,busbw_GBps,processor,done_bytes",
    .has_jobs = 1,
    .wants = ASIM_OP_TIMES_WANTS,
    .see = see,
    .size = sizeof(struct table),
    .begin = begin,
    .end = end,
    .drop = drop,
};
