/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Reads an execution plan of MSCCL++, the JSON that its language writes:
 *
 *     {name, collective, protocol, inplace, gpus: [{id, input_chunks, output_chunks,
 * scratch_chunks, channels: [{channel_type, connected_to: [peer]}], remote_buffers: [{rank, type,
 * access_channel_types}], semaphores: [{init_value}], threadblocks: [{id, channels,
 * remote_buffer_refs, ops}]}]}
 *
 * The k-th channel of a type from one GPU to another meets the k-th one back.
 */
#include "schedule/mscclpp.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "asim/trace.h"
#include "base/divisor.h"
#include "base/io/json.h"
#include "base/text.h"

enum { BLOCKS = 4096, MOST_GROUP = 64 };

static uint32_t new_lane(struct asim_mscclpp *plan, uint32_t initial)
{
    struct asim_mscclpp_lane lane = {.ends_of = -1, .waits_of = -1, .initial = initial};

    if (ASIM_VEC_PUSH(plan->lane, lane))
        asim_mscclpp_nomem(plan);
    return (uint32_t)plan->lane.n - 1;
}

static void read_channels(struct asim_mscclpp *plan, const json_t *json,
                          struct asim_mscclpp_gpu *gpu)
{
    static const char *const known[] = {"channel_type", "connected_to", "buffer_type",
                                        "rank_groups",  "buff",         NULL};
    json_t *one, *peer, *list, *peers;
    size_t i, k;

    list = asim_mscclpp_list_of(plan, json, "channels");
    json_array_foreach(list, i, one)
    {
        int type = asim_mscclpp_channel_type(plan, one, "channel_type");

        asim_mscclpp_refuse_unknown(plan, one, known);
        if (type == ASIM_MSCCLPP_CHANNELS)
            continue;
        peers = asim_mscclpp_list_of(plan, one, "connected_to");
        json_array_foreach(peers, k, peer)
        {
            struct asim_mscclpp_channel channel = {
                .peer =
                    asim_mscclpp_number(plan, peer, "a peer of connected_to", plan->to->gpus - 1)};

            if (plan->err->code)
                return;
            channel.lane = new_lane(plan, 0);
            if (ASIM_VEC_PUSH(gpu->channel[type], channel))
                asim_mscclpp_nomem(plan);
        }
    }
}

static void read_gpu(struct asim_mscclpp *plan, json_t *json)
{
    static const char *const known[] = {"id",
                                        "input_chunks",
                                        "output_chunks",
                                        "scratch_chunks",
                                        "threadblocks",
                                        "channels",
                                        "remote_buffers",
                                        "semaphores",
                                        NULL};
    static const char *const keys[] = {"input_chunks", "output_chunks", "scratch_chunks"};
    static const char *const of_remote[] = {"rank", "type", "access_channel_types", NULL};
    uint32_t at = (uint32_t)plan->gpu.n, most = ASIM_MSCCL_CHUNKS / plan->grain;
    struct asim_msccl_gpu chunks = {{0}};
    struct asim_mscclpp_gpu gpu = {.first_semaphore = (uint32_t)plan->lane.n};
    json_t *one, *list;
    size_t i;

    asim_mscclpp_refuse_unknown(plan, json, known);
    if (asim_mscclpp_number_of(plan, json, "id", ASIM_MSCCL_GPUS) != at)
        asim_mscclpp_fail(plan, "gpu %" PRIu32 " is out of order: ids count from 0.", at);
    for (int b = 0; b < 3; b++)
        chunks.chunks[b] = asim_mscclpp_number_of(plan, json, keys[b], most) * plan->grain;
    json_array_foreach(json_object_get(json, "semaphores"), i, one)
    {
        new_lane(plan, asim_mscclpp_number_of(plan, one, "init_value", INT32_MAX));
        gpu.semaphores++;
    }
    list = asim_mscclpp_list_of(plan, json, "remote_buffers");
    json_array_foreach(list, i, one)
    {
        struct asim_mscclpp_buff remote = {
            .gpu = asim_mscclpp_number_of(plan, one, "rank", plan->to->gpus - 1),
            .is_remote = 1,
            .buffer = asim_mscclpp_buffer_of(plan, one, "type")};

        asim_mscclpp_refuse_unknown(plan, one, of_remote);
        if (remote.gpu == at)
            asim_mscclpp_fail(plan, "a remote buffer of gpu %" PRIu32 " is its own.", at);
        if (ASIM_VEC_PUSH(gpu.remote, remote))
            asim_mscclpp_nomem(plan);
    }
    read_channels(plan, json, &gpu);
    if (ASIM_VEC_PUSH(plan->gpu, gpu) || ASIM_VEC_PUSH(plan->to->gpu, chunks))
        asim_mscclpp_nomem(plan);
    list = asim_mscclpp_list_of(plan, json, "threadblocks");
    json_array_foreach(list, i, one)
    {
        if (i >= BLOCKS || ASIM_VEC_PUSH(plan->to->block, (struct asim_msccl_block){.gpu = at}))
            asim_mscclpp_nomem(plan);
    }
}

