/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Pieces of the page of `asim report`: cells, numbers, and the sections, each of which writes
 * nothing where the run lacks its data, or one sentence that tells how to record it. Every text of
 * an input goes through asim_quote_xml.
 */
#ifndef ASIM_TOOLS_REPORT_HTML_H
#define ASIM_TOOLS_REPORT_HTML_H

#include "base/io/out.h"
#include "tools/report/run.h"
#include "tools/report/show.h"
#include "tools/report/verdict.h"

/* Opens a section with a heading; id is unique on the page: word and number of the run. */
void asim_html_section(struct asim_out *out, const char *word, size_t number, const char *title);
/* "<table>" with a head of cells separated by '|'; a cell that begins with '#' is of a number. */
void asim_html_table(struct asim_out *out, const char *head);
/* Cells: a text of an input; a number, sorted by its value; a time. */
void asim_html_text(struct asim_out *out, const char *text);
void asim_html_number(struct asim_out *out, const char *shown, double value);
void asim_html_count(struct asim_out *out, uint64_t count);
void asim_html_time(struct asim_out *out, double ns);

/* "A", "B", … of the run. */
char asim_html_letter(size_t number);
/* A cell with the change from a to b in per cent. */
void asim_html_difference(struct asim_out *out, double a, double b);

/* Parts of a rank's time that add up to its finish; their means over the ranks. */
enum { ASIM_PARTS = 6 };
struct asim_time_part {
    const char *class, *title;
    double ns;
};
void asim_html_parts(struct asim_time_part parts[ASIM_PARTS], const struct asim_run *run,
                     const struct asim_run_rank *rank);
void asim_html_mean_parts(struct asim_time_part parts[ASIM_PARTS], const struct asim_run *run);
/* The same up to the end of the run. */
void asim_html_whole_parts(struct asim_time_part parts[ASIM_PARTS], const struct asim_run *run);
/* Parts as a bar; `full` ns are its whole width. The names of the colours that runs use. */
void asim_html_bar(struct asim_out *out, const struct asim_time_part parts[ASIM_PARTS],
                   double full);
void asim_html_legend(struct asim_out *out, const struct asim_run *runs, size_t n);

/* What differs between runs, their times as bars, their figures. */
int asim_html_comparison(struct asim_out *out, const struct asim_run *runs, size_t n,
                         struct asim_err *err);
int asim_html_ranks(struct asim_out *out, const struct asim_run *run, size_t number,
                    struct asim_err *err);
/* The ops of the rank that finishes last. */
int asim_html_gantt(struct asim_out *out, const struct asim_run *run, size_t number,
                    struct asim_err *err);
int asim_html_links(struct asim_out *out, const struct asim_run *run, struct asim_err *err);
void asim_html_collectives(struct asim_out *out, const struct asim_run *run, size_t number);
int asim_html_flows(struct asim_out *out, const struct asim_run *run, size_t number,
                    struct asim_err *err);
/* Slowdown by size, as a picture and a table. */
int asim_html_fct(struct asim_out *out, const struct asim_run *run, struct asim_err *err);
void asim_html_path(struct asim_out *out, const struct asim_run *run, size_t number);
/* Where the bytes went: tiers, oversubscription, equal ways, and from rank to rank. */
void asim_html_traffic(struct asim_out *out, const struct asim_run *run, size_t number);
/* The topology as a picture, links coloured by how much of them is used. */
int asim_html_drawing(struct asim_out *out, const struct asim_run *run, size_t number,
                      struct asim_err *err);
/* The longest queue of a switch, and the messages over the busiest link, over time, as pictures
 * that the script of the page replaces. */
void asim_html_series(struct asim_out *out, const struct asim_run *run);

#endif
