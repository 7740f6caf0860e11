/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The nodes of a layer file's graph: names and attributes as chakra_converter Text writes them, and
 * the ranks of each collective (the masks of dimensions in ASTRA-sim 1.0), as involved_dim or as
 * the number of a communicator group.
 */
#include "text/graph.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "asim/trace.h"

#define ATTRS 3

void asim_text_wait(struct asim_text_deps *deps, uint64_t id)
{
    if (id == ASIM_TEXT_NONE)
        return;
    for (size_t i = 0; i < deps->n; i++)
        if (deps->at[i] == id)
            return;
    if (deps->n < sizeof deps->at / sizeof *deps->at)
        deps->at[deps->n++] = id;
}

uint64_t asim_text_or(uint64_t first, uint64_t second)
{
    return first == ASIM_TEXT_NONE ? second : first;
}

/* A node name is the text prefix + layer + tag + suffix. */
struct name {
    const char *prefix, *layer, *tag, *suffix;
};

/* Writes the node under the next id. */
static uint64_t put(struct asim_text_graph *g, struct asim_chakra_node *node, struct name parts)
{
    int size = snprintf(NULL, 0, "%s%s%s%s", parts.prefix, parts.layer, parts.tag, parts.suffix);
    char *name = size < 0 ? NULL : malloc((size_t)size + 1);
    if (g->rc)
        goto done;
    if (!name) {
        g->rc = asim_err_nomem(g->err, "naming a node");
        goto done;
    }
    snprintf(name, (size_t)size + 1, "%s%s%s%s", parts.prefix, parts.layer, parts.tag,
             parts.suffix);
    node->id = g->next_id;
    node->name = name;
    g->rc = asim_chakra_writer_node(g->writer, node, g->err);
done:
    free(name);
    return g->next_id++;
}

/* One unit of the file is one microsecond of the trace. */
uint64_t asim_text_comp(struct asim_text_graph *g, size_t i, int part,
                        const struct asim_text_deps *deps)
{
    static const char *const tags[] = {"_FWD", "_BWD_IG", "_BWD_WG"};
    const struct asim_layer *layer = &g->layers->at[i];
    const struct name parts = {"COMP_NODE_", layer->name, tags[part], ""};
    struct asim_chakra_node node = {.type = ASIM_OP_COMP,
                                    .data_deps = deps->at,
                                    .data_dep_n = deps->n,
                                    .duration_micros = layer->time[part]};
    return put(g, &node, parts);
}

/* --- which ranks --- */

static enum asim_text_span span_of(int kind, int part)
{
    int is_weight = part == ASIM_LAYERS_WG;
    switch (kind) {
    case ASIM_LAYERS_DATA_MODEL:
    case ASIM_LAYERS_TRANSFORMER:
    case ASIM_LAYERS_FWD_IN_BCKWD:
        return is_weight ? ASIM_TEXT_HIGH : ASIM_TEXT_LOW;
    case ASIM_LAYERS_MODEL_DATA:
        return is_weight ? ASIM_TEXT_LOW : ASIM_TEXT_HIGH;
    default:
        return ASIM_TEXT_ALL;
    }
}

/* The first dimensions whose product reaches the group's size. */
static int reach(struct asim_text_split *split, uint64_t group, const struct asim_text_options *opt,
                 struct asim_err *err)
{
    uint64_t product = 1;
    while (product < group && split->low_dims < opt->n_dims)
        product *= opt->dims[split->low_dims++];
    if (product != group)
        return asim_err_set(err, ASIM_EINVAL,
                            "no first dimensions of --dims have the %" PRIu64
                            " NPUs of model_parallel_NPU_group; the nearest have %" PRIu64 ".",
                            group, product);
    split->low = (uint32_t)product;
    return 0;
}

