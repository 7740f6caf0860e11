/* SPDX-License-Identifier: GPL-2.0-only
 *
 * asim topo draw: a picture of a topology by graphviz, one row per level, hosts at the bottom.
 * Writes the graph as text (.dot); for .svg, .pdf and .png it runs graphviz's program `dot`. If
 * that is not installed, it keeps the text and says so.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "asim/ext/command.h"
#include "base/io/out.h"
#include "cli/args.h"
#include "cli/dot.h"
#include "asim/topology.h"
#include "cli/file_set.h"
#include "topologies/levels.h"

struct draw_options {
    char *output;
    uint32_t max_nodes;
};

static const struct asim_option options[] = {
    {"out", "output",
     "picture: FILE.svg, .pdf, .png or .dot (default: the topology's name with .svg)", NULL,
     ASIM_T_STRING, offsetof(struct draw_options, output), 0, 0, NULL,
     ASIM_F_WRITES | ASIM_F_RESULT},
    {"max-nodes", NULL, "refuse to draw more nodes than this", "2000", ASIM_T_U32,
     offsetof(struct draw_options, max_nodes), 1, 1 << 20},
    {0}};

/* Hosts are round, switches boxes, NVSwitches hexagons; labels are the ids of the file. */
static void put_node(struct asim_out *out, const struct asim_topo *topo, uint32_t v)
{
    static const char *const shapes[] = {"circle", "box", "hexagon"};
    static const char *const fills[] = {"#e8f1fa", "#fdf0d5", "#dff2e1"};
    int kind = topo->node_type[v];
    asim_out_printf(out, "    n%u [label=\"%u\", shape=%s, fillcolor=\"%s\"];\n", v, v,
                    shapes[kind], fills[kind]);
}

/* Nodes of one level are in one row in order of their ids; an invisible edge from each to the next
 * keeps the order, which graphviz would change to save crossings. NVSwitches are below the hosts,
 * away from the fabric. */
static void put_level(struct asim_out *out, const struct asim_topo *topo, const uint8_t *level,
                      int wanted)
{
    uint32_t n = 0, before = 0;
    for (uint32_t v = 0; v < topo->nodes; v++) {
        if (level[v] != wanted)
            continue;
        if (!n++)
            asim_out_printf(out, "  { rank=same;\n");
        put_node(out, topo, v);
        if (n > 1)
            asim_out_printf(out, "    n%u -- n%u [style=invis];\n", before, v);
        before = v;
    }
    if (n)
        asim_out_printf(out, "  }\n");
}

/* graphviz puts the first end of an edge above the second, so the higher level goes first;
 * NVSwitches are below their GPUs to keep the fabric free. Rates and delays are tooltips in SVG. */
static void put_links(struct asim_out *out, const struct asim_topo *topo, const uint8_t *level)
{
    char rate[48], delay[48];
    for (size_t i = 0; i < topo->n_links; i++) {
        const struct asim_link *l = &topo->links[i];
        int nvlink =
            topo->node_type[l->a] == ASIM_NVSWITCH || topo->node_type[l->b] == ASIM_NVSWITCH;
        int up = level[l->a] >= level[l->b] || topo->node_type[l->b] == ASIM_NVSWITCH;
        if (topo->node_type[l->a] == ASIM_NVSWITCH)
            up = 0;
        asim_out_printf(out, "  n%u -- n%u [tooltip=\"%s %s\"%s];\n", up ? l->a : l->b,
                        up ? l->b : l->a, asim_topo_show_rate(rate, sizeof rate, l->rate_bps),
                        asim_topo_show_delay(delay, sizeof delay, l->delay_fs),
                        nvlink ? ", color=\"#3a9d4a\", penwidth=2" : "");
    }
}

/* Also the final output for .dot. */
static int write_dot(const struct asim_topo *topo, const char *path, struct asim_err *err)
{
    struct asim_out out;
    uint8_t *level = asim_levels_of(topo);
    int rc = level ? asim_out_open(&out, path, err) : asim_err_nomem(err, "drawing a topology");
    if (!rc) {
        asim_out_printf(&out, "graph topology {\n  rankdir=TB; ranksep=1.2; splines=line;\n"
                              "  node [style=filled, fontname=Helvetica, fontsize=9];\n"
                              "  edge [color=\"#555555\"];\n");
        for (int l = ASIM_LEVEL_NONE; l >= 0; l--)
            put_level(&out, topo, level, l);
        put_links(&out, topo, level);
        asim_out_printf(&out, "}\n");
        rc = asim_out_commit(&out, err);
    }
    free(level);
    return rc;
}

/* The text is beside the picture until the picture exists, and stays if `dot` is missing. */
static int draw(const struct asim_topo *topo, const char *picture, struct asim_err *err)
{
    static const char *const types[] = {"svg", "pdf", "png"};
    char *text;
    const char *dot = strrchr(picture, '.'), *type = NULL;
    if (dot && !strcmp(dot, ".dot"))
        return write_dot(topo, picture, err);
    for (size_t i = 0; dot && i < sizeof types / sizeof *types; i++)
        if (!strcmp(dot + 1, types[i]))
            type = types[i];
    if (!type)
        return asim_err_set(err, ASIM_EUSAGE,
                            "the picture '%s' should end in .svg, .pdf, .png or .dot.", picture);
    text = asim_out_reserve(picture, ".gv");
    if (!text)
        return asim_err_set(err, ASIM_EIO, "cannot write beside %s: %s.", picture, strerror(errno));
    int rc = write_dot(topo, text, err);
    if (!rc)
        rc = asim_dot_render(text, picture, type, err);
    if (!rc)
        remove(text);
    free(text);
    return rc;
}

/* A picture of two thousand nodes is a page of dots. */
static int draw_file(const char *path, const struct draw_options *opt, struct asim_err *err)
{
    struct asim_topo topo;
    char usual[1024];
    const char *picture = opt->output ? opt->output : usual;
    snprintf(usual, sizeof usual, "%s.svg", path);
    int rc = asim_file_set_refuse_overwrite(path, picture, err);
    if (!rc)
        rc = asim_topo_read(&topo, path, err);
    if (rc)
        return rc;
    if (topo.nodes > opt->max_nodes)
        rc = asim_err_set(err, ASIM_EINVAL,
                          "%s has %u nodes; a picture of more than %u nodes is unreadable "
                          "(--max-nodes=%u draws it anyway).",
                          path, topo.nodes, opt->max_nodes, topo.nodes);
    else
        rc = draw(&topo, picture, err);
    if (!rc)
        printf("%s\n", picture);
    asim_topo_fini(&topo);
    return rc;
}

/* Exit codes: 2 wrong usage, 1 no picture. */
static int draw_word(const struct asim_args *args, struct asim_err *err)
{
    if (!args->n_words)
        return asim_err_set(
            err, ASIM_EUSAGE,
            "no topology file is given: asim topo draw FILE; --help lists the options.");
    return draw_file(args->words[0], args->tables[0].base, err);
}

static const struct asim_args_job job = {
    "topo draw", "usage: asim topo draw FILE [options]", options, 1, draw_word, ASIM_F_READS};

const struct asim_command asim_topo_command_draw = {
    .member = {"draw", "Draw a topology by level with graphviz (SVG, PDF, PNG).", options,
               sizeof(struct draw_options)},
    .job = &job,
};
