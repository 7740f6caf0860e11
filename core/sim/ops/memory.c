/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Remote memory (system-layer.md#remote-memory): an access takes latency + floor(bytes /
 * bandwidth). With a memory per NPU, ranks do not affect each other. A memory per node, or one pool
 * for all, is a memory server, which serves one request at a time in the order of arrival. A server
 * couples its ranks without delay, so the packet network then runs in per-event mode.
 *
 * At the end of a request its op ends first, among the events of its rank; then the server starts
 * the oldest waiting request. Loads and stores cost the same.
 *
 * The queue of a server grows while the server is busy without a break: 24 bytes for each access
 * since it was last idle.
 */
#include "sim/ops/memory.h"
#include "sim/rank/clock.h"
#include "sim/rank/rank_shard.h"
#include "sim/world.h"

#include <stdlib.h>

/* An access of an op; ns: its duration. */
struct request {
    struct asim_rank *rank;
    uint32_t op;
    uint64_t ns;
};

struct asim_memory_server {
    ASIM_VEC(struct request) waiting; /* elements before `first` have been served */
    size_t first;
    int busy;
};

/* The memory server of the rank; nodes are blocks of consecutive ranks
 * (system-layer.md#remote-memory). */
static uint32_t server_of(const struct asim_rank *rank)
{
    const struct asim_memory *mem = &rank->world->set.memory;

    return mem->type == ASIM_MEM_POOL ? 0 : rank->id / mem->npus_per_node;
}

/* 0: no memory is shared, and accesses never wait. */
static uint32_t server_count(const struct asim_world *world)
{
    if (world->set.memory.type == ASIM_MEM_POOL)
        return 1;
    return world->set.memory.type == ASIM_MEM_PER_NODE
               ? (world->set.n_ranks - 1) / world->set.memory.npus_per_node + 1
               : 0;
}

/* Sets per_event: a memory server couples ranks within one ns, which windows cannot do. */
int asim_memory_setup(struct asim_world *world, struct asim_err *err)
{
    const struct asim_memory *mem = &world->set.memory;
    uint32_t memory_servers = server_count(world);

    if (!memory_servers)
        return 0;
    if (mem->type == ASIM_MEM_PER_NODE &&
        (uint64_t)mem->nodes * mem->npus_per_node < world->set.n_ranks)
        return asim_err_set(err, ASIM_EINVAL,
                            "the remote memory configuration has %u nodes of %u NPUs, but the run "
                            "has %u ranks",
                            mem->nodes, mem->npus_per_node, world->set.n_ranks);
    if (mem->type == ASIM_MEM_PER_NODE &&
        (uint64_t)mem->nodes * mem->npus_per_node > world->set.n_ranks)
        asim_world_diagnose(world,
                            "the remote memory configuration has %u nodes of %u NPUs, the run %u "
                            "ranks: some NPUs do not exist",
                            mem->nodes, mem->npus_per_node, world->set.n_ranks);
    world->run.memory_servers =
        asim_arena_array(&world->arena, memory_servers, sizeof *world->run.memory_servers);
    if (!world->run.memory_servers)
        return asim_err_nomem(err, "setting up remote memory");
    world->set.settings.per_event = 1;
    return 0;
}

void asim_memory_fini(struct asim_world *world)
{
    for (uint32_t b = 0; world->run.memory_servers && b < server_count(world); b++)
        free(world->run.memory_servers[b].waiting.at);
}

/* Starts a request at the present time of `by`. In per-event mode the clocks of two hosts may
 * differ inside one ns step, and the requester's clock may be behind; the difference is added so
 * that the access begins when the server is free. */
static void serve(struct asim_rank *by, const struct request *request)
{
    struct asim_rank *rank = request->rank;
    uint64_t now = asim_rank_now(by), own = asim_rank_now(rank);
    uint64_t ns = now - own + request->ns;

    rank->world->run.memory_servers[server_of(rank)].busy = 1;
    asim_clock_end_op(rank, ns, request->op);
    asim_clock_add(
        rank, ns, &(struct asim_rank_event){.kind = ASIM_RANK_EVENT_MEMORY, .op = server_of(rank)});
}

/* Runs after the end of the op in the same tick: the order of system-layer.md#remote-memory. */
void asim_memory_next(struct asim_rank *rank, uint32_t at)
{
    struct asim_memory_server *server = &rank->world->run.memory_servers[at];

    server->busy = 0;
    if (server->first < server->waiting.n)
        serve(rank, &server->waiting.at[server->first++]);
    if (server->first == server->waiting.n)
        server->first = server->waiting.n = 0;
}

/* Fails the rank where the configuration or the trace lacks something. */
static int check(struct asim_rank *rank, const struct asim_op *op)
{
    struct asim_world *world = rank->world;
    unsigned long long id = op->id;

    if (world->set.memory.type == ASIM_MEM_NONE) {
        asim_rank_fail(rank,
                       "rank %u: op %llu ('%s') accesses remote memory, but the remote "
                       "memory configuration says NO_MEMORY_EXPANSION",
                       rank->id, id, op->name);
        return 0;
    }
    if (!(op->has & ASIM_HAS_TENSOR_SIZE)) {
        asim_rank_fail(rank, "rank %u: memory op %llu ('%s') has no tensor_size attribute",
                       rank->id, id, op->name);
        return 0;
    }
    return 1;
}

void asim_memory_issue(struct asim_rank *rank, uint32_t index, const struct asim_op *op)
{
    struct asim_world *world = rank->world;
    const struct asim_memory *mem = &world->set.memory;
    struct request request = {rank, index, mem->latency_ns};
    struct asim_memory_server *server;

    if (!check(rank, op))
        return;
    request.ns += asim_ns_whole((double)op->tensor_bytes / mem->bandwidth_gbps);
    if (!world->run.memory_servers) {
        asim_clock_end_op(rank, request.ns, index);
        return;
    }
    server = &world->run.memory_servers[server_of(rank)];
    if (!server->busy)
        serve(rank, &request);
    else if (ASIM_VEC_PUSH(server->waiting, request))
        asim_rank_fail_nomem(rank, "queueing memory accesses");
}
