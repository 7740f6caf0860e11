/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Predicts a table of sizes and prints it. The columns are those of nccl-tests, so that its readers
 * take the text; NCCL's choice and the comparison follow behind them. In place and out of place are
 * one model, so they are equal.
 */
#include "tools/machine/sweep.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tools/machine/distance.h"
#include "tools/median.h"
#include "base/text.h"

int asim_size_parse(const char *text, uint64_t *bytes)
{
    static const char letters[] = "KMGT";
    size_t n = strlen(text);
    const char *letter = n ? strchr(letters, text[n - 1] & ~0x20) : NULL;
    char digits[32];
    double number;

    if (!letter || !*letter || n >= sizeof digits)
        return asim_text_size(text, bytes);
    memcpy(digits, text, n - 1);
    digits[n - 1] = '\0';
    if (asim_text_double(digits, &number) || number < 0 || number > 1e9)
        return ASIM_EINVAL;
    *bytes = (uint64_t)ldexp(number, 10 * (int)(letter - letters + 1));
    return 0;
}

int asim_machine_change(struct asim_machine *machine, const char *list, struct asim_err *err)
{
    return asim_option_set_list(asim_machine_options, machine, list, ',',
                                (struct asim_where){"--set", 0, 0}, err);
}

/* Bytes over time, GB/s. */
static double gbytes(uint64_t bytes, double us)
{
    return us > 0 ? (double)bytes / us / 1e3 : 0;
}

struct asim_bandwidth asim_size_table_bandwidth(const struct asim_size_table *table, uint64_t bytes,
                                                double us)
{
    uint32_t ranks = table->job.nodes * table->job.gpus;
    double alg = gbytes(bytes, us) * asim_nccl_alg_factor(table->job.op, ranks);

    return (struct asim_bandwidth){alg, alg * asim_nccl_bus_factor(table->job.op, ranks)};
}

static uint32_t ranks_of(const struct asim_size_table *table)
{
    return table->job.nodes * table->job.gpus;
}

/* Seven characters with as many decimals as fit. */
static void print_number(double value, int width)
{
    int decimals = value < 100000 / (width > 6 ? 1 : 100) ? 2 : value < 1e6 ? 1 : 0;

    printf("  %*.*f", width, decimals, value);
}

static void print_results(const struct asim_size_table *table, const struct asim_size_row *row)
{
    struct asim_bandwidth bandwidth = asim_size_table_bandwidth(table, row->bytes, row->time.us);

    print_number(row->time.us, 7);
    print_number(bandwidth.alg, 6);
    print_number(bandwidth.bus, 6);
    printf("       0");
}

static void print_row(const struct asim_size_table *table, const struct asim_size_row *row)
{
    const struct asim_measured_row *other =
        table->measured ? asim_measured_find(table->measured, table->job.op, row->bytes) : NULL;
    int op = table->job.op, reduces = op == ASIM_NCCL_ALL_REDUCE ||
                                      op == ASIM_NCCL_REDUCE_SCATTER || op == ASIM_NCCL_REDUCE;
    int rooted = op == ASIM_NCCL_BROADCAST || op == ASIM_NCCL_REDUCE || op == ASIM_NCCL_GATHER ||
                 op == ASIM_NCCL_SCATTER;
    int is_parts = /* count is that of one part */
        asim_nccl_alg_factor(op, 2) * asim_nccl_bus_factor(op, 2) < 1;
    uint64_t count = row->bytes / sizeof(float) / (is_parts ? ranks_of(table) : 1);

    printf("%12" PRIu64 "  %12" PRIu64 "  %8s  %6s  %6d", row->bytes, count, "float",
           reduces ? "sum" : "none", rooted ? 0 : -1);
    print_results(table, row);
    print_results(table, row);
    printf("  %9s %7s %4u", asim_nccl_algo_names[row->time.algo],
           asim_nccl_proto_names[row->time.proto], row->time.channels);
    if (other)
        printf("  %10.2f %+7.1f%%", other->us, 100 * (row->time.us / other->us - 1));
    else if (table->measured)
        printf("  %10s %8s", "-", "-");
    printf("\n");
}

/* Median and worst of the errors by size. */
ASIM_ORDER(ascending, double, [0])

