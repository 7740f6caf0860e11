/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Fits numbers of a machine file to a measured table. What is made small is the mean over the rows
 * of h(ln(predicted / measured)), where h is a square near 0 and a straight line beyond 5 %: a few
 * odd rows pull little. A small price on the distance from the value before keeps apart numbers
 * that the table cannot tell apart; it falls with what remains, so a table without noise is met.
 * The search changes one number at a time by a step that grows after a success and shrinks after a
 * failure, then all at once by the slopes of the rows, along valleys that no single number follows.
 */
#include "tools/machine/fit.h"
#include "cli/interrupt.h"
#include "tools/median.h"

#include <math.h>
#include <stdlib.h>

static const double bend = .05;
/* Where what remains is as wide as the bend. Numbers of one kind differ by a factor of 1.5 from
 * machine to machine, a table of ten rows tells as much. */
static const double most_price = 6e-4;
static const double most_error = 4;
static const double least_gain = 1e-16;
static const double width = 1e-3;        /* step of a slope */
static const double least_spread = 1e-5; /* a table has so many digits */
static const double met = 1e-3;          /* off in each row: nothing better is looked for */
static const double no_limit = 1000;     /* GB/s; a default of core/conf/machine.c */
static const double reach = 1.5;         /* of sampled points: a factor of 4.5 to both sides */
enum { MOST_ROUNDS = 400, MOST_PRICES = 8, STARTS = 8, SAMPLES = 32 };

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

    *out = 0;
    if (asim_interrupted()) /* a fit asks here a million times, and nowhere else */
        return asim_err_set(err, ASIM_EINTR, "interrupted");
    fit->job.machine = fit->machine;
    fit->job.bytes = fit->measured->row.at[row].bytes;
    rc = asim_nccl_predict(&time, &fit->job, err);
    *out = rc ? 0 : log(time.us / fit->measured->row.at[row].us);
    return isfinite(*out) ? rc
                          : asim_err_set(err, ASIM_EINVAL,
                                         "%s predicts no time for %llu bytes: check its numbers.",
                                         fit->machine->name, (unsigned long long)fit->job.bytes);
}

/* How far number i is from the value before, in steps. */
static double way_of(struct asim_fit *fit, size_t i)
{
    double before = fit->parameter[i].before, now = *field_of(fit, i);

    return fit->parameter[i].is_sum ? (now - before) / 20 : log(now / before);
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
        double way = way_of(fit, i);

        sum += fit->price * way * way;
    }
    *out = sum;
    return 0;
}

ASIM_ORDER(by_size, double, [0])

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

/* --- the normal equations --------------------------------------------------------------------- */

/* Log errors of the used rows, and their slopes by step of each number, parameters x rows. At a
 * bound of a number the way is one-sided. is_least: the flatter side counts, so that a step of
 * NCCL's choice beside a number does not pass for a steep row. */
static int slopes(struct asim_fit *fit, double *slope, double *error, int is_least,
                  struct asim_err *err)
{
    size_t rows = fit->n_used, n = 0;
    int rc = 0;

    for (size_t row = 0; row < fit->measured->row.n && !rc; row++) {
        if (!fit->used[row])
            continue;
        rc = log_error(fit, row, error + n, err);
        for (size_t i = 0; i < fit->parameters && !rc; i++) {
            double *field = field_of(fit, i), value = *field, low = 0, high = 0, from, to;
            double at = way_of(fit, i), *out = &slope[i * rows + n];

            *field = moved(fit, i, value, -width);
            from = way_of(fit, i);
            rc = log_error(fit, row, &low, err);
            *field = moved(fit, i, value, width);
            to = way_of(fit, i);
            rc = rc ? rc : log_error(fit, row, &high, err);
            *out = to > from ? (high - low) / (to - from) : 0;
            if (is_least && from < at && at < to) {
                double left = (error[n] - low) / (at - from), right = (high - error[n]) / (to - at);

                *out = fabs(left) < fabs(right) ? left : right;
            }
            *field = value;
        }
        n++;
    }
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

/* The matrix of slopes, its rows weighed as the bend weighs them, and its inverse. A number whose
 * slopes are all 0 is kept where it is by the price. */
static void make_normal(const struct asim_fit *fit, struct normal *m, const double *slope,
                        const double *error)
{
    size_t rows = fit->n_used;

    *m = (struct normal){0};
    for (size_t i = 0; i < fit->parameters; i++) {
        for (size_t j = 0; j < fit->parameters; j++)
            for (size_t k = 0; k < rows; k++)
                m->at[i][j] += slope[i * rows + k] * slope[j * rows + k] *
                               fmin(1, bend / fmax(fabs(error[k]), bend));
        m->at[i][i] += 2 * fit->price * (double)rows;
        m->at[i][fit->parameters + i] = 1;
    }
    invert(m, fit->parameters);
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
        if (now < *best - least_gain) {
            *best = now;
            return 1;
        }
    }
    *field = before;
    return 0;
}

/* Moves all numbers to where the slopes say that the rows meet, or a part of the way; 1 if that was
 * better. */
