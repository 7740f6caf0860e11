/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Remote memory (system-layer.md#remote-memory): an access takes latency + floor(bytes /
 * bandwidth). With a memory per NPU accesses of different ranks do not meet. A memory per node, or
 * one pool for all, is a bank that serves one request at a time in the order they came; a bank
 * couples its ranks without delay, so the packet network then runs in per-event mode.
 *
 * When a request is served its op ends first, in the requester's events, and then the bank starts
 * the oldest waiting one. Loads and stores are alike.
 *
 * The queue of a bank only grows while it is busy without a break: 24 bytes per access that came
 * and has been served or waits.
 */
#include "sim/ops/memory.h"
#include "sim/rank/clock.h"
#include "sim/rank/rank_shard.h"
#include "sim/sim.h"

#include <stdlib.h>

/* Who waits, for which op, and the access time in ns. */
struct request {
    struct asim_rank *rank;
    uint32_t op;
    uint64_t ns;
};

struct asim_memory_server {
    ASIM_VEC(struct request) waiting; /* from `first` on */
    size_t first;
    int busy;
};

/* Which memory serves the rank; nodes are blocks of consecutive ranks
 * (system-layer.md#remote-memory). */
static uint32_t bank_of(const struct asim_rank *rank)
{
    const struct asim_memory *mem = &rank->world->set.memory;

    return mem->type == ASIM_MEM_POOL ? 0 : rank->id / mem->npus_per_node;
}

/* 0 = none shared, accesses never wait. */
static uint32_t bank_count(const struct asim_world *world)
{
    if (world->set.memory.type == ASIM_MEM_POOL)
        return 1;
    return world->set.memory.type == ASIM_MEM_PER_NODE ? world->set.memory.nodes : 0;
}

/* Sets per_event: a shared bank couples ranks within one ns, which windows cannot. */
int asim_memory_setup(struct asim_world *world, struct asim_err *err)
{
    const struct asim_memory *mem = &world->set.memory;
    uint32_t memory_servers = bank_count(world);

    if (!memory_servers)
        return 0;
    if (mem->type == ASIM_MEM_PER_NODE &&
        (uint64_t)mem->nodes * mem->npus_per_node < world->set.n_ranks)
        return asim_err_set(err, ASIM_EINVAL,
                            "the remote memory configuration has %u nodes of %u NPUs, but the run "
                            "has %u ranks",
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
    for (uint32_t b = 0; world->run.memory_servers && b < bank_count(world); b++)
        free(world->run.memory_servers[b].waiting.at);
}

/* Served from now on. The requester's clock may stand behind that of the rank that made room.
 * In per-event mode the hosts' clocks may differ within one ns step; the difference is added so
 * that the access begins when the bank is free. */
static void serve(struct asim_rank *by, const struct request *request)
{
    struct asim_rank *rank = request->rank;
    uint64_t now = asim_rank_now(by), own = asim_rank_now(rank);
    uint64_t ns = now - own + request->ns;

    rank->world->run.memory_servers[bank_of(rank)].busy = 1;
    asim_clock_add(rank, ns,
                   &(struct asim_rank_event){.kind = ASIM_RANK_EVENT_OP_DONE, .op = request->op});
    asim_clock_add(rank, ns,
                   &(struct asim_rank_event){.kind = ASIM_RANK_EVENT_MEMORY, .op = bank_of(rank)});
}

/* Runs behind the op's own end, in the same tick: the order of system-layer.md#remote-memory. */
void asim_memory_next(struct asim_rank *rank, uint32_t at)
{
    struct asim_memory_server *server = &rank->world->run.memory_servers[at];

    server->busy = 0;
    if (server->first < server->waiting.n)
        serve(rank, &server->waiting.at[server->first++]);
    if (server->first == server->waiting.n)
        server->first = server->waiting.n = 0;
}

/* Sentences for what the configuration or the trace lacks. */
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
        asim_clock_add(rank, request.ns,
                       &(struct asim_rank_event){.kind = ASIM_RANK_EVENT_OP_DONE, .op = index});
        return;
    }
    server = &world->run.memory_servers[bank_of(rank)];
    if (!server->busy)
        serve(rank, &request);
    else if (ASIM_VEC_PUSH(server->waiting, request))
        asim_rank_fail_nomem(rank, "queueing memory accesses");
}
