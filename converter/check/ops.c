/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Checks each op of a rank for everything that a simulator would refuse hours into a run. Each
 * problem is reported once per rank, with its number of occurrences.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "asim/trace_record.h"
#include "base/text.h"
#include "check/check.h"

enum { ALL_TO_ALL = 6 };                           /* a comm_type */
#define PACKET_BYTES_MAX ((UINT64_C(1) << 44) - 1) /* sequence numbers have 44 bits */

static const struct {
    int is_error;
    const char *text;
} kinds[ASIM_CHECK_FINE] = {
    {1, "has no comm_type"},
    {1, "has a comm_type beyond 9"},
    {1, "has no comm_size"},
    {1, "is a communication with is_cpu_op set, which cannot be simulated"},
    {1, "lacks comm_src, comm_dst or comm_tag, which identify the other side"},
    {1, "names a rank that is not in the set"},
    {1, "is a message of its rank to itself"},
    {1, "has a comm_src (of a send) or comm_dst (of a receive) other than the rank of its trace"},
    {1, "has a pg_name that is not a whole number"},
    {1, "has a pg_name that the groups file does not have, nor a METADATA node of its rank"},
    {1, "runs before the METADATA node that defines its group: it waits for nothing and has the "
        "lower id"},
    {0, "has a lower id than the METADATA node that defines its group, so it must wait long enough "
        "for others to run after it"},
    {1, "has a group id that message tags have no room for; ids go from 0 to 268435455"},
    {1, "is a collective of a group that its rank is not in"},
    {1, "is of a group that another rank defines with other members, or in another order"},
    {1, "has comm_sizes that are not one for each member of its group, or are of no all-to-all"},
    {1, "lists a process group"},
    {0, "lists process groups, but not as ['[{\"pg_name\": \"1\", \"ranks\": [0, 1]}]'] with whole "
        "numbers in quotes as names, so it defines none"},
    {0, "is of the type INVALID_NODE, which takes no time"},
    {0, "is of the host (STORAGE_NODE, BATCH_NODE or CHECKPOINT_NODE): its recorded duration takes "
        "the CPU, and its bytes are not simulated"},
    {0, "is of the host (STORAGE_NODE, BATCH_NODE or CHECKPOINT_NODE) and has no recorded "
        "duration, so it takes 1 ns"},
    {1, "is a message of more than 17592186044415 bytes, the most that the packet network sends"},
    {0, "has a comm_size of more than 17592186044415 bytes, the most that the packet network sends "
        "in one message"},
    {0, "has an involved_dim without any true, so it has no other member and takes no time"},
    {1, "is a memory access without tensor_size"},
    {0, "has an attribute whose name is nearly one that counts, and which has no effect"},
};

/* How often each problem occurred in a rank, and its first node. */
struct seen {
    uint64_t position; /* of the current node */
    uint64_t n[ASIM_CHECK_FINE], id[ASIM_CHECK_FINE];
    char name[ASIM_CHECK_FINE][48];
};

/* Names the first node only: a trace with one mistake often has it a thousand times. */
static void note(struct seen *seen, enum asim_check_problem kind, const struct asim_op *op)
{
    if (!seen->n[kind]++) {
        seen->id[kind] = op->id;
        snprintf(seen->name[kind], sizeof seen->name[kind], "%s", op->name);
    }
}

/* In the order of the problems, so that one trace always gives the same text. */
static void say_seen(struct asim_check *check, uint32_t rank, const struct seen *seen)
{
    char more[48] = "";
    const char *why;
    for (int kind = 0; kind < ASIM_CHECK_FINE; kind++) {
        if (!seen->n[kind])
            continue;
        if (seen->n[kind] > 1)
            snprintf(more, sizeof more, " (and %" PRIu64 " more like it)", seen->n[kind] - 1);
        why = kind == ASIM_CHECK_BAD_LIST ? check->bad_list : "";
        asim_check_say(check, kinds[kind].is_error, "rank %u: node %" PRIu64 " ('%s') %s%s%s%s.",
                       rank, seen->id[kind], seen->name[kind], kinds[kind].text, *why ? " " : "",
                       why, seen->n[kind] > 1 ? more : "");
    }
}

