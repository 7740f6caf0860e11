/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Which known episode begins, or goes on, as the ranks do now (memo.h). Episodes are looked for by
 * a hash of what is sent in their first tick; that one fits is found by comparing every send there
 * has been, so the hash only saves time. Among those that fit the one used last is taken: ranks
 * that repeat themselves mostly do what they did just before.
 */
#include <stdlib.h>

#include "fabric/node.h"
#include "fabric/memo/memo.h"

/* Beginnings that are remembered, 2 MB or so; sends whose paths go into a hash, since to find a
 * path takes as long as three packet-hops. */
enum { SEEN = 1 << 16, HASHED_PATHS = 256 };

/* One word more into a hash, so that every bit of it matters. */
static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
    return hash ^ hash >> 29;
}

/* Of what a host sends at the time `first`. Summed up, so the order of hosts does not matter. */
static uint64_t hash_host(struct asim_fabric *fabric, uint32_t v, uint64_t first, uint64_t *routed)
{
    struct asim_memo_host *own = &fabric->memo->host[v];
    uint64_t hash = mix(1, v);

    for (size_t i = 0; i < own->deferred.n && own->deferred.at[i].injection.t == first; i++) {
        struct asim_injection *injection = &own->deferred.at[i].injection;

        if (!fabric->memo->is_tree && (*routed)++ < HASHED_PATHS)
            asim_injection_route(fabric, v, injection);
        hash =
            mix(mix(mix(hash, injection->bytes), injection->dst), injection->path ^ injection->tie);
    }
    return hash;
}

uint64_t asim_lookup_first(struct asim_fabric *fabric, uint64_t *hash)
{
    uint64_t first = ASIM_NEVER, routed = 0;

    *hash = 1;
    for (uint32_t l = 0; l < fabric->workers.n; l++)
        for (size_t i = 0; i < fabric->workers.at[l].deferring.n; i++) {
            const struct asim_memo_host *own =
                &fabric->memo->host[fabric->workers.at[l].deferring.at[i]];

            first =
                own->deferred.at[0].injection.t < first ? own->deferred.at[0].injection.t : first;
        }
    for (uint32_t l = 0; l < fabric->workers.n; l++)
        for (size_t i = 0; i < fabric->workers.at[l].deferring.n; i++)
            *hash += hash_host(fabric, fabric->workers.at[l].deferring.at[i], first, &routed);
    return first;
}

/* Whether the first n sends of a host are those of the episode, none of whose other ones was due
 * before `until` (both since its begin). */
static int agrees(const struct asim_episode_part *part, const struct asim_memo_message *at,
                  size_t n, const uint64_t offset_until[2])
{
    if (n > part->injections.n)
        return 0;
    for (size_t i = 0; i < n; i++) {
        struct asim_injection injection = at[i].injection;

        injection.t -= offset_until[0];
        if (!asim_injection_is_same(&injection, &part->injections.at[i]))
            return 0;
    }
    return n == part->injections.n || part->injections.at[n].t >= offset_until[1];
}

/* The paths of what is held are asked for when they count; where all are the same they are 0. */
static void route_held(struct asim_fabric *fabric)
{
    for (uint32_t l = 0; l < fabric->workers.n && !fabric->memo->is_tree; l++)
        for (size_t h = 0; h < fabric->workers.at[l].deferring.n; h++) {
            uint32_t v = fabric->workers.at[l].deferring.at[h];
            struct asim_memo_host *own = &fabric->memo->host[v];

            for (size_t i = 0; i < own->deferred.n; i++)
                asim_injection_route(fabric, v, &own->deferred.at[i].injection);
        }
}

/* At the begin: what is held is all there is. Hosts that send nothing agree if nothing is due. */
static int fits_held(const struct asim_fabric *fabric, const struct asim_episode *episode,
                     const uint64_t offset_until[2])
{
    const struct asim_memo_host *host = fabric->memo->host;

    for (uint32_t l = 0; l < fabric->workers.n; l++)
        for (size_t i = 0; i < fabric->workers.at[l].deferring.n; i++)
            if (!episode->part[fabric->workers.at[l].deferring.at[i]].injections.n)
                return 0;
    for (size_t i = 0; i < episode->who.n; i++) {
        uint32_t v = episode->who.at[i];

        if (!agrees(&episode->part[v], host[v].deferred.at, host[v].deferred.n, offset_until))
            return 0;
    }
    return 1;
}

/* While another one is played. What is held for after its end would have to be looked at, too: that
 * is left to the simulation. */
static int fits_given(const struct asim_fabric *fabric, const struct asim_episode *episode,
                      const uint64_t offset_until[2])
{
    for (uint32_t v = 0; v < fabric->set.hosts; v++) {
        const struct asim_memo_host *own = &fabric->memo->host[v];

        if (own->surplus.n || own->deferred.n ||
            !agrees(&episode->part[v], own->accepted.at, own->accepted.n, offset_until))
            return 0;
    }
    return 1;
}

/* Takes an episode that goes on like this out of the list and puts it in front. */
struct asim_episode *asim_lookup_episode(struct asim_fabric *fabric, uint64_t hash,
                                         const uint64_t offset_until[2])
{
    int (*const fits)(const struct asim_fabric *, const struct asim_episode *, const uint64_t[2]) =
        fabric->memo->replaying ? fits_given : fits_held;
    struct asim_memo *memo = fabric->memo;
    int routed = memo->replaying != NULL;

    for (struct asim_episode **link = &memo->episodes; *link; link = &(*link)->next) {
        struct asim_episode *episode = *link;

        if (episode->hash != hash || episode->idle_state != memo->idle_state)
            continue;
        if (!routed++)
            route_held(fabric);
        if (!fits(fabric, episode, offset_until))
            continue;
        *link = episode->next;
        episode->next = memo->episodes;
        memo->episodes = episode;
        return episode;
    }
    return NULL;
}

/* Whether something has begun like this before. At most SEEN beginnings are known. */
int asim_lookup_seen(struct asim_memo *memo, uint64_t hash)
{
    uint64_t *times = memo->seen.n < SEEN ? asim_map_put(&memo->seen, hash, memo->idle_state)
                                          : asim_map_get(&memo->seen, hash, memo->idle_state);

    return times && (*times)++;
}
