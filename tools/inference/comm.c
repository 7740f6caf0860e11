/* SPDX-License-Identifier: GPL-2.0-only
 *
 * See inference.h: the communication inside an instance. A layer has two all-reduces of the hidden
 * states of all tokens (tensor parallelism, Shoeybi et al.: Megatron-LM, 2019); with experts, which
 * are spread over the GPUs, one all-reduce and two all-to-alls, of a share of the tokens for each
 * expert that they name. Each is simulated as a job of its own on the hosts of the first instance,
 * alone in the network: contention of collectives with KV caches, and with each other, is not
 * modelled (doc/limits.md).
 */
#include "tools/inference/inference.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "asim/trace.h"

enum { ALL_REDUCE, ALL_TO_ALL, PATH = 4096 };

static int write_trace(const char *path, int type, uint64_t bytes, struct asim_err *err)
{
    struct asim_chakra_attr attrs[] = {{.name = "is_cpu_op", .type = ASIM_CHAKRA_BOOL},
                                       {.name = "comm_type", .type = ASIM_CHAKRA_INT64},
                                       {.name = "comm_size", .type = ASIM_CHAKRA_INT64}};
    struct asim_chakra_node node = {
        .type = ASIM_OP_COMM_COLL, .name = "collective", .attrs = attrs, .attr_n = 3};
    struct asim_chakra_writer *writer;
    int code = asim_chakra_writer_open(&writer, path, err);

    if (code)
        return code;
    attrs[1].value.i = type;
    attrs[2].value.i = (int64_t)bytes;
    code = asim_chakra_writer_metadata(writer, "0.0.4", NULL, 0, err);
    if (!code && type >= 0)
        code = asim_chakra_writer_node(writer, &node, err);
    if (!code)
        return asim_chakra_writer_commit(writer, err);
    asim_chakra_writer_discard(writer);
    return code;
}

static int write_traces(const char *folder, const char *name, uint32_t ranks, int type,
                        uint64_t bytes, struct asim_err *err)
{
    char path[PATH];
    int code = 0;

    for (uint32_t r = 0; !code && r < ranks; r++) {
        snprintf(path, sizeof path, "%s/%s.%" PRIu32 ".et", folder, name, r);
        code = write_trace(path, type, bytes, err);
    }
    return code;
}

int asim_comm_empty_traces(const char *folder, const char *name, uint32_t ranks,
                           struct asim_err *err)
{
    return write_traces(folder, name, ranks, -1, 0, err);
}

/* "0,1,2,…" of the first instance; malloc'ed. */
static char *first_hosts(uint32_t tp)
{
    char *list = malloc((size_t)tp * 12 + 1), *at = list;

    for (uint32_t r = 0; list && r < tp; r++)
        at += sprintf(at, "%s%" PRIu32, r ? "," : "", r);
    return list;
}

/* Runs a job of one collective and takes its last finish. */
static int simulate(struct asim_comm *comm, int type, uint64_t bytes, uint64_t *ns,
                    struct asim_err *err)
{
    static const int types[] = {ASIM_ALL_REDUCE, ASIM_ALL_TO_ALL};
    struct asim_settings set = *comm->settings;
    struct asim_world *world = NULL;
    char prefix[PATH];
    int code = write_traces(comm->folder, "collective", comm->tp, types[type], bytes, err);

    snprintf(prefix, sizeof prefix, "%s/collective", comm->folder);
    set.workload = prefix;
    set.reports = set.out = set.pcap = NULL;
    set.placement = first_hosts(comm->tp);
    if (!code && !set.placement)
        code = asim_err_nomem(err, "simulating a collective");
    if (!code)
        code = asim_world_open(&world, &set, NULL, err);
    if (!code)
        code = asim_world_run(world, err);
    for (uint32_t r = 0; !code && r < comm->tp; r++) {
        uint64_t end = asim_world_cycles(world, r);

        *ns = r && *ns > end ? *ns : end;
    }
    asim_world_close(world);
    free(set.placement);
    return code;
}

/* ns of one collective of 2^i tokens, at least 1. */
static int measured(struct asim_comm *comm, int type, int i, uint64_t *ns, struct asim_err *err)
{
    uint64_t bytes = ((uint64_t)1 << i) * comm->model->hidden * 2;
    int code;

    if (type == ALL_TO_ALL)
        bytes = (bytes * comm->model->topk + comm->tp - 1) / comm->tp;
    if (!comm->known[type][i]) {
        if ((code = simulate(comm, type, bytes, &comm->known[type][i], err)))
            return code;
        comm->known[type][i] += !comm->known[type][i];
    }
    *ns = comm->known[type][i];
    return 0;
}

/* Between two powers of two linear in the tokens. */
static int time_of(struct asim_comm *comm, int type, uint64_t tokens, double *ns,
                   struct asim_err *err)
{
    uint64_t low = 0, high = 0;
    int i = 0, code;

    while (i < 38 && (uint64_t)2 << i <= tokens)
        i++;
    code = measured(comm, type, i, &low, err);
    *ns = (double)low;
    if (code || tokens == (uint64_t)1 << i)
        return code;
    code = measured(comm, type, i + 1, &high, err);
    *ns += ((double)high - (double)low) * ((double)tokens / (double)((uint64_t)1 << i) - 1);
    return code;
}

int asim_comm_of(struct asim_comm *comm, uint64_t tokens, uint64_t *ns, struct asim_err *err)
{
    int has_experts = comm->model->experts > 0, code;
    double reduce = 0, exchange = 0;

    *ns = 0;
    if (comm->tp == 1 || !tokens)
        return 0;
    code = time_of(comm, ALL_REDUCE, tokens, &reduce, err);
    if (!code && has_experts)
        code = time_of(comm, ALL_TO_ALL, tokens, &exchange, err);
    *ns = (uint64_t)(comm->model->layers * (reduce * (has_experts ? 1 : 2) + exchange * 2) + 0.5);
    return code;
}