struct end { /* of a channel */
    uint32_t gpu, peer, place, lane;
};

ASIM_ORDER(by_pair, struct end, ->gpu, ->peer, ->place)

/* The k-th channel from one GPU to another meets the k-th one back: with the two GPUs exchanged,
 * both stand at the same places behind the first of their pair. */
static void pair_channels(struct asim_mscclpp *plan, int type)
{
    ASIM_VEC(struct end) ends = {0};

    for (uint32_t g = 0; g < plan->gpu.n && !plan->err->code; g++)
        for (uint32_t i = 0; i < plan->gpu.at[g].channel[type].n; i++) {
            const struct asim_mscclpp_channel *one = &plan->gpu.at[g].channel[type].at[i];

            if (ASIM_VEC_PUSH(ends, ((struct end){g, one->peer, i, one->lane})))
                asim_mscclpp_nomem(plan);
        }
    if (ends.n)
        qsort(ends.at, ends.n, sizeof *ends.at, by_pair);
    for (uint32_t i = 0, k = 0; i < ends.n; i++) { /* the order stays */
        k = i && ends.at[i - 1].gpu == ends.at[i].gpu && ends.at[i - 1].peer == ends.at[i].peer
                ? k + 1
                : 0;
        ends.at[i].place = k;
    }
    for (uint32_t i = 0; i < ends.n && !plan->err->code; i++) {
        struct end back = {ends.at[i].peer, ends.at[i].gpu, ends.at[i].place, 0};
        const struct end *found = bsearch(&back, ends.at, ends.n, sizeof back, by_pair);

        if (found)
            plan->lane.at[ends.at[i].lane].from = found->lane + 1;
    }
    free(ends.at);
}

/* --- the plan -----------------------------------------------------------------------------------
 */

static void refine_grain(struct asim_mscclpp *plan, const json_t *block)
{
    json_t *op;
    size_t i;

    json_array_foreach(json_object_get(block, "ops"), i, op)
    {
        const json_t *group = json_object_get(op, "tbg_info");
        uint32_t n = group ? asim_mscclpp_number_of(plan, group, "tbg_size", MOST_GROUP) : 1;

        plan->grain *= n ? n / asim_common_divisor(plan->grain, n) : 1;
        if (!n || plan->grain > ASIM_MSCCL_CHUNKS) {
            asim_mscclpp_fail(plan, "groups of thread blocks share chunks in too many ways.");
            return;
        }
    }
}

static void read_gpus(struct asim_mscclpp *plan, const json_t *gpus)
{
    json_t *gpu, *block;
    size_t g, b;

    json_array_foreach(gpus, g, gpu)
    {
        json_array_foreach(json_object_get(gpu, "threadblocks"), b, block)
        {
            if (!plan->err->code)
                refine_grain(plan, block);
        }
    }
    json_array_foreach(gpus, g, gpu)
    {
        if (!plan->err->code)
            read_gpu(plan, gpu);
    }
    plan->to->blocks_of_file = (uint32_t)plan->to->block.n;
    for (int type = 0; type < ASIM_MSCCLPP_CHANNELS; type++)
        pair_channels(plan, type);
    for (size_t i = 0; i < plan->gpu.n; i++) /* a semaphore meets itself */
        for (uint32_t k = 0; k < plan->gpu.at[i].semaphores; k++)
            plan->lane.at[plan->gpu.at[i].first_semaphore + k].from =
                plan->gpu.at[i].first_semaphore + k + 1;
    json_array_foreach(gpus, g, gpu)
    {
        plan->block.gpu = (uint32_t)g;
        json_array_foreach(json_object_get(gpu, "threadblocks"), b, block)
        {
            plan->block.id = (uint32_t)b;
            if (!plan->err->code)
                asim_mscclpp_read_block(plan, block);
            plan->block.at++;
        }
    }
}

static int is_true(struct asim_mscclpp *plan, const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);

    if (value && !json_is_boolean(value))
        asim_mscclpp_fail(plan, "%s is neither true nor false.", key);
    return json_is_true(value);
}