/* With dims the low part consists of whole dimensions, without dims of consecutive ranks. */
int asim_text_split_of(struct asim_text_split *split, const struct asim_layers *layers, int kind,
                       const struct asim_text_options *opt, struct asim_err *err)
{
    *split = (struct asim_text_split){0, 0};
    if (opt->compat || span_of(kind, 0) == ASIM_TEXT_ALL)
        return 0;
    if (layers->group && opt->ranks % layers->group)
        return asim_err_set(err, ASIM_EINVAL,
                            "%" PRIu32 " ranks do not make whole model-parallel groups of %" PRIu64
                            " NPUs (%s, line 1).",
                            opt->ranks, layers->group, layers->src.name);
    if (layers->group && opt->n_dims)
        return reach(split, layers->group, opt, err);
    split->low = opt->n_dims ? opt->dims[0] : (uint32_t)layers->group;
    split->low_dims = opt->n_dims ? 1 : 0;
    return 0;
}

/* A part of one rank exchanges nothing. */
static int is_alone(const struct asim_text_graph *g, const struct asim_text_split *split,
                    enum asim_text_span span)
{
    if (!split->low || span == ASIM_TEXT_ALL)
        return 0;
    return (span == ASIM_TEXT_LOW ? split->low : g->opt->ranks / split->low) < 2;
}

/* room holds the list until the node is written. */
static struct asim_chakra_attr list_dims(const struct asim_text_graph *g,
                                         const struct asim_text_split *split,
                                         enum asim_text_span span, uint64_t room[ASIM_TEXT_DIMS])
{
    struct asim_chakra_attr attr = {.name = "involved_dim",
                                    .type = ASIM_CHAKRA_LIST(ASIM_CHAKRA_BOOL)};
    for (uint32_t d = 0; d < g->opt->n_dims; d++)
        room[d] = span == ASIM_TEXT_ALL || (d < split->low_dims) == (span == ASIM_TEXT_LOW);
    attr.value.list.at = room;
    attr.value.list.n = g->opt->n_dims;
    return attr;
}

/* Groups are numbered from 1: first the low groups, then those across them. */
static struct asim_chakra_attr name_group(const struct asim_text_graph *g,
                                          const struct asim_text_split *split,
                                          enum asim_text_span span, char room[16])
{
    struct asim_chakra_attr attr = {.name = "pg_name", .type = ASIM_CHAKRA_STRING};
    uint32_t group = span == ASIM_TEXT_LOW ? g->rank / split->low
                                           : g->opt->ranks / split->low + g->rank % split->low;
    snprintf(room, 16, "%" PRIu32, group + 1);
    attr.value.s = room;
    return attr;
}

/* After a failure ids go on and nothing is written, so callers need no checks. */
uint64_t asim_text_comm(struct asim_text_graph *g, size_t i, int part, uint64_t after,
                        const char *infix)
{
    const struct asim_layer *layer = &g->layers->at[i];
    const struct asim_layer_comm *comm = &layer->comm[part];
    enum asim_text_span span = span_of(layer->kind, part);
    struct asim_text_split split = g->split;
    struct asim_chakra_attr attrs[ATTRS] = {{.name = "comm_type", .type = ASIM_CHAKRA_INT64},
                                            {.name = "comm_size", .type = ASIM_CHAKRA_INT64}};
    struct asim_chakra_node node = {
        .type = ASIM_OP_COMM_COLL, .data_deps = &after, .attrs = attrs, .attr_n = 2};
    uint64_t dims[ASIM_TEXT_DIMS];
    char group[16];
    if (g->layers->kind == ASIM_LAYERS_CUSTOMIZED && !g->rc)
        g->rc = asim_text_split_of(&split, g->layers, layer->kind, g->opt, g->err);
    if (g->rc || comm->type == ASIM_LAYERS_NO_COMM || is_alone(g, &split, span))
        return ASIM_TEXT_NONE;
    attrs[0].value.i = comm->type;
    attrs[1].value.i = (int64_t)comm->bytes;
    node.data_dep_n = after != ASIM_TEXT_NONE;
    if (g->opt->n_dims)
        attrs[node.attr_n++] = list_dims(g, &split, span, dims);
    else if (split.low && span != ASIM_TEXT_ALL)
        attrs[node.attr_n++] = name_group(g, &split, span, group);
    const struct name parts = {"COMM_COLL_NODE_", layer->name, infix, comm->word};
    g->comms++;
    return put(g, &node, parts);
}
