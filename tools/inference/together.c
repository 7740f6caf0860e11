/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Collectives of all instances beside each other and beside KV caches, at the flow level: the
 * communication of an iteration is cut into slices, each some layers' worth. The messages of a
 * slice, as NCCL's algorithm has them but for their order (a message for each pair of GPUs), go
 * over the network that KV caches use. A slice is late by as much as its messages take longer than
 * alone.
 *
 * Messages to and from an NVSwitch that adds (NVLS) are left out: nothing else uses these links.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "asim/messages.h"
#include "tools/inference/inference.h"

/* Communication of a slice, ns: about that of the shortest KV caches. */
enum { SLICE_NS = 500000 };

/* Sizes with four significant bits, so that few sizes are simulated alone. */
static uint64_t rounded(uint64_t tokens)
{
    unsigned shift = 0;

    while (tokens >> shift >= 16)
        shift++;
    return shift ? ((tokens >> (shift - 1)) + 1) >> 1 << shift : tokens;
}

static int add_pair(struct asim_slice *slice, uint32_t src, uint32_t dst, double bytes)
{
    const struct asim_slice_pair pair = {src, dst, (uint64_t)bytes + 1};

    return ASIM_VEC_PUSH(slice->pairs, pair) ? ASIM_ENOMEM : 0;
}

/* Collectives of a slice. */
struct times {
    double reduces, exchanges;
};

/* Bytes of a pair of GPUs where the collectives have 2^i tokens. */
static double bytes_of(const struct asim_instance_comm *comm, int i, const struct times *times,
                       size_t pair)
{
    const uint64_t *reduce = comm->bytes[0][i], *exchange = comm->bytes[1][i];

    return (reduce ? times->reduces * (double)reduce[pair] : 0) +
           (exchange ? times->exchanges * (double)exchange[pair] : 0);
}

static int add_collectives(struct asim_slice *slice, const struct asim_instance_comm *comm,
                           double layers)
{
    const struct asim_model *m = comm->model;
    double experts = m->experts ? (double)(m->layers - m->dense_layers) / (double)m->layers : 0;
    const struct times times = {layers * (2 - experts), layers * 2 * experts};
    size_t pairs = (size_t)comm->tp * comm->tp;
    int i = 0, code = 0;

    while (i < 38 && (uint64_t)2 << i <= slice->tokens)
        i++;
    for (size_t pair = 0; !code && pair < pairs; pair++) {
        double bytes =
            bytes_of(comm, i, &times, pair) * (double)slice->tokens / (double)((uint64_t)1 << i);

        if (bytes > 0)
            code = add_pair(slice, (uint32_t)(pair / comm->tp), (uint32_t)(pair % comm->tp), bytes);
    }
    return code;
}

static void note_arrival(void *self, const struct asim_own_message *message)
{
    struct asim_slice *slice = self;

    slice->alone_ns = asim_messages_now(slice->world, message->dst);
}

/* The messages in the network of the first instance, and nothing else. */
static int simulate_alone(struct asim_slice *slice, struct asim_instance_comm *comm,
                          struct asim_err *err)
{
    const struct asim_messages_hooks hooks = {
        .size = sizeof hooks, .self = slice, .arrived = note_arrival};
    struct asim_settings set = *comm->settings;
    char prefix[4096];
    int code;

    snprintf(prefix, sizeof prefix, "%s/none", comm->folder);
    set.workload = prefix;
    set.reports = set.out = set.pcap = NULL;
    code = asim_world_open(&slice->world, &set, NULL, err);
    if (!code)
        code = asim_messages_hook(slice->world, &hooks, err);
    for (size_t i = 0; !code && i < slice->pairs.n; i++) {
        const struct asim_own_message message = {slice->pairs.at[i].src, slice->pairs.at[i].dst,
                                                 slice->pairs.at[i].bytes, 0, 0};

        code = asim_messages_send(slice->world, &message);
    }
    if (!code)
        code = asim_world_run(slice->world, err);
    asim_world_close(slice->world);
    return code;
}

static int fill(struct asim_slice *slice, struct asim_instance_comm *comm, struct asim_err *err)
{
    double layers = (double)comm->model->layers / comm->stages,
           pass = (double)slice->tokens * (double)comm->model->hidden * 2 / comm->tp;
    uint64_t comm_ns;
    int code = asim_comm_of(comm, slice->tokens, &comm_ns, err);

    if (code)
        return code;
    slice->of_stage = (uint32_t)(comm_ns / comm->stages / SLICE_NS) + 1;
    if (slice->of_stage > layers)
        slice->of_stage = (uint32_t)layers;
    code = add_collectives(slice, comm, layers / slice->of_stage);
    for (uint32_t gpu = 0; !code && slice->passes && gpu < comm->tp; gpu++)
        code = add_pair(slice, gpu, gpu + comm->tp, pass / slice->of_stage);
    if (code)
        return asim_err_nomem(err, "cutting an iteration into slices");
    return slice->pairs.n ? simulate_alone(slice, comm, err) : 0;
}

int asim_comm_slice(struct asim_instance_comm *comm, uint64_t tokens, int passes,
                    const struct asim_slice **slice, struct asim_err *err)
{
    struct asim_slice *made;

    tokens = rounded(tokens);
    for (size_t i = 0; i < comm->slices.n; i++) {
        *slice = comm->slices.at[i];
        if ((*slice)->tokens == tokens && (*slice)->passes == passes)
            return 0;
    }
    *slice = made = calloc(1, sizeof *made);
    if (!made || ASIM_VEC_PUSH(comm->slices, made)) {
        free(made);
        return asim_err_nomem(err, "cutting an iteration into slices");
    }
    made->tokens = tokens;
    made->passes = passes;
    return fill(made, comm, err);
}

void asim_comm_free(struct asim_instance_comm *comm)
{
    for (size_t i = 0; i < comm->slices.n; i++) {
        ASIM_FREE(comm->slices.at[i]->pairs.at, comm->slices.at[i]);
    }
    free(comm->slices.at);
    for (int i = 0; i < 80; i++)
        free(comm->bytes[i / 40][i % 40]);
}
