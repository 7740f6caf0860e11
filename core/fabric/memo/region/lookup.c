/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The memo's lookup (lookup.h).
 */
#include "fabric/memo/region/lookup.h"

#include <stdlib.h>

#include "fabric/memo/state/mix.h"

/* SEEN: hashes that the memo remembers, 2 MB or so. HASHED_PATHS: injections whose paths go into a
 * hash: an episode over other paths cannot be replayed. */
enum { SEEN = 1 << 16, HASHED_PATHS = 256 };

/* Of the injections of a host at the time `first`, with the first paths. */
static uint64_t hash_host(struct asim_fabric *fabric, uint32_t v, uint64_t first, uint32_t *paths)
{
    struct asim_memo_host *own = &fabric->memo->host[v];
    uint64_t hash = asim_mix_word(1, v);

    for (size_t i = 0; i < own->deferred.n && own->deferred.at[i].injection.t == first; i++) {
        struct asim_injection *injection = &own->deferred.at[i].injection;

        hash = asim_mix_word(asim_mix_word(asim_mix_word(hash, injection->bytes), injection->dst),
                             injection->tie);
        if (fabric->memo->is_tree || (*paths)++ >= HASHED_PATHS)
            continue;
        asim_injection_route(fabric, v, injection);
        hash = asim_mix_word(hash, injection->path);
    }
    return hash;
}

/* The sum over hosts needs no order of them. */
static uint64_t hash_all(struct asim_fabric *fabric, uint64_t first)
{
    uint64_t hash = 1;
    uint32_t paths = 0;

    for (uint32_t l = 0; l < fabric->workers.n; l++)
        for (size_t i = 0; i < fabric->workers.at[l].deferring.n; i++)
            hash += hash_host(fabric, fabric->workers.at[l].deferring.at[i], first, &paths);
    return hash;
}

uint64_t asim_lookup_first(struct asim_fabric *fabric, uint64_t *hash)
{
    uint64_t first = ASIM_NEVER;

    for (uint32_t l = 0; l < fabric->workers.n; l++)
        for (size_t i = 0; i < fabric->workers.at[l].deferring.n; i++) {
            const struct asim_memo_host *own =
                &fabric->memo->host[fabric->workers.at[l].deferring.at[i]];
            uint64_t t = own->deferred.at[0].injection.t;

            first = t < first ? t : first;
        }
    *hash = hash_all(fabric, first);
    return first;
}

int asim_lookup_seen(struct asim_memo *memo, uint64_t hash)
{
    uint64_t *times = memo->seen.n < SEEN ? asim_map_put(&memo->seen, hash, 0)
                                          : asim_map_get(&memo->seen, hash, 0);

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

/* The sends of a host so far: accepted, or deferred at the begin. */
static struct asim_memo_message *messages_of(struct asim_memo *memo, uint32_t v, size_t *n)
{
    struct asim_memo_host *own = &memo->host[v];

    *n = memo->replaying ? own->accepted.n : own->deferred.n;
    return memo->replaying ? own->accepted.at : own->deferred.at;
}

/* Sets the paths of all sends. Whether they are those of the episode. */
static int has_paths(struct asim_fabric *fabric, const struct asim_episode *episode)
{
    int same = 1;

    for (size_t h = 0; h < episode->who.n; h++) {
        uint32_t v = episode->who.at[h];
        size_t n;
        struct asim_memo_message *at = messages_of(fabric->memo, v, &n);

        for (size_t i = 0; i < n; i++) {
            asim_injection_route(fabric, v, &at[i].injection);
            same &= at[i].injection.path == episode->part[v].injections.at[i].path;
        }
    }
    return same;
}

/* Whether the paths so far and the state of the network fit. A tree has one path. */
static int fits(struct asim_fabric *fabric, const struct asim_episode *episode)
{
    return asim_episode_state_fits(fabric, episode) &&
           (fabric->memo->is_tree || has_paths(fabric, episode));
}

/* All sends so far are compared. */
static void set_compared(struct asim_memo *memo, const struct asim_episode *episode)
{
    for (size_t h = 0; h < episode->who.n; h++)
        messages_of(memo, episode->who.at[h], &memo->host[episode->who.at[h]].n_compared);
}

struct asim_episode *asim_lookup_episode(struct asim_fabric *fabric,
                                         const struct asim_lookup *lookup)
{
    struct asim_memo *memo = fabric->memo;

    for (struct asim_episode **link = &memo->episodes; *link; link = &(*link)->next) {
        struct asim_episode *episode = *link;

        if (episode->hash != lookup->hash ||
            !(memo->replaying ? matches_accepted(fabric, episode, lookup)
                              : matches_deferred(fabric, episode, lookup)) ||
            !fits(fabric, episode))
            continue;
        set_compared(memo, episode);
        *link = episode->next;
        episode->next = memo->episodes;
        memo->episodes = episode;
        return episode;
    }
    return NULL;
}

int asim_lookup_follows(struct asim_fabric *fabric)
{
    struct asim_memo *memo = fabric->memo;
    const struct asim_episode *episode = memo->replaying;

    for (size_t h = 0; !memo->is_tree && h < episode->who.n; h++) {
        uint32_t v = episode->who.at[h];
        struct asim_memo_host *own = &memo->host[v];

        for (; own->n_compared < own->accepted.n; own->n_compared++) {
            struct asim_injection *now = &own->accepted.at[own->n_compared].injection;

            asim_injection_route(fabric, v, now);
            if (now->path != episode->part[v].injections.at[own->n_compared].path)
                return 0;
        }
    }
    return 1;
}
