/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Draws the ops of one rank over time, a track for each of its streams: CPU, computation, each
 * process group's collectives, messages from rank to rank. Ops of one stream that overlap get
 * tracks of their own. The rank is that which finishes last, of several the first.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/io/quote.h"
#include "tools/report/html.h"

enum { WIDTH = 1160, LEFT = 170, TRACK = 20, BAR = 14, MOST_TRACKS = 12, NAME = 40 };

/* What is not drawn yet of a track: shorter than a pixel, it grows with its neighbours. */
struct span {
    const char *class;
    double from, to; /* pixels */
    const struct asim_run_op *op;
    uint32_t ops;
};

struct track {
    char name[NAME];
    uint64_t end;
    struct span pending;
};

struct gantt {
    const struct asim_run *run;
    struct asim_out *out;
    struct track tracks[MOST_TRACKS];
    int n;
    uint32_t left_out;
};

static uint32_t choose_rank(const struct asim_run *run)
{
    const struct asim_run_rank *last = &run->ranks.at[0];

    for (size_t i = 1; i < run->ranks.n; i++)
        if (run->ranks.at[i].finish > last->finish)
            last = &run->ranks.at[i];
    return last->rank;
}

static const char *class_of(const struct asim_run_op *op)
{
    return op->is_comm ? "exposed" : op->is_cpu ? "cpu" : op->is_compute ? "compute" : "idle";
}

static void stream_of(char name[NAME], const struct asim_run *run, const struct asim_run_op *op)
{
    const char *group = run->names.at[op->group];

    if (op->is_comm && op->coll && *run->names.at[op->coll])
        snprintf(name, NAME, "%s%.24s", *group ? "group " : "all ranks", group);
    else
        snprintf(name, NAME, "%s",
                 op->is_comm      ? "send and receive"
                 : op->is_cpu     ? "CPU"
                 : op->is_compute ? "computation"
                                  : "other");
}

/* A track of the stream that is free when the op is issued, or NULL: there are too many. */
static struct track *find_track(struct gantt *gantt, const struct asim_run_op *op)
{
    char name[NAME];

    stream_of(name, gantt->run, op);
    for (int i = 0; i < gantt->n; i++)
        if (gantt->tracks[i].end <= op->issue && !strcmp(gantt->tracks[i].name, name))
            return &gantt->tracks[i];
    if (gantt->n == MOST_TRACKS)
        return NULL;
    snprintf(gantt->tracks[gantt->n].name, NAME, "%s", name);
    return &gantt->tracks[gantt->n++];
}

static void flush(struct gantt *gantt, struct track *track)
{
    const struct span *span = &track->pending;
    char time[ASIM_SHOW_BYTES];

    if (!span->ops)
        return;
    asim_out_printf(gantt->out,
                    "<rect class=\"g-%s\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\"><title>",
                    span->class, span->from, (int)(track - gantt->tracks) * TRACK + 4,
                    span->to - span->from > 0.4 ? span->to - span->from : 0.4, (int)BAR);
    if (span->ops > 1) {
        asim_out_printf(gantt->out, "%u short ops", span->ops);
    } else {
        uint64_t from = strcmp(span->class, "waiting") ? span->op->start : span->op->issue;
        uint64_t to = strcmp(span->class, "waiting") ? span->op->end : span->op->start;

        asim_quote_xml(gantt->out, gantt->run->names.at[span->op->name]);
        asim_out_printf(gantt->out, "%s: %s",
                        strcmp(span->class, "waiting") ? "" : ", waiting for its partners",
                        asim_show_time(time, (double)(to - from)));
    }
    asim_out_printf(gantt->out, "</title></rect>\n");
    track->pending.ops = 0;
}

static void add(struct gantt *gantt, struct track *track, struct span span)
{
    struct span *pending = &track->pending;
    int is_short = span.to - span.from < 1;

    if (pending->ops && is_short && !strcmp(pending->class, span.class) &&
        (pending->ops > 1 || pending->to - pending->from < 1) && span.from - pending->to < 0.5) {
        pending->to = span.to;
        pending->ops++;
        return;
    }
    flush(gantt, track);
    *pending = span;
}

static double across(const struct asim_run *run, uint64_t t)
{
    return LEFT + (WIDTH - LEFT - 10) * (double)t / (double)run->finish;
}

