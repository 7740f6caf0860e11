/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Writes the repaired graph: the records of the remaining nodes, in file order, with missing
 * attributes filled in. The simple form has communication only, one node after another with ids
 * from 0, as many published experiments use; its time is linear in the number of nodes.
 */
#include "repair/graph.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "asim/trace.h"

static int is_comm(const struct asim_rnode *node)
{
    return node->type == ASIM_OP_COMM_COLL || node->type == ASIM_OP_COMM_SEND ||
           node->type == ASIM_OP_COMM_RECV;
}

/* Fills in the missing attributes of a communication node. */
static void fill(struct asim_graph *graph, const struct asim_rnode *node,
                 const struct asim_repair_options *opt, struct asim_edit *edit)
{
    struct asim_repair_counts *c = &graph->counts;
    uint64_t bytes = node->bytes ? node->bytes : opt->default_bytes;

    if (!is_comm(node))
        return;
    c->comm++;
    if (node->flags & ASIM_RN_NEEDS_SIZE) {
        *(node->bytes ? &c->sizes_read : bytes ? &c->sizes_default : &c->sizes_none) += 1;
        if (bytes) /* a missing size is an error for simulators, a size of 0 is not */
            asim_edit_set_int(edit, "comm_size", (int64_t)bytes);
    }
    if (node->flags & ASIM_RN_NEEDS_GPU) {
        c->moved_to_gpu++;
        asim_edit_set_bool(edit, "is_cpu_op", 0);
    }
    if (node->group == ASIM_NONE && opt->group) {
        c->groups++;
        asim_edit_set_text(edit, "pg_name", opt->group);
    }
}

/* Adds the node's remaining dependencies, then the new ones through removed nodes. */
static int add_deps(struct asim_graph *graph, uint32_t at, struct asim_edit *edit)
{
    const struct asim_rnode *node = &graph->node.at[at];
    uint32_t from = graph->join_at[2 * (size_t)at], to = graph->join_at[2 * (size_t)at + 1];

    for (uint32_t k = 0; k < node->data_n + node->ctrl_n; k++) {
        uint32_t dep = graph->dep.at[node->dep_at + k];
        uint64_t id;

        if (dep == ASIM_NONE || graph->node.at[dep].flags & ASIM_RN_REMOVED)
            continue;
        id = (uint64_t)graph->node.at[dep].id;
        if (k < node->data_n ? ASIM_VEC_PUSH(edit->data, id) : ASIM_VEC_PUSH(edit->ctrl, id))
            return ASIM_ENOMEM;
    }
    for (; from < to; from++)
        if (ASIM_VEC_PUSH(edit->data, (uint64_t)graph->node.at[graph->join[from]].id))
            return ASIM_ENOMEM;
    return 0;
}

/* The reader of the graph has passed the metadata, so it is read again. */
int asim_graph_sink_open(struct asim_graph_sink *sink, struct asim_graph *graph, const char *path,
                         struct asim_err *err)
{
    struct asim_chakra *again;
    int code = asim_chakra_open(&again, graph->path, err);

    if (code)
        return code;
    code = asim_chakra_writer_open(&sink->out, path, err);
    if (!code)
        code = asim_edit_metadata(&sink->edit, sink->out, asim_chakra_metadata(again), err);
    asim_chakra_close(again);
    return code;
}

int asim_graph_sink_close(struct asim_graph_sink *sink, int code, struct asim_err *err)
{
    if (code)
        asim_chakra_writer_discard(sink->out);
    else
        code = asim_chakra_writer_commit(sink->out, err);
    asim_edit_fini(&sink->edit);
    return code;
}

int asim_graph_write(struct asim_graph *graph, const char *path,
                     const struct asim_repair_options *opt, struct asim_err *err)
{
    struct asim_graph_sink sink = {0};
    int code = asim_graph_sink_open(&sink, graph, path, err);

    for (uint32_t i = 0; i < graph->node.n && !code; i++) {
        const ChakraProtoMsg__Node *record;

        if (graph->node.at[i].flags & ASIM_RN_REMOVED)
            continue;
        code = asim_chakra_at(graph->file, graph->node.at[i].place, &record, err);
        if (code)
            break;
        asim_edit_begin(&sink.edit);
        fill(graph, &graph->node.at[i], opt, &sink.edit);
        if (add_deps(graph, i, &sink.edit))
            code = asim_err_nomem(err, "writing nodes");
        else
            code = asim_edit_write(&sink.edit, sink.out, record, err);
        graph->counts.kept++;
    }
    return asim_graph_sink_close(&sink, code, err);
}

static int by_id(const void *ctx, uint32_t a, uint32_t b)
{
    const struct asim_rnode *node = ctx;

    return (uint64_t)node[a].id < (uint64_t)node[b].id;
}

static int write_simple_node(struct asim_graph *graph, struct asim_graph_sink *sink, uint32_t at,
                             const struct asim_repair_options *opt, struct asim_err *err)
{
    const struct asim_rnode *node = &graph->node.at[at];
    const ChakraProtoMsg__Node *record;
    ChakraProtoMsg__Node copy;
    char name[64];
    uint64_t number = graph->counts.kept++;

    if (asim_chakra_at(graph->file, node->place, &record, err))
        return ASIM_EINVAL;
    asim_edit_begin(&sink->edit);
    fill(graph, node, opt, &sink->edit);
    if (number && ASIM_VEC_PUSH(sink->edit.data, number - 1))
        return asim_err_nomem(err, "writing nodes");
    snprintf(name, sizeof name, "GPU_COMM_%" PRIu32 "_%" PRIu64, graph->rank, number);
    copy = *record;
    copy.id = number;
    copy.name = name;
    copy.inputs = copy.outputs = NULL;
    return asim_edit_write(&sink->edit, sink->out, &copy, err);
}

int asim_graph_write_simple(struct asim_graph *graph, const char *path,
                            const struct asim_repair_options *opt, struct asim_err *err)
{
    struct asim_graph_sink sink = {0};
    uint32_t *order = asim_iota_u32(graph->node.n);
    int code = asim_graph_sink_open(&sink, graph, path, err);

    if (!code && (!order || asim_sort_u32(order, graph->node.n, by_id, graph->node.at)))
        code = asim_err_nomem(err, "sorting nodes");
    for (size_t i = 0; i < graph->node.n && !code; i++)
        if (!(graph->node.at[order[i]].flags & ASIM_RN_REMOVED) &&
            (!opt->max_comm || graph->counts.kept < opt->max_comm))
            code = write_simple_node(graph, &sink, order[i], opt, err);
    free(order);
    return asim_graph_sink_close(&sink, code, err);
}