/* The members are looked up later, when all METADATA nodes of the rank are known. */
static void look_group(struct asim_check *check, const struct asim_op *op, struct seen *seen)
{
    int64_t id;
    check->needs.group_ops++;
    if (asim_text_i64(op->pg_name, &id))
        note(seen, ASIM_CHECK_BAD_GROUP, op);
}

/* involved_dim counts for collectives of all ranks. */
static void look_dims(struct asim_check *check, const struct asim_op *op, int is_of_all,
                      struct seen *seen)
{
    if (is_of_all && op->involved_n && !op->involved)
        note(seen, ASIM_CHECK_NO_DIMS, op);
    if (is_of_all && op->involved != (1u << op->involved_n) - 1)
        check->some_dims = 1;
    if (op->involved_n > check->needs.dims)
        check->needs.dims = op->involved_n;
}

/* A barrier needs no size, and its size does not count in comparisons. PyTorch calls the group of
 * all ranks "0". */
static int look_collective(struct asim_check *check, uint32_t rank, const struct asim_op *op,
                           struct seen *seen)
{
    struct asim_check_coll coll = {.type = op->comm_type,
                                   .bytes = op->comm_bytes,
                                   .id = op->id,
                                   .position = seen->position,
                                   .sizes = (uint32_t)op->comm_size_n,
                                   .waits = op->data_dep_n || op->ctrl_dep_n};
    const char *name = op->pg_name && strcmp(op->pg_name, "0") ? op->pg_name : ASIM_CHECK_ALL;
    int64_t group = asim_check_group(check, name, rank);
    int is_barrier = op->comm_type == 9;
    if (group < 0)
        return ASIM_ENOMEM;
    coll.group = (uint32_t)group;
    if (!(op->has & ASIM_HAS_COMM_TYPE))
        note(seen, ASIM_CHECK_NO_TYPE, op);
    else if (op->comm_type >= ASIM_COLL_TYPES)
        note(seen, ASIM_CHECK_BAD_TYPE, op);
    if (!(op->has & ASIM_HAS_COMM_SIZE) && !is_barrier)
        note(seen, ASIM_CHECK_NO_SIZE, op);
    if (is_barrier)
        coll.bytes = 0;
    if (op->has & ASIM_HAS_COMM_SIZES) {
        coll.bytes = ASIM_CHECK_SIZED;
        if (op->comm_type != ALL_TO_ALL || (!*name && op->comm_size_n != check->ranks))
            note(seen, ASIM_CHECK_BAD_SIZES, op);
    }
    if (*name)
        look_group(check, op, seen);
    else if (asim_text_ranks(op->name) > check->named)
        check->named = asim_text_ranks(op->name);
    if (op->comm_bytes > PACKET_BYTES_MAX)
        note(seen, ASIM_CHECK_LONG_COLL, op);
    if (op->has & ASIM_HAS_INVOLVED_DIM)
        look_dims(check, op, !*name, seen);
    return ASIM_VEC_PUSH(check->colls, coll);
}

/* (source, destination, tag) identifies the other side. */
static int look_message(struct asim_check *check, uint32_t rank, const struct asim_op *op,
                        struct seen *seen)
{
    int is_send = op->type == ASIM_OP_COMM_SEND;
    uint32_t peer = is_send ? op->comm_dst : op->comm_src;
    uint32_t own = is_send ? op->comm_src : op->comm_dst;
    uint32_t needed = ASIM_HAS_COMM_TAG | (is_send ? ASIM_HAS_COMM_DST : ASIM_HAS_COMM_SRC);
    if (!(op->has & ASIM_HAS_COMM_SIZE))
        note(seen, ASIM_CHECK_NO_SIZE, op);
    if (op->comm_bytes > PACKET_BYTES_MAX)
        note(seen, ASIM_CHECK_LONG_MESSAGE, op);
    if ((op->has & needed) != needed) {
        note(seen, ASIM_CHECK_NO_PEER, op);
        return 0;
    }
    if (op->has & (is_send ? ASIM_HAS_COMM_SRC : ASIM_HAS_COMM_DST) && own != rank)
        note(seen, ASIM_CHECK_NOT_OWN, op);
    if (peer >= check->ranks || peer == rank) {
        note(seen, peer == rank ? ASIM_CHECK_OWN_PEER : ASIM_CHECK_BAD_PEER, op);
        return 0;
    }
    return asim_check_message(check, rank, op);
}