static void add_op(struct gantt *gantt, const struct asim_run_op *op)
{
    const struct asim_run *run = gantt->run;
    struct track *track = find_track(gantt, op);

    if (!track) {
        gantt->left_out++;
        return;
    }
    track->end = op->end;
    if (op->start > op->issue)
        add(gantt, track,
            (struct span){"waiting", across(run, op->issue), across(run, op->start), op, 1});
    add(gantt, track,
        (struct span){class_of(op), across(run, op->start), across(run, op->end), op, 1});
}

ASIM_ORDER(by_issue, const struct asim_run_op *, [0] -> issue, [0] -> id)

static void draw(struct gantt *gantt, const struct asim_run_op **ops, size_t n)
{
    const struct asim_run *run = gantt->run;
    char time[ASIM_SHOW_BYTES];
    int height;

    asim_out_printf(gantt->out, "<g>\n");
    for (size_t i = 0; i < n; i++)
        add_op(gantt, ops[i]);
    for (int i = 0; i < gantt->n; i++)
        flush(gantt, &gantt->tracks[i]);
    asim_out_printf(gantt->out, "</g>\n");
    for (int i = 0; i < gantt->n; i++) {
        asim_out_printf(gantt->out, "<text class=\"e\" x=\"%d\" y=\"%d\">", LEFT - 8,
                        i * TRACK + 15);
        asim_quote_xml(gantt->out, i && !strcmp(gantt->tracks[i].name, gantt->tracks[i - 1].name)
                                       ? "″"
                                       : gantt->tracks[i].name);
        asim_out_printf(gantt->out, "</text>\n");
    }
    height = gantt->n * TRACK + 4;
    for (int part = 0; part <= 4; part++)
        asim_out_printf(gantt->out,
                        "<path class=\"axis\" d=\"M%.1f 0V%d\"/><text class=\"%s\" x=\"%.1f\" "
                        "y=\"%d\">%s</text>\n",
                        across(run, run->finish * (uint64_t)part / 4), height, part ? "e" : "s",
                        across(run, run->finish * (uint64_t)part / 4), height + 16,
                        part ? asim_show_time(time, (double)run->finish * part / 4) : "0");
}

/* The tracks are known once all is drawn, the height before: so the ops are placed twice. */
static int count_tracks(const struct asim_run *run, const struct asim_run_op **ops, size_t n)
{
    struct gantt dry = {.run = run};

    for (size_t i = 0; i < n; i++) {
        struct track *track = find_track(&dry, ops[i]);

        if (track)
            track->end = ops[i]->end;
    }
    return dry.n;
}

int asim_html_gantt(struct asim_out *out, const struct asim_run *run, size_t number,
                    struct asim_err *err)
{
    struct gantt gantt = {.run = run, .out = out};
    const struct asim_run_op **ops = malloc((run->ops.n + 1) * sizeof *ops);
    uint32_t rank = run->ranks.n ? choose_rank(run) : 0;
    char title[80];
    size_t n = 0;

    if (!ops)
        return asim_err_nomem(err, "drawing the ops of a rank");
    for (size_t i = 0; i < run->ops.n; i++)
        if (run->ops.at[i].rank == rank && run->ops.at[i].end > run->ops.at[i].issue &&
            run->ops.at[i].end <= run->finish)
            ops[n++] = &run->ops.at[i];
    if (n) {
        qsort(ops, n, sizeof *ops, by_issue);
        snprintf(title, sizeof title, "Rank %u over time, which finishes last", rank);
        asim_html_section(out, "gantt", number, title);
        asim_out_printf(out,
                        "<p class=\"legend\"><span><i class=\"compute\"></i>computation</span> "
                        "<span><i class=\"exposed\"></i>communication</span> <span><i "
                        "class=\"waiting\"></i>waiting for its partners</span></p>\n"
                        "<figure class=\"wide\"><svg class=\"gantt\" viewBox=\"0 0 %d %d\" "
                        "role=\"img\" aria-label=\"Ops of a rank\">\n",
                        (int)WIDTH, count_tracks(run, ops, n) * TRACK + 26);
        draw(&gantt, ops, n);
        asim_out_printf(out, "</svg></figure>\n");
        if (gantt.left_out)
            asim_out_printf(out, "<p>%u ops overlap too many others; the timeline has them.</p>\n",
                            gantt.left_out);
        asim_out_printf(out, "</section>\n");
    }
    free(ops);
    return 0;
}
