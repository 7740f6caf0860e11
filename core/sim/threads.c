/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Gives a run its threads. A run on several threads of one process allocates nothing here: the
 * packet network partitions the topology by itself (fabric/clock/workers.c). With several processes
 * the partition into processes already fixes the thread of each node (distribution.h).
 */
#include "asim/asim.h"
#include "net/packets.h"
#include "sim/threads.h"
#include "sim/distributed/distribution.h"
#include "sim/rank/rank_shard.h"
#include "sim/world.h"

/* A process that simulates the whole network may use the cores of the other processes, too. */
static uint32_t thread_count(const struct asim_world *world)
{
    const struct asim_settings *settings = &world->set.settings;
    uint32_t n = settings->threads ? settings->threads : 1;

    return asim_world_is_unpartitioned(world) && settings->borrowed_cores
               ? n * settings->borrowed_cores
               : n;
}

static void diagnose_unpartitioned(const struct asim_world *world, uint32_t threads)
{
    asim_world_diagnose(world, "%s: the first of %u runs it, threads: %u",
                        world->set.topo.switches == 1
                            ? "a network of one switch stays in one process, because every frame "
                              "would cross"
                            : "a run of few events stays in one process, because it keeps ns-3's "
                              "order of simultaneous events (--order=fast divides it)",
                        world->set.settings.processes, threads);
}

/* Per-event mode advances one node at a time, so it has no work for a second thread. */
static void diagnose_per_event(const struct asim_world *world)
{
    asim_world_diagnose(world,
                        "the packet network runs frame by frame, so --threads has no effect");
}

int asim_threads_connect(struct asim_world *world, struct asim_err *err)
{
    const uint32_t *thread_of = asim_distribution_threads(world);
    int code, unpartitioned = asim_world_is_unpartitioned(world);
    uint32_t n = thread_count(world);
    const uint16_t *worker_of;

    if (unpartitioned ? world->set.settings.process != 0 : n < 2)
        return 0;
    if ((code = world->via.packets->use_threads(world->via.packet_net, n, thread_of, err)))
        return code;
    worker_of = world->via.packets->worker_of(world->via.packet_net, &n);
    if (unpartitioned)
        diagnose_unpartitioned(world, n);
    if (world->set.settings.threads > 1 && n == 1)
        diagnose_per_event(world);
    return asim_rank_shards_open(world, n, worker_of) ? asim_err_nomem(err, "setting up ranks") : 0;
}
