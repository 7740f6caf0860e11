/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Fits numbers of a machine file to a measured table. What is made small is the mean over the rows
 * of h(ln(predicted / measured)), where h is a square near 0 and a straight line beyond 5 %: a few
 * odd rows pull little. A small price on the distance from the value before keeps apart numbers
 * that the table cannot tell apart. The search changes one number at a time by a step that grows
 * after a success and shrinks after a failure.
 */
#include "tools/machine/fit.h"
#include "tools/machine/median.h"

#include <math.h>
#include <stdlib.h>

static const double bend = .05, price = 2e-4;
enum { MOST_ROUNDS = 400 };

int asim_fit_add(struct asim_fit *fit, const char *key, struct asim_err *err)
{
    const struct asim_option *row = asim_option_find(asim_machine_options, key);

    if (!row)
        return asim_option_unknown(asim_machine_options, key, (struct asim_where){"--fit", 0, 0},
                                   err);
    if (row->type != ASIM_T_DOUBLE)
        return asim_err_set(err, ASIM_EUSAGE, "--fit: \"%s\" is no measure that can be fitted.",
                            key);
    if (fit->parameters == ASIM_FIT_PARAMETERS)
        return asim_err_set(err, ASIM_EUSAGE, "--fit: more than %d numbers.", ASIM_FIT_PARAMETERS);
    fit->parameter[fit->parameters++].row = row;
    return 0;
}

/* A row that takes 1.4 times as long as the next size is a warm-up, a disturbance, or a choice of
 * NCCL that no rate explains. */
int asim_fit_choose_rows(struct asim_fit *fit, uint64_t from, struct asim_err *err)
{
    const struct asim_measured *measured = fit->measured;

    fit->used = calloc(measured->row.n, 1);
    if (!fit->used)
        return asim_err_nomem(err, "choosing rows");
    for (size_t i = 0; i < measured->row.n; i++) {
        const struct asim_measured_row *row = &measured->row.at[i];
        double next = i + 1 < measured->row.n ? row[1].us : INFINITY;

        fit->used[i] = row->bytes >= from && row->us < 1.4 * next;
        fit->n_used += fit->used[i];
    }
    return fit->n_used ? 0
                       : asim_err_set(err, ASIM_EINVAL, "no row of the table is left to fit to.");
}

static double *field_of(struct asim_fit *fit, size_t i)
{
    return (double *)(void *)((char *)fit->machine + fit->parameter[i].row->offset);
}

static double moved(const struct asim_fit *fit, size_t i, double value, double step)
{
    const struct asim_option *row = fit->parameter[i].row;
    double to = fit->parameter[i].is_sum ? value + 20 * step : value * exp(step);

    return row->max > row->min ? fmin(fmax(to, row->min), row->max) : to;
}

/* --- what is made small ----------------------------------------------------------------------- */

static int log_error(struct asim_fit *fit, size_t row, double *out, struct asim_err *err)
{
    struct asim_nccl_time time;
    int rc;

    fit->job.machine = fit->machine;
    fit->job.bytes = fit->measured->row.at[row].bytes;
    rc = asim_nccl_predict(&time, &fit->job, err);
    *out = rc ? 0 : log(time.us / fit->measured->row.at[row].us);
    return isfinite(*out) ? rc
                          : asim_err_set(err, ASIM_EINVAL,
                                         "%s predicts no time for %llu bytes: check its numbers.",
                                         fit->machine->name, (unsigned long long)fit->job.bytes);
}