static void read_head(struct asim_mscclpp *plan, json_t *root)
{
    static const char *const known[] = {"name",
                                        "collective",
                                        "protocol",
                                        "inplace",
                                        "gpus",
                                        "reuse_resources",
                                        "num_threads_per_block",
                                        "use_double_scratch_buffer",
                                        "buffer_alignment",
                                        "min_message_size",
                                        "max_message_size",
                                        NULL};
    const char *coll = asim_mscclpp_text_of(plan, root, "collective");
    size_t gpus = json_array_size(asim_mscclpp_list_of(plan, root, "gpus"));
    struct asim_msccl *to = plan->to;
    uint32_t most = 0;
    char safe[40];

    asim_mscclpp_refuse_unknown(plan, root, known);
    asim_text_safe(to->name, sizeof to->name, asim_mscclpp_text_of(plan, root, "name"));
    to->coll_type = asim_msccl_collective(coll);
    to->in_place = is_true(plan, root, "inplace");
    to->gpus = (uint32_t)gpus;
    if (to->coll_type < 0)
        asim_mscclpp_fail(plan,
                          "collective is '%s'; read are allreduce, allgather, reducescatter and "
                          "alltoall.",
                          asim_text_safe(safe, sizeof safe, coll));
    if (gpus < 2 || gpus > ASIM_MSCCL_GPUS)
        asim_mscclpp_fail(plan, "the plan has %zu gpus; expected 2 to %d.", gpus, ASIM_MSCCL_GPUS);
    if (!plan->err->code)
        read_gpus(plan, json_object_get(root, "gpus"));
    for (size_t i = 0; i < to->gpu.n; i++)
        for (int b = ASIM_MSCCL_INPUT; b <= ASIM_MSCCL_OUTPUT; b++)
            most = to->gpu.at[i].chunks[b] > most ? to->gpu.at[i].chunks[b] : most;
    to->chunks = most;
    if (!most)
        asim_mscclpp_fail(plan, "the plan's buffers have no chunks.");
    if (!plan->err->code)
        asim_mscclpp_link(plan);
}

static uint64_t bytes_of(struct asim_mscclpp *plan, const json_t *root, const char *key)
{
    const json_t *value = json_object_get(root, key);

    if (value && (!json_is_integer(value) || json_integer_value(value) < 0))
        asim_mscclpp_fail(plan, "%s is no whole number of bytes.", key);
    return value ? (uint64_t)json_integer_value(value) : 0;
}

/* The language writes 2^64 - 1 for no limit, which jansson cannot count; the most it can says the
 * same. */
static void lower_limit(struct asim_src *src)
{
    static const char key[] = "\"max_message_size\":", unlimited[] = "18446744073709551615";
    char *at = strstr(src->data + src->at, key);

    if (!at)
        return;
    at += sizeof key - 1;
    at += strspn(at, " \t\r\n");
    if (!strncmp(at, unlimited, sizeof unlimited - 1))
        memcpy(at, " 9223372036854775807", sizeof unlimited - 1);
}

static void release(struct asim_mscclpp *plan)
{
    for (int t = 0; t < ASIM_MSCCLPP_CHANNELS; t++) {
        for (size_t g = 0; g < plan->gpu.n; g++)
            free(plan->gpu.at[g].channel[t].at);
        ASIM_FREE(plan->block.channel[t].at, plan->block.remote[t].at);
    }
    for (size_t g = 0; g < plan->gpu.n; g++)
        free(plan->gpu.at[g].remote.at);
    for (size_t i = 0; i < plan->lane.n; i++) {
        ASIM_FREE(plan->lane.at[i].ends.at, plan->lane.at[i].waits.at);
    }
    ASIM_FREE(plan->gpu.at, plan->lane.at, plan->flow.at, plan->barrier.at, plan->reader.at,
              plan->block.posted.at);
    asim_map_fini(&plan->flows);
    asim_map_fini(&plan->rounds);
    asim_map_fini(&plan->packets);
}

int asim_msccl_read_plan(struct asim_msccl *msccl, struct asim_src *src, struct asim_err *err)
{
    struct asim_mscclpp plan = {.to = msccl, .err = err, .grain = 1};
    json_t *root = NULL;

    asim_map_init(&plan.flows);
    asim_map_init(&plan.rounds);
    asim_map_init(&plan.packets);
    lower_limit(src);
    if (!asim_json_text(&root, src->name, src->data + src->at, src->size - src->at, NULL, 0, err)) {
        msccl->least = bytes_of(&plan, root, "min_message_size");
        msccl->most = bytes_of(&plan, root, "max_message_size");
        read_head(&plan, root);
    }
    json_decref(root);
    release(&plan);
    return err->code;
}
