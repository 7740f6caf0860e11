/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Bins of a step function: what one bin holds, how bins join when the interval doubles, and that a
 * value of 0 ns leaves no trace.
 */
#include "../check.h"
#include "report/bins.h"

static void one_bin(void)
{
    struct asim_bins bins;
    struct asim_bin_cursor cursor = {0};
    struct asim_err err = {0};

    asim_bins_init(&bins, UINT64_C(1000) * 1000000);
    asim_bins_step(&bins, &cursor, 7, 3100, 40);
    asim_bins_step(&bins, &cursor, 7, 3100, 10); /* the 40 held for 0 ns */
    asim_bins_step(&bins, &cursor, 7, 3600, 30);
    asim_bins_step(&bins, &cursor, 7, 9000, 5);
    asim_bins_end(&bins, &cursor, 7, 9000);
    CHECK(asim_bins_finish(&bins, &err) == 0);
    CHECK_U64(bins.rows.n, 6);
    CHECK_U64(bins.rows.at[0].start, 3000);
    CHECK_U64(bins.rows.at[0].low, 0);
    CHECK_U64(bins.rows.at[0].high, 30);
    CHECK(asim_bin_mean(&bins.rows.at[0]) == (500 * 10 + 400 * 30) / 1000.0);
    CHECK_U64(bins.rows.at[5].start, 8000);
    CHECK(asim_bin_mean(&bins.rows.at[5]) == 30);
    asim_bins_fini(&bins);
}

/* Two keys in turn beyond the limit: no row is lost, none is double. */
static void doubling(void)
{
    struct asim_bins bins;
    struct asim_bin_cursor cursors[2] = {{0}, {0}};
    struct asim_err err = {0};
    double area = 0, want = 0;

    asim_bins_init(&bins, UINT64_C(100) * 1000000);
    bins.most = 16;
    for (uint64_t t = 0; t < 20000; t += 50)
        for (uint64_t key = 0; key < 2; key++) {
            asim_bins_step(&bins, &cursors[key], key, t, t / 50 % 7 + key);
            want += 50 * (double)(t / 50 % 7 + key);
        }
    for (uint64_t key = 0; key < 2; key++)
        asim_bins_end(&bins, &cursors[key], key, 20000);
    CHECK(asim_bins_finish(&bins, &err) == 0);
    CHECK(bins.width_ns > 100 && bins.width_ns % 100 == 0);
    CHECK(bins.rows.n <= 16 && bins.rows.n > 4);
    for (size_t i = 0; i < bins.rows.n; i++) {
        const struct asim_bin *row = &bins.rows.at[i];

        area += row->area;
        CHECK(row->start % bins.width_ns == 0 && row->lasted <= bins.width_ns);
        CHECK_U64(row->key, i % 2);
    }
    CHECK(area == want);
    asim_bins_fini(&bins);
}

int main(void)
{
    one_bin();
    doubling();
    return CHECK_DONE();
}
