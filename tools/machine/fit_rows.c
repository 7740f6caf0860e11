/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What a fit goes by: keys of a machine, and rows of a measured table, but not those that are
 * disturbed, nor a warm-up.
 */
#include "base/text.h"
#include "tools/machine/fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* With the keys that can be fitted. */
static int refuse(const char *key, int is_key, struct asim_err *err)
{
    char safe[64], hint[160], list[1500];
    const char *words[128];
    size_t n = 0;

    for (const struct asim_option *row = asim_machine_options; row->key && n < 128; row++)
        if (row->type == ASIM_T_DOUBLE && strncmp(row->key, "error_", 6) != 0)
            words[n++] = row->key;
    asim_text_hint(hint, sizeof hint, asim_text_nearest(key, words, n));
    return asim_err_set(err, ASIM_EUSAGE,
                        is_key ? "--fit: \"%s\" is no measure that can be fitted.%s These are: %s."
                               : "--fit: a machine has no key \"%s\".%s Those to fit are: %s.",
                        asim_text_safe(safe, sizeof safe, key), hint,
                        asim_text_list(list, sizeof list, words, n));
}

int asim_fit_add(struct asim_fit *fit, const char *key, struct asim_err *err)
{
    const struct asim_option *row = asim_option_find(asim_machine_options, key);

    if (!row || row->type != ASIM_T_DOUBLE || !strncmp(key, "error_", 6))
        return refuse(key, row != NULL, err);
    for (size_t i = 0; i < fit->parameters; i++)
        if (fit->parameter[i].row == row)
            return asim_err_set(err, ASIM_EUSAGE, "--fit: \"%s\" is there twice.", key);
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

/* Marks the used rows whose time changes with a number; returns how many. */
static size_t find_shown(struct asim_fit *fit, size_t number, unsigned char *shown)
{
    double *field = (double *)(void *)((char *)fit->machine + fit->parameter[number].row->offset);
    double value = *field;
    size_t n = 0;

    for (size_t i = 0; i < fit->measured->row.n; i++) {
        struct asim_nccl_job job = fit->job;
        struct asim_nccl_time before = {0}, after = {0};
        struct asim_err ignored = {0};

        job.machine = fit->machine;
        job.bytes = fit->measured->row.at[i].bytes;
        *field = value;
        shown[i] = fit->used[i] && !asim_nccl_predict(&before, &job, &ignored);
        *field = value > 0 ? .99 * value : value + .1;
        shown[i] = shown[i] && !asim_nccl_predict(&after, &job, &ignored) &&
                   fabs(after.us - before.us) > 1e-6 * before.us;
        n += shown[i];
    }
    *field = value;
    return n;
}

int asim_fit_drop_warm_up(struct asim_fit *fit, struct asim_err *err)
{
    unsigned char *shown = calloc(fit->measured->row.n, 1);
    size_t first = 0;
    int is_alone = 0;

    if (!shown)
        return asim_err_nomem(err, "choosing rows");
    while (!fit->used[first])
        first++;
    for (size_t i = 0; i < fit->parameters && fit->n_used > 2; i++)
        is_alone |= find_shown(fit, i, shown) == 1 && shown[first];
    fit->used[first] = !is_alone;
    fit->n_used -= (size_t)is_alone;
    free(shown);
    return 0;
}
