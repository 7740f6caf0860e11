/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Draws how ranks spent their time. Ranks of which no part differs by 1 % of the run are one row.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tools/report/html.h"

enum { MOST_ROWS = 64, NAME = 120 };

void asim_html_parts(struct asim_time_part parts[ASIM_PARTS], const struct asim_run *run,
                     const struct asim_run_rank *rank)
{
    uint64_t alone = rank->compute > rank->hidden ? rank->compute - rank->hidden : 0;
    struct asim_time_part all[] = {
        {"compute", "computation", (double)alone},
        {"hidden", "communication hidden behind computation", (double)rank->hidden},
        {"exposed", "exposed communication", (double)rank->exposed},
        {"waiting", "waiting for other ranks", (double)rank->waiting},
        {"cpu", "CPU", (double)rank->cpu},
        {"idle", "idle", (double)(rank->idle + rank->other)}};

    if (!run->has_breakdown) {
        all[2].title = "exposed communication, waiting included";
        all[5].title = "CPU, remote memory, idle";
    }
    memcpy(parts, all, sizeof all);
}

void asim_html_mean_parts(struct asim_time_part parts[ASIM_PARTS], const struct asim_run *run)
{
    struct asim_time_part one[ASIM_PARTS];
    struct asim_run_rank none = {0};

    asim_html_parts(parts, run, &none);
    for (size_t i = 0; i < run->ranks.n; i++) {
        asim_html_parts(one, run, &run->ranks.at[i]);
        for (int k = 0; k < ASIM_PARTS; k++)
            parts[k].ns += one[k].ns / (double)run->ranks.n;
    }
}

void asim_html_whole_parts(struct asim_time_part parts[ASIM_PARTS], const struct asim_run *run)
{
    double rest = (double)run->finish;

    asim_html_mean_parts(parts, run);
    for (int k = 0; k < ASIM_PARTS; k++)
        rest -= parts[k].ns;
    parts[ASIM_PARTS - 1].ns += rest > 0.01 * (double)run->finish ? rest : 0;
    parts[ASIM_PARTS - 1].title = "idle, or over before the last rank";
}

void asim_html_bar(struct asim_out *out, const struct asim_time_part parts[ASIM_PARTS], double full)
{
    char time[ASIM_SHOW_BYTES];

    asim_out_printf(out, "<div class=\"bar\">");
    for (int i = 0; i < ASIM_PARTS; i++)
        if (parts[i].ns > 0)
            asim_out_printf(out, "<i class=\"%s\" style=\"width:%.3f%%\" title=\"%s: %s\"></i>",
                            parts[i].class, full > 0 ? 100 * parts[i].ns / full : 0, parts[i].title,
                            asim_show_time(time, parts[i].ns));
    asim_out_printf(out, "</div>");
}

void asim_html_legend(struct asim_out *out, const struct asim_run *runs, size_t n)
{
    struct asim_time_part parts[ASIM_PARTS];
    double all[ASIM_PARTS] = {0};

    for (size_t r = 0; r < n; r++) {
        (n > 1 ? asim_html_whole_parts : asim_html_mean_parts)(parts, &runs[r]);
        for (int i = 0; i < ASIM_PARTS; i++)
            all[i] += parts[i].ns;
    }
    asim_out_printf(out, "<p class=\"legend\">");
    for (int i = 0; i < ASIM_PARTS; i++)
        if (all[i] > 0)
            asim_out_printf(out, "<span><i class=\"%s\"></i>%s</span> ", parts[i].class,
                            parts[i].title);
    asim_out_printf(out, "</p>\n");
}

/* Ranks that are one row: their number, sums, and as many of their names as fit. */
struct group {
    const struct asim_run_rank *like;
    uint32_t n, from, last; /* the run of consecutive ranks that is not named yet */
    double finish, blame;
    struct asim_time_part parts[ASIM_PARTS];
    char name[NAME];
};

static int is_like(const struct asim_run *run, const struct group *group,
                   const struct asim_time_part parts[ASIM_PARTS])
{
    struct asim_time_part other[ASIM_PARTS];

    asim_html_parts(other, run, group->like);
    for (int i = 0; i < ASIM_PARTS; i++) {
        double more = parts[i].ns - other[i].ns;

        if (more * (more < 0 ? -1 : 1) > 0.01 * (double)run->finish)
            return 0;
    }
    return 1;
}

