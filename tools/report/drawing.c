/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Draws the topology as SVG. A row a tier, hosts at the bottom; NVSwitches below their GPUs; a
 * switch stands above the middle of what it joins. Links within a tier are arcs. A network of hosts
 * only is a circle. The colour of a link is the use of its busier direction, in ten steps.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/io/quote.h"
#include "tools/report/html.h"

enum { WIDTH = 1200, ROW = 120, MARGIN = 34, MOST_LINES = 6000, MOST_NODES = 6000, LABELS = 40 };

struct place { /* of a node */
    uint32_t node;
    double wish, sum; /* where it wants to be: the mean of what it joins below */
    uint32_t n;
    int row;
};

/* A physical link: both directions. */
struct line {
    uint32_t a, b; /* indices of nodes */
    double use;
    const struct asim_run_link *there, *back; /* back may be NULL */
};

struct drawing {
    const struct asim_run *run;
    struct place *places; /* [nodes] */
    struct line *lines;
    size_t n_lines;
    int rows, is_circle;
    uint32_t in_row[16];
};

static int row_of(const struct asim_run_node *node)
{
    if (!strcmp(node->type, "nvswitch"))
        return 0;
    return node->tier < 14 ? (int)node->tier + 1 : 15;
}

ASIM_ORDER(by_wish, struct place, ->row, ->wish, ->node)

static uint32_t index_of(const struct asim_run *run, uint32_t id)
{
    const struct asim_run_node *node = asim_run_node_of(run, id);

    return node ? (uint32_t)(node - (const struct asim_run_node *)run->nodes.at) : ASIM_RUN_NONE;
}

/* Nodes of links.csv that topology.json lacks are left out. */
static void join_directions(struct drawing *drawing)
{
    const struct asim_run *run = drawing->run;

    for (size_t l = 0; l < run->links.n; l++) {
        const struct asim_run_link *link = &run->links.at[l];
        uint32_t a = index_of(run, link->from), b = index_of(run, link->to);
        struct line *last = drawing->n_lines ? &drawing->lines[drawing->n_lines - 1] : NULL;

        if (a == ASIM_RUN_NONE || b == ASIM_RUN_NONE)
            continue;
        if (last && !last->back && last->a == b && last->b == a) { /* the other way follows */
            last->back = link;
            last->use = last->use > link->utilisation ? last->use : link->utilisation;
        } else {
            drawing->lines[drawing->n_lines++] = (struct line){a, b, link->utilisation, link, NULL};
        }
    }
}

/* Rows from the hosts up: a row's places decide the wishes of the next one. */
static void place_row(struct drawing *drawing, struct asim_run_node *nodes, int row)
{
    size_t n = drawing->run->nodes.n, at = 0;
    uint32_t count = drawing->in_row[row];

    for (size_t l = 0; l < drawing->n_lines; l++) {
        const struct line *line = &drawing->lines[l];
        int up = drawing->places[line->a].row == row;
        uint32_t mine = up ? line->a : line->b, other = up ? line->b : line->a;
        int below = drawing->places[other].row;

        if (drawing->places[mine].row == row && (below == row - 1 || (row == 0 && below == 1))) {
            drawing->places[mine].sum += nodes[other].x;
            drawing->places[mine].n++;
        }
    }
    for (size_t v = 0; v < n; v++) {
        struct place *place = &drawing->places[v];

        if (place->row == row && row != 1)
            place->wish = place->n ? place->sum / place->n : 0;
    }
    for (size_t v = 0; v < n; v++) /* ranks in the row by wish, then number */
        if (drawing->places[v].row == row) {
            at = 0;
            for (size_t u = 0; u < n; u++)
                at += drawing->places[u].row == row &&
                      by_wish(&drawing->places[u], &drawing->places[v]) < 0;
            nodes[v].x = (float)(MARGIN + (WIDTH - 2 * MARGIN) * ((double)at + 0.5) / count);
        }
}

static void place_circle(struct asim_run_node *nodes, size_t n)
{
    for (size_t v = 0; v < n; v++) {
        double turn = 2 * 3.14159265358979 * (double)v / (double)n;

        nodes[v].x = (float)(WIDTH / 2 + 240 * sin(turn));
        nodes[v].y = (float)(280 - 240 * cos(turn));
    }
}

/* Returns the height of the picture. */
static int place(struct drawing *drawing, struct asim_run_node *nodes)
{
    size_t n = drawing->run->nodes.n;
    int first = 16, last = 0;

    for (size_t v = 0; v < n; v++) {
        int row = row_of(&nodes[v]);

        drawing->places[v] = (struct place){.node = (uint32_t)v, .wish = (double)v, .row = row};
        drawing->in_row[row]++;
        first = first < row ? first : row;
        last = last > row ? last : row;
    }
    drawing->is_circle = first == 1 && last == 1;
    if (drawing->is_circle) {
        place_circle(nodes, n);
        return 560;
    }
    for (int row = 1; row <= last; row++)
        place_row(drawing, nodes, row);
    place_row(drawing, nodes, 0);
    for (size_t v = 0; v < n; v++)
        nodes[v].y = (float)(44 + ROW * (last - drawing->places[v].row));
    return 88 + ROW * (last - first);
}

