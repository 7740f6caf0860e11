/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The ledger of a trace with GPU operations: each collective, send and receive that the host calls
 * (record_param_comms) has kernels of its own, runs in the kernel of a group, or has no kernel.
 * Groups (batch_isend_irecv, _coalescing_manager) end with nccl:coalesced, whose kernel states no
 * sizes: each call of the group becomes a node beside the kernel's. A call without a kernel, which
 * the profiler's window has cut off, becomes a node without a recorded time.
 */
#include "convert/convert.h"

#include <inttypes.h>
#include <stdlib.h>

enum { MOST_MEMBERS = 1 << 20 };

struct ledger {
    struct asim_convert *cv;
    ASIM_VEC(uint32_t) record; /* calls in the order of their ids */
    ASIM_VEC(uint32_t) before; /* of each call the one before it on its thread, or ASIM_NONE */
    ASIM_VEC(uint32_t) last;   /* call by thread number, or ASIM_NONE */
    ASIM_VEC(uint32_t) kernel; /* of the group being looked at */
    ASIM_VEC(uint32_t) member; /* its calls */
    ASIM_VEC(struct asim_made)
    made;                /* id counts from 1 behind its parent or kernel, till the end */
    uint8_t *has_kernel; /* by node */
    int64_t most;        /* nodes made behind one node */
};

static struct asim_comm *comm_of(const struct asim_convert *cv, uint32_t node)
{
    uint32_t comm = cv->node.at[node].comm;

    return comm == ASIM_NONE ? NULL : &cv->comm.at[comm];
}

static int is_call(const struct asim_convert *cv, uint32_t node)
{
    const struct asim_comm *comm = comm_of(cv, node);

    return comm && cv->node.at[node].kind == ASIM_ET_CPU && comm->is_record &&
           comm->kind != ASIM_COMM_UNKNOWN && comm->kind != ASIM_COMM_WAIT;
}

/* The call that a kernel runs alone, or ASIM_NONE: the record around its launch. */
static uint32_t call_of(const struct asim_convert *cv, uint32_t kernel)
{
    uint32_t record = asim_convert_record_above(cv, kernel);
    double launch = comm_of(cv, kernel)->called_us;

    if (record == ASIM_NONE || !is_call(cv, record))
        return ASIM_NONE;
    return launch >= 0 && comm_of(cv, record)->called_us >= 0 &&
                   launch > comm_of(cv, record)->called_us
               ? ASIM_NONE
               : record;
}

/* A kernel that runs the calls before it: below the end of a group, or launched behind its op. */
static int is_batch(const struct asim_convert *cv, uint32_t kernel)
{
    uint32_t at = asim_convert_parent(cv, kernel), record = asim_convert_record_above(cv, kernel);

    if (comm_of(cv, kernel)->is_batch)
        return 1;
    for (int i = 0; i < 4 && at != ASIM_NONE && comm_of(cv, at); i++) {
        if (comm_of(cv, at)->is_batch)
            return 1;
        at = asim_convert_parent(cv, at);
    }
    return record != ASIM_NONE && call_of(cv, kernel) == ASIM_NONE && is_call(cv, record);
}

static int see_call(struct ledger *l, uint32_t node)
{
    uint32_t tid = l->cv->host.node.at[node].tid;

    while (l->last.n <= tid)
        if (ASIM_VEC_PUSH(l->last, ASIM_NONE))
            return ASIM_ENOMEM;
    if (ASIM_VEC_PUSH(l->before, l->last.at[tid]) || ASIM_VEC_PUSH(l->record, node))
        return ASIM_ENOMEM;
    l->last.at[tid] = (uint32_t)l->record.n - 1;
    return 0;
}

/* Calls of one group have one sequence number and one process group. */
static int same_batch(const struct asim_comm *a, const struct asim_comm *b)
{
    return (a->seq < 0 || b->seq < 0 || a->seq == b->seq) &&
           (a->pg_name == ASIM_NONE || b->pg_name == ASIM_NONE || a->pg_name == b->pg_name);
}

/* The calls of the thread before the kernels that have none yet, the latest first. */
static int find_members(struct ledger *l)
{
    const struct asim_convert *cv = l->cv;
    uint32_t tid = cv->host.node.at[l->kernel.at[0]].tid,
             at = tid < l->last.n ? l->last.at[tid] : ASIM_NONE;

    l->member.n = 0;
    for (; at != ASIM_NONE && !l->has_kernel[l->record.at[at]]; at = l->before.at[at]) {
        const struct asim_comm *comm = comm_of(cv, l->record.at[at]);

        if (l->member.n == MOST_MEMBERS || !same_batch(comm, comm_of(cv, l->kernel.at[0])) ||
            (l->member.n && !same_batch(comm, comm_of(cv, l->member.at[l->member.n - 1]))))
            break;
        if (ASIM_VEC_PUSH(l->member, l->record.at[at]))
            return ASIM_ENOMEM;
    }
    return 0;
}

