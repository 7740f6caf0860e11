/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The time that an iteration computes, from a table or from the roofline model at a share of the
 * GPU's peaks (catalogue/kernels.h). Arithmetic is 2 operations for each parameter that a token
 * uses, and 4 x layers x heads x head_dim for each pair of tokens that attend. Bytes are the
 * parameters that some token of the iteration uses, and the KV caches it reads, 2 bytes an element.
 * Tensor-parallel GPUs share parameters and arithmetic evenly, and KV caches by their heads.
 */
#include "tools/inference/inference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/csv.h"
#include "base/text.h"
#include "base/io/foreign.h"

/* A year: a longer iteration is a mistake in the numbers, and must not pass for a short one. */
#define MOST_NS 3e16

/* --- a table --- */

struct point {
    double tokens, ns;
};
struct asim_times_table {
    ASIM_VEC(struct point) of[2]; /* prefill, decode; by ascending tokens */
    double most[2];               /* tokens that were looked up */
    char name[200];               /* of its file */
    char idle[64];                /* a column that nothing reads, or "" */
};

static int read_file(void *file, char *to, size_t size, size_t *got, struct asim_err *err)
{
    *got = fread(to, 1, size, file);
    return ferror((FILE *)file) ? asim_err_set(err, ASIM_EIO, "cannot read the table.") : 0;
}

struct columns {
    int phase, tokens, us;
};

static int read_row(struct asim_times_table *table, const struct asim_csv *csv,
                    const struct columns *at, struct asim_err *err)
{
    const char *phase = asim_csv_cell(csv, (size_t)at->phase);
    int which = !strcmp(phase, "decode");
    struct point point;

    if (!which && strcmp(phase, "prefill"))
        return asim_err_at(err, ASIM_EINVAL, asim_csv_where(csv, (size_t)at->phase),
                           "expected prefill or decode.");
    if (asim_text_double(asim_csv_cell(csv, (size_t)at->tokens), &point.tokens) ||
        point.tokens < 1 ||
        (table->of[which].n && point.tokens <= table->of[which].at[table->of[which].n - 1].tokens))
        return asim_err_at(
            err, ASIM_EINVAL, asim_csv_where(csv, (size_t)at->tokens),
            "expected a number of tokens, above that of the row before it of its phase.");
    if (asim_text_double(asim_csv_cell(csv, (size_t)at->us), &point.ns) || !(point.ns >= 0) ||
        point.ns > 1e12)
        return asim_err_at(err, ASIM_EINVAL, asim_csv_where(csv, (size_t)at->us),
                           "expected microseconds, 0 to 1e12.");
    point.ns *= 1000;
    return ASIM_VEC_PUSH(table->of[which], point) ? asim_err_nomem(err, "reading times") : 0;
}

static int read_rows(struct asim_times_table *table, struct asim_csv *csv, struct asim_err *err)
{
    static const char *const names[] = {"phase", "tokens", "us"};
    struct columns at;
    int *const columns[] = {&at.phase, &at.tokens, &at.us};
    int code = asim_csv_header(csv, err);

    for (int i = 0; !code && i < 3; i++)
        if ((*columns[i] = asim_csv_find(csv, &names[i], 1)) < 0)
            code = asim_err_at(err, ASIM_EINVAL, (struct asim_where){csv->name, 1, 0},
                               "there is no column %s; expected phase, tokens and us.", names[i]);
    for (size_t c = 0; !code && c < csv->columns; c++)
        if ((int)c != at.phase && (int)c != at.tokens && (int)c != at.us)
            asim_text_safe(table->idle, sizeof table->idle, csv->header[c]);
    while (!code && (code = asim_csv_row(csv, err)) > 0)
        code = read_row(table, csv, &at, err);
    for (int i = 0; !code && i < 2; i++)
        if (!table->of[i].n)
            code = asim_err_at(err, ASIM_EINVAL, (struct asim_where){csv->name, 0, 0},
                               "there is no row of the phase %s.", i ? "decode" : "prefill");
    return code;
}

static int read_table(struct asim_times *times, const char *path, struct asim_err *err)
{
    struct asim_csv csv;
    FILE *file = fopen(path, "rb");
    int code;

    if (!file)
        return asim_err_set(err, ASIM_EIO, "cannot open %s, the file of --times.", path);
    times->table = calloc(1, sizeof *times->table);
    asim_csv_init(&csv, path, (struct asim_csv_source){file, read_file});
    if (times->table)
        snprintf(times->table->name, sizeof times->table->name, "%s", path);
    code = times->table ? read_rows(times->table, &csv, err) : asim_err_nomem(err, "reading times");
    asim_csv_close(&csv);
    fclose(file);
    return asim_foreign_instead(code, path, "a table of times", err);
}

/* Linear between rows; the time of the first row below it. Beyond the last row as from the latest
 * row that took less time: rows fall by chance, and more tokens do not. Where no row took less, or
 * there is one row, the last row counts. */
