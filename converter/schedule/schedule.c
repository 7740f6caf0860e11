/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Checks a schedule and writes it as a workload: a file of each rank with its ops in the order of
 * the schedule, and the system configuration that lets them run at once.
 */
#include "schedule/schedule.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "asim/trace.h"
#include "base/io/out.h"
#include "cli/file_set.h"

struct writing {
    const struct asim_schedule *schedule;
    uint32_t *first;    /* [ranks + 1] where a rank's ops begin in `order` */
    uint32_t *order;    /* places of ops, by rank */
    uint64_t *number;   /* of each op: its id in its rank's file */
    uint64_t *deps;     /* ids of an op */
    size_t *first_wait; /* [ops + 1] in the sorted waits */
    const char *prefix;
};

/* --- messages meet ------------------------------------------------------------------------------
 */

struct end {
    uint32_t src, dst, tag, op;
};

ASIM_ORDER(by_message, struct end, ->src, ->dst, ->tag, ->op)

static size_t list_ends(const struct asim_schedule *schedule, int type, struct end *ends)
{
    size_t n = 0;

    for (size_t i = 0; i < schedule->op.n; i++) {
        const struct asim_schedule_op *op = &schedule->op.at[i];

        if (op->type != type)
            continue;
        ends[n++] = type == ASIM_OP_COMM_SEND
                        ? (struct end){op->rank, op->peer, op->tag, (uint32_t)i}
                        : (struct end){op->peer, op->rank, op->tag, (uint32_t)i};
    }
    qsort(ends, n, sizeof *ends, by_message);
    return n;
}

static int fail_alone(const struct asim_schedule *schedule, const struct end *end, int is_send,
                      struct asim_err *err)
{
    return asim_err_at(
        err, ASIM_EINVAL, (struct asim_where){schedule->path, schedule->op.at[end->op].line, 0},
        "no %s for this %s of rank %" PRIu32 " %s rank %" PRIu32 " with tag %" PRIu32
        "; each send needs one receive.",
        is_send ? "receive" : "send", is_send ? "send" : "receive", is_send ? end->src : end->dst,
        is_send ? "to" : "from", is_send ? end->dst : end->src, end->tag);
}

static int match(const struct asim_schedule *schedule, struct end *sends, struct end *recvs,
                 struct asim_err *err)
{
    size_t n = list_ends(schedule, ASIM_OP_COMM_SEND, sends);
    size_t m = list_ends(schedule, ASIM_OP_COMM_RECV, recvs);

    for (size_t i = 0; i < n || i < m; i++) {
        struct end send = {0}, recv = {0};
        int order = 0;

        if (i < n && i < m) {
            send = sends[i];
            recv = recvs[i];
            send.op = recv.op = 0;
            order = by_message(&send, &recv);
        }
        if (i >= m || order < 0)
            return fail_alone(schedule, &sends[i], 1, err);
        if (i >= n || order > 0)
            return fail_alone(schedule, &recvs[i], 0, err);
        if (schedule->op.at[sends[i].op].bytes != schedule->op.at[recvs[i].op].bytes)
            return asim_err_at(
                err, ASIM_EINVAL,
                (struct asim_where){schedule->path, schedule->op.at[recvs[i].op].line, 0},
                "this receive is of %" PRIu64 " bytes, its send in line %u of %" PRIu64
                "; give both one size.",
                schedule->op.at[recvs[i].op].bytes, schedule->op.at[sends[i].op].line,
                schedule->op.at[sends[i].op].bytes);
    }
    return 0;
}

static int check_messages(const struct asim_schedule *schedule, struct asim_err *err)
{
    struct end *ends = calloc(2 * schedule->op.n + 1, sizeof *ends);
    int rc = ends ? match(schedule, ends, ends + schedule->op.n, err)
                  : asim_err_nomem(err, "matching messages");

    free(ends);
    return rc;
}

/* --- files --------------------------------------------------------------------------------------
 */

ASIM_ORDER(by_op, struct asim_schedule_wait, ->op, ->before)

/* Sorts the waits and drops repeated ones; numbers the ops of each rank. */
static void lay_out(struct writing *w, struct asim_schedule *schedule)
{
    size_t kept = 0;

    if (schedule->wait.n)
        qsort(schedule->wait.at, schedule->wait.n, sizeof *schedule->wait.at, by_op);
    for (size_t i = 0; i < schedule->wait.n; i++)
        if (!kept || by_op(&schedule->wait.at[i], &schedule->wait.at[kept - 1]))
            schedule->wait.at[kept++] = schedule->wait.at[i];
    schedule->wait.n = kept;
    for (size_t i = 0; i < kept; i++)
        w->first_wait[schedule->wait.at[i].op + 1]++;
    for (size_t i = 0; i < schedule->op.n; i++) {
        w->first_wait[i + 1] += w->first_wait[i];
        w->first[schedule->op.at[i].rank + 1]++;
    }
    for (uint32_t r = 0; r < schedule->ranks; r++)
        w->first[r + 1] += w->first[r];
    for (size_t i = 0; i < schedule->op.n; i++)
        w->number[i] = w->first[schedule->op.at[i].rank]++;
    for (size_t i = 0; i < schedule->op.n; i++)
        w->order[w->number[i]] = (uint32_t)i;
    for (uint32_t r = schedule->ranks; r > 0; r--)
        w->first[r] = w->first[r - 1];
    w->first[0] = 0;
    for (size_t i = 0; i < schedule->op.n; i++)
        w->number[i] -= w->first[schedule->op.at[i].rank];
}

