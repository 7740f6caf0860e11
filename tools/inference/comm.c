/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Simulates the communication inside an instance. A layer has two all-reduces of the hidden states
 * of all tokens (tensor parallelism, Shoeybi et al.: Megatron-LM, 2019); with experts, which are
 * spread over the GPUs, one all-reduce and two all-to-alls, of a share of the tokens for each
 * expert that they name. From stage to stage each GPU passes its share of the hidden states to the
 * GPU of the same number. Each is simulated as a job of its own of the first instance, in the same
 * network and alone in it; together.c adds what others cost.
 */
#include "tools/inference/inference.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "asim/observe.h"
#include "asim/packet.h"
#include "asim/topology.h"
#include "asim/trace.h"

enum { ALL_REDUCE, ALL_TO_ALL, PASS, PATH = 4096 };

/* vLLM captures graphs of up to so many tokens (max_cudagraph_capture_size). */
enum { GRAPH_TOKENS = 512 };

/* What the first ranks do: nothing, a collective of `members`, or rank r < members sends to rank
 * r + members. */
struct collective {
    int type; /* enum asim_coll_type; NOTHING or SENDS */
    uint64_t bytes;
    uint32_t members;
};
enum { NOTHING = -1, SENDS = -2 };

static int write_node(struct asim_chakra_writer *writer, const struct collective *what,
                      uint32_t rank, struct asim_err *err)
{
    const struct asim_chakra_attr cpu = {.name = "is_cpu_op", .type = ASIM_CHAKRA_BOOL};
    const struct asim_chakra_attr size = {
        .name = "comm_size", .type = ASIM_CHAKRA_INT64, .value = {.i = (int64_t)what->bytes}};
    struct asim_chakra_attr in_group[] = {
        cpu,
        size,
        {.name = "comm_type", .type = ASIM_CHAKRA_INT64, .value = {.i = what->type}},
        {.name = "pg_name", .type = ASIM_CHAKRA_STRING, .value = {.s = "1"}}};
    int sends = rank < what->members;
    struct asim_chakra_attr message[] = {cpu,
                                         size,
                                         {.name = "comm_tag", .type = ASIM_CHAKRA_INT64},
                                         {.name = "comm_src",
                                          .type = ASIM_CHAKRA_INT64,
                                          .value = {.i = sends ? rank : rank - what->members}},
                                         {.name = "comm_dst",
                                          .type = ASIM_CHAKRA_INT64,
                                          .value = {.i = sends ? rank + what->members : rank}}};
    struct asim_chakra_node node = {
        .type = ASIM_OP_COMM_COLL, .name = "collective", .attrs = in_group, .attr_n = 4};

    if (what->type == SENDS) {
        node.type = sends ? ASIM_OP_COMM_SEND : ASIM_OP_COMM_RECV;
        node.attrs = message;
        node.attr_n = sizeof message / sizeof *message;
    }
    return asim_chakra_writer_node(writer, &node, err);
}

static int write_trace(const char *path, const struct collective *what, uint32_t rank,
                       struct asim_err *err)
{
    uint32_t active = what->type == NOTHING ? 0
                      : what->type == SENDS ? 2 * what->members
                                            : what->members;
    struct asim_chakra_writer *writer;
    int code = asim_chakra_writer_open(&writer, path, err);

    if (code)
        return code;
    code = asim_chakra_writer_metadata(writer, "0.0.4", NULL, 0, err);
    if (!code && rank < active)
        code = write_node(writer, what, rank, err);
    if (!code)
        return asim_chakra_writer_commit(writer, err);
    asim_chakra_writer_discard(writer);
    return code;
}

static int write_traces(const char *folder, const char *name, uint32_t ranks,
                        const struct collective *what, struct asim_err *err)
{
    char path[PATH];
    int code = 0;

    for (uint32_t r = 0; !code && r < ranks; r++) {
        snprintf(path, sizeof path, "%s/%s.%" PRIu32 ".et", folder, name, r);
        code = write_trace(path, what, r, err);
    }
    return code;
}

int asim_comm_empty_traces(const char *folder, const char *name, uint32_t ranks,
                           struct asim_err *err)
{
    static const struct collective none = {NOTHING, 0, 0};

    return write_traces(folder, name, ranks, &none, err);
}

/* Group 1: the GPUs of the first stage of the first instance. */
static int write_group(const char *path, uint32_t members, struct asim_err *err)
{
    FILE *file = fopen(path, "w");
    int failed = !file;

    if (file) {
        fprintf(file, "{\"1\": [");
        for (uint32_t r = 0; r < members; r++)
            fprintf(file, "%s%" PRIu32, r ? ", " : "", r);
        fprintf(file, "]}\n");
        failed = ferror(file);
        failed |= fclose(file) != 0;
    }
    return failed ? asim_err_set(err, ASIM_EIO, "cannot write %s.", path) : 0;
}

/* Bytes from GPU to GPU of a collective, for together.c. */
struct tally {
    const struct asim_topo *topo;
    uint32_t members;
    uint64_t *bytes;
};

