/* SPDX-License-Identifier: GPL-2.0-only
 *
 * asim trace draw: the dependency graph of a trace, as dot or GraphML, and as SVG, PDF or PNG
 * through graphviz. Takes the options and the name of chakra_visualizer, whose .dot is graphviz's
 * laid-out form; --compat asks graphviz for that form.
 */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "asim/ext/command.h"
#include "draw/draw.h"
#include "cli/args.h"
#include "cli/dot.h"

struct options {
    char *input, *output;
    uint32_t max_nodes;
    int compat;
};

#define AT(field) offsetof(struct options, field)
static const struct asim_option options[] = {
    {"input", "input-filename", "Chakra trace, may be .gz (required)", NULL, ASIM_T_STRING,
     AT(input), 0, 0, NULL, ASIM_F_READS},
    {"out", "output-filename", "FILE.dot, .graphml, .svg, .pdf or .png (required)", NULL,
     ASIM_T_STRING, AT(output), 0, 0, NULL, ASIM_F_WRITES | ASIM_F_RESULT},
    {"max-nodes", NULL, "refuse a picture of more nodes than this (dot and GraphML: any number)",
     "2000", ASIM_T_U32, AT(max_nodes), 1, 4e9},
    {"compat", NULL,
     "as chakra_visualizer: one edge for a data and a control dependency, .dot laid out by "
     "graphviz",
     "0", ASIM_T_BOOL, AT(compat)},
    {0}};

/* The text after the last '.', or "". */
static const char *ending(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && !strchr(dot, '/') ? dot + 1 : "";
}

static int write_text(const struct asim_picture *graph, const char *path, int compat,
                      int is_graphml, struct asim_err *err)
{
    struct asim_out out = {0};
    int rc = asim_out_open(&out, path, err);
    if (rc)
        return rc;
    if (is_graphml)
        asim_picture_graphml(graph, compat, &out);
    else
        asim_picture_dot(graph, &out);
    return asim_out_commit(&out, err);
}

static int write_picture(const struct asim_picture *graph, const struct options *o,
                         const char *type, struct asim_err *err)
{
    char *text;
    int rc;
    if (graph->nodes.n > o->max_nodes)
        return asim_err_set(err, ASIM_EINVAL,
                            "%s has %zu nodes; a picture of more than %u nodes is unreadable "
                            "(--max-nodes=%zu draws it anyway, .dot and .graphml take any number).",
                            o->input, graph->nodes.n, o->max_nodes, graph->nodes.n);
    text = asim_out_reserve(o->output, ".gv");
    if (!text)
        return asim_err_set(err, ASIM_EIO, "cannot write beside %s: %s.", o->output,
                            strerror(errno));
    rc = write_text(graph, text, o->compat, 0, err);
    if (!rc)
        rc = asim_dot_render(text, o->output, type, err);
    if (!rc)
        remove(text);
    free(text);
    return rc;
}

/* With --compat the file has graphviz's positions; without graphviz it has the graph only. */
static int write_dot(const struct asim_picture *graph, const struct options *o,
                     struct asim_err *err)
{
    struct asim_err why = {0};
    if (o->compat && !write_picture(graph, o, "dot", &why))
        return 0;
    if (o->compat)
        fprintf(stderr, "asim trace draw: %s is written without positions: %s\n", o->output,
                why.text);
    return write_text(graph, o->output, 0, 0, err);
}

static int write_graph(const struct asim_picture *graph, const struct options *o,
                       struct asim_err *err)
{
    static const char *const types[] = {"svg", "pdf", "png"};
    const char *end = ending(o->output);
    if (!strcmp(end, "graphml"))
        return write_text(graph, o->output, o->compat, 1, err);
    if (!strcmp(end, "dot"))
        return write_dot(graph, o, err);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcmp(end, types[i]))
            return write_picture(graph, o, end, err);
    return asim_err_set(err, ASIM_EUSAGE,
                        "the output '%s' should end in .dot, .graphml, .svg, .pdf or .png.",
                        o->output);
}

static int draw(const struct asim_args *args, struct asim_err *err)
{
    const struct options *o = args->tables[0].base;
    struct asim_picture graph = {0};
    int rc;
    if (!o->input || !o->output)
        return asim_err_set(err, ASIM_EUSAGE,
                            "--input and --out are both needed; --help explains them.");
    rc = asim_picture_read(&graph, o->input, err);
    if (!rc)
        rc = write_graph(&graph, o, err);
    if (!rc)
        printf("wrote %s: %zu nodes, %zu edges\n", o->output, graph.nodes.n, graph.edges.n);
    asim_picture_fini(&graph);
    return rc;
}

static const struct asim_args_job job = {
    "trace draw",
    "usage: asim trace draw --input=FILE.et --out=FILE.svg [--option=value ...]\n\n"
    "Draws the dependencies of a trace.\n\nOptions:",
    options, 0, draw};

static const char *const called_as[] = {"chakra_visualizer", NULL};

const struct asim_command asim_trace_command_draw = {
    .member = {.name = "draw",
               .about = "draw the dependencies of a trace",
               .options = options,
               .options_size = sizeof(struct options)},
    .job = &job,
    .called_as = called_as,
};
