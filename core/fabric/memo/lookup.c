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
    struct asim_runs_host *own = &fabric->runs->host[v];
    uint64_t hash = mix(1, v);

    for (size_t i = 0; i < own->held.n && own->held.at[i].feed.t == first; i++) {
        struct asim_run_send *feed = &own->held.at[i].feed;

        if (!fabric->runs->one_way && (*routed)++ < HASHED_PATHS)
            asim_run_send_route(fabric, v, feed);
        hash = mix(mix(mix(hash, feed->bytes), feed->dst), feed->path ^ feed->tie);
    }
    return hash;
}

uint64_t asim_recall_first(struct asim_fabric *fabric, uint64_t *hash)
{
    uint64_t first = ASIM_NEVER, routed = 0;

    *hash = 1;
    for (uint32_t l = 0; l < fabric->n_lanes; l++)
        for (size_t i = 0; i < fabric->lane[l].holders.n; i++) {
            const struct asim_runs_host *own = &fabric->runs->host[fabric->lane[l].holders.at[i]];

            first = own->held.at[0].feed.t < first ? own->held.at[0].feed.t : first;
        }
    for (uint32_t l = 0; l < fabric->n_lanes; l++)
        for (size_t i = 0; i < fabric->lane[l].holders.n; i++)
            *hash += hash_host(fabric, fabric->lane[l].holders.at[i], first, &routed);
    return first;
}

/* Whether the first n sends of a host are those of the episode, none of whose other ones was due
 * before `until` (both since its begin). */
static int agrees(const struct asim_episode_part *part, const struct asim_given *at, size_t n,
                  const uint64_t offset_until[2])
{
    if (n > part->feeds.n)
        return 0;
    for (size_t i = 0; i < n; i++) {
        struct asim_run_send feed = at[i].feed;

        feed.t -= offset_until[0];
        if (!asim_run_send_is_same(&feed, &part->feeds.at[i]))
            return 0;
    }
    return n == part->feeds.n || part->feeds.at[n].t >= offset_until[1];
}

/* The paths of what is held are asked for when they count; where all are the same they are 0. */
static void route_held(struct asim_fabric *fabric)
{
    for (uint32_t l = 0; l < fabric->n_lanes && !fabric->runs->one_way; l++)
        for (size_t h = 0; h < fabric->lane[l].holders.n; h++) {
            uint32_t v = fabric->lane[l].holders.at[h];
            struct asim_runs_host *own = &fabric->runs->host[v];

            for (size_t i = 0; i < own->held.n; i++)
                asim_run_send_route(fabric, v, &own->held.at[i].feed);
        }
}

/* At the begin: what is held is all there is. Hosts that send nothing agree if nothing is due. */
static int fits_held(const struct asim_fabric *fabric, const struct asim_episode *episode,
                     const uint64_t offset_until[2])
{
    const struct asim_runs_host *host = fabric->runs->host;

    for (uint32_t l = 0; l < fabric->n_lanes; l++)
        for (size_t i = 0; i < fabric->lane[l].holders.n; i++)
            if (!episode->part[fabric->lane[l].holders.at[i]].feeds.n)
                return 0;
    for (size_t i = 0; i < episode->who.n; i++) {
        uint32_t v = episode->who.at[i];

        if (!agrees(&episode->part[v], host[v].held.at, host[v].held.n, offset_until))
            return 0;
    }
    return 1;
}

/* While another one is played. What is held for after its end would have to be looked at, too: that
 * is left to the simulation. */
static int fits_given(const struct asim_fabric *fabric, const struct asim_episode *episode,
                      const uint64_t offset_until[2])
{
    for (uint32_t v = 0; v < fabric->hosts; v++) {
        const struct asim_runs_host *own = &fabric->runs->host[v];

        if (own->extra.n || own->held.n ||
            !agrees(&episode->part[v], own->given.at, own->given.n, offset_until))
            return 0;
    }
    return 1;
}

/* Takes an episode that goes on like this out of the list and puts it in front. */
struct asim_episode *asim_recall(struct asim_fabric *fabric, uint64_t hash,
                                 const uint64_t offset_until[2])
{
    int (*const fits)(const struct asim_fabric *, const struct asim_episode *, const uint64_t[2]) =
        fabric->runs->playing ? fits_given : fits_held;
    struct asim_runs *runs = fabric->runs;
    int routed = runs->playing != NULL;

    for (struct asim_episode **link = &runs->kept; *link; link = &(*link)->next) {
        struct asim_episode *episode = *link;

        if (episode->hash != hash || episode->residue != runs->residue)
            continue;
        if (!routed++)
            route_held(fabric);
        if (!fits(fabric, episode, offset_until))
            continue;
        *link = episode->next;
        episode->next = runs->kept;
        runs->kept = episode;
        return episode;
    }
    return NULL;
}

/* Whether something has begun like this before. At most SEEN beginnings are known. */
int asim_recall_begin(struct asim_runs *runs, uint64_t hash)
{
    uint64_t *times = runs->seen.n < SEEN ? asim_map_put(&runs->seen, hash, runs->residue)
                                          : asim_map_get(&runs->seen, hash, runs->residue);

    return times && (*times)++;
}