static int measure(struct asim_fit *fit, double *out, struct asim_err *err)
{
    double sum = 0;

    for (size_t i = 0; i < fit->measured->row.n; i++) {
        double e, size;
        int rc = fit->used[i] ? log_error(fit, i, &e, err) : 0;

        if (rc)
            return rc;
        size = fit->used[i] ? fabs(e) : 0;
        sum += size < bend ? size * size / 2 : bend * (size - bend / 2);
    }
    sum /= (double)fit->n_used;
    for (size_t i = 0; i < fit->parameters; i++) {
        double before = fit->parameter[i].before, now = *field_of(fit, i);
        double way = fit->parameter[i].is_sum ? (now - before) / 20 : log(now / before);

        sum += price * way * way;
    }
    *out = sum;
    return 0;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static int summarise(struct asim_fit *fit, double *median, double *worst, struct asim_err *err)
{
    double *all = calloc(fit->n_used, sizeof *all);
    size_t n = 0;
    int rc = all ? 0 : asim_err_nomem(err, "fitting");

    for (size_t i = 0; i < fit->measured->row.n && !rc; i++) {
        double e = 0;

        if (!fit->used[i])
            continue;
        rc = log_error(fit, i, &e, err);
        all[n++] = fabs(exp(e) - 1);
    }
    if (!rc) {
        qsort(all, n, sizeof *all, by_size);
        *median = asim_median(all, n);
        *worst = all[n - 1];
    }
    free(all);
    return rc;
}

/* --- the search ------------------------------------------------------------------------------- */

/* Tries both directions; 1 if one was better. */
static int try_step(struct asim_fit *fit, size_t i, double step, double *best, struct asim_err *err)
{
    double *field = field_of(fit, i), before = *field;

    for (int sign = 1; sign >= -1; sign -= 2) {
        double now;

        *field = moved(fit, i, before, sign * step);
        if (measure(fit, &now, err))
            return ASIM_EINVAL;
        if (now < *best - 1e-12) {
            *best = now;
            return 1;
        }
    }
    *field = before;
    return 0;
}

static int search(struct asim_fit *fit, struct asim_err *err)
{
    double step[ASIM_FIT_PARAMETERS], best;
    int rc = measure(fit, &best, err), moving = 1;

    for (size_t i = 0; i < fit->parameters; i++)
        step[i] = .2;
    for (int round = 0; round < MOST_ROUNDS && moving && !rc; round++) {
        moving = 0;
        for (size_t i = 0; i < fit->parameters; i++) {
            int better = step[i] > 1e-5 ? try_step(fit, i, step[i], &best, err) : 0;

            if (better < 0)
                return better;
            step[i] *= better ? 1.5 : .6;
            moving |= step[i] > 1e-5;
        }
    }
    return rc;
}

/* --- how sure --------------------------------------------------------------------------------- */

/* Slopes of the rows' log errors by step of parameter i. */
static int slopes(struct asim_fit *fit, size_t i, double *out, struct asim_err *err)
{
    double *field = field_of(fit, i), value = *field, low = 0, high = 0;
    size_t n = 0;
    int rc = 0;

    for (size_t row = 0; row < fit->measured->row.n && !rc; row++) {
        if (!fit->used[row])
            continue;
        *field = moved(fit, i, value, -.01);
        rc = log_error(fit, row, &low, err);
        *field = moved(fit, i, value, .01);
        rc = rc ? rc : log_error(fit, row, &high, err);
        out[n++] = (high - low) / .02;
    }
    *field = value;
    return rc;
}

struct normal {
    double at[ASIM_FIT_PARAMETERS][2 * ASIM_FIT_PARAMETERS];
};

/* Gauss and Jordan; the matrix is positive, for the price is on its diagonal. */
static void invert(struct normal *m, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double pivot = m->at[i][i];

        for (size_t k = 0; k < 2 * n; k++)
            m->at[i][k] /= pivot;
        for (size_t j = 0; j < n; j++) {
            double factor = m->at[j][i];

            for (size_t k = 0; j != i && k < 2 * n; k++)
                m->at[j][k] -= factor * m->at[i][k];
        }
    }
}

/* Standard errors by the slopes and the spread of what remains. */
static int find_errors(struct asim_fit *fit, double *slope, struct asim_err *err)
{
    static const struct normal empty;
    struct normal m = empty;
    size_t n = fit->parameters, rows = fit->n_used;
    double spread = fmax(fit->median_after / .6745, 1e-4);
    int rc = 0;

    for (size_t i = 0; i < n && !rc; i++)
        rc = slopes(fit, i, slope + i * rows, err);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++)
            for (size_t k = 0; k < rows; k++)
                m.at[i][j] += slope[i * rows + k] * slope[j * rows + k];
        fit->parameter[i].is_free = m.at[i][i] > 1e-12;
        m.at[i][i] += 2 * price * (double)rows;
        m.at[i][n + i] = 1;
    }
    invert(&m, n);
    for (size_t i = 0; i < n; i++)
        fit->parameter[i].plus_minus = spread * sqrt(fmax(m.at[i][n + i], 0));
    return rc;
}

int asim_fit_run(struct asim_fit *fit, struct asim_err *err)
{
    double *slope = calloc(fit->parameters * fit->n_used + 1, sizeof *slope);
    int rc = slope ? 0 : asim_err_nomem(err, "fitting");

    for (size_t i = 0; i < fit->parameters; i++) {
        fit->parameter[i].before = *field_of(fit, i);
        fit->parameter[i].is_sum = *field_of(fit, i) <= 0 || fit->parameter[i].row->min < 0;
    }
    if (!rc)
        rc = summarise(fit, &fit->median_before, &fit->worst_before, err);
    if (!rc)
        rc = search(fit, err);
    for (size_t i = 0; i < fit->parameters; i++)
        fit->parameter[i].after = *field_of(fit, i);
    if (!rc)
        rc = summarise(fit, &fit->median_after, &fit->worst_after, err);
    if (!rc)
        rc = find_errors(fit, slope, err);
    free(slope);
    return rc;
}

void asim_fit_fini(struct asim_fit *fit)
{
    free(fit->used);
    fit->used = NULL;
}
