/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Writes the trace of a rank with the new buckets. A new one stands where the last recorded one
 * with its bytes stood, and is that node with another size and other dependencies.
 */
#include "bucket/bucket.h"

#include <inttypes.h>
#include <stdlib.h>

struct own {        /* what a rank has of a group */
    uint32_t *node; /* of each recorded all-reduce; NULL: the rank is not in the group */
    uint64_t *id;   /* of each new bucket */
};

struct work {
    const struct asim_buckets *buckets;
    struct asim_graph *graph;
    struct own *own;          /* of each group */
    uint32_t *group, *number; /* of a node that is an all-reduce of a group with new buckets */
    struct asim_graph_sink sink;
    struct asim_err *err;
};

static const struct asim_bucket_group *group_at(const struct work *w, uint32_t group)
{
    return &w->buckets->groups.at[group];
}

/* The first new bucket that ends with a recorded one takes its id, further ones new ids. */
static int number_buckets(struct work *w, uint32_t g, uint64_t *next)
{
    const struct asim_bucket_group *group = group_at(w, g);
    struct own *own = &w->own[g];
    size_t n;

    own->node = asim_bucket_members(w->graph, group->name, &n);
    own->id = malloc((group->made.n + 1) * sizeof *own->id);
    if (!own->node || !own->id)
        return ASIM_ENOMEM;
    for (size_t k = 0; k < n; k++) {
        w->group[own->node[k]] = g;
        w->number[own->node[k]] = (uint32_t)k;
    }
    for (size_t b = 0; n && b < group->made.n; b++) {
        uint32_t last = group->made.at[b].last;
        int is_further = b && group->made.at[b - 1].last == last;

        own->id[b] = is_further ? ++*next : (uint64_t)w->graph->node.at[own->node[last]].id;
    }
    return 0;
}

static int number_all(struct work *w)
{
    uint64_t next = 0;

    for (uint32_t i = 0; i < w->graph->node.n; i++) {
        uint64_t id = (uint64_t)w->graph->node.at[i].id;

        next = id > next ? id : next;
        w->group[i] = ASIM_NONE;
    }
    if (next > INT64_MAX)
        return asim_err_set(w->err, ASIM_EINVAL,
                            "%s: ids of %" PRIu64 " leave none for new buckets.", w->graph->path,
                            next);
    for (uint32_t g = 0; g < w->buckets->groups.n; g++)
        if (group_at(w, g)->made.n && number_buckets(w, g, &next))
            return asim_err_nomem(w->err, "writing buckets");
    return 0;
}

/* Adds a dependency once. */
static int add(struct work *w, uint64_t id, int is_data)
{
    struct asim_edit *edit = &w->sink.edit;
    const uint64_t *at = is_data ? edit->data.at : edit->ctrl.at;

    for (size_t n = is_data ? edit->data.n : edit->ctrl.n; n--;)
        if (at[n] == id)
            return 0;
    return is_data ? ASIM_VEC_PUSH(edit->data, id) : ASIM_VEC_PUSH(edit->ctrl, id);
}

/* The dependencies of a recorded node. Those on recorded buckets are on new ones; bucket is that of
 * group g which is being written, or ASIM_NONE. */
static int add_deps(struct work *w, uint32_t i, uint32_t g, uint32_t bucket)
{
    const struct asim_rnode *node = &w->graph->node.at[i];
    int code = 0;

    for (uint32_t k = 0; k < node->data_n + node->ctrl_n && !code; k++) {
        uint32_t dep = w->graph->dep.at[node->dep_at + k], last;

        if (dep == ASIM_NONE || w->graph->node.at[dep].flags & ASIM_RN_REMOVED)
            continue;
        if (w->group[dep] == ASIM_NONE) {
            code = add(w, (uint64_t)w->graph->node.at[dep].id, k < node->data_n);
            continue;
        }
        last = group_at(w, w->group[dep])->last.at[w->number[dep]];
        if (w->group[dep] != g || last != bucket)
            code = add(w, w->own[w->group[dep]].id[last], k < node->data_n);
    }
    return code;
}

/* The share of the recorded times that the new bucket has of the bytes. */
static int add_time(struct work *w, const struct asim_bucket_group *group,
                    const struct asim_bucket *bucket, const uint32_t *nodes, double *ns)
{
    *ns = 0;
    for (uint32_t k = bucket->first; k <= bucket->last; k++) {
        uint64_t begin = k ? group->ends.at[k - 1] : 0, end = group->ends.at[k];
        uint64_t from = begin > bucket->from ? begin : bucket->from,
                 to = end < bucket->to ? end : bucket->to;
        const ChakraProtoMsg__Node *record;
        int code =
            asim_chakra_at(w->graph->file, w->graph->node.at[nodes[k]].place, &record, w->err);

        if (code)
            return code;
        *ns += asim_edit_ns(record) * (double)(to - from) / (double)(end - begin);
    }
    return 0;
}

