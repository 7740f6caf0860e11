/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Finds the host node that owns each GPU operation, and assigns new numbers: host nodes by
 * ascending id, each followed by its GPU operations by start time (chakra.md#renumbering). If the
 * launching op is not in the host trace, the nearest enclosing op in the host trace becomes the
 * owner; of nccl:coalesced, which has no caller, the latest op before it.
 *
 * parity: Chakra's tools group by the launching op's External id, so two ops with the same id get
 * every operation twice; --compat does the same.
 */
#include "link/link.h"

#include <stdlib.h>

struct owned {
    const struct asim_kineto *kin;
    const int64_t *owner; /* of each GPU operation; -1 = none */
};

/* By owner, then by start: the order in the file. */
static int by_owner(const void *ctx, uint32_t a, uint32_t b)
{
    const struct owned *o = ctx;

    if (o->owner[a] != o->owner[b])
        return o->owner[a] < o->owner[b];
    return o->kin->gpu.at[a].ts < o->kin->gpu.at[b].ts;
}

/* The key under which a host node finds its GPU operations. */
static int64_t key_of(const struct asim_linking *link, uint32_t host)
{
    uint32_t cpu = link->host.node.at[host].cpu;

    if (link->opt->compat)
        return link->kin.external.at[cpu];
    return link->host_of[cpu] == host ? (int64_t)host : INT64_MIN;
}

enum { MOST_BACK = 64 }; /* the calls of a group stand close before its end */

/* The latest op of the host trace that began on the thread before `cpu`, or ASIM_NONE. */
static uint32_t before_in_host(const struct asim_linking *link, uint32_t cpu)
{
    const struct asim_kineto *kin = &link->kin;
    uint32_t first = kin->thread_at[kin->cpu.at[cpu].thread], low = first,
             high = kin->thread_at[kin->cpu.at[cpu].thread + 1];

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (kin->cpu.at[kin->by_thread[middle]].ts < kin->cpu.at[cpu].ts)
            low = middle + 1;
        else
            high = middle;
    }
    for (int i = 0; i < MOST_BACK && low > first; i++)
        if (link->host_of[kin->by_thread[--low]] != ASIM_NONE)
            return kin->by_thread[low];
    return ASIM_NONE;
}

static int64_t owner_of(struct asim_linking *link, const struct asim_kineto_gpu *gpu)
{
    uint32_t cpu = gpu->parent;

    if (cpu == ASIM_NONE)
        return INT64_MAX;
    if (link->opt->compat)
        return link->kin.external.at[cpu];
    while (cpu != ASIM_NONE && link->host_of[cpu] == ASIM_NONE)
        cpu = link->kin.enclosing[cpu];
    if (cpu == ASIM_NONE && link->kin.cpu.at[gpu->parent].flags & ASIM_KIN_COALESCED)
        cpu = before_in_host(link, gpu->parent);
    if (cpu == ASIM_NONE) {
        link->counts.not_in_host++;
        return INT64_MAX;
    }
    link->counts.moved += cpu != gpu->parent;
    return link->host_of[cpu];
}

static size_t first_with(const uint32_t *order, const int64_t *owner, size_t n, int64_t key)
{
    size_t low = 0;

    while (low < n) {
        size_t middle = low + (n - low) / 2;

        if (owner[order[middle]] < key)
            low = middle + 1;
        else
            n = middle;
    }
    return low;
}

/* Numbers the node and its GPU operations, and appends these to the final order. */
static int number(struct asim_linking *link, uint32_t host, const uint32_t *order,
                  const int64_t *owner, size_t n)
{
    struct asim_host_node *node = &link->host.node.at[host];
    int64_t key = node->cpu == ASIM_NONE ? INT64_MIN : key_of(link, host);
    size_t at = key == INT64_MIN ? n : first_with(order, owner, n, key);

    node->new_id = (uint32_t)link->next_id++;
    for (; at < n && owner[order[at]] == key; at++) {
        if (link->gpu_order_n == link->gpu_order_cap &&
            asim_grow(&link->gpu_order, &link->gpu_order_cap, link->gpu_order_n + 1,
                      sizeof *link->gpu_order))
            return ASIM_ENOMEM;
        link->counts.gpu_linked += link->gpu_id[order[at]] == ASIM_NONE;
        link->gpu_id[order[at]] = (uint32_t)link->next_id++;
        link->gpu_order[link->gpu_order_n++] = order[at];
    }
    return 0;
}

static int number_all(struct asim_linking *link, const uint32_t *order, const int64_t *owner,
                      struct asim_err *err)
{
    struct asim_host_trace *host = &link->host;
    size_t live = host->node.n - (size_t)host->duplicates;
    size_t n = first_with(order, owner, link->kin.gpu.n, INT64_MAX);

    for (size_t i = 0; i < live; i++) {
        if (number(link, host->order[i], order, owner, n))
            return asim_err_nomem(err, "numbering nodes");
        if (link->next_id >= ASIM_NONE / 2)
            return asim_err_set(err, ASIM_ENOMEM, "%s: more than 2 billion nodes.", host->path);
    }
    return 0;
}

int asim_link_number(struct asim_linking *link, struct asim_err *err)
{
    struct asim_kineto *kin = &link->kin;
    size_t n = kin->gpu.n;
    int64_t *owner = malloc((n + 1) * sizeof *owner);
    uint32_t *order = asim_iota_u32(n);
    struct owned by = {kin, owner};
    int code = 0;

    link->gpu_id = malloc((n + 1) * sizeof *link->gpu_id);
    if (!owner || !order || !link->gpu_id)
        code = asim_err_nomem(err, "grouping GPU operations");
    for (size_t i = 0; i < n && !code; i++) {
        owner[i] = owner_of(link, &kin->gpu.at[i]);
        link->gpu_id[i] = ASIM_NONE;
    }
    if (!code && asim_sort_u32(order, n, by_owner, &by))
        code = asim_err_nomem(err, "grouping GPU operations");
    if (!code)
        code = number_all(link, order, owner, err);
    ASIM_FREE(owner, order);
    ASIM_KINETO_DROP(kin->external);
    return code;
}
