/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Assigns a parent to nodes whose parent is not in the file: without it they would be lost with all
 * their kernels. PyTorch numbers ops as they begin. An op whose callees have numbers on both sides
 * of the orphan's number was open when the orphan began, so the innermost such op of its thread
 * called the orphan, through the missing nodes. Under the root of the thread the orphan would come
 * after later work of its caller, because callees are visited before the next child of the root.
 */
#include <stdlib.h>
#include <string.h>
#include "link/host.h"

#define OUTSIDE (UINT32_MAX - 1) /* not on a path of growing ids from a thread's root */

struct assignment {
    struct asim_host_trace *host;
    size_t live;
    uint32_t *last;  /* position in host->order of a node's last descendant */
    uint32_t *below; /* the op that was open when the node began, ASIM_NONE = none, or OUTSIDE */
    uint32_t *open;  /* innermost open op by thread number */
    size_t threads;
};

/* A descendant with a smaller id than its caller has no effect. */
static void find_last(struct assignment *a)
{
    const struct asim_host_trace *host = a->host;

    for (size_t k = a->live; k--;) {
        uint32_t at = host->order[k], up = asim_index_get(&host->by_id, host->node.at[at].parent);

        if (a->last[at] < k)
            a->last[at] = (uint32_t)k;
        if (up != ASIM_NONE && a->last[up] < a->last[at])
            a->last[up] = a->last[at];
    }
}

/* Every path up from an open op goes by smaller ids to a root, so callers cannot form a cycle. */
static void enter(struct assignment *a, uint32_t at, uint32_t *open)
{
    a->below[at] = *open;
    *open = at;
}

static void place(struct assignment *a, size_t k, const struct asim_host_roots *roots)
{
    struct asim_host_trace *host = a->host;
    uint32_t at = host->order[k];
    struct asim_host_node *node = &host->node.at[at];
    int64_t root = node->tid < roots->n ? roots->at[node->tid] : -1;
    uint32_t up = asim_index_get(&host->by_id, node->parent), *open = &a->open[node->tid];

    while (*open != ASIM_NONE && a->last[*open] < k)
        *open = a->below[*open];
    if (root < 0)
        root = roots->other;
    if (node->id == root) {
        enter(a, at, open);
    } else if (up == ASIM_NONE && root >= 0) {
        node->parent = *open == ASIM_NONE ? root : host->node.at[*open].id;
        host->parents_assigned++;
        enter(a, at, open);
    } else if (up != ASIM_NONE && a->below[up] != OUTSIDE && host->node.at[up].tid == node->tid) {
        enter(a, at, open);
    }
}

static int any(const struct asim_host_trace *host, size_t live)
{
    size_t i = 0;

    while (i < live &&
           asim_index_get(&host->by_id, host->node.at[host->order[i]].parent) != ASIM_NONE)
        i++;
    return i < live;
}

int asim_host_adopt(struct asim_host_trace *host, const struct asim_host_roots *roots)
{
    struct assignment a = {.host = host, .live = host->node.n - (size_t)host->duplicates};

    host->parents_assigned = 0;
    if (!any(host, a.live))
        return 0;
    for (size_t i = 0; i < host->node.n; i++)
        if (a.threads <= host->node.at[i].tid)
            a.threads = (size_t)host->node.at[i].tid + 1;
    a.last = calloc(host->node.n, sizeof *a.last);
    a.below = malloc(host->node.n * sizeof *a.below);
    a.open = malloc(a.threads * sizeof *a.open);
    if (a.last && a.below && a.open) {
        for (size_t i = 0; i < host->node.n; i++)
            a.below[i] = OUTSIDE;
        memset(a.open, 0xff, a.threads * sizeof *a.open); /* ASIM_NONE */
        find_last(&a);
        for (size_t k = 0; k < a.live; k++)
            place(&a, k, roots);
    }
    ASIM_FREE(a.last, a.below, a.open);
    return a.last && a.below && a.open ? 0 : ASIM_ENOMEM;
}
