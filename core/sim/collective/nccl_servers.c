/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The servers of communicators. Even ones cost a walk over their members; the others are found by a
 * hash of their members, and their order is kept for the run.
 */
#include "sim/collective/nccl_servers.h"
#include "sim/world.h"
#include "sim/collective/machine.h"
#include "sim/rank/rank_shard.h"
#include "topo/pair.h"
#include "topo/topo.h"

#include <stdlib.h>

struct asim_nccl_servers {
    struct asim_nccl_servers *next;
    uint32_t n, local; /* servers; members of each, 0 where they differ */
    uint32_t *first;   /* [n + 1] struct asim_nccl_spec */
    uint32_t members[];
};

/* A hash of the ring's members, in order. */
static uint64_t key_of(const struct asim_ring_of *ring)
{
    uint64_t key = ring->n;

    for (uint32_t p = 0; p < ring->n; p++)
        key = asim_mix64(key + asim_ring_rank(ring, p));
    return key;
}

/* GPUs of a server: the number in the algorithm's name, else the topology's, else one. */
static uint32_t server_size(const struct asim_world *world, const struct asim_coll_choice *word)
{
    if (word->window)
        return word->window;
    return world->set.topo.gpus_per_server ? world->set.topo.gpus_per_server : 1;
}

/* The rank in the job where the algorithm's name says how large servers are; else the host of the
 * topology, wherever ranks are placed. */
static uint32_t gpu_of(const struct asim_rank *rank, const struct asim_coll_choice *word,
                       uint32_t member)
{
    const struct asim_world *world = rank->world;

    if (word->window || !world->set.route)
        return member - rank->job->first;
    return asim_topo_external_id(&world->set.topo, member);
}

/* Members in each server; 0 where servers have different numbers of members, or GPUs do not ascend.
 */
static uint32_t local_of(const struct asim_rank *rank, const struct asim_coll_choice *word,
                         const struct asim_ring_of *ring)
{
    uint32_t local = 0, before = 0, size = server_size(rank->world, word);

    for (uint32_t p = 0; p < ring->n; p++) {
        uint32_t gpu = gpu_of(rank, word, asim_ring_rank(ring, p));
        int is_same = !p || gpu / size == before / size;

        if (gpu < before || (local && is_same != (p % local != 0)))
            return 0;
        if (!local && !is_same)
            local = p;
        before = gpu;
    }
    local = local ? local : ring->n;
    return ring->n % local ? 0 : local;
}

/* Every member of a ring asks, so the answer is kept where the ring has a short name. */
static uint32_t known_local_of(const struct asim_rank *rank, const struct asim_coll_choice *word,
                               const struct asim_ring_of *ring)
{
    struct asim_world_made *made = &rank->world->made;
    uint64_t *slot, local;

    if (server_size(rank->world, word) < 2)
        return 1;
    if (ring->members || word->window)
        return local_of(rank, word, ring);
    pthread_mutex_lock(&made->lock);
    slot = asim_map_put(&made->nccl_locals, (uint64_t)ring->base << 32 | ring->stride, ring->n);
    local = slot && *slot ? *slot - 1 : local_of(rank, word, ring);
    if (slot)
        *slot = local + 1;
    pthread_mutex_unlock(&made->lock);
    return (uint32_t)local;
}

/* --- uneven ones --------------------------------------------------------------------------------
 */

/* Numbers the servers in the order of their first members: at[p] is that of the member at position
 * p. How many there are; 0 when out of memory. */
static uint32_t number_servers(const struct asim_rank *rank, const struct asim_coll_choice *word,
                               const struct asim_ring_of *ring, uint32_t *at)
{
    uint32_t n = 0, size = server_size(rank->world, word);
    struct asim_map numbers;

    asim_map_init(&numbers);
    for (uint32_t p = 0; p < ring->n; p++) {
        uint64_t *number =
            asim_map_put(&numbers, 0, gpu_of(rank, word, asim_ring_rank(ring, p)) / size);

        if (!number) {
            n = 0;
            break;
        }
        if (!*number)
            *number = ++n;
        at[p] = (uint32_t)*number - 1;
    }
    asim_map_fini(&numbers);
    return n;
}

/* A counting sort by server. */
static void sort(struct asim_nccl_servers *made, const struct asim_ring_of *ring,
                 const uint32_t *at)
{
    uint32_t *next = made->first + 1, size;

    for (uint32_t p = 0; p < ring->n; p++)
        if (at[p] + 1 < made->n)
            next[at[p] + 1]++;
    for (uint32_t i = 1; i < made->n; i++)
        next[i] += next[i - 1];
    for (uint32_t p = 0; p < ring->n; p++)
        made->members[next[at[p]]++] = asim_ring_rank(ring, p);
    size = made->first[1];
    made->local = size;
    for (uint32_t i = 1; i < made->n; i++)
        if (made->first[i + 1] - made->first[i] != size)
            made->local = 0;
}

/* Inside each server by GPU, so that GPUs of one place meet on their rail. */
static void sort_inside(struct asim_nccl_servers *made, const struct asim_rank *rank,
                        const struct asim_coll_choice *word)
{
    for (uint32_t i = 0; i < made->n; i++)
        for (uint32_t p = made->first[i] + 1; p < made->first[i + 1]; p++) {
            uint32_t member = made->members[p], gpu = gpu_of(rank, word, member), q = p;

            for (; q > made->first[i] && gpu_of(rank, word, made->members[q - 1]) > gpu; q--)
                made->members[q] = made->members[q - 1];
            made->members[q] = member;
        }
}