static int try_all(struct asim_fit *fit, double *slope, double *best, struct asim_err *err)
{
    double *error = slope + fit->parameters * fit->n_used, from[ASIM_FIT_PARAMETERS];
    double way[ASIM_FIT_PARAMETERS] = {0};
    struct normal m;

    if (slopes(fit, slope, error, 0, err))
        return ASIM_EINVAL;
    make_normal(fit, &m, slope, error);
    for (size_t j = 0; j < fit->parameters; j++) {
        double pull = 2 * fit->price * (double)fit->n_used * way_of(fit, j);

        from[j] = *field_of(fit, j);
        for (size_t k = 0; k < fit->n_used; k++)
            pull += slope[j * fit->n_used + k] * fmin(fmax(error[k], -bend), bend);
        for (size_t i = 0; i < fit->parameters; i++)
            way[i] -= m.at[i][fit->parameters + j] * pull;
    }
    for (double part = 1; part > 1e-3; part /= 2) {
        double now;

        for (size_t i = 0; i < fit->parameters; i++)
            *field_of(fit, i) = moved(fit, i, from[i], part * fmin(fmax(way[i], -1), 1));
        if (measure(fit, &now, err))
            return ASIM_EINVAL;
        if (now < *best - least_gain) {
            *best = now;
            return 1;
        }
    }
    for (size_t i = 0; i < fit->parameters; i++)
        *field_of(fit, i) = from[i];
    return 0;
}

static int search(struct asim_fit *fit, double *slope, struct asim_err *err)
{
    double step[ASIM_FIT_PARAMETERS], best;
    int rc = measure(fit, &best, err), moving = 1;

    for (size_t i = 0; i < fit->parameters; i++)
        step[i] = 1;
    for (int round = 0; round < MOST_ROUNDS && moving && !rc; round++) {
        moving = 0;
        for (size_t i = 0; i < fit->parameters; i++) {
            int better = step[i] > 1e-5 ? try_step(fit, i, step[i], &best, err) : 0;

            if (better < 0)
                return better;
            step[i] *= better ? 1.5 : .6;
            moving |= step[i] > 1e-5;
        }
        rc = try_all(fit, slope, &best, err);
        moving |= rc > 0;
        rc = rc < 0 ? rc : 0;
    }
    return rc;
}

/* Searches again from each number some way off: what is smallest near by need not be smallest,
 * where another part decides beyond. */
static int search_around(struct asim_fit *fit, double *slope, struct asim_err *err)
{
    double best, now;
    int rc = measure(fit, &best, err);

    for (size_t i = 0; i < 2 * fit->parameters && !rc; i++) {
        const struct asim_machine before = *fit->machine;
        double *field = field_of(fit, i / 2);

        *field = moved(fit, i / 2, *field, i % 2 ? .4 : -.4);
        rc = search(fit, slope, err);
        rc = rc ? rc : measure(fit, &now, err);
        if (rc || now > .99 * best)
            *fit->machine = before;
        else
            best = now;
    }
    return rc;
}

/* Sets all numbers to point k of a sequence that fills the space around the values before evenly:
 * each number moves on by the fraction of an irrational root of its own. */
static void sample(struct asim_fit *fit, size_t k)
{
    for (size_t i = 0; i < fit->parameters; i++) {
        double part = (double)(k + 1) * sqrt((double)(i + 2) + .37);

        *field_of(fit, i) =
            moved(fit, i, fit->parameter[i].before, reach * (2 * (part - floor(part)) - 1));
    }
}

/* Searches again from sampled points, the best of each SAMPLES: there may be other valleys. */
static int search_sampled(struct asim_fit *fit, double *slope, struct asim_err *err)
{
    struct asim_machine best = *fit->machine;
    double least, now;
    int rc = measure(fit, &least, err);

    for (size_t start = 0; start < STARTS && !rc; start++) {
        struct asim_machine begun = best;
        double begin = INFINITY;

        for (size_t k = 0; k < SAMPLES; k++) {
            struct asim_err ignored = {0};

            sample(fit, start * SAMPLES + k);
            if (measure(fit, &now, &ignored) || now >= begin)
                continue;
            begin = now;
            begun = *fit->machine;
        }
        *fit->machine = begun;
        rc = rc ? rc : search(fit, slope, err);
        rc = rc ? rc : measure(fit, &now, err);
        if (!rc && now < .99 * least) {
            least = now;
            best = *fit->machine;
        }
    }
    *fit->machine = best;
    return rc ? rc : summarise(fit, &fit->median_after, &fit->worst_after, err);
}

/* The price is the more certain the rows are the lower. Fewer rows than numbers are met whatever
 * they say, so they keep it: three sizes of mi325x_aac11_n1_g8_all_reduce_ring had a channel of 9.5
 * GB/s in place of 12.5. */
static int search_by_price(struct asim_fit *fit, double *slope, struct asim_err *err)
{
    int rc = 0;

    fit->price = most_price;
    for (int i = 0; i < MOST_PRICES && !rc; i++) {
        double before = fit->price, spread;

        rc = search(fit, slope, err);
        rc = rc ? rc : search_around(fit, slope, err);
        rc = rc ? rc : summarise(fit, &fit->median_after, &fit->worst_after, err);
        if (!rc && fit->worst_after > met)
            rc = search_sampled(fit, slope, err);
        spread = fmax(fit->median_after / .6745, least_spread) / bend;
        if (fit->n_used >= fit->parameters)
            fit->price = fmin(before, most_price * spread * spread);
        if (fit->price > .5 * before)
            break;
    }
    return rc;
}