static int runs(const struct asim_convert *cv, uint32_t kernel, int kind)
{
    const struct asim_comm *comm = comm_of(cv, kernel);

    if (comm->sendrecv)
        return kind >= ASIM_COMM_SEND || kind == ASIM_ALL_TO_ALL;
    return asim_comm_kind(asim_convert_name(cv, kernel)) == kind;
}

/* The kernel of a member: groups of several share their calls in order. */
static uint32_t kernel_for(const struct ledger *l, size_t member)
{
    size_t n = l->kernel.n, share = member * n / l->member.n;
    int kind = comm_of(l->cv, l->member.at[l->member.n - 1 - member])->kind;

    for (size_t i = 0; i < n; i++)
        if (runs(l->cv, l->kernel.at[(share + i) % n], kind))
            return l->kernel.at[(share + i) % n];
    return l->kernel.at[share];
}

/* The first member of a kernel takes its node, the others get one each behind it. A kernel is of
 * one group, so only this group's nodes may be behind it. */
static int settle_batch(struct ledger *l)
{
    struct asim_convert *cv = l->cv;
    size_t before = l->made.n;

    if (find_members(l))
        return ASIM_ENOMEM;
    cv->counts.no_calls += !l->member.n;
    for (size_t i = 0; i < l->member.n; i++) {
        uint32_t record = l->member.at[l->member.n - 1 - i], kernel = kernel_for(l, i);
        struct asim_made made = {record, asim_convert_parent(cv, kernel), kernel, 1,
                                 asim_convert_name(cv, kernel)};

        l->has_kernel[record] = 1;
        cv->counts.batch_members++;
        if (!l->has_kernel[kernel]) {
            struct asim_comm *comm = comm_of(cv, kernel);
            double called_us = comm->called_us;

            *comm = *comm_of(cv, record);
            comm->called_us = called_us;
            comm->is_record = comm->from_name = 0;
            comm->is_batch = l->has_kernel[kernel] = 1;
            comm_of(cv, record)->gpu = kernel;
            cv->node.at[kernel].flags |= ASIM_ET_MADE;
            continue;
        }
        for (size_t k = l->made.n; k-- > before && made.id == 1;)
            if (l->made.at[k].like == kernel)
                made.id = l->made.at[k].id + 1;
        l->most = made.id > l->most ? made.id : l->most;
        if (ASIM_VEC_PUSH(l->made, made))
            return ASIM_ENOMEM;
    }
    for (size_t i = 0; i < l->kernel.n && l->member.n; i++)
        if (!l->has_kernel[l->kernel.at[i]]) {
            cv->node.at[l->kernel.at[i]].comm = ASIM_NONE;
            cv->counts.batch_rest++;
        }
    return 0;
}

/* Kernels below one op are one group. */
static int see_kernel(struct ledger *l, uint32_t kernel, uint32_t next)
{
    const struct asim_convert *cv = l->cv;
    int code;

    if (!is_batch(cv, kernel))
        return 0;
    if (ASIM_VEC_PUSH(l->kernel, kernel))
        return ASIM_ENOMEM;
    if (next != ASIM_NONE && comm_of(cv, next) && cv->node.at[next].kind == ASIM_ET_GPU &&
        asim_convert_parent(cv, next) == asim_convert_parent(cv, kernel))
        return 0;
    code = settle_batch(l);
    l->kernel.n = 0;
    return code;
}

/* A group of one member sends nothing. */
static int settle_rest(struct ledger *l)
{
    struct asim_convert *cv = l->cv;

    for (size_t i = 0; i < l->record.n; i++) {
        uint32_t record = l->record.at[i];
        const struct asim_comm *comm = comm_of(cv, record);
        struct asim_made made = {record, record, ASIM_NONE, 1, "call without kernel"};

        if (l->has_kernel[record])
            continue;
        if (comm->size == 1) {
            cv->counts.alone++;
            continue;
        }
        cv->counts.no_kernel++;
        cv->counts.no_kernel_bytes += comm->bytes ? comm->bytes : comm->msg_bytes;
        l->most = l->most ? l->most : 1;
        if (ASIM_VEC_PUSH(l->made, made))
            return ASIM_ENOMEM;
    }
    return 0;
}

