/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Writes flows of NCCL as Chakra traces. Flow i gives its source the nodes 3i + 1 (the send
 * latency) and 3i + 2 (the send) and its destination 3i + 3 (the receive), so ids are the same in
 * every member's file. A send waits for the receives of its parent flows at its own rank. Messages
 * of a pair are told apart by tag: channel and chunk.
 *
 * Every member's file holds its own sends, receives and waits only; sim/collective/op_graph.c reads
 * them.
 */
#include "tools/nccl_et.h"

#include <stdlib.h>
#include "asim/trace.h"

enum { MOST_TAG = (1 << 20) - 1 };

struct member_file {
    const struct asim_nccl *nccl;
    struct asim_chakra_writer *writer;
    uint32_t member;
    uint64_t send_lat_ns;
    uint64_t *deps; /* [most parents of a flow + 1] */
    uint32_t chunks;
};

/* The wait before a flow's first packet as a computation of the custom algorithm, which runs beside
 * everything else there. Chakra counts microseconds; duration_ns keeps the rest. */
static int put_latency(struct member_file *f, uint64_t i, size_t n_deps, struct asim_err *err)
{
    struct asim_chakra_attr attrs[2] = {
        {.name = "is_cpu_op", .type = ASIM_CHAKRA_BOOL, .value.u = 0},
        {.name = "duration_ns", .type = ASIM_CHAKRA_UINT64, .value.u = f->send_lat_ns}};
    struct asim_chakra_node node = {.id = 3 * i + 1,
                                    .name = "send_latency",
                                    .type = ASIM_OP_COMP,
                                    .data_deps = f->deps,
                                    .data_dep_n = n_deps,
                                    .duration_micros = (f->send_lat_ns + 500) / 1000,
                                    .attrs = attrs,
                                    .attr_n = 2};
    return asim_chakra_writer_node(f->writer, &node, err);
}

/* One side of a flow: the send with its dependencies, or the receive, which has none and is posted
 * at once. Sizes are those on the wire, the protocol's flags included. */
static int put_end(struct member_file *f, uint64_t i, size_t n_deps, struct asim_err *err)
{
    const struct asim_nccl_flow *flow = &f->nccl->flows.at[i];
    int sends = flow->src == f->member;
    struct asim_chakra_attr attrs[] = {
        {.name = "is_cpu_op", .type = ASIM_CHAKRA_BOOL, .value.u = 0},
        {.name = "comm_size", .type = ASIM_CHAKRA_INT64, .value.i = (int64_t)flow->wire_bytes},
        {.name = "comm_src", .type = ASIM_CHAKRA_INT32, .value.i = flow->src},
        {.name = "comm_dst", .type = ASIM_CHAKRA_INT32, .value.i = flow->dst},
        {.name = "comm_tag",
         .type = ASIM_CHAKRA_INT32,
         .value.i = (int64_t)flow->channel * f->chunks + flow->chunk}};
    struct asim_chakra_node node = {.id = 3 * i + (sends ? 2 : 3),
                                    .name = sends ? "send" : "receive",
                                    .type = sends ? ASIM_OP_COMM_SEND : ASIM_OP_COMM_RECV,
                                    .data_deps = f->deps,
                                    .data_dep_n = n_deps,
                                    .attrs = attrs,
                                    .attr_n = sizeof attrs / sizeof *attrs};
    return asim_chakra_writer_node(f->writer, &node, err);
}

/* The node of a flow that another one of the member's waits for. */
static uint64_t node_of(const struct member_file *f, uint64_t flow)
{
    return 3 * flow + (f->nccl->flows.at[flow].dst == f->member ? 3 : 2);
}

/* Writes the nodes of flow i for this member: a receive, a send, or nothing. A flow starts where
 * its parents end, so a send waits for receives of this member only. */
static int put_flow(struct member_file *f, uint64_t i, struct asim_err *err)
{
    const struct asim_nccl_flow *flow = &f->nccl->flows.at[i];
    size_t n = 0;
    int rc = 0;
    if (flow->dst == f->member)
        return put_end(f, i, 0, err);
    if (flow->src != f->member)
        return 0;
    for (uint32_t p = 0; p < flow->parents; p++)
        f->deps[n++] = node_of(f, f->nccl->parents.at[flow->first_parent + p]);
    if (f->send_lat_ns) {
        rc = put_latency(f, i, n, err);
        f->deps[0] = 3 * i + 1;
        n = 1;
    }
    return rc ? rc : put_end(f, i, n, err);
}

/* A pass over all flows for each member, two comparisons a flow: 128 members of 260,000 flows took
 * 1.1 s with their files. */
static int write_member(struct member_file *f, const char *path, struct asim_err *err)
{
    int rc = asim_chakra_writer_open(&f->writer, path, err);
    if (rc)
        return rc;
    rc = asim_chakra_writer_metadata(f->writer, "0.0.4", NULL, 0, err);
    for (uint64_t i = 0; i < f->nccl->flows.n && !rc; i++)
        rc = put_flow(f, i, err);
    if (!rc)
        return asim_chakra_writer_commit(f->writer, err);
    asim_chakra_writer_discard(f->writer);
    return rc;
}

/* Collects the maxima over all flows that the files need; refuses flows that a trace cannot hold.
 */
static int survey(struct member_file *f, uint32_t *most_parents, struct asim_err *err)
{
    const struct asim_nccl *nccl = f->nccl;
    uint32_t channels = 0;
    for (size_t i = 0; i < nccl->flows.n; i++) {
        const struct asim_nccl_flow *flow = &nccl->flows.at[i];
        if (flow->src >= nccl->spec.ranks || flow->dst >= nccl->spec.ranks)
            return asim_err_set(err, ASIM_EINVAL,
                                "NVLS flows end at an NVSwitch, which is no rank and has no trace: "
                                "only ring, tree and direct can be written with --et.");
        *most_parents = flow->parents > *most_parents ? flow->parents : *most_parents;
        f->chunks = flow->chunk + 1 > f->chunks ? flow->chunk + 1 : f->chunks;
        channels = flow->channel + 1 > channels ? flow->channel + 1 : channels;
    }
    if ((uint64_t)channels * f->chunks > MOST_TAG)
        return asim_err_set(err, ASIM_EINVAL,
                            "%u channels of %u chunks need more tags than the %d there are.",
                            channels, f->chunks, MOST_TAG);
    return 0;
}

int asim_nccl_write_et(const struct asim_nccl *nccl, const char *prefix, uint64_t send_lat_ns,
                       struct asim_file_set *set, struct asim_err *err)
{
    struct member_file f = {.nccl = nccl, .send_lat_ns = send_lat_ns};
    const char *path;
    uint32_t most = 0;
    int rc = survey(&f, &most, err);
    if (rc)
        return rc;
    f.deps = malloc(((size_t)most + 1) * sizeof *f.deps);
    if (!f.deps)
        return asim_err_nomem(err, "writing flows as traces");
    for (f.member = 0; f.member < nccl->spec.ranks && !rc; f.member++) {
        rc = asim_file_set_rank(set, prefix, f.member, &path, err);
        if (!rc)
            rc = write_member(&f, path, err);
    }
    free(f.deps);
    return rc;
}
