/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Graphs as text. In dot, special characters of a label are escaped, as in chakra_visualizer; data
 * dependencies end in an arrow, control dependencies in a bar.
 */
#include <inttypes.h>
#include <string.h>
#include "base/io/quote.h"
#include "base/text.h"
#include "draw/draw.h"

/* A line end inside a label would break the record's shape; a character that does not show would
 * hide what the name is. */
static void put_label(struct asim_out *out, const char *name)
{
    while (*name) {
        size_t n = asim_text_utf8(name), step = n ? n : 1;
        if (strchr("{}()<>[]\\|&-\"", *name))
            asim_out_write(out, "\\", 1);
        if (*name == '\n')
            asim_out_write(out, " ", 1);
        else if (n && !asim_text_is_hidden(name, n))
            asim_out_write(out, name, n);
        else
            asim_out_write(out, "\xEF\xBF\xBD", 3);
        name += step;
    }
}

/* Draws both types where both exist. */
static void put_dot_edges(const struct asim_picture *graph, const struct asim_picture_node *node,
                          struct asim_out *out)
{
    static const struct {
        uint8_t kind;
        const char *head;
    } heads[] = {{ASIM_PICTURE_DATA, "normal"}, {ASIM_PICTURE_CTRL, "tee"}};
    for (uint32_t e = node->first; e; e = graph->edges.at[e - 1].next)
        for (int h = 0; h < 2; h++)
            if (graph->edges.at[e - 1].kinds & heads[h].kind)
                asim_out_printf(out, "\t%" PRIu64 " -> %" PRIu64 " [arrowhead=%s];\n", node->id,
                                graph->nodes.at[graph->edges.at[e - 1].target].id, heads[h].head);
}

/* Nodes first; a node that occurs only as a dependency has no label and appears by its edges. */
void asim_picture_dot(const struct asim_picture *graph, struct asim_out *out)
{
    asim_out_printf(out, "digraph {\n");
    for (size_t i = 0; i < graph->nodes.n; i++) {
        const struct asim_picture_node *node = &graph->nodes.at[i];
        if (!node->name)
            continue;
        asim_out_printf(out, "\t%" PRIu64 " [label=\"", node->id);
        put_label(out, node->name);
        asim_out_printf(out, "\", id=%" PRIu64 ", shape=record];\n", node->id);
    }
    for (size_t i = 0; i < graph->nodes.n; i++)
        put_dot_edges(graph, &graph->nodes.at[i], out);
    asim_out_printf(out, "}\n");
}

/* --- GraphML --- */

static void put_xml_edges(const struct asim_picture *graph, const struct asim_picture_node *node,
                          int compat, struct asim_out *out)
{
    for (uint32_t e = node->first; e; e = graph->edges.at[e - 1].next) {
        const struct asim_picture_edge *edge = &graph->edges.at[e - 1];
        int both = edge->kinds == (ASIM_PICTURE_DATA | ASIM_PICTURE_CTRL);
        for (uint8_t kind = ASIM_PICTURE_DATA; kind <= ASIM_PICTURE_CTRL; kind++)
            if (edge->kinds & kind && !(compat && both && kind == ASIM_PICTURE_DATA))
                asim_out_printf(out,
                                "    <edge source=\"%" PRIu64 "\" target=\"%" PRIu64 "\">\n"
                                "      <data key=\"d1\">%s</data>\n    </edge>\n",
                                node->id, graph->nodes.at[edge->target].id,
                                kind == ASIM_PICTURE_DATA ? "data" : "control");
    }
}

/* networkx declares a key at its first use, in front of earlier ones; hence d1, d0. */
void asim_picture_graphml(const struct asim_picture *graph, int compat, struct asim_out *out)
{
    asim_out_printf(out, "<?xml version='1.0' encoding='utf-8'?>\n"
                         "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\" "
                         "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" "
                         "xsi:schemaLocation=\"http://graphml.graphdrawing.org/xmlns "
                         "http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd\">\n");
    if (graph->edges.n)
        asim_out_printf(
            out,
            "  <key id=\"d1\" for=\"edge\" attr.name=\"dependency\" attr.type=\"string\" />\n");
    if (graph->nodes.n)
        asim_out_printf(
            out, "  <key id=\"d0\" for=\"node\" attr.name=\"label\" attr.type=\"string\" />\n");
    asim_out_printf(out, "  <graph edgedefault=\"directed\"%s\n", graph->nodes.n ? ">" : " />");
    for (size_t i = 0; i < graph->nodes.n; i++) {
        const struct asim_picture_node *node = &graph->nodes.at[i];
        asim_out_printf(out, "    <node id=\"%" PRIu64 "\"%s\n", node->id,
                        node->name ? ">" : " />");
        if (!node->name)
            continue;
        asim_out_printf(out, "      <data key=\"d0\">");
        asim_quote_xml(out, node->name);
        asim_out_printf(out, "</data>\n    </node>\n");
    }
    for (size_t i = 0; i < graph->nodes.n; i++)
        put_xml_edges(graph, &graph->nodes.at[i], compat, out);
    asim_out_printf(out, "%s</graphml>\n", graph->nodes.n ? "  </graph>\n" : "");
}
