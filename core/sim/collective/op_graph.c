/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A collective algorithm given as Chakra traces, one file per member
 * (system-layer.md#custom-algorithms), read once into arrays and shared by every collective that
 * uses it. The feed checks the file first (ids, parents, cycles), so the reading needs no checks.
 * Costs about 60 bytes a node.
 *
 * A feed could not deliver the nodes themselves: every rank may issue a collective thousands of
 * times, and a feed serves one run. The arrays are constant afterwards.
 */
#include "sim/collective/op_graph.h"
#include "sim/collective/send.h"
#include "sim/rank/compute.h"
#include "sim/rank/rank_shard.h"

#include <stdlib.h>
#include <string.h>

enum { NODES_MAX = 1 << 24 };

ASIM_ORDER(by_id, struct asim_op_graph_node, ->id)

/* Binary search: nodes are sorted before links are read. */
static struct asim_op_graph_node *find(const struct asim_op_graph *graph, uint64_t id)
{
    const struct asim_op_graph_node wanted = {.id = id};

    return bsearch(&wanted, graph->nodes, graph->n, sizeof *graph->nodes, by_id);
}

/* Converts an op; only sends, receives and computations are allowed
 * (system-layer.md#custom-algorithms). */
static int take(struct asim_op_graph_node *node, const struct asim_op *op, const char *path,
                struct asim_err *err)
{
    struct asim_where at = {path, 0, 0};
    const char *missing = op->type == ASIM_OP_COMP ? NULL : asim_send_lacks(op);

    if (op->type != ASIM_OP_COMP && op->type != ASIM_OP_COMM_SEND && op->type != ASIM_OP_COMM_RECV)
        return asim_err_at(
            err, ASIM_EINVAL, at,
            "node %llu ('%.80s') is a %s; a collective algorithm has sends, receives "
            "and computations only.",
            (unsigned long long)op->id, op->name, asim_op_type_name(op->type));
    if (missing)
        return asim_err_at(err, ASIM_EINVAL, at, "node %llu ('%.80s') has no %s attribute.",
                           (unsigned long long)op->id, op->name, missing);
    *node = (struct asim_op_graph_node){.id = op->id, .type = op->type, .bytes = op->comm_bytes};
    node->tag = op->comm_tag;
    node->peer = op->type == ASIM_OP_COMM_SEND ? op->comm_dst : op->comm_src;
    node->ns = asim_replay_ns(op);
    if (op->type != ASIM_OP_COMP && node->tag > ASIM_OP_GRAPH_TAG_MAX)
        return asim_err_at(err, ASIM_EINVAL, at,
                           "node %llu ('%.80s') has comm_tag %u; tags of a collective algorithm go "
                           "up to %u.",
                           (unsigned long long)op->id, op->name, node->tag, ASIM_OP_GRAPH_TAG_MAX);
    return 0;
}

/* Appends the parents of each node in file order; asim_op_graph_index sorts them and drops a parent
 * that is named as data and as control. */
static int read_links(struct asim_op_graph *graph, struct asim_trace *trace, struct asim_err *err)
{
    struct asim_op op;
    int rc;

    while ((rc = asim_trace_next(trace, &op, err)) > 0) {
        struct asim_op_graph_node *node = find(graph, op.id);

        for (size_t i = 0; i < op.data_dep_n + op.ctrl_dep_n; i++) {
            uint64_t id = i < op.data_dep_n ? op.data_deps[i] : op.ctrl_deps[i - op.data_dep_n];
            struct asim_op_graph_node *parent = find(graph, id);

            if (parent && ASIM_VEC_PUSH(graph->links, ((struct asim_op_graph_link){
                                                          (uint32_t)(parent - graph->nodes),
                                                          (uint32_t)(node - graph->nodes)})))
                return asim_err_nomem(err, "reading a collective algorithm");
        }
    }
    return rc;
}

/* By parent, then by child, so that the children of a node lie together and ascend. */
ASIM_ORDER(by_link, struct asim_op_graph_link, ->parent, ->child)

/* Walks from the end, so that first_child ends at the lowest index of each parent. */
void asim_op_graph_index(struct asim_op_graph *graph)
{
    size_t kept = 0;

    if (graph->links.n)
        qsort(graph->links.at, graph->links.n, sizeof *graph->links.at, by_link);
    for (size_t i = 0; i < graph->links.n; i++)
        if (!kept || by_link(&graph->links.at[i], &graph->links.at[kept - 1]))
            graph->links.at[kept++] = graph->links.at[i];
    graph->links.n = kept;
    for (size_t i = kept; i-- > 0;) {
        struct asim_op_graph_node *parent = &graph->nodes[graph->links.at[i].parent];

        parent->first_child = (uint32_t)i;
        parent->children++;
        graph->nodes[graph->links.at[i].child].parents++;
    }
}

/* First pass over the file. */
static int read_nodes(struct asim_op_graph *graph, struct asim_trace *trace, size_t total,
                      struct asim_err *err)
{
    struct asim_op op;
    int rc;

    graph->nodes = calloc(total + 1, sizeof *graph->nodes);
    if (!graph->nodes)
        return asim_err_nomem(err, "reading a collective algorithm");
    while (graph->n < total && (rc = asim_trace_next(trace, &op, err)) != 0) {
        if (rc < 0 || take(&graph->nodes[graph->n], &op, trace->path, err))
            return ASIM_EINVAL;
        graph->n++;
    }
    qsort(graph->nodes, graph->n, sizeof *graph->nodes, by_id);
    return 0;
}

/* Opens a feed, which checks the file and counts its nodes. Costs one more reading and saves a
 * second copy of the checks. */
static int check(const struct asim_op_graph *graph, size_t *total, struct asim_err *err)
{
    struct asim_feed_options options = {.prefix = graph->prefix, .rank = graph->member};
    struct asim_feed *feed = NULL;

    if (asim_feed_open(&feed, &options, err))
        return ASIM_EINVAL;
    *total = (size_t)asim_feed_total(feed);
    asim_feed_close(feed);
    if (*total <= NODES_MAX)
        return 0;
    return asim_err_set(err, ASIM_EINVAL, "collective algorithm %s.%u.et has %zu nodes; at most %d",
                        graph->prefix, graph->member, *total, NODES_MAX);
}

/* Three passes: check, nodes, links. These files are small. */
static int fill(struct asim_op_graph *graph, struct asim_err *err)
{
    struct asim_trace trace = {0};
    size_t total = 0;
    int rc = check(graph, &total, err);

    if (!rc)
        rc = asim_trace_open(&trace, graph->prefix, graph->member, err);
    if (!rc)
        rc = read_nodes(graph, &trace, total, err);
    asim_trace_close(&trace);
    /* A trace cannot be rewound, so it is opened again. */
    trace = (struct asim_trace){0};
    if (!rc)
        rc = asim_trace_open(&trace, graph->prefix, graph->member, err);
    if (!rc)
        rc = read_links(graph, &trace, err);
    asim_trace_close(&trace);
    if (!rc)
        asim_op_graph_index(graph);
    return rc;
}

static void free_graph(struct asim_op_graph *graph)
{
    ASIM_FREE(graph->nodes, graph->links.at, graph);
}

/* Linear in the graphs read so far; each file is read once. A graph that cannot be read is not
 * kept, so every caller gets the same error. */
static struct asim_op_graph *find_or_read(struct asim_world *world, const char *prefix,
                                          uint32_t member, struct asim_err *err)
{
    struct asim_op_graph *graph = world->made.op_graphs;

    while (graph && (graph->member != member || strcmp(graph->prefix, prefix)))
        graph = graph->next;
    if (graph)
        return graph;
    graph = calloc(1, sizeof *graph);
    if (!graph) {
        asim_err_nomem(err, "reading a collective algorithm");
        return NULL;
    }
    graph->prefix = prefix;
    graph->member = member;
    if (fill(graph, err)) {
        free_graph(graph);
        return NULL;
    }
    graph->next = world->made.op_graphs;
    world->made.op_graphs = graph;
    return graph;
}

struct asim_op_graph *asim_op_graph_find(struct asim_rank *rank, const char *prefix,
                                         uint32_t member)
{
    struct asim_world *world = rank->world;
    struct asim_op_graph *graph;

    pthread_mutex_lock(&world->made.lock);
    graph = find_or_read(world, prefix, member, &rank->shard->scratch_err);
    pthread_mutex_unlock(&world->made.lock);
    if (!graph)
        asim_rank_record_failure(rank);
    return graph;
}

void asim_op_graph_fini(struct asim_world *world)
{
    while (world->made.op_graphs) {
        struct asim_op_graph *graph = world->made.op_graphs;

        world->made.op_graphs = graph->next;
        free_graph(graph);
    }
}