/* Parts of one recorded all-reduce follow each other, as kernels of a communicator do. */
static int write_bucket(struct work *w, uint32_t g, uint32_t b)
{
    const struct asim_bucket_group *group = group_at(w, g);
    const struct asim_bucket *bucket = &group->made.at[b];
    const ChakraProtoMsg__Node *record;
    ChakraProtoMsg__Node copy;
    double ns;
    int code = 0;

    asim_edit_begin(&w->sink.edit);
    for (uint32_t k = bucket->first; k <= bucket->last && !code; k++)
        code = add_deps(w, w->own[g].node[k], g, b);
    if (!code && b && bucket[-1].last == bucket->first)
        code = add(w, w->own[g].id[b - 1], 1);
    if (code)
        return asim_err_nomem(w->err, "writing buckets");
    code = add_time(w, group, bucket, w->own[g].node, &ns);
    if (!code)
        code = asim_chakra_at(w->graph->file, w->graph->node.at[w->own[g].node[bucket->last]].place,
                              &record, w->err);
    if (code)
        return code;
    copy = *record;
    copy.id = w->own[g].id[b];
    copy.duration_micros = ns > 0 && ns < 1000 ? 1 : (uint64_t)(ns / 1000 + 0.5);
    if (asim_edit_attr(record, "duration_ns"))
        asim_edit_set_int(&w->sink.edit, "duration_ns", (int64_t)(ns + 0.5));
    asim_edit_set_int(&w->sink.edit, "comm_size", (int64_t)(bucket->to - bucket->from));
    return asim_edit_write(&w->sink.edit, w->sink.out, &copy, w->err);
}

/* Those whose last bytes are of a recorded all-reduce. */
static int write_buckets(struct work *w, uint32_t g, uint32_t recorded)
{
    const struct asim_bucket_group *group = group_at(w, g);
    uint32_t end = group->last.at[recorded] + 1, b = end;
    int code = 0;

    while (b && group->made.at[b - 1].last == recorded)
        b--;
    for (; b < end && !code; b++)
        code = write_bucket(w, g, b);
    return code;
}

static int write_node(struct work *w, uint32_t i)
{
    const ChakraProtoMsg__Node *record;
    int code = asim_chakra_at(w->graph->file, w->graph->node.at[i].place, &record, w->err);

    if (code)
        return code;
    asim_edit_begin(&w->sink.edit);
    if (add_deps(w, i, ASIM_NONE, ASIM_NONE))
        return asim_err_nomem(w->err, "writing buckets");
    return asim_edit_write(&w->sink.edit, w->sink.out, record, w->err);
}

static int write_all(struct work *w)
{
    int code = 0;

    for (uint32_t i = 0; i < w->graph->node.n && !code; i++) {
        uint32_t g = w->group[i];

        if (w->graph->node.at[i].flags & ASIM_RN_REMOVED)
            continue;
        if (g == ASIM_NONE) {
            code = write_node(w, i);
            continue;
        }
        code = write_buckets(w, g, w->number[i]);
    }
    return code;
}

int asim_bucket_rewrite(struct asim_buckets *buckets, uint32_t rank, struct asim_err *err)
{
    struct asim_graph graph = {0};
    struct work w = {.buckets = buckets, .graph = &graph, .err = err};
    char *path = NULL;
    const char *to;
    int code = asim_bucket_open(buckets, rank, NULL, &graph, &path, err);

    if (!code)
        code = asim_file_set_rank(&buckets->set, buckets->output, rank, &to, err);
    if (!code) {
        w.own = calloc(buckets->groups.n + 1, sizeof *w.own);
        w.group = malloc((graph.node.n + 1) * sizeof *w.group);
        w.number = malloc((graph.node.n + 1) * sizeof *w.number);
        code =
            w.own && w.group && w.number ? number_all(&w) : asim_err_nomem(err, "writing buckets");
    }
    if (!code) {
        code = asim_graph_sink_open(&w.sink, &graph, to, err);
        if (!code)
            code = write_all(&w);
        code = asim_graph_sink_close(&w.sink, code, err);
    }
    for (size_t g = 0; w.own && g < buckets->groups.n; g++) {
        ASIM_FREE(w.own[g].node, w.own[g].id);
    }
    ASIM_FREE(w.own, w.group, w.number);
    asim_graph_fini(&graph);
    free(path);
    return code;
}
