/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A chart as SVG: lines over numbers, bars over words. Light and dark as the viewer is, in the
 * colours of the page of `asim report` (tools/report/page/palette.css).
 */
#ifndef ASIM_TOOLS_CHART_H
#define ASIM_TOOLS_CHART_H

#include <stddef.h>
#include "asim/err.h"
#include "base/mem.h"

struct asim_chart_point {
    double x, y;      /* x over words: the index of the word */
    double low, high; /* a bar of the spread where they differ */
};

/* A line, or the bars of one colour. */
struct asim_chart_series {
    char name[200];
    int is_rings; /* no line: a ring a point, in the colour of the series before */
    ASIM_VEC(struct asim_chart_point) points;
};

struct asim_chart {
    const char *across, *up; /* what the axes show, with the unit */
    const char *const *words;
    size_t n_words;       /* 0: lines over numbers */
    int is_from_zero;     /* the vertical axis, whatever the points span */
    int is_log, is_bytes; /* the horizontal axis: logarithmic; its numbers are bytes */
    ASIM_VEC(struct asim_chart_series) series;
};

/* A new series, or NULL out of memory; its address holds until the next one. */
struct asim_chart_series *asim_chart_add(struct asim_chart *chart);
struct asim_out;
/* Writes the chart into a page, whose script makes one of it that can be zoomed (tools/page.h with
 * charts); nothing where there is no point. */
void asim_chart_put(const struct asim_chart *chart, struct asim_out *out);
/* Refuses a name of neither kind of file, of the option. */
int asim_chart_check_name(const char *option, const char *path, struct asim_err *err);
/* Writes the chart as a picture, or where the name ends in .html as a page of the command; heights
 * are above 0. Bars and lines begin at 0, but lines whose largest height is more than 20 times the
 * smallest have a logarithmic axis. */
int asim_chart_draw(const struct asim_chart *chart, const char *command, const char *path,
                    struct asim_err *err);
void asim_chart_close(struct asim_chart *chart);

#endif