static int heat(double use)
{
    int step = (int)(use * 10);

    return step < 0 ? 0 : step > 9 ? 9 : step;
}

ASIM_ORDER(by_use, struct line, ->use, ->there)

static void draw_line(struct asim_out *out, const struct drawing *drawing, const struct line *line)
{
    const struct asim_run_node *a = &drawing->run->nodes.at[line->a],
                               *b = &drawing->run->nodes.at[line->b];
    char name[ASIM_LINK_NAME_BYTES];

    if (a->y == b->y && !drawing->is_circle)
        asim_out_printf(out, "<path class=\"h%d\" d=\"M%.1f %.1fQ%.1f %.1f %.1f %.1f\">",
                        heat(line->use), (double)a->x, (double)a->y, (double)(a->x + b->x) / 2,
                        (double)a->y - 14 - 0.06 * fabs((double)(a->x - b->x)), (double)b->x,
                        (double)b->y);
    else
        asim_out_printf(out, "<path class=\"h%d\" d=\"M%.1f %.1fL%.1f %.1f\">", heat(line->use),
                        (double)a->x, (double)a->y, (double)b->x, (double)b->y);
    asim_out_printf(out, "<title>");
    asim_quote_xml(out, asim_show_link(name, drawing->run, line->there));
    asim_out_printf(out, ": %.1f %%", 100 * line->there->utilisation);
    if (line->back)
        asim_out_printf(out, ", back %.1f %%", 100 * line->back->utilisation);
    asim_out_printf(out, "</title></path>\n");
}

static void draw_node(struct asim_out *out, const struct drawing *drawing, size_t v)
{
    const struct asim_run_node *node = &drawing->run->nodes.at[v];
    uint32_t beside = drawing->in_row[drawing->places[v].row];
    double radius = beside <= LABELS ? 9 : beside <= 140 ? 3.6 : 1.6;
    int is_low = drawing->places[v].row <= 1;

    if (drawing->places[v].row == 1)
        asim_out_printf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\">", (double)node->x,
                        (double)node->y, radius);
    else
        asim_out_printf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\">",
                        (double)node->x - 1.4 * radius, (double)node->y - radius, 2.8 * radius,
                        2 * radius);
    asim_out_printf(out, "<title>");
    asim_quote_xml(out, node->name);
    asim_out_printf(out, "</title></%s>", drawing->places[v].row == 1 ? "circle" : "rect");
    if (beside <= LABELS) {
        const char *shown =
            beside > 12 && strrchr(node->name, ' ') ? strrchr(node->name, ' ') + 1 : node->name;

        asim_out_printf(out, "<text x=\"%.1f\" y=\"%.1f\">", (double)node->x,
                        (double)node->y + (is_low ? 24 : -15));
        asim_quote_xml(out, shown);
        asim_out_printf(out, "</text>");
    }
    asim_out_printf(out, "\n");
}

static void draw(struct asim_out *out, struct drawing *drawing, int height)
{
    size_t first = drawing->n_lines > MOST_LINES ? drawing->n_lines - MOST_LINES : 0;

    qsort(drawing->lines, drawing->n_lines, sizeof *drawing->lines, by_use);
    asim_out_printf(
        out,
        "<figure class=\"wide\"><svg class=\"topology\" viewBox=\"0 0 %d %d\" role=\"img\" "
        "aria-label=\"Topology with the use of each link\">\n<g class=\"links\">\n",
        (int)WIDTH, height);
    for (size_t l = first; l < drawing->n_lines; l++)
        draw_line(out, drawing, &drawing->lines[l]);
    asim_out_printf(out, "</g>\n<g class=\"nodes\">\n");
    for (size_t v = 0; v < drawing->run->nodes.n; v++)
        draw_node(out, drawing, v);
    asim_out_printf(out, "</g>\n</svg>\n<figcaption><span class=\"scale\">");
    for (int step = 0; step < 10; step++)
        asim_out_printf(out, "<i class=\"b%d\"></i>", step);
    asim_out_printf(out,
                    "</span> use of the busier direction, 0 to 100 %%%s</figcaption></figure>\n",
                    first ? "; the busiest 6,000 links" : "");
}

int asim_html_drawing(struct asim_out *out, const struct asim_run *run, size_t number,
                      struct asim_err *err)
{
    struct drawing drawing = {.run = run};
    int code = 0;

    if (!run->has_topology || !run->has_links)
        return 0;
    asim_html_section(out, "network", number, "Network");
    if (run->nodes.n > MOST_NODES) {
        asim_out_printf(out, "<p>The network has %zu nodes: too many to draw.</p>\n</section>\n",
                        run->nodes.n);
        return 0;
    }
    drawing.places = calloc(run->nodes.n + 1, sizeof *drawing.places);
    drawing.lines = calloc(run->links.n + 1, sizeof *drawing.lines);
    if (drawing.places && drawing.lines) {
        join_directions(&drawing);
        draw(out, &drawing, place(&drawing, run->nodes.at));
    } else {
        code = asim_err_nomem(err, "drawing the topology");
    }
    ASIM_FREE(drawing.places, drawing.lines);
    asim_out_printf(out, "</section>\n");
    return code;
}