/* Makes room behind each id, so that a made node stands where its call does. */
static int spread_ids(struct asim_convert *cv, int64_t times)
{
    if (cv->max_id >= (int64_t)(ASIM_NONE - 1) / times)
        return ASIM_ENOMEM;
    for (size_t i = 0; i < cv->host.node.n; i++) {
        struct asim_host_node *node = &cv->host.node.at[i];

        node->id *= times;
        node->parent = node->parent > 0 ? node->parent * times : node->parent;
        if (node->inter_thread != ASIM_NONE)
            node->inter_thread *= (uint32_t)times;
    }
    for (size_t i = 0; i < cv->wait.n; i++)
        cv->wait.at[i].id *= times;
    cv->max_id = (cv->max_id + 1) * times - 1;
    return 0;
}

static int add_made(struct ledger *l)
{
    struct asim_convert *cv = l->cv;
    int code = l->made.n ? spread_ids(cv, l->most + 1) : 0;

    for (size_t i = 0; i < l->made.n && !code; i++) {
        struct asim_made made = l->made.at[i];
        uint32_t behind = made.like == ASIM_NONE ? made.record : made.like;

        made.id += cv->host.node.at[behind].id;
        code = asim_convert_add(cv, &made);
        if (!code)
            comm_of(cv, made.record)->gpu = (uint32_t)cv->node.n - 1;
    }
    return code;
}

static int walk(struct ledger *l)
{
    struct asim_convert *cv = l->cv;
    size_t n = cv->host.node.n - (size_t)cv->host.duplicates;
    const uint32_t *order = cv->host.order;
    int code = 0;

    for (size_t i = 0; i < n; i++) {
        uint32_t call = cv->node.at[order[i]].kind == ASIM_ET_GPU && comm_of(cv, order[i])
                            ? call_of(cv, order[i])
                            : ASIM_NONE;

        if (call != ASIM_NONE)
            l->has_kernel[call] = 1;
    }
    for (size_t i = 0; i < n && !code; i++) {
        if (is_call(cv, order[i]))
            code = see_call(l, order[i]);
        else if (comm_of(cv, order[i]) && cv->node.at[order[i]].kind == ASIM_ET_GPU)
            code = see_kernel(l, order[i], i + 1 < n ? order[i + 1] : ASIM_NONE);
    }
    return code;
}

static int tell(const struct asim_convert *cv, struct asim_err *err)
{
    const struct asim_convert_counts *c = &cv->counts;
    const char *input = cv->opt->called ? cv->opt->called : cv->opt->input;

    if (cv->opt->strict && (c->no_kernel || c->no_calls || c->batch_rest))
        return asim_err_set(err, ASIM_EINVAL,
                            "%s: %" PRIu64 " collectives, sends and receives of the host (%" PRIu64
                            " bytes) have no kernel in the device trace, %" PRIu64
                            " kernels of groups no call of "
                            "the host; record both for the same steps, or leave out --strict.",
                            input, c->no_kernel, c->no_kernel_bytes, c->no_calls + c->batch_rest);
    if (c->no_kernel)
        asim_diagnose(&cv->opt->notes,
                      "%s: %" PRIu64 " collectives, sends and receives of the host (%" PRIu64
                      " bytes) have no kernel in the device trace; they are taken with their "
                      "sizes and without a recorded time.",
                      input, c->no_kernel, c->no_kernel_bytes);
    if (c->no_calls)
        asim_diagnose(&cv->opt->notes,
                      "%s: %" PRIu64 " kernels run groups of sends, receives or collectives that "
                      "the host trace does not list; their sizes are unknown.",
                      input, c->no_calls);
    return 0;
}

int asim_convert_ledger(struct asim_convert *cv, struct asim_err *err)
{
    struct ledger l = {.cv = cv};
    int code;

    if (!cv->counts.gpu || cv->counts.host_comm || cv->opt->compat || cv->opt->no_host_comm)
        return 0;
    l.has_kernel = calloc(cv->node.n + 1, 1);
    code = !l.has_kernel || walk(&l) || settle_rest(&l) || add_made(&l)
               ? asim_err_nomem(err, "matching calls and kernels")
               : tell(cv, err);
    if (!code && l.made.n)
        code = asim_host_index(&cv->host, err);
    ASIM_FREE(l.has_kernel, l.record.at, l.before.at, l.last.at, l.kernel.at, l.member.at,
              l.made.at);
    return code;
}
