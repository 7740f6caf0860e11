/* SPDX-License-Identifier: GPL-2.0-only
 *
 * See inference.h: the time that an iteration computes, from a table or from the roofline model
 * (Williams, Waterman, Patterson: Roofline, 2009): the longer of its arithmetic and of the bytes it
 * reads, at a share of the GPU's peaks. Arithmetic is 2 operations for each parameter that a token
 * uses, and 4 x layers x heads x head_dim for each pair of tokens that attend. Bytes are the
 * parameters that some token of the iteration uses, and the KV caches it reads, 2 bytes an element.
 */
#include "tools/inference/inference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/io/csv.h"
#include "base/text.h"
#include "gpu/gpu.h"

/* Shapes of the models' published configurations; parameters counted from them. */
static const struct asim_model models[] = {
    {"llama-3-8b", 32, 4096, 32, 8, 128, 0, 0, 8.03e9, 0},
    {"llama-3-70b", 80, 8192, 64, 8, 128, 0, 0, 70.6e9, 0},
    {"llama-3-405b", 126, 16384, 128, 8, 128, 0, 0, 405.9e9, 0},
    {"mixtral-8x7b", 32, 4096, 32, 8, 128, 8, 2, 46.7e9, 5.637e9},
};

int asim_model_find(struct asim_model *model, const char *name, struct asim_err *err)
{
    const char *names[sizeof models / sizeof *models];
    char safe[64], known[300];

    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        names[i] = models[i].name;
        if (!strcmp(models[i].name, name)) {
            *model = models[i];
            return 0;
        }
    }
    return asim_err_set(err, ASIM_EINVAL, "--model names '%s'; known are: %s.",
                        asim_text_safe(safe, sizeof safe, name),
                        asim_text_list(known, sizeof known, names, sizeof names / sizeof *names));
}

uint64_t asim_model_kv_bytes(const struct asim_model *model)
{
    return (uint64_t)2 * model->layers * model->kv_heads * model->head_dim * 2;
}

/* --- a table --- */

struct point {
    double tokens, ns;
};
struct asim_times_table {
    ASIM_VEC(struct point) of[2]; /* prefill, decode; by ascending tokens */
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
        return asim_err_at(err, ASIM_EINVAL, asim_csv_where(csv, (size_t)at->tokens),
                           "expected a number of tokens, above that of the row before it of its "
                           "phase.");
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
    code = times->table ? read_rows(times->table, &csv, err) : asim_err_nomem(err, "reading times");
    asim_csv_close(&csv);
    fclose(file);
    return code;
}

/* Linear between rows, and beyond the last row as between the last two; the time of the first row
 * below it. One row is the time of any number of tokens. */
static double look_up(const struct asim_times_table *table, int which, double tokens)
{
    const struct point *at = table->of[which].at, *low;
    size_t n = table->of[which].n, i = 1;

    if (!(tokens > 0))
        return 0;
    if (n == 1 || tokens <= at[0].tokens)
        return at[0].ns;
    while (i < n - 1 && at[i].tokens < tokens)
        i++;
    low = &at[i - 1];
    return low->ns + (at[i].ns - low->ns) * (tokens - low->tokens) / (at[i].tokens - low->tokens);
}

/* --- the roofline --- */

/* Of experts, as many as the tokens can name at most. */
static double roofline(const struct asim_times *times, const struct asim_batch *batch)
{
    const struct asim_model *m = &times->model;
    double tokens = (double)(batch->prefill_tokens + batch->decode_tokens);
    double named = tokens * m->topk < m->experts ? tokens * m->topk : m->experts;
    double used = m->params - (m->experts - (double)m->topk) * m->expert_params;
    double read = m->params - (m->experts - named) * m->expert_params;
    double flops = 2 * used * tokens + 4.0 * m->layers * m->heads * m->head_dim * batch->attention;
    double bytes = 2 * read + (double)batch->kv_read * (double)asim_model_kv_bytes(m);
    double compute = flops / times->flops, memory = bytes / times->bytes_per_s;

    return 1e9 * (compute > memory ? compute : memory);
}

uint64_t asim_times_of(const struct asim_times *times, const struct asim_batch *batch)
{
    double ns = times->table ? look_up(times->table, 0, (double)batch->prefill_tokens) +
                                   look_up(times->table, 1, (double)batch->decode_tokens)
                             : roofline(times, batch);

    return (uint64_t)(ns + 0.5) + times->overhead_ns;
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
    times->flops = gpu.tflops_16bit * 1e12 * opt->efficiency * opt->tp;
    times->bytes_per_s = gpu.memory_gbps * 1e9 * opt->efficiency * opt->tp;
    times->overhead_ns = (uint64_t)(opt->overhead_us * 1000 + 0.5);
    return opt->table ? read_table(times, opt->table, err) : 0;
}

void asim_times_close(struct asim_times *times)
{
    for (int i = 0; times->table && i < 2; i++)
        free(times->table->of[i].at);
    free(times->table);
    memset(times, 0, sizeof *times);
}
