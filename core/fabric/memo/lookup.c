/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The memo's lookup (lookup.h).
 */
#include "fabric/memo/lookup.h"

#include <stdlib.h>

/* SEEN: hashes that the memo remembers, 2 MB or so. HASHED_PATHS: injections whose paths go into a
 * hash. */
enum { SEEN = 1 << 16, HASHED_PATHS = 256 };

/* Adds a word to a hash; every bit of the word counts. */
static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
    return hash ^ hash >> 29;
}

/* Of the injections of a host at the time `first`. The caller sums up the hashes of all hosts, so
 * the order of hosts has no influence. */
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
            uint64_t t = own->deferred.at[0].injection.t;

            first = t < first ? t : first;
        }
    for (uint32_t l = 0; l < fabric->workers.n; l++)
        for (size_t i = 0; i < fabric->workers.at[l].deferring.n; i++)
            *hash += hash_host(fabric, fabric->workers.at[l].deferring.at[i], first, &routed);
    return first;
}

int asim_lookup_seen(struct asim_memo *memo, uint64_t hash)
{
    uint64_t *times = memo->seen.n < SEEN ? asim_map_put(&memo->seen, hash, memo->idle_state)
                                          : asim_map_get(&memo->seen, hash, memo->idle_state);

    return times && (*times)++;
}

/* Whether the n injections of a host are the first n of the episode, and the episode has no other
 * one due before lookup->until. */
static int matches(const struct asim_episode_part *part, const struct asim_memo_message *at,
                   size_t n, const struct asim_lookup *lookup)
{
    if (n > part->injections.n)
        return 0;
    for (size_t i = 0; i < n; i++) {
        struct asim_injection injection = at[i].injection;

        injection.t -= lookup->offset;
        if (!asim_injection_is_same(&injection, &part->injections.at[i]))
            return 0;
    }
    return n == part->injections.n || part->injections.at[n].t >= lookup->until;
}

/* The lookup needs paths only once a hash matches. In a tree all paths are 0. */
static void route_deferred(struct asim_fabric *fabric)
{
    for (uint32_t l = 0; l < fabric->workers.n && !fabric->memo->is_tree; l++)
        for (size_t h = 0; h < fabric->workers.at[l].deferring.n; h++) {
            uint32_t v = fabric->workers.at[l].deferring.at[h];
            struct asim_memo_host *own = &fabric->memo->host[v];

            for (size_t i = 0; i < own->deferred.n; i++)
                asim_injection_route(fabric, v, &own->deferred.at[i].injection);
        }
}

/* At the begin of an episode all its injections so far are deferred. */
static int matches_deferred(const struct asim_fabric *fabric, const struct asim_episode *episode,
                            const struct asim_lookup *lookup)
{
    const struct asim_memo_host *host = fabric->memo->host;

    for (uint32_t l = 0; l < fabric->workers.n; l++)
        for (size_t i = 0; i < fabric->workers.at[l].deferring.n; i++)
            if (!episode->part[fabric->workers.at[l].deferring.at[i]].injections.n)
                return 0;
    for (size_t i = 0; i < episode->who.n; i++) {
        uint32_t v = episode->who.at[i];

        if (!matches(&episode->part[v], host[v].deferred.at, host[v].deferred.n, lookup))
            return 0;
    }
    return 1;
}

/* During the replay of another episode. Injections deferred past its end exclude a match. */
static int matches_accepted(const struct asim_fabric *fabric, const struct asim_episode *episode,
                            const struct asim_lookup *lookup)
{
    for (uint32_t v = 0; v < fabric->set.hosts; v++) {
        const struct asim_memo_host *own = &fabric->memo->host[v];

        if (own->surplus.n || own->deferred.n ||
            !matches(&episode->part[v], own->accepted.at, own->accepted.n, lookup))
            return 0;
    }
    return 1;
}

struct asim_episode *asim_lookup_episode(struct asim_fabric *fabric,
                                         const struct asim_lookup *lookup)
{
    struct asim_memo *memo = fabric->memo;
    int routed = memo->replaying != NULL;

    for (struct asim_episode **link = &memo->episodes; *link; link = &(*link)->next) {
        struct asim_episode *episode = *link;

        if (episode->hash != lookup->hash || episode->idle_state != memo->idle_state)
            continue;
        if (!routed++)
            route_deferred(fabric);
        if (!(memo->replaying ? matches_accepted(fabric, episode, lookup)
                              : matches_deferred(fabric, episode, lookup)))
            continue;
        *link = episode->next;
        episode->next = memo->episodes;
        memo->episodes = episode;
        return episode;
    }
    return NULL;
}