/* --- how sure --------------------------------------------------------------------------------- */

/* What remains in the rows that depend on number i, as one standard error: the others tell nothing
 * of it. As many degrees of freedom as numbers are fitted are gone. */
static double spread_of(const struct asim_fit *fit, const double *slope, const double *error)
{
    double most = 0, sum = 0, n = 0, left;

    for (size_t k = 0; k < fit->n_used; k++)
        most = fmax(most, fabs(slope[k]));
    for (size_t k = 0; k < fit->n_used; k++)
        if (fabs(slope[k]) > .01 * most) {
            sum += error[k] * error[k];
            n++;
        }
    left = fmax(n - (double)fit->parameters, 1);
    return fmax(n > 0 ? sqrt(sum / left) : 0, least_spread);
}

/* Slopes do not see that a number is free on one side, where another part decides: the error grows
 * to the first distance at which the rows are worse on both sides. */
static int widen(struct asim_fit *fit, size_t i, double spread, struct asim_err *err)
{
    double *field = field_of(fit, i), value = *field, best, now;
    double allowed = spread * spread / (2 * (double)fit->n_used);
    double *error = &fit->parameter[i].plus_minus;
    int rc = measure(fit, &best, err), is_open = 1;

    for (double far = fmax(2 * *error, 1e-3); is_open && far < most_error && !rc; far *= 2) {
        is_open = 0;
        for (int sign = -1; sign <= 1 && !rc; sign += 2) {
            *field = moved(fit, i, value, sign * far);
            rc = *field != value ? measure(fit, &now, err) : 0;
            is_open |= *field != value && !rc && now - best < allowed;
            *field = value;
        }
        if (is_open)
            *error = far;
    }
    return rc;
}

/* Standard errors by the slopes and the spread of what remains. */
static int find_errors(struct asim_fit *fit, double *slope, struct asim_err *err)
{
    size_t n = fit->parameters, rows = fit->n_used;
    double *error = slope + n * rows;
    struct normal m;
    int rc = slopes(fit, slope, error, 0, err);

    for (size_t i = 0; i < n && !rc; i++) {
        double sum = 0;

        for (size_t k = 0; k < rows; k++)
            sum += slope[i * rows + k] * slope[i * rows + k];
        fit->parameter[i].is_free = sum > 1e-12;
    }
    rc = rc ? rc : slopes(fit, slope, error, 1, err);
    if (rc)
        return rc;
    make_normal(fit, &m, slope, error);
    fit->price = 0; /* what the rows alone say */
    for (size_t i = 0; i < n && !rc; i++) {
        double spread = spread_of(fit, slope + i * rows, error);

        fit->parameter[i].plus_minus =
            m.at[i][n + i] >= 0 ? spread * sqrt(m.at[i][n + i]) : INFINITY;
        rc = fit->parameter[i].is_free ? widen(fit, i, spread, err) : 0;
    }
    return rc;
}

/* A rate of 1000 GB/s limits nothing, and no step of it is felt: once the others are found, it
 * begins anew at the best of its halves. */
static int begin_limit(struct asim_fit *fit, size_t i, int *is_moved, struct asim_err *err)
{
    double *field = field_of(fit, i), best = *field, least = INFINITY, now, price = fit->price;
    int rc = 0, is_limit = best < .9 * no_limit;

    fit->price = 0;
    for (double value = best; !is_limit && value > no_limit / 1e5 && !rc; value /= 2) {
        *field = value;
        rc = measure(fit, &now, err);
        if (!rc && now < least) {
            least = now;
            *is_moved |= value < fit->parameter[i].before;
            fit->parameter[i].before = best = value;
        }
    }
    *field = best;
    fit->price = price; /* find_errors() needs it: without it two that only their product shows have
                           no inverse */
    return rc;
}

int asim_fit_run(struct asim_fit *fit, struct asim_err *err)
{
    double *slope = calloc((fit->parameters + 1) * fit->n_used, sizeof *slope);
    int rc = slope ? 0 : asim_err_nomem(err, "fitting"), is_moved = 0;

    for (size_t i = 0; i < fit->parameters; i++) {
        fit->parameter[i].before = *field_of(fit, i);
        fit->parameter[i].is_sum = *field_of(fit, i) <= 0 || fit->parameter[i].row->min < 0;
    }
    if (!rc)
        rc = summarise(fit, &fit->median_before, &fit->worst_before, err);
    if (!rc)
        rc = search_by_price(fit, slope, err);
    for (size_t i = 0; i < fit->parameters && !rc; i++)
        rc = begin_limit(fit, i, &is_moved, err);
    if (!rc && is_moved)
        rc = search_by_price(fit, slope, err);
    for (size_t i = 0; i < fit->parameters; i++)
        fit->parameter[i].after = *field_of(fit, i);
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