static int look_metadata(struct asim_check *check, const struct asim_op *op, struct seen *seen)
{
    int kind = asim_check_metadata(check, op);
    if (kind < 0)
        return kind;
    if (kind != ASIM_CHECK_FINE)
        note(seen, (enum asim_check_problem)kind, op);
    return 0;
}

static void look_compute(struct asim_check_needs *needs, const struct asim_op *op)
{
    int has_work = (op->has & ASIM_HAS_NUM_OPS) != 0;
    int is_timeless = !op->duration_micros && !op->duration_ns && !op->is_cpu;
    needs->comps_with_ops += has_work;
    needs->timeless_comps += is_timeless && !has_work;
    needs->timeless_work += is_timeless && has_work;
}

/* The simulator refuses communication on the CPU; it is not compared, so that the problem is
 * reported once. */
static int look(struct asim_check *check, uint32_t rank, const struct asim_op *op,
                struct seen *seen)
{
    struct asim_check_needs *needs = &check->needs;
    if (op->slip)
        note(seen, ASIM_CHECK_SLIP, op);
    if (op->is_cpu && asim_op_is_comm(op->type)) {
        note(seen, ASIM_CHECK_CPU_COMM, op);
        return 0;
    }
    switch (op->type) {
    case ASIM_OP_COMM_COLL:
        return look_collective(check, rank, op, seen);
    case ASIM_OP_COMM_SEND:
    case ASIM_OP_COMM_RECV:
        return look_message(check, rank, op, seen);
    case ASIM_OP_MEM_LOAD:
    case ASIM_OP_MEM_STORE:
        needs->memory_ops++;
        if (!(op->has & ASIM_HAS_TENSOR_SIZE))
            note(seen, ASIM_CHECK_NO_TENSOR, op);
        break;
    case ASIM_OP_COMP:
        look_compute(needs, op);
        break;
    case ASIM_OP_METADATA:
        return look_metadata(check, op, seen);
    case ASIM_OP_STORAGE:
    case ASIM_OP_BATCH:
    case ASIM_OP_CHECKPOINT:
        note(seen,
             op->duration_micros || op->duration_ns ? ASIM_CHECK_HOST : ASIM_CHECK_HOST_TIMELESS,
             op);
        break;
    default:
        note(seen, ASIM_CHECK_INVALID, op);
    }
    return 0;
}

/* Reads a node again only for the name in a report. */
static void look_members(struct asim_check *check, uint32_t rank, struct asim_trace *trace,
                         struct seen *seen)
{
    struct asim_op op;
    asim_check_sort_defs(check);
    for (size_t i = 0; i < check->colls.n; i++) {
        int kind = asim_check_named(check, rank, &check->colls.at[i]);
        if (kind != ASIM_CHECK_FINE &&
            !asim_trace_at(trace, check->colls.at[i].position, &op, NULL))
            note(seen, (enum asim_check_problem)kind, &op);
    }
}

/* A trace that cannot be read to its end is not judged: asim_check_graph has reported the
 * reason. */
int asim_check_ops(struct asim_check *check, uint32_t rank, struct asim_err *err)
{
    struct asim_trace trace = {0};
    struct asim_op op;
    struct asim_err own = {0};
    struct seen seen;
    int rc, nomem = 0;
    memset(&seen, 0, sizeof seen);
    check->colls.n = check->defs.n = 0;
    rc = asim_trace_open(&trace, check->prefix, rank, &own);
    while (!rc && !nomem && asim_trace_next(&trace, &op, &own) > 0) {
        seen.position = asim_trace_tell(&trace);
        nomem = look(check, rank, &op, &seen);
    }
    if (!rc && !nomem && !own.code)
        look_members(check, rank, &trace, &seen);
    asim_trace_close(&trace);
    if (nomem || own.code == ASIM_ENOMEM)
        return asim_err_nomem(err, "checking traces");
    if (rc || own.code)
        return 1; /* asim_check_graph has reported it */
    say_seen(check, rank, &seen);
    return 0;
}
