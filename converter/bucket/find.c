/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Collects the all-reduces of each group and holds the ranks to each other. Where work on the
 * result of an all-reduce comes before the next one, a run begins: merging across it would make a
 * circle.
 */
#include "bucket/bucket.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"

int asim_bucket_open(const struct asim_buckets *buckets, uint32_t rank,
                     const struct asim_diagnostics *notes, struct asim_graph *graph, char **path,
                     struct asim_err *err)
{
    const struct asim_repair_options strict = {
        .no_break = 1, .notes = notes ? *notes : (struct asim_diagnostics){0}};
    int code = asim_trace_path(buckets->input, rank, path, err);

    if (!code)
        code = asim_graph_read(graph, *path, rank, &strict, err);
    return code ? code : asim_graph_order(graph, &strict, err);
}

/* "0" and no name mean the same group: all ranks. */
static const char *group_of(const struct asim_graph *graph, const struct asim_rnode *node)
{
    const char *name = asim_names_get(&graph->names, node->group);

    return strcmp(name, "0") ? name : "";
}

static int is_all_reduce(const struct asim_rnode *node)
{
    return node->type == ASIM_OP_COMM_COLL && node->kind == ASIM_ALL_REDUCE &&
           !(node->flags & ASIM_RN_REMOVED);
}

static int by_id(const void *ctx, uint32_t a, uint32_t b)
{
    const struct asim_rnode *node = ctx;

    return (uint64_t)node[a].id < (uint64_t)node[b].id;
}

uint32_t *asim_bucket_members(const struct asim_graph *graph, const char *group, size_t *n)
{
    uint32_t *at = malloc((graph->node.n + 1) * sizeof *at);

    *n = 0;
    for (uint32_t i = 0; at && i < graph->node.n; i++)
        if (is_all_reduce(&graph->node.at[i]) &&
            !strcmp(group_of(graph, &graph->node.at[i]), group))
            at[(*n)++] = i;
    if (at && !asim_sort_u32(at, *n, by_id, graph->node.at))
        return at;
    free(at);
    return NULL;
}

/* What is known of the nodes of a rank, for one group. */
struct walk {
    const struct asim_graph *graph;
    uint32_t *number; /* of an all-reduce of the group, from 1; 0 = another node */
    uint32_t *uses;   /* how often results of such all-reduces were worked on before */
};

/* Dependencies come first in topo. */
static void count_uses(struct walk *w)
{
    const struct asim_graph *graph = w->graph;

    for (size_t t = 0; t < graph->node.n; t++) {
        uint32_t i = graph->topo[t], n = graph->node.at[i].data_n + graph->node.at[i].ctrl_n;

        for (uint32_t k = 0; k < n; k++) {
            uint32_t dep = graph->dep.at[graph->node.at[i].dep_at + k], uses;

            if (dep == ASIM_NONE)
                continue;
            uses = w->uses[dep] + (w->number[dep] && !w->number[i]);
            w->uses[i] = uses > w->uses[i] ? uses : w->uses[i];
        }
    }
}

/* 1 if the all-reduce waits for one of a later call. */
static int waits_for_later(const struct walk *w, uint32_t i)
{
    const struct asim_rnode *node = &w->graph->node.at[i];

    for (uint32_t k = 0; k < node->data_n + node->ctrl_n; k++) {
        uint32_t dep = w->graph->dep.at[node->dep_at + k];

        if (dep != ASIM_NONE && w->number[dep] > w->number[i])
            return 1;
    }
    return 0;
}

/* "all-reduce number 3 of group 1 ('…') <what>". */
static int refuse(const struct walk *w, const struct asim_bucket_group *group, size_t k,
                  const char *what, struct asim_err *err)
{
    char safe[60];

    return asim_err_set(
        err, ASIM_EINVAL, "%s: all-reduce number %zu of group %s %s.", w->graph->path, k + 1,
        *group->name ? asim_text_safe(safe, sizeof safe, group->name) : "of all ranks", what);
}