static struct asim_nccl_servers *make(const struct asim_rank *rank,
                                      const struct asim_coll_choice *word,
                                      const struct asim_ring_of *ring)
{
    uint32_t *at = malloc(ring->n * sizeof *at);
    uint32_t n = at ? number_servers(rank, word, ring, at) : 0;
    struct asim_nccl_servers *made =
        n ? calloc(1, sizeof *made + ((size_t)ring->n + n + 2) * sizeof *made->members) : NULL;

    if (made) {
        made->n = n;
        made->first = made->members + ring->n;
        sort(made, ring, at);
        sort_inside(made, rank, word);
    }
    free(at);
    return made;
}

static const struct asim_nccl_servers *find(const struct asim_rank *rank,
                                            const struct asim_coll_choice *word,
                                            const struct asim_ring_of *ring)
{
    struct asim_world_made *made = &rank->world->made;
    struct asim_nccl_servers *servers = NULL;
    uint64_t *slot;

    pthread_mutex_lock(&made->lock);
    slot = asim_map_put(&made->nccl_servers, key_of(ring), ring->n);
    if (slot && !*slot) {
        servers = make(rank, word, ring);
        *slot = (uint64_t)(uintptr_t)servers;
        if (servers) {
            servers->next = made->all_nccl_servers;
            made->all_nccl_servers = servers;
        }
    }
    servers = slot ? (struct asim_nccl_servers *)(uintptr_t)*slot : NULL;
    pthread_mutex_unlock(&made->lock);
    return servers;
}

/* The same members, server by server. */
static void order(const struct asim_nccl_servers *servers, struct asim_ring_of *ring)
{
    uint32_t own = asim_ring_rank(ring, ring->index), root = asim_ring_rank(ring, ring->root);

    for (uint32_t p = 0; p < ring->n; p++) {
        ring->index = servers->members[p] == own ? p : ring->index;
        ring->root = servers->members[p] == root ? p : ring->root;
    }
    ring->members = servers->members;
}

int asim_nccl_servers_find(struct asim_rank *rank, const struct asim_coll_choice *word,
                           struct asim_ring_of *ring, struct asim_nccl_spec *spec)
{
    uint32_t local = known_local_of(rank, word, ring);
    const struct asim_nccl_servers *servers;

    spec->gpus_per_server = local;
    if (local || word->window)
        return 0;
    servers = find(rank, word, ring);
    if (!servers)
        return ASIM_ENOMEM;
    order(servers, ring);
    spec->gpus_per_server = servers->local ? servers->local : (ring->n - 1) / servers->n + 1;
    spec->first = servers->local ? NULL : servers->first;
    spec->servers = servers->local ? 0 : servers->n;
    return 0;
}

/* --- rails --------------------------------------------------------------------------------------
 */

/* Links between two members; UINT32_MAX where there is no path. */
static uint32_t hops(struct asim_rank *rank, const struct asim_ring_of *ring, uint32_t p,
                     uint32_t q)
{
    const struct asim_world_setup *set = &rank->world->set;
    struct asim_host_pair hosts = {asim_ring_rank(ring, p), asim_ring_rank(ring, q)};
    struct asim_pair pair = {0};

    if (asim_pair_get(&pair, set->route, hosts, set->net.payload_bytes,
                      &rank->shard->scratch_err)) {
        asim_rank_record_failure(rank);
        return 0;
    }
    return pair.hops ? pair.hops : UINT32_MAX;
}

/* 1 if the members of all servers are the same of their GPUs. */
static int have_same_places(const struct asim_rank *rank, const struct asim_ring_of *ring,
                            uint32_t local)
{
    static const struct asim_coll_choice any = {0};
    uint32_t size = server_size(rank->world, &any);

    for (uint32_t p = local; p < ring->n; p++)
        if (gpu_of(rank, &any, asim_ring_rank(ring, p)) % size !=
            gpu_of(rank, &any, asim_ring_rank(ring, p % local)) % size)
            return 0;
    return 1;
}

/* Once for each. */
static void say(struct asim_world *world, int is_sized)
{
    uint64_t bit = 1ull << (ASIM_ALL_TO_ALL % 8 * 8 + is_sized);
    int is_said;

    pthread_mutex_lock(&world->made.lock);
    is_said = (world->made.nccl_said & bit) != 0;
    world->made.nccl_said |= bit;
    pthread_mutex_unlock(&world->made.lock);
    if (is_said)
        return;
    asim_world_diagnose(world, is_sized
                                   ? "all-to-all with a size for each pair goes straight from rail "
                                     "to rail; NCCL would hand it over to the GPU on the "
                                     "receiver's rail (PXN), so links between rails carry too much"
                                   : "follows NCCL: all-to-all by PXN: over NVLink to the GPU on "
                                     "the receiver's rail, which sends on");
}

uint32_t asim_nccl_servers_rails(struct asim_rank *rank, const struct asim_ring_of *ring,
                                 int is_sized)
{
    static const struct asim_coll_choice any = {0};
    struct asim_world *world = rank->world;
    uint32_t local, straight;

    if (world->set.settings.like != ASIM_LIKE_NCCL || !world->set.route || rank->failed ||
        !asim_world_machine_has_pxn(world))
        return 0;
    local = known_local_of(rank, &any, ring);
    if (local < 2 || local == ring->n || !have_same_places(rank, ring, local))
        return 0;
    straight = hops(rank, ring, 0, local + 1);
    if (hops(rank, ring, 1, local + 1) >= straight || hops(rank, ring, 0, 1) >= straight)
        return 0;
    say(world, is_sized);
    return is_sized ? 0 : local;
}

void asim_nccl_servers_fini(struct asim_world *world)
{
    struct asim_nccl_servers *servers;

    while ((servers = world->made.all_nccl_servers)) {
        world->made.all_nccl_servers = servers->next;
        free(servers);
    }
    asim_map_fini(&world->made.nccl_servers);
    asim_map_fini(&world->made.nccl_locals);
}
