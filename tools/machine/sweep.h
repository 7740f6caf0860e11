/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What `asim nccl-tests` was asked for, and one table of it: a machine, an op, and sizes.
 */
#ifndef ASIM_TOOLS_MACHINE_SWEEP_H
#define ASIM_TOOLS_MACHINE_SWEEP_H

#include "asim/err.h"
#include "asim/machine.h"
#include "base/mem.h"
#include "tools/machine/measured.h"

struct asim_size_row {
    uint64_t bytes;
    struct asim_nccl_time time;
};

struct asim_size_table {
    const struct asim_machine *machine;
    struct asim_nccl_job job; /* bytes is that of the last row */
    ASIM_VEC(struct asim_size_row) row;
    const struct asim_measured *measured; /* NULL = none */
};

/* Sizes as nccl-tests takes them: 8, 64K, 16G, where a bare letter counts in 1024. 0 or EINVAL. */
int asim_size_parse(const char *text, uint64_t *bytes);

/* "a,b" into the job's parameters: key=value of a machine file. */
int asim_machine_change(struct asim_machine *machine, const char *list, struct asim_err *err);

/* The text of nccl-tests on stdout. */
void asim_size_table_print(const struct asim_size_table *table);
/* Mean of the bus bandwidths, as nccl-tests' last line. */
double asim_size_table_bus(const struct asim_size_table *table);

struct asim_bandwidth {
    double alg, bus; /* GB/s */
};
/* As nccl-tests computes them for the table's op. */
struct asim_bandwidth asim_size_table_bandwidth(const struct asim_size_table *table, uint64_t bytes,
                                                double us);

/* The words of --op, by enum asim_nccl_op; NULL at the end. */
extern const char *const asim_nccl_op_names[];
/* The op of a word, or -1: all_reduce, AllReduce, all_reduce_perf, also with a path before it. */
int asim_nccl_op_find(const char *word);
/* The same; where there is none, an error of usage that lists the ops. */
int asim_nccl_op_parse(const char *word, int *op, struct asim_err *err);

int asim_size_tables_plot(const struct asim_size_table *tables, size_t n, const char *path,
                          struct asim_err *err);

#endif
