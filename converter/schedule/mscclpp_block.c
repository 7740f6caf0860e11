/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Reads a thread block of an execution plan. Ops name channels and remote buffers by their places
 * in its lists. Keys that are not known here and ops that sends and receives cannot say are refused
 * by name.
 */
#include "schedule/mscclpp.h"

#include <inttypes.h>
#include <stdlib.h>

enum { MOST = 4096, MOST_GROUP = 64 };

static void read_buff(struct asim_mscclpp *plan, const json_t *group, json_t *one,
                      struct asim_mscclpp_op *op, struct asim_mscclpp_buff *to)
{
    static const char *const known[] = {"index", "size", "type", "buffer_id", "rank", NULL};
    const json_t *remote = json_object_get(one, "buffer_id");
    uint32_t part = 0, parts = 1;

    asim_mscclpp_refuse_unknown(plan, one, known);
    *to = (struct asim_mscclpp_buff){.gpu = plan->block.gpu, .is_remote = remote != NULL};
    if (remote) {
        uint32_t ids = (uint32_t)plan->block.remote[op->channel].n;
        uint32_t id = asim_mscclpp_number(plan, remote, "buffer_id", ids ? ids - 1 : 0);

        if (id >= ids)
            asim_mscclpp_fail(plan, "its thread block has no remote buffers of that channel type.");
        else
            *to = plan->gpu.at[plan->block.gpu].remote.at[plan->block.remote[op->channel].at[id]];
    } else {
        to->buffer = asim_mscclpp_buffer_of(plan, one, "type");
    }
    if (group) {
        parts = asim_mscclpp_number_of(plan, group, "tbg_size", MOST_GROUP);
        part = asim_mscclpp_number_of(plan, group, "tb_id", parts ? parts - 1 : 0);
    }
    to->at = asim_mscclpp_number_of(plan, one, "index", ASIM_MSCCL_CHUNKS) * plan->grain;
    to->count = asim_mscclpp_number_of(plan, one, "size", ASIM_MSCCL_CHUNKS) * plan->grain /
                (parts ? parts : 1);
    to->at += to->count * part;
    if (!to->count)
        asim_mscclpp_fail(plan, "a buffer's size is 0.");
}

static uint32_t read_buffs(struct asim_mscclpp *plan, json_t *json, const char *key,
                           struct asim_mscclpp_op *op, struct asim_mscclpp_buff *to)
{
    const json_t *list = json_object_get(json, key), *group = json_object_get(json, "tbg_info");
    size_t n = json_array_size(list);

    if (n > ASIM_MSCCLPP_BUFFS)
        asim_mscclpp_fail(plan, "%s has more than %d entries, the limit here.", key,
                          ASIM_MSCCLPP_BUFFS);
    for (size_t i = 0; i < n && !plan->err->code; i++)
        read_buff(plan, group, json_array_get(list, i), op, &to[i]);
    return (uint32_t)n;
}

/* Channels, which the op names by places in its thread block's list, or semaphores. */
static void read_ids(struct asim_mscclpp *plan, json_t *json, struct asim_mscclpp_op *op)
{
    int is_semaphore = op->kind->does >= ASIM_MSCCLPP_ACQUIRE;
    const json_t *list = json_object_get(json, is_semaphore ? "semaphore_ids" : "channel_ids");
    size_t most = is_semaphore ? plan->gpu.at[plan->block.gpu].semaphores
                               : plan->block.channel[op->channel].n;

    op->ids = (uint32_t)json_array_size(list);
    if (op->ids > ASIM_MSCCLPP_BUFFS || (op->ids && !most))
        asim_mscclpp_fail(plan, "it names more channels or semaphores than there are.");
    for (uint32_t i = 0; i < op->ids && !plan->err->code; i++) {
        op->id[i] = asim_mscclpp_number(plan, json_array_get(list, i), "an id", (uint32_t)most - 1);
        if (!is_semaphore)
            op->id[i] = plan->block.channel[op->channel].at[op->id[i]];
    }
}