static void tally_message(void *self, const struct asim_observed_message *message)
{
    struct tally *tally = self;
    const uint32_t *internal = tally->topo->internal;
    uint32_t src = internal ? internal[message->src] : message->src,
             dst = internal ? internal[message->dst] : message->dst;

    if (src < tally->members && dst < tally->members)
        tally->bytes[src * tally->members + dst] += message->bytes;
}

static int watch(struct asim_instance_comm *comm, struct asim_world *world, struct tally *tally,
                 uint64_t **bytes, struct asim_err *err)
{
    const struct asim_observer observer = {
        .size = sizeof observer, .self = tally, .message_done = tally_message};

    *bytes = calloc((size_t)comm->tp * comm->tp, sizeof **bytes);
    *tally = (struct tally){asim_world_topo(world), comm->tp, *bytes};
    return *bytes ? asim_world_observe(world, &observer, err)
                  : asim_err_nomem(err, "counting the bytes of a collective");
}

/* Runs a job of one collective and takes its last finish. */
static int simulate(struct asim_instance_comm *comm, const struct collective *what, uint64_t *ns,
                    uint64_t **bytes, struct asim_err *err)
{
    struct tally tally;
    struct asim_settings set = *comm->settings;
    struct asim_world *world = NULL;
    char prefix[PATH], groups[PATH];
    int code = write_traces(comm->folder, "collective", comm->hosts, what, err);

    snprintf(prefix, sizeof prefix, "%s/collective", comm->folder);
    snprintf(groups, sizeof groups, "%s/groups.json", comm->folder);
    set.workload = prefix;
    set.groups = groups;
    set.reports = set.out = set.pcap = NULL;
    if (!code)
        code = write_group(groups, comm->tp, err);
    if (!code)
        code = asim_world_open(&world, &set, NULL, err);
    if (!code)
        comm->has_kernels = set.like == ASIM_LIKE_NCCL && asim_world_topo(world)->machine;
    if (!code && bytes)
        code = watch(comm, world, &tally, bytes, err);
    if (!code)
        code = asim_world_run(world, err);
    for (uint32_t r = 0; !code && r < comm->tp * comm->stages; r++) {
        uint64_t end = asim_world_cycles(world, r);

        *ns = r && *ns > end ? *ns : end;
    }
    asim_world_close(world);
    return code;
}

/* ns of one collective of 2^i tokens, at least 1. */
static int measured(struct asim_instance_comm *comm, int type, int i, uint64_t *ns,
                    struct asim_err *err)
{
    struct collective what = {type == ALL_TO_ALL ? ASIM_ALL_TO_ALL : ASIM_ALL_REDUCE,
                              ((uint64_t)1 << i) * comm->model->hidden * 2, comm->tp};
    int code;

    if (type == ALL_TO_ALL)
        what.bytes =
            (uint64_t)ceil((double)(what.bytes * comm->model->topk) * comm->busiest / comm->tp);
    if (type == PASS) {
        what.type = SENDS;
        what.bytes = (what.bytes + comm->tp - 1) / comm->tp;
    }
    if (!comm->known[type][i]) {
        code = simulate(comm, &what, &comm->known[type][i],
                        comm->is_together && type != PASS ? &comm->bytes[type][i] : NULL, err);
        if (code)
            return code;
        comm->known[type][i] += !comm->known[type][i];
    }
    *ns = comm->known[type][i];
    return 0;
}

/* Between two powers of two linear in the tokens. */
static int launched(struct asim_instance_comm *comm, int type, uint64_t tokens, double *ns,
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

/* Inside a CUDA graph the launch of its kernel by the CPU is no part of a collective's time. */
static int time_of(struct asim_instance_comm *comm, int type, uint64_t tokens, double *ns,
                   struct asim_err *err)
{
    int code = launched(comm, type, tokens, ns, err);

    if (!code && comm->has_kernels && tokens <= GRAPH_TOKENS)
        *ns = fmax(*ns - comm->graph_saves_ns, *ns / 2);
    return code;
}

int asim_comm_of(struct asim_instance_comm *comm, uint64_t tokens, uint64_t *ns,
                 struct asim_err *err)
{
    const struct asim_model *m = comm->model;
    double layers = (double)m->layers,
           experts = m->experts ? layers - (double)m->dense_layers : 0; /* layers with experts */
    int code = 0;
    double reduce = 0, exchange = 0, pass = 0;

    *ns = 0;
    if (!tokens)
        return 0;
    if (comm->tp > 1)
        code = time_of(comm, ALL_REDUCE, tokens, &reduce, err);
    if (!code && comm->tp > 1 && m->experts)
        code = time_of(comm, ALL_TO_ALL, tokens, &exchange, err);
    if (!code && comm->stages > 1)
        code = time_of(comm, PASS, tokens, &pass, err);
    *ns = (uint64_t)(layers * reduce + (layers - experts) * reduce + experts * exchange * 2 +
                     (comm->stages - 1) * pass + 0.5);
    return code;
}
