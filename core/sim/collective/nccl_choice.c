/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Which of NCCL's algorithms ncclAuto and ncclChoice take: the one that this network finishes
 * first, by an estimate (nccl_estimate.c). NCCL's own cost model knows no fabric, and its tables
 * are of other latencies than those that are simulated.
 *
 * Protocols are all Simple: what LL and LL128 save in latency is not simulated, and what they add
 * in bytes would be.
 *
 * Where the ranks have a machine, the time that NCCL's kernels and proxies take there counts, too
 * (core/nccl). ncclChoice takes NCCL's own choice for it, protocol included; only whether rings use
 * PXN is estimated. ncclAuto takes the algorithm that ends first by both, with NCCL's protocol for
 * it.
 */
#include "asim/topology.h"
#include "base/mem.h"
#include "base/text.h"
#include "coll/nccl.h"
#include "net/watch.h"
#include "topo/topo.h"
#include "sim/collective/machine.h"
#include "sim/collective/nccl_graph.h"
#include "sim/world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* GPUs of the generations of NVSwitches that reduce. */
static int reduces_in_nvswitch(const char *gpu)
{
    static const char *const names[] = {"H100", "H200", "H800",  "H20",  "B100",
                                        "B200", "B300", "GB200", "GB300"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(gpu, names[i]))
            return 1;
    return 0;
}

/* ns that the network takes alone. */
struct alone {
    double whole, way;
};

/* The quickest of the candidates; with a machine, of those with its algorithm (`only`, else 0). 1
 * if there is one. Every member gets the same answer, because nothing in it is of one member. */
static int choose(struct asim_world *world, const struct asim_ring_of *ring,
                  struct asim_nccl_spec *spec, int only, struct alone *alone)
{
    static const struct {
        int algo, pxn;
    } candidates[] = {{ASIM_NCCL_RING, 0},
                      {ASIM_NCCL_RING, 2},
                      {ASIM_NCCL_TREE, 0},
                      {ASIM_NCCL_NVLS, 0},
                      {ASIM_NCCL_NVLS_TREE, 0}};
    int has_nvls = !spec->by_ranks && reduces_in_nvswitch(world->set.topo.gpu_type);

    *alone = (struct alone){-1, 0};
    for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++) {
        struct asim_nccl_spec one = *spec;
        int is_nvls =
            candidates[i].algo == ASIM_NCCL_NVLS || candidates[i].algo == ASIM_NCCL_NVLS_TREE;
        double ns, way = 0;

        one.algo = candidates[i].algo;
        one.pxn = candidates[i].pxn;
        if (one.algo == ASIM_NCCL_RING && asim_world_machine_is_flat(world))
            asim_nccl_make_flat(&one);
        one.channels = asim_world_machine_channels(world, &one);
        if ((only && one.algo != only) || !asim_world_machine_allows(world, &one))
            continue;
        ns = is_nvls && !has_nvls ? -1 : asim_nccl_estimate(world, ring, one, &way);
        if (ns >= 0 && (alone->whole < 0 || ns < alone->whole)) {
            *alone = (struct alone){ns, way};
            *spec = one;
        }
    }
    return alone->whole >= 0;
}

/* Once for each kind of collective and algorithm, of the first group and size that take it. */
static void say(struct asim_world *world, const struct asim_nccl_spec *spec)
{
    static const char *const words[] = {[ASIM_NCCL_RING] = "ring",
                                        [ASIM_NCCL_TREE] = "tree",
                                        [ASIM_NCCL_NVLS] = "NVLS",
                                        [ASIM_NCCL_NVLS_TREE] = "tree"};
    uint64_t bit = 1ull << (spec->coll_type % 8 * 8 + spec->algo % 4 * 2 + (spec->pxn != 0));
    struct asim_err ignored = {0};
    struct asim_nccl made;
    uint32_t channels;
    char gpus[64];

    if ((world->made.nccl_said & bit) || asim_nccl_choose(&made, spec, &ignored))
        return;
    world->made.nccl_said |= bit;
    channels = made.channels;
    if (spec->algo == ASIM_NCCL_TREE || spec->algo == ASIM_NCCL_NVLS_TREE)
        channels *= 2;
    if (spec->first)
        snprintf(gpus, sizeof gpus, "%u GPUs of %u servers", spec->ranks, made.servers);
    else
        snprintf(gpus, sizeof gpus, "%u x %u GPU%s", made.servers, made.local,
                 asim_text_s(made.local));
    asim_world_diagnose(world, "follows NCCL: %s of %llu bytes: %u %s%s%s over %s%s, %s",
                        asim_coll_type_key(spec->coll_type), (unsigned long long)spec->bytes,
                        channels, words[spec->algo],
                        spec->algo == ASIM_NCCL_NVLS ? "" : asim_text_s(channels),
                        spec->algo == ASIM_NCCL_NVLS_TREE ? " with NVLS" : "", gpus,
                        spec->pxn ? ", PXN" : "", asim_nccl_proto_names[spec->proto]);
}

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