static void read_op(struct asim_mscclpp *plan, json_t *json)
{
    static const char *const known[] = {
        "name",      "src_buff", "dst_buff",   "channel_ids",      "channel_type",
        "reduce_op", "tbg_info", "barrier_id", "num_threadblocks", "semaphore_ids",
        NULL};
    struct asim_mscclpp_op *op;
    const char *why;
    int type;

    plan->name = json_string_value(json_object_get(json, "name"));
    if (!plan->name) {
        asim_mscclpp_fail(plan, "an op has no name.");
        return;
    }
    op = calloc(1, sizeof *op);
    if (!op) {
        asim_mscclpp_nomem(plan);
        return;
    }
    op->kind = asim_mscclpp_kind_find(plan->name, &why);
    if (why)
        asim_mscclpp_fail(plan, "this op %s, which sends and receives cannot say; it is not read.",
                          why);
    else if (!op->kind)
        asim_mscclpp_fail(plan, "this op is not known here; MSCCL++'s language has no such one.");
    asim_mscclpp_refuse_unknown(plan, json, known);
    type = json_object_get(json, "channel_type")
               ? asim_mscclpp_channel_type(plan, json, "channel_type")
               : ASIM_MSCCLPP_MEMORY;
    op->channel = type < ASIM_MSCCLPP_CHANNELS ? type : ASIM_MSCCLPP_MEMORY;
    if (json_object_get(json, "barrier_id")) {
        op->barrier = asim_mscclpp_number_of(plan, json, "barrier_id", MOST);
        op->blocks = asim_mscclpp_number_of(plan, json, "num_threadblocks", MOST);
    }
    if (!plan->err->code) {
        op->srcs = read_buffs(plan, json, "src_buff", op, op->src);
        op->dsts = read_buffs(plan, json, "dst_buff", op, op->dst);
        read_ids(plan, json, op);
    }
    if (!plan->err->code)
        asim_mscclpp_add(plan, op);
    free(op);
}

/* The ids in a thread block's lists of channels and of remote buffers, by type. */
static void read_refs(struct asim_mscclpp *plan, json_t *json, int is_remote)
{
    static const char *const channels[] = {"channel_type", "channel_ids", "buff", NULL};
    static const char *const remotes[] = {"access_channel_type", "remote_buffer_ids", NULL};
    const char *const *keys = is_remote ? remotes : channels;
    json_t *list = is_remote ? json_object_get(json, "remote_buffer_refs")
                             : asim_mscclpp_list_of(plan, json, "channels");
    struct asim_mscclpp_gpu *gpu = &plan->gpu.at[plan->block.gpu];
    json_t *one, *id;
    size_t i, k;

    json_array_foreach(list, i, one)
    {
        int type = asim_mscclpp_channel_type(plan, one, keys[0]);
        json_t *ids = asim_mscclpp_list_of(plan, one, keys[1]);
        size_t most = type == ASIM_MSCCLPP_CHANNELS ? 0
                      : is_remote                   ? gpu->remote.n
                                                    : gpu->channel[type].n;

        asim_mscclpp_refuse_unknown(plan, one, keys);
        json_array_foreach(ids, k, id)
        {
            uint32_t at = asim_mscclpp_number(plan, id, keys[1], UINT32_MAX);

            if (type == ASIM_MSCCLPP_CHANNELS || plan->err->code)
                continue;
            if (at >= most)
                asim_mscclpp_fail(plan, "%s of gpu %" PRIu32 " has %" PRIu32 ", but there are %zu.",
                                  keys[1], plan->block.gpu, at, most);
            else if (is_remote ? ASIM_VEC_PUSH(plan->block.remote[type], at)
                               : ASIM_VEC_PUSH(plan->block.channel[type], at))
                asim_mscclpp_nomem(plan);
        }
    }
}

void asim_mscclpp_read_block(struct asim_mscclpp *plan, json_t *json)
{
    static const char *const known[] = {"id", "ops", "channels", "remote_buffer_refs", NULL};
    json_t *op, *list;
    size_t i;

    plan->name = NULL;
    for (int t = 0; t < ASIM_MSCCLPP_CHANNELS; t++)
        plan->block.channel[t].n = plan->block.remote[t].n = 0;
    plan->block.posted.n = 0;
    asim_mscclpp_refuse_unknown(plan, json, known);
    if (asim_mscclpp_number_of(plan, json, "id", MOST) != plan->block.id)
        asim_mscclpp_fail(plan,
                          "a thread block of gpu %" PRIu32 " is out of order: ids count from 0.",
                          plan->block.gpu);
    read_refs(plan, json, 0);
    read_refs(plan, json, 1);
    list = asim_mscclpp_list_of(plan, json, "ops");
    json_array_foreach(list, i, op)
    {
        plan->number = (uint32_t)i;
        if (!plan->err->code)
            read_op(plan, op);
    }
    plan->name = NULL;
}
