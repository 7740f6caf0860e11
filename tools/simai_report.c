/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Rows summed as SimAI-Analytical does (simai.md#execution and simai.md#analytical-estimate):
 * exposed communication by group, the pipeline bubble from all rows but "embedding_layer" before
 * overlap, pipeline transfers by its formula, and the CSV its users' scripts read (us, two summary
 * lines, one line a row, "-nan" where there is no communication).
 *
 * Its pipeline formula uses the overlap ratio where a bandwidth belongs; --right divides by a NIC's
 * bandwidth (or the busbw file's PP line) instead.
 *
 * The file is written through base/out, so an interrupted run leaves no half CSV. Numbers are
 * printed with the published formats, rounding included: users compare files byte for byte.
 */
#include "tools/simai.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/io/inputs.h"
#include "base/io/out.h"
#include "base/io/quote.h"
#include "asim/simai.h"

/* One pass over the rows; totals and out belong to the caller. */
struct walk {
    const struct asim_sa *sa;
    struct asim_out *out;
    struct asim_sa_totals *totals;
    double bubble_base;
    uint32_t *forwards; /* how often each row is run forward, recomputation included */
};

/* The share of a collective's time that is not hidden. */
static double overlap_left(const struct asim_sa *sa, const struct asim_simai_row *row, int part)
{
    const struct asim_sa_options *opt = sa->opt;
    if (part == ASIM_SIMAI_WG)
        return 1 - opt->dp_overlap;
    const struct asim_simai_comm *fwd = &row->comm[ASIM_SIMAI_FWD];
    int expert = fwd->op != ASIM_SIMAI_NONE && fwd->group == ASIM_SIMAI_EP;
    return 1 - (expert ? opt->ep_overlap : opt->tp_overlap);
}

/* us, by the group that communicates. */
static void add_exposed(struct asim_sa_totals *t, const struct asim_simai_comm *comm, double us)
{
    double *const sums[] = {&t->tp, &t->dp, &t->ep, &t->dp_ep};
    *sums[comm->group] += us;
    t->exposed += us;
}

/* parity: a collective of 0 bytes has a bandwidth of 0 / 0 */
static void put_cost(struct walk *walk, const struct asim_sa_cost *cost, int is_none)
{
    if (cost->ns > 0)
        asim_out_printf(walk->out, ",%.0f,%.2f,%.2f", cost->ns / 1000, cost->algbw_gib,
                        cost->busbw_gib);
    else
        asim_out_printf(walk->out, is_none ? ",0,-nan,0.00" : ",0,-nan,-nan");
}

/* Columns in the order of the published CSV: forward, weight gradient, input gradient. */
static int put_row(struct walk *walk, uint32_t i, struct asim_err *err)
{
    static const int columns[] = {ASIM_SIMAI_FWD, ASIM_SIMAI_WG, ASIM_SIMAI_IG};
    const struct asim_simai_row *row = asim_simai_row(walk->sa->w, i);
    struct asim_sa_cost cost[ASIM_SIMAI_PARTS];
    double exposed[ASIM_SIMAI_PARTS], computed[ASIM_SIMAI_PARTS], compute = 0;
    for (int part = 0; part < ASIM_SIMAI_PARTS; part++) {
        struct asim_simai_comm comm = row->comm[part];
        comm.bytes = asim_simai_run_bytes(walk->sa->w, i, part);
        int rc = asim_sa_cost(walk->sa, &comm, &cost[part], err);
        if (rc)
            return rc;
        exposed[part] = floor(cost[part].exact_ns * overlap_left(walk->sa, row, part)) / 1000;
        computed[part] = (double)row->compute_ns[part] / 1000;
        if (part == ASIM_SIMAI_FWD)
            computed[part] *= walk->forwards[i];
        compute += computed[part];
        if (row->comm[part].op != ASIM_SIMAI_NONE)
            add_exposed(walk->totals, &row->comm[part], exposed[part]);
    }
    walk->totals->compute += compute;
    if (strcmp(row->name, "embedding_layer"))
        walk->bubble_base += compute + (cost[ASIM_SIMAI_FWD].ns + cost[ASIM_SIMAI_IG].ns) / 1000;
    asim_quote_csv_if_needed(walk->out, row->name);
    asim_out_printf(walk->out, ",Analytical_test");
    for (int c = 0; c < ASIM_SIMAI_PARTS; c++)
        asim_out_printf(walk->out, ",%.0f", computed[columns[c]]);
    for (int c = 0; c < ASIM_SIMAI_PARTS; c++)
        asim_out_printf(walk->out, ",%.0f", exposed[columns[c]]);
    for (int c = 0; c < ASIM_SIMAI_PARTS; c++)
        put_cost(walk, &cost[columns[c]], row->comm[columns[c]].op == ASIM_SIMAI_NONE);
    asim_out_printf(walk->out, "\n");
    return 0;
}

/* Bubble: (pp - 1) / (ga x vpp) of a micro-batch's time (simai.md#analytical-estimate). */
static void finish_totals(struct walk *walk)
{
    const struct asim_sa *sa = walk->sa;
    const struct asim_simai *w = sa->w;
    struct asim_sa_totals *t = walk->totals;
    double ga = w->ga ? w->ga : 1, vpp = w->vpp ? w->vpp : 1, overlap = sa->opt->pp_overlap;
    double gib = (double)w->pp_comm / 1073741824.0;
    double rate = sa->busbw.pp_gib > 0 ? sa->busbw.pp_gib : sa->opt->nic_gib;
    if (!sa->opt->right && !(sa->busbw.pp_gib > 0))
        rate = overlap; /* parity: the overlap ratio stands where a bandwidth should */
    t->bubble = walk->bubble_base * (sa->layout.pp - 1) / (ga * vpp);
    t->pp = rate > 0 ? 2 * vpp * ga * (gib / rate * 1e6) * (1 - overlap) : 0;
    t->total = t->compute + t->exposed + t->bubble + t->pp;
}

/* " 40332 (0.53%),": us without decimals and the share of the total time, which the tool gives for
 * every sum but the total itself. */
static void put_share(struct asim_out *out, double us, double total)
{
    asim_out_printf(out, " %.0f (%.2f%%),", us, total > 0 ? us / total * 100 : 0);
}

/* Names and blanks exactly as published: scripts split at them. */
void asim_sa_put_summary(struct asim_out *out, const char *name, const struct asim_sa_totals *t)
{
    const double parts[] = {t->dp, t->dp_ep,  t->tp,      t->ep,
                            t->pp, t->bubble, t->compute, t->exposed};
    asim_out_printf(out,
                    "File name, Expose DP comm, Expose DP_EP comm, Expose TP comm, Expose_EP_comm, "
                    "Expose_PP_comm, bubble time, total comp, total exposed comm, Total time\n");
    asim_quote_csv_if_needed(out, name);
    asim_out_write(out, ",", 1);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        put_share(out, parts[i], t->total);
    asim_out_printf(out, " %.0f\n", t->total);
}

/* The shares of the total as one horizontal bar; plain SVG, nothing is loaded from anywhere.
 * Widths are parts of 1000 pixels; colours are fixed so that two charts can be laid side by
 * side. */
static void put_chart(struct asim_out *out, const char *name, const struct asim_sa_totals *t)
{
    const struct {
        const char *label, *color;
        double us;
    } parts[] = {{"compute", "#4c78a8", t->compute}, {"DP", "#f58518", t->dp},
                 {"DP_EP", "#e45756", t->dp_ep},     {"TP", "#72b7b2", t->tp},
                 {"EP", "#54a24b", t->ep},           {"PP", "#eeca3b", t->pp},
                 {"bubble", "#b279a2", t->bubble}};
    double x = 0, y = 110;
    asim_out_printf(out, "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"></head><body><h1>");
    asim_quote_xml(out, name);
    asim_out_printf(out,
                    ": %.0f us</h1>\n"
                    "<svg width=\"1020\" height=\"320\" font-family=\"sans-serif\">\n",
                    t->total);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++, y += 28) {
        double width = t->total > 0 ? parts[i].us / t->total * 1000 : 0;
        asim_out_printf(out,
                        "<rect x=\"%.1f\" y=\"20\" width=\"%.1f\" height=\"60\" fill=\"%s\"/>\n"
                        "<rect x=\"0\" y=\"%.0f\" width=\"18\" height=\"18\" fill=\"%s\"/><text "
                        "x=\"26\" y=\"%.0f\">%s %.0f us (%.2f%%)</text>\n",
                        x, width, parts[i].color, y, parts[i].color, y + 14, parts[i].label,
                        parts[i].us, width / 10);
        x += width;
    }
    asim_out_printf(out, "</svg></body></html>\n");
}

static int write_chart(const struct asim_sa *sa, const struct asim_sa_totals *t, const char *path,
                       struct asim_err *err)
{
    struct asim_out out;
    int rc = asim_out_open(&out, path, err);
    if (rc)
        return rc;
    put_chart(&out, sa->opt->prefix, t);
    return asim_out_commit(&out, err);
}

/* The published formula grows without bound as pp_o falls: at 0, where its help promises that
 * nothing is hidden, it has no value. */
static int check_pipeline(const struct asim_sa *sa, struct asim_err *err)
{
    const struct asim_sa_options *opt = sa->opt;
    if (opt->right || sa->busbw.pp_gib > 0 || opt->pp_overlap > 0 || !sa->w->pp_comm)
        return 0;
    return asim_err_set(err, ASIM_EINVAL,
                        "-pp_o 0 has no result: the published formula takes the overlap ratio for "
                        "the bandwidth of the pipeline's transfers. Say --right, which takes a "
                        "NIC's, or give the PP bandwidth in the file of -busbw.");
}

/* Called twice, hence it begins by clearing the sums. */
static int put_rows(struct walk *walk, struct asim_err *err)
{
    asim_out_printf(walk->out,
                    "layer_name,Analytical_test,fwd compute,wg compute,ig compute,fwd exposed "
                    "comm,wg exposed comm,ig exposed comm,fwd total comm,algbw,busbw,wg total "
                    "comm,algbw,busbw,ig total comm,algbw,busbw\n");
    memset(walk->totals, 0, sizeof *walk->totals);
    walk->bubble_base = 0;
    int rc = 0;
    for (uint32_t i = 0; i < walk->sa->w->n_rows && !rc; i++)
        rc = put_row(walk, i, err);
    if (!rc)
        finish_totals(walk);
    return rc;
}

/* The summary stands first and needs the sums, so the rows go to /dev/null once.
 * Costs the arithmetic twice, which is small beside writing. */
static int write_csv(struct walk *walk, const char *path, struct asim_err *err)
{
    struct asim_out out, nowhere;
    int rc = asim_out_open(&nowhere, "/dev/null", err);
    if (rc)
        return rc;
    walk->out = &nowhere;
    rc = put_rows(walk, err);
    asim_out_discard(&nowhere);
    if (!rc)
        rc = asim_out_open(&out, path, err);
    if (rc)
        return rc;
    asim_sa_put_summary(&out, walk->sa->opt->prefix, walk->totals);
    walk->out = &out;
    rc = put_rows(walk, err);
    if (!rc)
        return asim_out_commit(&out, err);
    asim_out_discard(&out);
    return rc;
}

/* The results are named after the workload, so they may meet a file that was read. */
static int check_places(const struct asim_sa *sa, const char *csv, const char *html,
                        struct asim_err *err)
{
    const char *const read[] = {sa->opt->workload, sa->opt->busbw, sa->tables.nvlink.source,
                                sa->tables.nic.source, sa->tables.all_to_all.source};
    struct asim_inputs inputs = {0};
    int rc = 0;
    for (size_t i = 0; i < sizeof read / sizeof *read && !rc; i++)
        rc = asim_inputs_add(&inputs, read[i], err);
    if (!rc)
        rc = asim_inputs_refuse(&inputs, csv, err);
    if (!rc && sa->opt->visual)
        rc = asim_inputs_refuse(&inputs, html, err);
    asim_inputs_fini(&inputs);
    return rc;
}

/* The chart has the CSV's name with html for csv. */
int asim_sa_report(const struct asim_sa *sa, struct asim_sa_totals *totals, char *path, size_t size,
                   struct asim_err *err)
{
    struct walk walk = {.sa = sa, .totals = totals};
    char html[2100];
    if (snprintf(path, size, "%s/%sEndToEnd.csv", sa->opt->folder, sa->opt->prefix) >= (int)size ||
        snprintf(html, sizeof html, "%.*shtml", (int)strlen(path) - 3, path) >= (int)sizeof html)
        return asim_err_set(err, ASIM_EINVAL, "the path of the result is too long.");
    int rc = check_pipeline(sa, err);
    if (!rc)
        rc = check_places(sa, path, html, err);
    if (rc)
        return rc;
    walk.forwards = asim_simai_forwards(sa->w);
    if (!walk.forwards)
        return asim_err_nomem(err, "counting what is recomputed");
    rc = write_csv(&walk, path, err);
    free(walk.forwards);
    return rc || !sa->opt->visual ? rc : write_chart(sa, totals, html, err);
}
