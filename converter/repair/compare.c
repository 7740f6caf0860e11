/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A run ends only if every rank of a group joins all of its collectives in one order. So, for each
 * group, the sequences of the ranks (by node id, the order of the calls) are compared with the
 * longest one. At a difference the nearest agreement is looked up, and the collectives passed over
 * are those that a rank lacks. Nothing is changed: only the user knows which side is right.
 */
#include "repair/graph.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "asim/trace.h"

#define LOOK_AHEAD 64
#define TOLD       5 /* differences reported per rank */

struct seq { /* collectives of a rank in one group */
    const struct asim_graph *graph;
    uint32_t *at; /* nodes */
    size_t n;
};

struct compare {
    const struct asim_diagnostics *notes;
    uint64_t problems;
    uint64_t told; /* of the current pair */
    const char *group;
};

static int by_id(const void *ctx, uint32_t a, uint32_t b)
{
    const struct asim_rnode *node = ctx;

    return (uint64_t)node[a].id < (uint64_t)node[b].id;
}

/* "0" and no name mean the same group: all ranks. */
static int in_group(const struct asim_graph *graph, const struct asim_rnode *node,
                    const char *group)
{
    const char *name = asim_names_get(&graph->names, node->group);

    return !strcmp(strcmp(name, "0") ? name : "", group);
}

static int collect(struct seq *seq, const struct asim_graph *graph, const char *group)
{
    seq->graph = graph;
    seq->n = 0;
    seq->at = malloc((graph->node.n + 1) * sizeof *seq->at);
    for (uint32_t i = 0; seq->at && i < graph->node.n; i++)
        if (graph->node.at[i].type == ASIM_OP_COMM_COLL &&
            !(graph->node.at[i].flags & ASIM_RN_REMOVED) &&
            in_group(graph, &graph->node.at[i], group))
            seq->at[seq->n++] = i;
    return !seq->at || asim_sort_u32(seq->at, seq->n, by_id, graph->node.at);
}

static const struct asim_rnode *node_of(const struct seq *seq, size_t i)
{
    return &seq->graph->node.at[seq->at[i]];
}

static int same(const struct seq *a, size_t i, const struct seq *b, size_t k, int sizes)
{
    const struct asim_rnode *x = node_of(a, i), *y = node_of(b, k);

    return x->kind == y->kind &&
           (!sizes || x->bytes == y->bytes || (x->flags & y->flags & ASIM_RN_OWN_SIZES));
}

static void tell(struct compare *c, const struct seq *lacks, const struct seq *has, size_t i)
{
    const struct asim_rnode *node = node_of(has, i);

    if (++c->told > TOLD)
        return;
    asim_diagnose(c->notes,
                  "group %s: rank %" PRIu32 " lacks the %s of %" PRIu64 " bytes that rank %" PRIu32
                  " runs as number %zu (node %" PRIu64 ").",
                  *c->group ? c->group : "of all ranks", lacks->graph->rank,
                  asim_coll_type_name(node->kind), node->bytes, has->graph->rank, i + 1,
                  (uint64_t)node->id);
}

/* The nearest pair after (i, k) with equal type and size. 0 = there is none near. */
static int resync(const struct seq *a, size_t *i, const struct seq *b, size_t *k)
{
    for (size_t sum = 1; sum <= LOOK_AHEAD; sum++)
        for (size_t x = 0; x <= sum; x++)
            if (*i + x < a->n && *k + sum - x < b->n && same(a, *i + x, b, *k + sum - x, 1)) {
                *i += x;
                *k += sum - x;
                return 1;
            }
    return 0;
}

static void tell_sizes(struct compare *c, const struct seq *a, const struct seq *b, size_t i,
                       size_t k)
{
    const struct asim_rnode *x = node_of(a, i), *y = node_of(b, k);

    if (++c->told <= TOLD)
        asim_diagnose(c->notes,
                      "group %s: collective number %zu, %s, has %" PRIu64 " bytes on rank %" PRIu32
                      " but %" PRIu64 " on rank %" PRIu32 ".",
                      *c->group ? c->group : "of all ranks", i + 1, asim_coll_type_name(x->kind),
                      x->bytes, a->graph->rank, y->bytes, b->graph->rank);
}

static void compare_pair(struct compare *c, const struct seq *a, const struct seq *b)
{
    size_t i = 0, k = 0;

    c->told = 0;
    while (i < a->n && k < b->n) {
        size_t x = i, y = k;

        if (same(a, i, b, k, 1)) {
            i++;
            k++;
            continue;
        }
        if (!resync(a, &x, b, &y) || (x - i && y - k && same(a, i, b, k, 0))) {
            if (same(a, i, b, k, 0)) {
                tell_sizes(c, a, b, i, k);
            } else {
                tell(c, b, a, i);
                tell(c, a, b, k);
            }
            x = i + 1;
            y = k + 1;
        } else {
            for (size_t s = i; s < x; s++)
                tell(c, b, a, s);
            for (size_t s = k; s < y; s++)
                tell(c, a, b, s);
        }
        i = x;
        k = y;
    }
    for (; i < a->n; i++)
        tell(c, b, a, i);
    for (; k < b->n; k++)
        tell(c, a, b, k);
    if (c->told > TOLD)
        asim_diagnose(
            c->notes,
            "group %s: ranks %" PRIu32 " and %" PRIu32 " differ in %" PRIu64 " more places.",
            *c->group ? c->group : "of all ranks", a->graph->rank, b->graph->rank, c->told - TOLD);
    c->problems += c->told;
}

/* A rank without collectives of a named group is not a member; all ranks are members of the group
 * of all ranks. */
static int compare_group(struct compare *c, struct asim_graph *graphs, size_t n)
{
    struct seq *seq = calloc(n, sizeof *seq);
    size_t longest = 0;
    int code = !seq;

    for (size_t r = 0; r < n && !code; r++) {
        code = collect(&seq[r], &graphs[r], c->group);
        if (seq[r].n > seq[longest].n)
            longest = r;
    }
    for (size_t r = 0; r < n && !code; r++)
        if (r != longest && (seq[r].n || !*c->group))
            compare_pair(c, &seq[longest], &seq[r]);
    for (size_t r = 0; r < n && seq; r++)
        free(seq[r].at);
    free(seq);
    return code;
}

int asim_repair_compare(struct asim_graph *graphs, size_t n, const struct asim_diagnostics *notes,
                        uint64_t *problems, struct asim_err *err)
{
    struct compare c = {.notes = notes, .group = ""};
    struct asim_names all;
    int code;

    asim_names_init(&all, 0);
    code = asim_names_put(&all, "", 0) == ASIM_NONE;
    for (size_t r = 0; r < n && !code; r++)
        for (size_t i = 0; i < graphs[r].names.all.n && !code; i++) {
            const char *name = graphs[r].names.all.at[i];

            code = strcmp(name, "0") && asim_names_put(&all, name, strlen(name)) == ASIM_NONE;
        }
    for (size_t i = 0; i < all.all.n && !code; i++) {
        c.group = all.all.at[i];
        code = compare_group(&c, graphs, n);
    }
    *problems = c.problems;
    asim_names_fini(&all);
    return code ? asim_err_nomem(err, "comparing ranks") : 0;
}
