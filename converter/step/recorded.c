/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A recorded matrix of token counts: CSV with the columns `rank` (of a stage), e0, e1, … (tokens to
 * each expert) and perhaps `layer` (MoE layers from 0). Without `layer` all layers are alike; ranks
 * beyond those that are there repeat them evenly.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/csv.h"
#include "base/io/src.h"
#include "base/text.h"
#include "step/step.h"
#include "base/io/foreign.h"

struct matrix {
    const struct asim_step *step;
    struct asim_csv csv;
    int rank, layer, *expert;
    uint32_t *counts, recorded_ranks;
    uint8_t *has; /* layers x sources */
};

static int find_columns(struct matrix *m, const char *path, struct asim_err *err)
{
    static const char *const rank[] = {"rank", "src", "source"}, *const layer[] = {"layer"};
    char name[16];
    const char *names[] = {name};

    m->rank = asim_csv_find(&m->csv, rank, 3);
    m->layer = asim_csv_find(&m->csv, layer, 1);
    snprintf(name, sizeof name, "e%" PRIu32, m->step->opt->experts);
    if (asim_csv_find(&m->csv, names, 1) >= 0)
        return asim_err_at(err, ASIM_EINVAL, (struct asim_where){path, 1, 0},
                           "the column %s is of one expert more than the model's %" PRIu32
                           "; give the recorded --experts.",
                           name, m->step->opt->experts);
    for (uint32_t e = 0; e < m->step->opt->experts; e++) {
        snprintf(name, sizeof name, "e%" PRIu32, e);
        m->expert[e] = asim_csv_find(&m->csv, names, 1);
        if (m->expert[e] < 0 || m->rank < 0)
            return asim_err_at(err, ASIM_EINVAL, (struct asim_where){path, 1, 0},
                               "recorded token counts have the columns rank and e0 to e%" PRIu32
                               " (tokens to each expert), perhaps layer; %s is not there.",
                               m->step->opt->experts - 1, m->rank < 0 ? "rank" : name);
    }
    return 0;
}

static int cell(const struct matrix *m, int column, uint64_t most, uint64_t *value,
                struct asim_err *err)
{
    const char *text = asim_csv_cell(&m->csv, (size_t)column);
    char safe[48];

    if (!asim_text_u64(text, value) && *value <= most)
        return 0;
    return asim_err_at(err, ASIM_EINVAL, asim_csv_where(&m->csv, (size_t)column),
                       "found '%s' where a whole number of at most %" PRIu64 " is expected.",
                       asim_text_safe(safe, sizeof safe, text), most);
}

/* Each token of a rank chooses top-k experts; fewer come with a capacity, beyond which tokens had
 * been dropped when they were counted. */
static int check_sum(const struct matrix *m, uint64_t sum, struct asim_err *err)
{
    const struct asim_step *s = m->step;
    uint64_t tokens = s->tokens / s->tp, want = tokens * s->opt->topk;

    if (sum == want || (sum < want && s->opt->capacity_factor > 0))
        return 0;
    return asim_err_at(err, ASIM_EINVAL, asim_csv_where(&m->csv, (size_t)m->expert[0]),
                       "the counts of the row sum up to %" PRIu64 ", but %" PRIu64
                       " tokens of a rank with top-%" PRIu32 " choose %" PRIu64
                       " experts. Give the recorded --seq, --mbs and --topk%s.",
                       sum, tokens, s->opt->topk, want,
                       sum < want ? ", or --capacity_factor where tokens had been dropped" : "");
}