static double look_up(struct asim_times_table *table, int which, double tokens)
{
    const struct point *at = table->of[which].at, *low, *high;
    size_t n = table->of[which].n, i = 1;

    if (tokens > table->most[which])
        table->most[which] = tokens;
    if (!(tokens > 0))
        return 0;
    if (n == 1 || tokens <= at[0].tokens)
        return at[0].ns;
    while (i < n - 1 && at[i].tokens < tokens)
        i++;
    low = &at[i - 1];
    high = &at[i];
    while (tokens > high->tokens && low > at && low->ns >= high->ns)
        low--;
    if (tokens > high->tokens && low->ns >= high->ns)
        return high->ns;
    return low->ns + (high->ns - low->ns) * (tokens - low->tokens) / (high->tokens - low->tokens);
}

/* 1 if some row took less time than the last one. */
static int grows(const struct asim_times_table *table, int which)
{
    const struct point *at = table->of[which].at;
    size_t n = table->of[which].n;

    for (size_t i = 0; i + 1 < n; i++)
        if (at[i].ns < at[n - 1].ns)
            return 1;
    return 0;
}

void asim_times_notes(const struct asim_times *times, const struct asim_diagnostics *notes)
{
    const struct asim_times_table *table = times->table;

    if (times->has_idle_gpus)
        asim_diagnose(notes, "--gpus has no effect: the GPU is none of its rows; --gpu=NAME takes "
                             "one");
    if (table && *table->idle)
        asim_diagnose(notes,
                      "%s: the column %s has no effect: times are those of the tokens of an "
                      "iteration",
                      table->name, table->idle);
    for (int which = 0; table && which < 2; which++) {
        size_t n = table->of[which].n;
        double last = table->of[which].at[n - 1].tokens;

        if (table->most[which] > last)
            asim_diagnose(notes,
                          "%s ends at %.0f tokens of %s, and iterations had up to %.0f, which "
                          "take %s",
                          table->name, last, which ? "decode" : "prefill", table->most[which],
                          grows(table, which) ? "as much longer as its last rows say"
                          : n == 1
                              ? "no longer, since it has one row of the phase; add a row of as many"
                              : "no longer, since none of its rows took less than the last; add "
                                "a row of as many");
    }
}

/* --- the roofline --- */

/* All GPUs wait for the one that most tokens go to. */
static double roofline(const struct asim_times *times, const struct asim_batch *batch)
{
    const struct asim_model *m = &times->model;
    double tokens = (double)(batch->prefill_tokens + batch->decode_tokens);
    double experts = (double)m->experts, topk = (double)m->topk;
    double named = asim_experts_named(&times->experts, m, tokens);
    /* A row of the embeddings is looked up, unless they are the output layer, too. */
    double matrices = m->params - (m->tied ? 0 : (double)(m->vocab * m->hidden));
    double used = matrices - (experts - topk * times->experts.busiest) * m->expert_params;
    double read = matrices - (experts - named) * m->expert_params;
    double scores = 4 * (double)(m->layers * m->heads) * asim_model_head_size(m);
    const struct asim_gpu_work work = {
        .ops = (2 * used * tokens + scores * batch->attention) / times->gpus,
        .bytes = 2 * read / times->gpus +
                 (double)batch->kv_read * (double)asim_model_kv_bytes(m, times->gpus),
        .count = 1};

    return 1000 * asim_gpu_work_us(&times->gpu, &work);
}

uint64_t asim_times_of(const struct asim_times *times, const struct asim_batch *batch)
{
    double ns = times->table ? look_up(times->table, 0, (double)batch->prefill_tokens) +
                                   look_up(times->table, 1, (double)batch->decode_tokens)
                             : roofline(times, batch);

    return (uint64_t)(ns < MOST_NS ? ns + 0.5 : MOST_NS) + times->overhead_ns;
}

int asim_times_open(struct asim_times *times, const struct asim_times_options *opt,
                    struct asim_err *err)
{
    struct asim_gpu gpu;
    int code;

    memset(times, 0, sizeof *times);
    if ((code = asim_model_find(&times->model, opt->model, err)) ||
        (code = asim_gpu_find(&gpu, opt->gpu, opt->gpus, err)))
        return code;
    asim_gpu_kernels_even(&times->gpu, &gpu, opt->efficiency);
    times->has_idle_gpus = opt->gpus && gpu.is_built_in && !opt->table;
    times->gpus = opt->tp;
    times->overhead_ns = (uint64_t)(opt->overhead_us * 1000 + 0.5);
    if ((code = asim_experts_read(&times->experts, opt->experts, &times->model, opt->tp, err)))
        return code;
    return opt->table ? read_table(times, opt->table, err) : 0;
}

void asim_times_close(struct asim_times *times)
{
    for (int i = 0; times->table && i < 2; i++)
        free(times->table->of[i].at);
    free(times->table);
    memset(times, 0, sizeof *times);
}