/* The sequence of a rank against that of the ranks before, which is empty at the first. */
static int compare(struct asim_bucket_group *group, const struct walk *w, const uint32_t *at,
                   size_t n, struct asim_err *err)
{
    uint64_t sum = 0;
    uint32_t uses = 0;
    int is_first = !group->ranks++;

    if (is_first)
        group->first_rank = w->graph->rank;
    for (size_t k = 0; k < n; k++) {
        const struct asim_rnode *node = &w->graph->node.at[at[k]];

        if (!node->bytes || node->bytes > INT64_MAX - sum)
            return refuse(w, group, k, "has no size; `asim trace repair` fills it in", err);
        if (w->uses[at[k]] < uses || waits_for_later(w, at[k]))
            return refuse(w, group, k,
                          "has a higher id than one that waits for it; expected ids in the order "
                          "of the calls",
                          err);
        sum += node->bytes;
        if (is_first && (ASIM_VEC_PUSH(group->ends, sum) || ASIM_VEC_PUSH(group->begins, !k)))
            return asim_err_nomem(err, "reading buckets");
        if (k >= group->ends.n || group->ends.at[k] != sum)
            return refuse(
                w, group, k,
                "is not that of the other ranks; `asim trace check` tells how they differ", err);
        group->begins.at[k] |= w->uses[at[k]] != uses;
        uses = w->uses[at[k]];
    }
    return n == group->ends.n
               ? 0
               : refuse(w, group, n, "is missing; `asim trace check` tells how ranks differ", err);
}

static struct asim_bucket_group *group_named(struct asim_buckets *buckets, const char *name)
{
    struct asim_bucket_group fresh = {.ranks = 0};
    uint32_t number = asim_names_put(&buckets->names, name, strlen(name));

    if (number == ASIM_NONE ||
        (number == buckets->groups.n && ASIM_VEC_PUSH(buckets->groups, fresh)))
        return NULL;
    buckets->groups.at[number].name = asim_names_get(&buckets->names, number);
    return &buckets->groups.at[number];
}

static int find_group(struct asim_buckets *buckets, const struct asim_graph *graph,
                      const char *name, struct asim_err *err)
{
    struct walk w = {.graph = graph,
                     .number = calloc(graph->node.n + 1, sizeof *w.number),
                     .uses = calloc(graph->node.n + 1, sizeof *w.uses)};
    struct asim_bucket_group *group;
    uint32_t *at = NULL;
    size_t n = 0;

    if (w.number && w.uses)
        at = asim_bucket_members(graph, name, &n);
    if (!at) {
        asim_err_nomem(err, "reading buckets");
    } else if (n) {
        for (size_t k = 0; k < n; k++)
            w.number[at[k]] = (uint32_t)k + 1;
        count_uses(&w);
        group = group_named(buckets, name);
        if (group)
            compare(group, &w, at, n, err);
        else
            asim_err_nomem(err, "reading buckets");
    }
    ASIM_FREE(at, w.number, w.uses);
    return err->code;
}

static int find_of_rank(struct asim_buckets *buckets, uint32_t rank, struct asim_err *err)
{
    struct asim_graph graph = {0};
    char *path = NULL;
    int code = asim_bucket_open(buckets, rank, &buckets->notes, &graph, &path, err);

    if (!code)
        code = find_group(buckets, &graph, "", err);
    for (size_t i = 0; !code && i < graph.names.all.n; i++)
        if (strcmp(graph.names.all.at[i], "") && strcmp(graph.names.all.at[i], "0"))
            code = find_group(buckets, &graph, graph.names.all.at[i], err);
    asim_graph_fini(&graph);
    free(path);
    return code;
}

int asim_bucket_find(struct asim_buckets *buckets, struct asim_err *err)
{
    for (uint32_t rank = 0; rank < buckets->ranks; rank++)
        if (find_of_rank(buckets, rank, err))
            return err->code;
    return 0;
}