static size_t attrs_of(const struct asim_schedule_op *op, struct asim_chakra_attr *attr)
{
    size_t n = 0;

    attr[n++] = (struct asim_chakra_attr){.name = "is_cpu_op", .type = ASIM_CHAKRA_BOOL};
    if (op->type == ASIM_OP_COMP) {
        attr[n++] = (struct asim_chakra_attr){
            .name = "duration_ns", .type = ASIM_CHAKRA_UINT64, .value.u = op->ns};
        return n;
    }
    attr[n++] = (struct asim_chakra_attr){
        .name = "comm_size", .type = ASIM_CHAKRA_INT64, .value.i = (int64_t)op->bytes};
    attr[n++] =
        (struct asim_chakra_attr){.name = op->type == ASIM_OP_COMM_SEND ? "comm_dst" : "comm_src",
                                  .type = ASIM_CHAKRA_INT32,
                                  .value.i = op->peer};
    attr[n++] = (struct asim_chakra_attr){
        .name = "comm_tag", .type = ASIM_CHAKRA_INT32, .value.i = op->tag};
    return n;
}

static int write_op(const struct writing *w, struct asim_chakra_writer *writer, uint32_t at,
                    struct asim_err *err)
{
    const struct asim_schedule_op *op = &w->schedule->op.at[at];
    struct asim_chakra_attr attrs[4];
    struct asim_chakra_node node = {.id = w->number[at],
                                    .type = op->type,
                                    .duration_micros = (op->ns + 500) / 1000,
                                    .data_deps = w->deps,
                                    .attrs = attrs,
                                    .attr_n = attrs_of(op, attrs)};
    char name[48];

    if (op->line)
        snprintf(name, sizeof name, "line %u", op->line);
    else
        snprintf(name, sizeof name, "tb %" PRIu32 " op %" PRIu32, op->block, op->number);
    node.name = name;
    for (size_t i = w->first_wait[at]; i < w->first_wait[at + 1]; i++)
        w->deps[node.data_dep_n++] = w->number[w->schedule->wait.at[i].before];
    return asim_chakra_writer_node(writer, &node, err);
}

static int write_rank(const struct writing *w, uint32_t rank, const char *path,
                      struct asim_err *err)
{
    struct asim_chakra_writer *writer;
    int rc = asim_chakra_writer_open(&writer, path, err);

    if (rc)
        return rc;
    rc = asim_chakra_writer_metadata(writer, "0.0.4", NULL, 0, err);
    for (uint32_t i = w->first[rank]; i < w->first[rank + 1] && !rc; i++)
        rc = write_op(w, writer, w->order[i], err);
    if (!rc)
        return asim_chakra_writer_commit(writer, err);
    asim_chakra_writer_discard(writer);
    return rc;
}

/* A rank sends as much at once as the schedule lets it, where a system file's default is one op. */
static int write_system(const struct writing *w, struct asim_file_set *set, struct asim_err *err)
{
    struct asim_out out;
    int rc = asim_file_set_open(set, &out, w->prefix, ".system.json", err);

    if (rc)
        return rc;
    asim_out_printf(&out, "{\n  \"scheduling-policy\": \"FIFO\",\n"
                          "  \"preferred-dataset-splits\": 1,\n");
    if (w->schedule->custom)
        asim_out_printf(&out, "  \"%s\": [\"%s\"]\n}\n", w->schedule->custom, w->prefix);
    else
        asim_out_printf(&out,
                        "  \"concurrent-collectives\": %d,\n  \"concurrent-computes\": %" PRIu32
                        ",\n  \"endpoint-delay\": 0\n}\n",
                        1000000, w->schedule->computes ? w->schedule->computes : 1);
    return asim_out_commit(&out, err);
}

static int write_files(struct writing *w, int force, struct asim_err *err)
{
    uint32_t ranks = w->schedule->ranks;
    struct asim_file_set set = {0};
    const char *temp_name;
    int rc = asim_file_set_begin(&set, w->prefix, ranks, force, err);

    for (uint32_t r = 0; r < ranks && !rc; r++) {
        rc = asim_file_set_rank(&set, w->prefix, r, &temp_name, err);
        if (!rc)
            rc = write_rank(w, r, temp_name, err);
    }
    if (!rc)
        rc = write_system(w, &set, err);
    return asim_file_set_end(&set, rc, err);
}

int asim_schedule_write(struct asim_schedule *schedule, const char *prefix, int force,
                        struct asim_err *err)
{
    size_t ops = schedule->op.n;
    struct writing w = {.schedule = schedule, .prefix = prefix};
    int rc = check_messages(schedule, err);

    if (rc)
        return rc;
    w.first = calloc((size_t)schedule->ranks + 1, sizeof *w.first);
    w.order = calloc(ops + 1, sizeof *w.order);
    w.number = calloc(ops + 1, sizeof *w.number);
    w.deps = calloc(ops + 1, sizeof *w.deps);
    w.first_wait = calloc(ops + 2, sizeof *w.first_wait);
    if (w.first && w.order && w.number && w.deps && w.first_wait) {
        lay_out(&w, schedule);
        rc = write_files(&w, force, err);
    } else {
        rc = asim_err_nomem(err, "writing a schedule");
    }
    ASIM_FREE(w.first, w.order, w.number, w.deps, w.first_wait);
    return rc;
}

void asim_schedule_fini(struct asim_schedule *schedule)
{
    ASIM_FREE(schedule->op.at, schedule->wait.at);
}
