/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Which host node owns each GPU operation, and the new numbers: host nodes by ascending id, each
 * followed at once by its GPU operations by start time (spec chakra.md 3.7). Where the launching op
 * is not in the host trace, the nearest op around it that is takes the operation over.
 *
 * parity: the published tools group by the launching op's External id, so two ops sharing one get
 * every operation twice; --compat does the same.
 */
#include "link/link.h"

#include <stdlib.h>
#include <string.h>

struct owned {
    const struct asim_kineto *kin;
    const int64_t *owner; /* of each GPU operation; -1 = nobody */
};

static int by_owner(const void *ctx, uint32_t a, uint32_t b)
{
    const struct owned *o = ctx;

    if (o->owner[a] != o->owner[b])
        return o->owner[a] < o->owner[b];
    return o->kin->gpu.at[a].ts < o->kin->gpu.at[b].ts;
}

/* Key under which a host node finds its GPU operations. */
static int64_t key_of(const struct asim_link *link, uint32_t host)
{
    uint32_t cpu = link->host.node.at[host].cpu;

    if (link->opt->compat)
        return link->kin.cpu.at[cpu].external;
    return link->host_of[cpu] == host ? (int64_t)host : INT64_MIN;
}

static int64_t owner_of(struct asim_link *link, const struct asim_kineto_gpu *gpu)
{
    uint32_t cpu = gpu->parent;

    if (cpu == ASIM_NONE)
        return INT64_MAX;
    if (link->opt->compat)
        return link->kin.cpu.at[cpu].external;
    while (cpu != ASIM_NONE && link->host_of[cpu] == ASIM_NONE)
        cpu = link->kin.enclosing[cpu];
    if (cpu == ASIM_NONE) {
        link->counts.not_in_host++;
        return INT64_MAX;
    }
    link->counts.moved += cpu != gpu->parent;
    return link->host_of[cpu];
}

static size_t first_with(const struct asim_link *link, const int64_t *owner, size_t n, int64_t key)
{
    size_t low = 0;

    while (low < n) {
        size_t middle = low + (n - low) / 2;

        if (owner[link->gpu_order[middle]] < key)
            low = middle + 1;
        else
            n = middle;
    }
    return low;
}

int asim_link_group(struct asim_link *link, struct asim_err *err)
{
    struct asim_kineto *kin = &link->kin;
    size_t n = kin->gpu.n, live = link->host.node.n - (size_t)link->host.duplicates;
    int64_t *owner = malloc((n + 1) * sizeof *owner);
    struct owned by = {kin, owner};

    link->gpu_order = asim_iota_u32(n);
    if (!owner || !link->gpu_order) {
        free(owner);
        return asim_err_nomem(err, "grouping GPU operations");
    }
    for (size_t i = 0; i < n; i++)
        owner[i] = owner_of(link, &kin->gpu.at[i]);
    if (asim_sort_u32(link->gpu_order, n, by_owner, &by)) {
        free(owner);
        return asim_err_nomem(err, "grouping GPU operations");
    }
    n = first_with(link, owner, n, INT64_MAX);
    link->gpu_linked = n;
    for (size_t i = 0; i < live; i++) {
        struct asim_host_node *node = &link->host.node.at[link->host.order[i]];
        int64_t key;
        size_t at;

        if (node->cpu == ASIM_NONE)
            continue;
        key = key_of(link, link->host.order[i]);
        at = key == INT64_MIN ? n : first_with(link, owner, n, key);
        node->gpu_at = (uint32_t)at;
        while (at < n && owner[link->gpu_order[at]] == key)
            at++;
        node->gpus = (uint32_t)(at - node->gpu_at);
    }
    free(owner);
    return 0;
}

int asim_link_number(struct asim_link *link, struct asim_err *err)
{
    struct asim_host *host = &link->host;
    size_t live = host->node.n - (size_t)host->duplicates, n = link->kin.gpu.n;
    uint64_t next = 0;

    link->gpu_id = malloc((n + 1) * sizeof *link->gpu_id);
    if (!link->gpu_id)
        return asim_err_nomem(err, "numbering nodes");
    memset(link->gpu_id, 0xff, (n + 1) * sizeof *link->gpu_id);
    for (size_t i = 0; i < live; i++) {
        struct asim_host_node *node = &host->node.at[host->order[i]];

        node->new_id = (uint32_t)next++;
        for (uint32_t k = 0; k < node->gpus; k++)
            link->gpu_id[link->gpu_order[node->gpu_at + k]] = (uint32_t)next++;
        link->counts.gpu_copies += node->gpus;
        if (next >= ASIM_NONE)
            return asim_err_set(err, ASIM_ENOMEM, "%s: more than 4 billion nodes.", host->path);
    }
    for (size_t i = 0; i < n; i++)
        link->counts.gpu_linked += link->gpu_id[i] != ASIM_NONE;
    return 0;
}
