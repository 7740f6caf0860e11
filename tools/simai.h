/* SPDX-License-Identifier: GPL-2.0-only
 *
 * SimAI-Analytical (simai.md#analytical-estimate): the time of a workload in closed form. Every
 * collective gets a bus bandwidth from the number of servers and NICs its group spans, an
 * efficiency from measured tables, and a time; rows are summed into exposed communication, pipeline
 * bubble and total. Bandwidths are in GiB/s, which the published tool calls GB/s.
 *
 * Order of use: asim_sa_options_fill, asim_sa_tables_read, asim_sa_busbw_read, then asim_sa_cost
 * per collective or asim_sa_report for the whole workload. Only the options own memory: their table
 * frees the strings.
 */
#ifndef ASIM_TOOLS_SIMAI_H
#define ASIM_TOOLS_SIMAI_H

#include "asim/err.h"
#include "asim/asim.h"
#include "asim/ext/option.h"
#include "asim/simai.h"

struct asim_sa_options {
    char *workload, *prefix, *folder, *nic_type, *gpu_type, *ratio_dir, *busbw, *language;
    uint32_t gpus, gpus_per_server, nics_per_server;
    double nv_gib, nic_gib; /* per GPU, per NIC */
    double dp_overlap, tp_overlap, ep_overlap, pp_overlap;
    int visual, right;
    int type_ignored; /* -g_type says another bandwidth than -nv, which counts */
};
extern const struct asim_option asim_sa_option_table[];
/* Bandwidths from the named types where none are given; checks what the tool leaves undefined. */
int asim_sa_options_fill(struct asim_sa_options *opt, struct asim_err *err);

/* --- efficiency tables: rows of (bytes, one cell per number of servers) ----------------------- */
enum { ASIM_SA_ROWS = 64, ASIM_SA_COLUMNS = 13 };
struct asim_sa_table {
    char source[512];
    size_t rows;
    double bytes[ASIM_SA_ROWS], cell[ASIM_SA_ROWS][ASIM_SA_COLUMNS]; /* 0 = empty */
};
struct asim_sa_tables {
    int known; /* 0: efficiency 1 */
    struct asim_sa_table nvlink, nic, all_to_all;
};
/* From folder (NULL: SimAI's own relative path, silently absent). */
int asim_sa_tables_read(struct asim_sa_tables *tables, const char *folder, struct asim_err *err);
struct asim_sa_point {
    uint64_t bytes;
    uint32_t nodes; /* servers: 1, 2, 4 … 128, or 9 for the "Multi" column */
    int clamp;      /* above the table's last size its last row holds; else that is an error */
};
int asim_sa_ratio(const struct asim_sa_table *table, const struct asim_sa_point *at, double *ratio,
                  struct asim_err *err);

/* Bus bandwidths by group and collective that replace the formula; 0 = not given. */
struct asim_sa_busbw {
    double gib[4][5]; /* [enum asim_simai_group][enum asim_simai_op] */
    double pp_gib;
};
int asim_sa_busbw_read(struct asim_sa_busbw *busbw, const char *path, struct asim_err *err);

/* --- one collective --------------------------------------------------------------------------- */
struct asim_sa {
    const struct asim_sa_options *opt;
    const struct asim_simai *w;
    struct asim_simai_layout layout;
    struct asim_sa_tables tables;
    struct asim_sa_busbw busbw;
};
struct asim_sa_cost {
    double exact_ns; /* overlap is taken off before rounding down, as in the tool */
    double ns, algbw_gib, busbw_gib;
    uint32_t n; /* members */
};
int asim_sa_cost(const struct asim_sa *sa, const struct asim_simai_comm *comm,
                 struct asim_sa_cost *cost, struct asim_err *err);

/* --- the report ------------------------------------------------------------------------------- */
struct asim_sa_totals { /* us */
    double dp, dp_ep, tp, ep, pp, bubble, compute, exposed, total;
};
/* The two lines every such file begins with. */
struct asim_out;
void asim_sa_put_summary(struct asim_out *out, const char *name, const struct asim_sa_totals *t);
/* Walks the rows and writes <folder>/<prefix>EndToEnd.csv (and .html); path receives the name. */
int asim_sa_report(const struct asim_sa *sa, struct asim_sa_totals *totals, char *path, size_t size,
                   struct asim_err *err);

/* Watches rank 0 of a world that runs the SimAI text `workload`, and writes the file at its end.
 * Call before the start; the world ends it. Fails where the workload is no such text. */
int asim_simai_csv_open(struct asim_world *world, const char *workload, const char *path,
                        struct asim_err *err);

/* The longest AS_SEND_LAT, us: a delay of the core has 31 bits of ns. */
#define ASIM_SIMAI_LATENCY_US 2e6

/* AS_NVLS_ENABLE and AS_PXN_ENABLE: a number above 0 sets the switch. Returns 0, or an error for a
 * value that is not a number. */
int asim_simai_env_switches(int *nvls, int *pxn, struct asim_err *err);
/* AS_SEND_LAT in us, unless *us is 0 or more already. */
int asim_simai_env_latency(double *us, struct asim_err *err);

#endif
