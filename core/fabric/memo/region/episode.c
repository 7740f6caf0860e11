/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Begin, end and memory of an episode (episode.h).
 */
#include "fabric/memo/region/episode.h"

#include <stdlib.h>

#include "fabric/node.h"

struct asim_episode *asim_episode_new(const struct asim_fabric *fabric)
{
    struct asim_episode *episode = calloc(1, sizeof *episode);

    if (!episode)
        return NULL;
    episode->part = calloc(fabric->set.hosts + 1, sizeof *episode->part);
    if (episode->part)
        return episode;
    asim_episode_free(episode, fabric->set.hosts);
    return NULL;
}

int asim_episode_begin(struct asim_fabric *fabric, struct asim_episode *episode, uint64_t begin)
{
    if (!episode->counts)
        episode->counts = malloc((asim_counters_size(fabric) + 1) * sizeof *episode->counts);
    if (!episode->counts)
        return ASIM_ENOMEM;
    episode->hops = asim_counters_hops(fabric);
    episode->who.n = episode->deltas.n = 0;
    episode->begin = begin;
    episode->unreplayable = asim_counters_unreplayable(fabric);
    episode->not_replayable = 0;
    episode->bytes = 0;
    for (uint32_t v = 0; v < fabric->set.hosts; v++)
        episode->part[v].injections.n = episode->part[v].completions.n = 0;
    asim_counters_save(fabric, episode->counts);
    return asim_before_save(fabric);
}

/* Accepts an episode whose allocation failed half-way. */
void asim_episode_free(struct asim_episode *episode, uint32_t hosts)
{
    for (uint32_t v = 0; episode->part && v < hosts; v++) {
        free(episode->part[v].injections.at);
        free(episode->part[v].completions.at);
    }
    free(episode->part);
    free(episode->counts);
    free(episode->who.at);
    free(episode->deltas.at);
    asim_episode_state_free(&episode->state);
    free(episode);
}

int asim_episode_end(struct asim_fabric *fabric, struct asim_episode *episode, uint64_t end)
{
    int code = asim_counters_deltas(fabric, episode->counts, &episode->deltas);

    free(episode->counts);
    episode->counts = NULL;
    episode->hops = asim_counters_hops(fabric) - episode->hops;
    episode->not_replayable |= episode->unreplayable != asim_counters_unreplayable(fabric);
    episode->length = end - episode->begin;
    for (uint32_t v = 0; v < fabric->set.hosts; v++) {
        const struct asim_episode_part *part = &episode->part[v];

        if ((part->injections.n || part->completions.n) && ASIM_VEC_PUSH(episode->who, v))
            code = ASIM_ENOMEM;
        episode->bytes += part->injections.cap * sizeof(struct asim_injection) +
                          part->completions.cap * sizeof(struct asim_recorded_completion);
    }
    if (!code)
        code = asim_episode_state_save(fabric, episode);
    episode->bytes += sizeof *episode + asim_episode_state_bytes(&episode->state) +
                      fabric->set.hosts * sizeof *episode->part +
                      episode->who.cap * sizeof *episode->who.at +
                      episode->deltas.cap * sizeof *episode->deltas.at;
    return code;
}