static void print_errors(const struct asim_size_table *table)
{
    double *error = malloc((table->row.n + 1) * sizeof *error);
    size_t n = 0;

    for (size_t i = 0; error && i < table->row.n; i++) {
        const struct asim_measured_row *other =
            asim_measured_find(table->measured, table->job.op, table->row.at[i].bytes);

        if (other)
            error[n++] = fabs(table->row.at[i].time.us / other->us - 1);
    }
    if (n) {
        qsort(error, n, sizeof *error, ascending);
        printf("# Error of time over %zu size%s: median %.1f %%, nine in ten within %.1f %%, worst "
               "%.1f %%\n",
               n, asim_text_s(n), 100 * asim_median(error, n),
               100 * error[(9 * n) / 10 < n ? (9 * n) / 10 : n - 1], 100 * error[n - 1]);
    } else {
        printf("# No size of the measured table is among these\n");
    }
    free(error);
}

/* Another op or number of GPUs than the table's shows in its bus bandwidth. */
static void print_doubts(const struct asim_size_table *table)
{
    char doubt[256];
    size_t repeated = 0;

    for (size_t i = 0; i < table->row.n; i++) {
        const struct asim_measured_row *other =
            asim_measured_find(table->measured, table->job.op, table->row.at[i].bytes);

        repeated += other && other->times > 1;
    }
    if (*asim_measured_doubt(table->measured, table->job.op, table->job.nodes, ranks_of(table),
                             doubt))
        printf("# Note: %s\n", doubt);
    if (repeated)
        printf("# Note: %zu size%s several times in the measured table: the mean is taken\n",
               repeated, repeated == 1 ? " comes" : "s come");
    if (table->measured->wrong)
        printf("# Note: %zu row%s of the measured table had wrong results (#wrong); a run that "
               "fails its check may have failed in time, too\n",
               table->measured->wrong, asim_text_s(table->measured->wrong));
}

double asim_size_table_bus(const struct asim_size_table *table)
{
    double sum = 0;

    for (size_t i = 0; i < table->row.n; i++)
        sum +=
            asim_size_table_bandwidth(table, table->row.at[i].bytes, table->row.at[i].time.us).bus;
    return table->row.n ? sum / (double)table->row.n : 0;
}

/* Of the smallest and the largest size. */
static void print_distance(const struct asim_size_table *table)
{
    struct asim_nccl_job job = table->job;
    struct asim_distance small, large;

    if (!table->row.n)
        return;
    job.bytes = table->row.at[0].bytes;
    asim_distance_find(&small, &job);
    job.bytes = table->row.at[table->row.n - 1].bytes;
    asim_distance_find(&large, &job);
    printf("# Distance from what was measured: %s", large.text);
    if (strcmp(small.text, large.text))
        printf("; smallest size: %s", small.text);
    if (large.percent > 0 && small.percent != large.percent)
        printf("; nine in ten expected within %.0f %% (smallest size %.0f %%)", large.percent,
               small.percent);
    else if (large.percent > 0)
        printf("; nine in ten expected within %.0f %%", large.percent);
    printf("\n");
}

void asim_size_table_print(const struct asim_size_table *table)
{
    const char *more = table->measured ? "    measured    error" : "";

    printf("# %s_perf on %s: %u node%s with %u GPU%s each (%s), as asim predicts it\n",
           asim_nccl_op_names[table->job.op], table->machine->name, table->job.nodes,
           asim_text_s(table->job.nodes), table->job.gpus, asim_text_s(table->job.gpus),
           table->machine->gpu);
    printf("# size in bytes as nccl-tests counts it; in place is the same prediction\n#\n");
    printf("#%54s%32s\n", "", "out-of-place                       in-place");
    printf("#       size         count      type   redop    root     time   algbw   busbw  #wrong  "
           "   time   algbw   busbw  #wrong  algorithm   proto  chan%s\n",
           more);
    printf("#        (B)    (elements)                               (us)  (GB/s)  (GB/s)          "
           "   (us)  (GB/s)  (GB/s)%s\n",
           table->measured ? "                                     (us)" : "");
    for (size_t i = 0; i < table->row.n; i++)
        print_row(table, &table->row.at[i]);
    printf("# Avg bus bandwidth    : %g\n", asim_size_table_bus(table));
    print_distance(table);
    if (table->measured) {
        print_errors(table);
        print_doubts(table);
    }
    printf("#\n");
}
