/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Reads the graph of a Chakra file and resolves ids. Dependencies of a node on itself and on
 * missing nodes are dropped and counted, repeated ones count once, and of repeated nodes the last
 * stays (as in the feeder of Chakra 2). Only a damaged file is an error here.
 */
#include "repair/graph.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "asim/trace.h"

#define NAME_LIMIT ((size_t)16 << 20)
#define TOLD       5 /* reported examples of each defect */

char *asim_graph_name(struct asim_graph *graph, uint32_t node)
{
    const ChakraProtoMsg__Node *record;

    if (asim_chakra_at(graph->file, graph->node.at[node].place, &record, NULL))
        return NULL;
    return strndup(record->name, 80);
}

/* A tensor is [id, storage, offset, elements, bytes each, 'device']; every list with five leading
 * integers counts as one. */
uint64_t asim_repair_tensor_bytes(const char *values)
{
    uint64_t sum = 0;

    while ((values = strchr(values, '['))) {
        long long count = 0, each = 0;
        int end = 0;

        values++;
        if (sscanf(values, "%*d, %*d, %*d, %lld, %lld%n", &count, &each, &end) == 2 && end &&
            count > 0 && each > 0 && count <= INT64_MAX / 1024 / each)
            sum += (uint64_t)(count * each);
        if (sum > INT64_MAX / 2)
            return INT64_MAX / 2;
    }
    return sum;
}

static int is_comm(int type)
{
    return type == ASIM_OP_COMM_COLL || type == ASIM_OP_COMM_SEND || type == ASIM_OP_COMM_RECV;
}

/* Reads the fields of a communication node that repair needs. */
static int read_comm(struct asim_graph *graph, struct asim_rnode *node,
                     const ChakraProtoMsg__Node *record)
{
    const char *group = asim_edit_text(record, "pg_name");
    int64_t value;

    if (asim_edit_int(record, "comm_type", &value) && value >= 0 && value < ASIM_COLL_TYPES)
        node->kind = (int16_t)value;
    if (asim_edit_int(record, "comm_size", &value) && value > 0)
        node->bytes = (uint64_t)value;
    else if (node->kind != ASIM_BARRIER)
        node->flags |= ASIM_RN_NEEDS_SIZE;
    if (node->flags & ASIM_RN_NEEDS_SIZE && record->inputs)
        node->bytes = asim_repair_tensor_bytes(record->inputs->values);
    if (node->flags & ASIM_RN_CPU)
        node->flags |= ASIM_RN_NEEDS_GPU;
    if (asim_edit_attr(record, "comm_sizes"))
        node->flags |= ASIM_RN_OWN_SIZES;
    node->group = *group ? asim_names_put(&graph->names, group, strlen(group)) : ASIM_NONE;
    return *group && node->group == ASIM_NONE;
}

static int read_node(struct asim_graph *graph, const ChakraProtoMsg__Node *record)
{
    struct asim_rnode node = {.id = (int64_t)record->id,
                              .place = asim_chakra_tell(graph->file),
                              .dep_at = (uint32_t)graph->dep_id.n,
                              .data_n = (uint32_t)record->n_data_deps,
                              .ctrl_n = (uint32_t)record->n_ctrl_deps,
                              .type = (uint8_t)record->type,
                              .group = ASIM_NONE,
                              .kind = -1};
    int64_t cpu;

    if (asim_edit_int(record, "is_cpu_op", &cpu) && cpu)
        node.flags |= ASIM_RN_CPU;
    if (is_comm(node.type) && read_comm(graph, &node, record))
        return ASIM_ENOMEM;
    for (size_t i = 0; i < record->n_data_deps; i++)
        if (ASIM_VEC_PUSH(graph->dep_id, record->data_deps[i]))
            return ASIM_ENOMEM;
    for (size_t i = 0; i < record->n_ctrl_deps; i++)
        if (ASIM_VEC_PUSH(graph->dep_id, record->ctrl_deps[i]))
            return ASIM_ENOMEM;
    return ASIM_VEC_PUSH(graph->node, node);
}

