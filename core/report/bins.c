/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Reduces step functions of time to bins. A cursor gathers the bin of its present time; a finished
 * bin becomes a row. When the interval doubles, pairs of rows merge; a bin that a cursor still
 * gathers joins its row later.
 */
#include "report/bins.h"
#include "base/text.h"

#include <stdlib.h>

#define DEFAULT_NS 1000

void asim_bins_init(struct asim_bins *bins, uint64_t interval_fs)
{
    *bins = (struct asim_bins){.width_ns = interval_fs / ASIM_FS_PER_NS,
                               .most = interval_fs ? ASIM_BINS_MOST_CHOSEN : ASIM_BINS_MOST};
    if (!bins->width_ns)
        bins->width_ns = DEFAULT_NS;
}

ASIM_ORDER(compare, struct asim_bin, ->start, ->key, ->order)

static void join(struct asim_bin *into, const struct asim_bin *from)
{
    into->low = into->low < from->low ? into->low : from->low;
    into->high = into->high > from->high ? into->high : from->high;
    into->lasted += from->lasted;
    into->area += from->area;
}

/* Sorts the rows and merges those of one bin. */
static void merge(struct asim_bins *bins)
{
    struct asim_bin *at = bins->rows.at;
    size_t n = 0;

    for (size_t i = 0; i < bins->rows.n; i++) {
        at[i].start -= at[i].start % bins->width_ns;
        at[i].order = i;
    }
    if (bins->rows.n)
        qsort(at, bins->rows.n, sizeof *at, compare);
    for (size_t i = 0; i < bins->rows.n; i++) {
        if (n && at[n - 1].start == at[i].start && at[n - 1].key == at[i].key)
            join(&at[n - 1], &at[i]);
        else
            at[n++] = at[i];
    }
    bins->rows.n = n;
}

/* A third of the rows may be bins of 0 that have no row: a wider bin then does not halve them. */
static void make_room(struct asim_bins *bins)
{
    merge(bins);
    while (bins->rows.n > bins->most / 2 && bins->width_ns < UINT64_MAX / 4) {
        bins->width_ns *= 2;
        merge(bins);
    }
}

/* Turns what the cursor has gathered into a row. */
static void flush(struct asim_bins *bins, struct asim_bin_cursor *cursor, uint64_t key)
{
    struct asim_bin row = {.start = (cursor->since - 1) / bins->width_ns * bins->width_ns,
                           .key = key,
                           .low = cursor->low,
                           .high = cursor->high,
                           .lasted = cursor->lasted,
                           .area = cursor->area};

    if (cursor->lasted && cursor->high) {
        if (bins->rows.n >= bins->most)
            make_room(bins);
        row.start -= row.start % bins->width_ns;
        bins->failed |= ASIM_VEC_PUSH(bins->rows, row) != 0;
    }
    cursor->lasted = cursor->low = cursor->high = 0;
    cursor->area = 0;
}

/* The value holds for so many ns more, within one bin. */
static void hold(struct asim_bin_cursor *cursor, uint64_t ns)
{
    if (!cursor->lasted || cursor->value < cursor->low)
        cursor->low = cursor->value;
    if (!cursor->lasted || cursor->value > cursor->high)
        cursor->high = cursor->value;
    cursor->lasted += ns;
    cursor->area += (double)cursor->value * (double)ns;
    cursor->since += ns;
}

/* Bins of 0 are skipped at once: they have no row. */
static void advance(struct asim_bins *bins, struct asim_bin_cursor *cursor, uint64_t key,
                    uint64_t t)
{
    while (cursor->since < t) {
        uint64_t left = bins->width_ns - cursor->since % bins->width_ns;

        if (t - cursor->since < left) {
            hold(cursor, t - cursor->since);
            return;
        }
        hold(cursor, left);
        flush(bins, cursor, key);
        if (!cursor->value && t > cursor->since)
            cursor->since =
                t - t % bins->width_ns > cursor->since ? t - t % bins->width_ns : cursor->since;
    }
}

void asim_bins_step(struct asim_bins *bins, struct asim_bin_cursor *cursor, uint64_t key,
                    uint64_t t, uint64_t value)
{
    advance(bins, cursor, key, t);
    cursor->value = value;
}

void asim_bins_end(struct asim_bins *bins, struct asim_bin_cursor *cursor, uint64_t key, uint64_t t)
{
    advance(bins, cursor, key, t);
    flush(bins, cursor, key);
    *cursor = (struct asim_bin_cursor){0};
}

int asim_bins_finish(struct asim_bins *bins, struct asim_err *err)
{
    if (bins->failed)
        return asim_err_nomem(err, "keeping a report's time series");
    merge(bins);
    return 0;
}

void asim_bins_fini(struct asim_bins *bins)
{
    free(bins->rows.at);
    *bins = (struct asim_bins){0};
}