static int take_row(struct matrix *m, struct asim_err *err)
{
    const struct asim_step *s = m->step;
    uint64_t rank, layer = 0, last = m->layer < 0 ? s->routes.layers - 1 : 0, value;
    int rc = cell(m, m->rank, s->stage_ranks - 1, &rank, err);

    if (!rc && m->layer >= 0)
        rc = cell(m, m->layer, s->routes.layers - 1, &layer, err);
    if (m->layer >= 0)
        last = layer;
    for (; !rc && layer <= last; layer++) {
        uint32_t *to = m->counts + (layer * s->stage_ranks + rank) * s->opt->experts;
        uint64_t sum = 0;
        if (m->has[layer * s->stage_ranks + rank]++)
            return asim_err_at(err, ASIM_EINVAL, asim_csv_where(&m->csv, (size_t)m->rank),
                               "rank %" PRIu64 " has two rows for MoE layer %" PRIu64 ".", rank,
                               layer);
        for (uint32_t e = 0; !rc && e < s->opt->experts; e++) {
            rc = cell(m, m->expert[e], s->tokens / s->tp, &value, err);
            to[e] = (uint32_t)value;
            sum += value;
        }
        if (!rc)
            rc = check_sum(m, sum, err);
    }
    if (!rc && rank >= m->recorded_ranks)
        m->recorded_ranks = (uint32_t)rank + 1;
    return rc;
}

/* Ranks beyond the recorded ones repeat them; a gap in between is an error. */
static int fill(struct matrix *m, const char *path, struct asim_err *err)
{
    const struct asim_step *s = m->step;
    size_t row = s->opt->experts;

    for (uint32_t layer = 0; layer < s->routes.layers; layer++)
        for (uint32_t r = 0; r < s->stage_ranks; r++) {
            size_t at = (size_t)layer * s->stage_ranks;
            if (r < m->recorded_ranks && !m->has[at + r])
                return asim_err_set(err, ASIM_EINVAL,
                                    "%s has no row of rank %" PRIu32 " for MoE layer %" PRIu32 ".",
                                    path, r, layer);
            if (m->recorded_ranks && r >= m->recorded_ranks)
                memcpy(m->counts + (at + r) * row, m->counts + (at + r % m->recorded_ranks) * row,
                       row * sizeof *m->counts);
        }
    if (m->recorded_ranks && s->stage_ranks % m->recorded_ranks)
        return asim_err_set(err, ASIM_EINVAL,
                            "%s has rows of %" PRIu32 " ranks, which %" PRIu32
                            " ranks of a stage cannot repeat evenly.",
                            path, m->recorded_ranks, s->stage_ranks);
    return m->recorded_ranks ? 0 : asim_err_set(err, ASIM_EINVAL, "%s has no row.", path);
}

static int read_rows(struct matrix *m, const char *path, struct asim_err *err)
{
    struct asim_csv_text text;
    struct asim_src src;
    int got = 0, rc = asim_src_open(&src, path, err);

    if (rc)
        return rc;
    text = (struct asim_csv_text){src.data, src.size};
    asim_csv_init(&m->csv, path, (struct asim_csv_source){&text, asim_csv_read_text});
    rc = asim_csv_header(&m->csv, err);
    if (!rc)
        rc = find_columns(m, path, err);
    while (!rc && (got = asim_csv_row(&m->csv, err)) > 0)
        rc = take_row(m, err);
    rc = rc ? rc : got;
    if (!rc)
        rc = fill(m, path, err);
    asim_csv_close(&m->csv);
    asim_src_close(&src);
    return asim_foreign_instead(rc, path, NULL, err);
}

int asim_step_recorded(struct asim_step *s, const char *path, uint32_t **counts,
                       struct asim_err *err)
{
    struct matrix m = {.step = s};
    size_t rows = (size_t)s->routes.layers * s->stage_ranks;
    int rc;

    m.expert = calloc(s->opt->experts, sizeof *m.expert);
    m.counts = calloc(rows * s->opt->experts + 1, sizeof *m.counts);
    m.has = calloc(rows + 1, 1);
    rc = m.expert && m.counts && m.has ? read_rows(&m, path, err)
                                       : asim_err_nomem(err, "reading token counts");
    ASIM_FREE(m.expert, m.has);
    if (rc)
        free(m.counts);
    else
        *counts = m.counts;
    s->routes.recorded = m.recorded_ranks < s->stage_ranks ? m.recorded_ranks : 0;
    return rc;
}