/* Reports the first few; the summary counts all. */
static void tell_drop(struct asim_graph *graph, const struct asim_diagnostics *notes, uint32_t node,
                      uint64_t id)
{
    int self = graph->node.at[node].id == (int64_t)id;
    uint64_t *count = self ? &graph->counts.self : &graph->counts.missing;

    if (++*count > TOLD)
        return;
    asim_diagnose(notes, "%s: node %" PRIu64 " waits for %s%" PRIu64 "%s; removed.", graph->path,
                  (uint64_t)graph->node.at[node].id, self ? "itself (" : "node ", id,
                  self ? ")" : ", which is not in the file");
}

/* 1 if the node has dep among its entries from..k. Lists are short; of a long one the last 64
 * entries are searched. */
static int is_repeated(const struct asim_graph *graph, size_t from, size_t k, uint32_t dep)
{
    for (size_t j = k > from + 64 ? k - 64 : from; j < k; j++)
        if (graph->dep.at[j] == dep)
            return 1;
    return 0;
}

static void resolve_node(struct asim_graph *graph, const struct asim_diagnostics *notes, uint32_t i)
{
    const struct asim_rnode *node = &graph->node.at[i];
    size_t data = node->dep_at, ctrl = data + node->data_n, end = ctrl + node->ctrl_n;

    for (size_t k = data; k < end; k++) {
        uint64_t id = graph->dep_id.at[k];
        uint32_t dep = asim_index_get(&graph->by_id, (int64_t)id);

        if (dep == ASIM_NONE || (int64_t)id == node->id) {
            tell_drop(graph, notes, i, id);
            dep = ASIM_NONE;
        } else if (is_repeated(graph, k < ctrl ? data : ctrl, k, dep)) {
            dep = ASIM_NONE;
        }
        graph->dep.at[k] = dep;
    }
}

/* Turns ids into nodes; each counts once per node and type. */
static int resolve(struct asim_graph *graph, const struct asim_diagnostics *notes)
{
    if (ASIM_VEC_RESERVE(graph->dep, graph->dep_id.n + 1))
        return ASIM_ENOMEM;
    graph->dep.n = graph->dep_id.n;
    for (uint32_t i = 0; i < graph->node.n; i++)
        resolve_node(graph, notes, i);
    free(graph->dep_id.at);
    graph->dep_id.at = NULL;
    graph->dep_id.n = graph->dep_id.cap = 0;
    return 0;
}

static int index_nodes(struct asim_graph *graph, const struct asim_diagnostics *notes)
{
    if (asim_index_init(&graph->by_id, graph->node.n ? &graph->node.at->id : NULL,
                        sizeof *graph->node.at, graph->node.n))
        return ASIM_ENOMEM;
    for (uint32_t i = 0; i < graph->node.n; i++) {
        uint32_t before = asim_index_get(&graph->by_id, graph->node.at[i].id);

        if (before != ASIM_NONE) {
            graph->node.at[before].flags |= ASIM_RN_REMOVED;
            if (++graph->counts.duplicates <= TOLD)
                asim_diagnose(notes, "%s: node %" PRIu64 " stands twice; the last was kept.",
                              graph->path, (uint64_t)graph->node.at[i].id);
        }
        asim_index_put(&graph->by_id, i);
    }
    return resolve(graph, notes);
}

int asim_graph_read(struct asim_graph *graph, const char *path, uint32_t rank,
                    const struct asim_repair_options *opt, struct asim_err *err)
{
    const ChakraProtoMsg__Node *record;
    int code;

    memset(graph, 0, sizeof *graph);
    graph->path = path;
    graph->rank = rank;
    asim_names_init(&graph->names, NAME_LIMIT);
    code = asim_chakra_open(&graph->file, path, err);
    if (code)
        return code;
    while ((code = asim_chakra_next(graph->file, &record, err)) == 1)
        if (graph->dep_id.n > ASIM_NONE / 2 || read_node(graph, record))
            return asim_err_nomem(err, "reading the graph of a trace");
    graph->counts.nodes = graph->node.n;
    if (!code && index_nodes(graph, &opt->notes))
        code = asim_err_nomem(err, "reading the graph of a trace");
    return code;
}

void asim_graph_fini(struct asim_graph *graph)
{
    asim_chakra_close(graph->file);
    asim_index_fini(&graph->by_id);
    asim_names_fini(&graph->names);
    ASIM_FREE(graph->node.at, graph->dep.at, graph->dep_id.at, graph->topo, graph->join_at,
              graph->join);
    memset(graph, 0, sizeof *graph);
}