/* Members, their servers and the kind. */
static uint64_t key_of(const struct asim_ring_of *ring, const struct asim_nccl_spec *spec)
{
    uint64_t key = mix(mix(ring->n | (uint64_t)spec->root << 32, spec->gpus_per_server),
                       (uint64_t)spec->quickest << 10 | (uint64_t)spec->algo << 5 |
                           (uint64_t)spec->coll_type << 1 | (uint64_t)spec->by_ranks);

    if (!ring->members)
        return mix(mix(key, ring->base), ring->stride);
    for (uint32_t p = 0; p < ring->n; p++)
        key = mix(key, ring->members[p]);
    return key;
}

/* The machine's times were measured over a network, so what this one takes alone is a part of them:
 * of the launch, where its latencies are longer, and of the work, but for the way of one piece. A
 * piece waits as a whole at the kernel and in the network, so work and network together take the
 * root of the sum of their squares; a network that alone takes longer paces the sends itself. */
static void take_off(struct asim_nccl_choice *plan, const struct alone *alone)
{
    double least = (double)plan->least_ns,
           start = fmin((double)plan->start_ns, least - alone->whole);
    double busy;

    start = fmax(start, 0);
    busy = fmax(fmin((double)plan->busy_ns, least - start - alone->way), 0);
    plan->start_ns = (uint64_t)start;
    plan->busy_ns = (uint64_t)sqrt(fmax(busy * busy - alone->whole * alone->whole, 0));
}

/* Of what the machine can do, the algorithm whose kernels and network end first. 0 where the ranks
 * have no machine. */
static int choose_quickest(struct asim_world *world, const struct asim_ring_of *ring,
                           struct asim_nccl_spec *spec, struct asim_nccl_choice *plan,
                           struct alone *alone)
{
    static const int algos[] = {ASIM_NCCL_RING, ASIM_NCCL_TREE, ASIM_NCCL_NVLS,
                                ASIM_NCCL_NVLS_TREE};
    double best = -1;

    for (size_t i = 0; i < sizeof algos / sizeof *algos; i++) {
        struct asim_nccl_spec asked = *spec, one = *spec;
        struct asim_nccl_choice its;
        struct alone its_alone;
        double ns;

        asked.algo = algos[i];
        if (!asim_world_machine_plan(world, &asked, &its))
            continue;
        one.proto = its.proto;
        if (its.algo != algos[i] || !choose(world, ring, &one, its.algo, &its_alone))
            continue;
        ns = fmax((double)its.least_ns, its_alone.whole);
        if (best < 0 || ns < best) {
            best = ns;
            *spec = one;
            *plan = its;
            *alone = its_alone;
        }
    }
    return best >= 0;
}

static struct asim_nccl_choice plan_of(struct asim_world *world, const struct asim_ring_of *ring,
                                       struct asim_nccl_spec spec)
{
    struct asim_nccl_choice plan = {0};
    struct asim_nccl_spec chosen = spec;
    struct alone alone = {0, 0};
    double ignored;
    int is_known = asim_world_machine_plan(world, &spec, &plan);

    chosen.proto = plan.proto;
    chosen.algo = ASIM_NCCL_RING;
    if (spec.algo == ASIM_NCCL_DIRECT)
        alone.whole = asim_nccl_estimate(world, ring, spec, &ignored); /* of a message */
    else if (!(spec.quickest && choose_quickest(world, ring, &chosen, &plan, &alone)) &&
             (!is_known || !choose(world, ring, &chosen, plan.algo, &alone)))
        choose(world, ring, &chosen, 0, &alone); /* NVLS gathers and scatters nothing here */
    take_off(&plan, &alone);
    if (spec.algo == ASIM_NCCL_TUNED)
        say(world, &chosen);
    plan.algo = chosen.algo;
    plan.proto = chosen.proto;
    plan.pxn = chosen.pxn;
    plan.channels = chosen.channels;
    plan.is_flat = chosen.gpus_per_server < spec.gpus_per_server;
    return plan;
}

int asim_nccl_choice(struct asim_world *world, const struct asim_ring_of *ring,
                     const struct asim_nccl_spec *spec, struct asim_nccl_choice *choice,
                     struct asim_err *err)
{
    uint64_t *slot;

    pthread_mutex_lock(&world->made.lock);
    slot = asim_map_put(&world->made.nccl_choices, key_of(ring, spec), spec->bytes);
    if (slot && !*slot && !ASIM_VEC_PUSH(world->made.nccl_plans, plan_of(world, ring, *spec)))
        *slot = world->made.nccl_plans.n;
    if (slot && *slot)
        *choice = world->made.nccl_plans.at[*slot - 1];
    else
        slot = NULL;
    pthread_mutex_unlock(&world->made.lock);
    return slot ? 0 : asim_err_nomem(err, "choosing an algorithm");
}
