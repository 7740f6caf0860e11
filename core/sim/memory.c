/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Remote memory (spec astra-system.md, section 2.6): an access takes latency + floor(bytes /
 * bandwidth). With a memory per NPU accesses of different ranks do not meet; a memory per node or
 * a pool serves one access at a time, which couples ranks without delay.
 */
#include "sim/sim.h"

static int check(struct asim_rank *rank, const struct asim_op *op)
{
    struct asim_world *world = rank->world;
    unsigned long long id = op->id;

    if (world->memory.type == ASIM_MEM_NONE) {
        asim_world_fail(world,
                        "rank %u: op %llu ('%s') accesses remote memory, but the remote "
                        "memory configuration says NO_MEMORY_EXPANSION",
                        rank->id, id, op->name);
        return 0;
    }
    if (world->memory.type != ASIM_MEM_PER_NPU) {
        asim_world_fail(world,
                        "rank %u: op %llu ('%s') accesses a memory shared between ranks, "
                        "which this version does not simulate yet; use "
                        "PER_NPU_MEMORY_EXPANSION",
                        rank->id, id, op->name);
        return 0;
    }
    if (!(op->has & ASIM_HAS_TENSOR_SIZE)) {
        asim_world_fail(world, "rank %u: memory op %llu ('%s') has no tensor_size attribute",
                        rank->id, id, op->name);
        return 0;
    }
    return 1;
}

void asim_memory_op(struct asim_rank *rank, uint32_t index, const struct asim_op *op)
{
    const struct asim_memory *mem = &rank->world->memory;
    uint64_t ns;

    if (!check(rank, op))
        return;
    ns = mem->latency_ns + (uint64_t)((double)op->tensor_bytes / mem->bandwidth_gbps);
    asim_clock_add(rank, ns, &(struct asim_todo){.kind = ASIM_TODO_OP_DONE, .op = index});
}
