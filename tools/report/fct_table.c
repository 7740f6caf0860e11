/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Prints slowdowns by size as HPCC's fct_analysis.py does: of runs, and of files that simulators
 * derived from HPCC's write (fct.txt), side by side.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/io/src.h"
#include "base/text.h"
#include "tools/report/fct.h"
#include "tools/report/run.h"

struct source {
    const char *name;
    int is_file;
    struct asim_fct_row rows[2][ASIM_FCT_ROWS]; /* of jobs; of background */
    size_t n[2];
};

/* "source destination port port bytes start time ideal", the first two as addresses or numbers. */
static int read_line(struct asim_run *run, struct asim_src *src, struct asim_err *err)
{
    enum { WORDS = 8, NUMBERS = 6 };
    uint64_t value[WORDS];
    int i = 0;

    for (char *word; i < WORDS && (word = asim_src_word_in_line(src)); i++)
        if (i >= WORDS - NUMBERS && (asim_text_u64(word, &value[i]) || value[i] > INT64_MAX))
            break;
    if (i < WORDS || asim_src_word_in_line(src))
        return asim_err_at(err, ASIM_EINVAL, (struct asim_where){src->name, src->line, 0},
                           "expected source, destination, two ports, bytes, start, time and time "
                           "alone, as in fct.txt of HPCC's simulator.");
    for (int which = 0; which < 2; which++) { /* they are beside either kind of a run's flows */
        const struct asim_run_flow flow = {.is_background = which,
                                           .bytes = value[4],
                                           .start = value[5],
                                           .end = value[5] + value[6],
                                           .ideal = value[7]};

        if (asim_run_keep_slowdown(run, &flow))
            return asim_err_nomem(err, "reading flows");
    }
    return 0;
}

static int read_file(struct asim_run *run, const char *path, struct asim_err *err)
{
    struct asim_src src;
    int code = asim_src_open(&src, path, err);

    if (code)
        return code;
    while (!code && asim_src_next_line(&src))
        code = read_line(run, &src, err);
    asim_src_close(&src);
    if (!code && !run->slowdowns[0].n)
        code = asim_err_set(err, ASIM_EINVAL, "%s has no flows.", path);
    asim_run_sort_slowdowns(run);
    return code;
}

static int read_source(struct source *source, const char *path, const struct asim_fct_sizes *sizes,
                       struct asim_err *err)
{
    struct asim_run run = {0};
    struct stat about;
    int is_file = !stat(path, &about) && S_ISREG(about.st_mode);
    int code = is_file ? read_file(&run, path, err) : asim_run_load(&run, path, 0, err);
    double *scratch = NULL;

    source->name = path;
    source->is_file = is_file;
    if (!code && !is_file && !run.has_flows)
        code = asim_err_set(err, ASIM_EINVAL,
                            "%s has no flows.csv as its run wrote it; run with --reports=flows.",
                            path);
    if (!code && !(scratch = asim_fct_scratch(&run, err)))
        code = err->code;
    for (int which = 0; which < 2 && !code; which++)
        source->n[which] = asim_fct_rows(source->rows[which], &run, which, sizes, scratch);
    free(scratch);
    asim_run_close(&run);
    return code;
}

/* Sources from `from` on that have as many rows. */
static size_t beside(const struct source *sources, size_t from, size_t n, int which)
{
    size_t to = from + 1;

    while (to < n && sources[to].n[which] == sources[from].n[which])
        to++;
    return to;
}

/* A file has its own table only where no run has one: its flows are in those of both kinds. */
static int is_wanted(const struct source *sources, size_t n, size_t all, int which)
{
    size_t files = 0;

    for (size_t s = 0; s < n; s++)
        files += (unsigned)sources[s].is_file;
    return sources[0].n[which] && (files < n || (n == all && !which));
}

/* Of the first source are the shares and the sizes, as there. */
static void print_table(const struct source *sources, size_t n, int which)
{
    static const char *const names[] = {"messages of jobs", "background flows"};

    printf("# %s of %s: share of flows, bytes up to, slowdown p50, p95, p99", names[which],
           sources[0].name);
    for (size_t s = 1; s < n; s++)
        printf(", of %s", sources[s].name);
    printf("\n");
    for (size_t i = 0; i < sources[0].n[which]; i++) {
        const struct asim_fct_row *first = &sources[0].rows[which][i];

        printf("%.3f %llu", first->share, (unsigned long long)first->to_bytes);
        for (size_t s = 0; s < n; s++) {
            const struct asim_fct_row *row = &sources[s].rows[which][i];

            printf("\t%.3f %.3f %.3f", row->p50, row->p95, row->p99);
        }
        printf("\n");
    }
}

int asim_fct_print(const char *const *paths, size_t n, const struct asim_fct_sizes *sizes,
                   struct asim_err *err)
{
    struct source *sources = calloc(n, sizeof *sources);
    int code = sources ? 0 : asim_err_nomem(err, "reading flows");

    for (size_t s = 0; s < n && !code; s++)
        code = read_source(&sources[s], paths[s], sizes, err);
    for (int which = 0; which < 2 && !code; which++)
        for (size_t from = 0, to; from < n; from = to) {
            to = beside(sources, from, n, which);
            if (is_wanted(&sources[from], to - from, n, which))
                print_table(&sources[from], to - from, which);
        }
    free(sources);
    return code;
}