/* "0-3, 8", with "…" where no more fits. */
static void name_span(struct group *group)
{
    size_t used = strlen(group->name);
    char span[40];

    if (group->from == group->last)
        snprintf(span, sizeof span, "%u", group->from);
    else
        snprintf(span, sizeof span, "%u-%u", group->from, group->last);
    if (used + strlen(span) + 8 < sizeof group->name)
        snprintf(group->name + used, sizeof group->name - used, "%s%s", used ? ", " : "", span);
    else if (used < 3 || strcmp(group->name + used - 3, "…") != 0)
        snprintf(group->name + used, sizeof group->name - used, ", …");
}

static void join(struct group *group, const struct asim_run *run, const struct asim_run_rank *rank,
                 const struct asim_time_part parts[ASIM_PARTS])
{
    if (!group->n) {
        group->like = rank;
        memcpy(group->parts, parts, sizeof group->parts);
        group->from = rank->rank;
    } else if (rank->rank != group->last + 1) {
        name_span(group);
        group->from = rank->rank;
    }
    for (int i = 0; i < ASIM_PARTS && group->n; i++)
        group->parts[i].ns += parts[i].ns;
    group->last = rank->rank;
    group->n++;
    group->finish += (double)rank->finish;
    if (run->blame && rank->rank < run->n_ranks)
        group->blame += (double)run->blame[rank->rank];
}

/* Returns the number of groups; ranks left is those that no group had room for. */
static size_t make_groups(struct group groups[MOST_ROWS], const struct asim_run *run, size_t *left)
{
    size_t n = 0;

    *left = 0;
    for (size_t i = 0; i < run->ranks.n; i++) {
        struct asim_time_part parts[ASIM_PARTS];
        size_t g = 0;

        asim_html_parts(parts, run, &run->ranks.at[i]);
        while (g < n && !is_like(run, &groups[g], parts))
            g++;
        if (g == MOST_ROWS) {
            ++*left;
            continue;
        }
        n += g == n;
        join(&groups[g], run, &run->ranks.at[i], parts);
    }
    for (size_t g = 0; g < n; g++)
        name_span(&groups[g]);
    return n;
}

static void row(struct asim_out *out, const struct asim_run *run, struct group *group)
{
    char name[NAME + 32];

    for (int i = 0; i < ASIM_PARTS; i++)
        group->parts[i].ns /= group->n;
    if (group->n > 2)
        snprintf(name, sizeof name, "%s (%u)", group->name, group->n);
    else
        snprintf(name, sizeof name, "%s", group->name);
    asim_out_printf(out, "<tr>");
    asim_out_printf(out, "<td class=\"names\" data-v=\"%u\">%s</td>", group->like->rank, name);
    asim_out_printf(out, "<td class=\"bar\">");
    asim_html_bar(out, group->parts, (double)run->finish);
    asim_out_printf(out, "</td>");
    asim_html_time(out, group->finish / group->n);
    for (int i = 0; i < ASIM_PARTS; i++)
        if (run->has_breakdown || (i != 3 && i != 4))
            asim_html_time(out, group->parts[i].ns);
    if (run->waited)
        asim_html_time(out, group->blame);
    asim_out_printf(out, "</tr>\n");
}

int asim_html_ranks(struct asim_out *out, const struct asim_run *run, size_t number,
                    struct asim_err *err)
{
    struct group *groups = calloc(MOST_ROWS, sizeof *groups);
    size_t n = 0, left = 0;
    char head[400];

    if (!groups)
        return asim_err_nomem(err, "grouping ranks");
    asim_html_section(out, "ranks", number, "Time of the ranks");
    asim_html_legend(out, run, 1);
    n = make_groups(groups, run, &left);
    if (n < run->ranks.n)
        asim_out_printf(out, "<p>Ranks of which no part differs by 1 %% of the run are one row, "
                             "with their mean; ranks.csv has each.</p>\n");
    if (left)
        asim_out_printf(out, "<p>%zu more ranks are like none of these.</p>\n", left);
    snprintf(head, sizeof head, "rank|time|#finish|#compute alone|#hidden|#exposed|%s%s%s",
             run->has_breakdown ? "#waiting|#CPU|" : "", run->has_breakdown ? "#idle" : "#other",
             run->waited ? "|#others waited for it" : "");
    asim_html_table(out, head);
    for (size_t g = 0; g < n; g++)
        row(out, run, &groups[g]);
    asim_out_printf(out, "</tbody></table></div>\n</section>\n");
    free(groups);
    return 0;
}
