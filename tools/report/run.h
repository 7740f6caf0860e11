/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What the folder of a run (`--out DIR`) tells, in memory: the job, its ranks, ops, messages and
 * links. Reports that were not recorded leave their part empty, with has_… 0. All times are
 * simulated and in ns.
 */
#ifndef ASIM_TOOLS_REPORT_RUN_H
#define ASIM_TOOLS_REPORT_RUN_H

#include <stdint.h>
#include "base/map.h"
#include "base/mem.h"
#include "tools/report/identity.h"

#define ASIM_RUN_NONE UINT32_MAX
enum { ASIM_RUN_RANKS = 1 << 20 }; /* most of a run */

struct asim_run_rank {
    uint32_t rank;
    uint64_t finish, compute, hidden, exposed, waiting, cpu, idle, other;
    uint64_t ops;
};

/* An op of ops.csv. */
struct asim_run_op {
    uint64_t id, bytes, issue, start, end;
    double algbw, busbw;
    uint32_t rank, members;
    uint32_t name, type, coll, group; /* indices into asim_run.names */
    uint8_t is_compute, is_comm, is_cpu, is_visited;
};

/* Calls of one collective with the same size and number of ranks; a call counts once, its times are
 * means over its ranks. */
struct asim_run_coll {
    uint32_t coll, members;
    uint64_t bytes, rows; /* rows: ops of all ranks */
    double time, shortest, longest, algbw, busbw;
};

/* A message. */
struct asim_run_flow {
    uint32_t src, dst;
    uint64_t bytes, start, end, ideal;
    int is_background;
};
enum { ASIM_RUN_TOP_FLOWS = 20, ASIM_RUN_SLOWDOWNS = 20000000 };

/* Of a message that has ended: its time over that of the message alone on idle links. */
struct asim_run_slowdown {
    uint64_t bytes;
    double slowdown;
};

struct asim_run_node {
    uint32_t id, tier;
    char type[12], name[28];
    float x, y; /* of the drawing */
};

/* One direction of a link. */
struct asim_run_link {
    uint32_t from, port, to;
    uint64_t rate_bps, frames, bytes, peak_queue, marks, pauses, drops, paused_ns;
    double error_rate;  /* of topology.json: the share of frames that the wire loses */
    double utilisation; /* bytes over what the link could carry until the finish */
    char class[28];
};

/* Links of one class. */
struct asim_run_class {
    char name[28];
    uint32_t links;
    double mean, worst; /* utilisation */
    uint64_t peak_queue, marks, pauses, drops;
};

/* Of summary.json: links of a class and direction; switches of a tier; flows on equal ways. */
struct asim_run_tier {
    char class[28], direction[8];
    uint64_t links, bytes, most_bytes;
    double mean, worst; /* utilisation */
};
struct asim_run_ratio {
    uint64_t tier;
    double built, seen;
};
struct asim_run_ways {
    uint64_t flows, worst, port; /* flows 0: no flow had a choice, or an older run */
    double mean, even;
    char at[28];
};

/* Bytes of one type of collective, of traffic.csv. */
struct asim_run_traffic {
    char type[28];
    uint64_t messages, bytes;
};
enum { ASIM_RUN_GRID = 32 }; /* rows and columns of the picture of traffic.csv, at most */

struct asim_run_point { /* of a time series: mean, and the extremes of its bin */
    uint64_t t;
    double min, mean, max;
};
struct asim_run_series {
    int is_recorded;
    ASIM_VEC(struct asim_run_point) points;
};
enum {
    ASIM_SERIES_QUEUE,   /* bytes at the port of `longest` */
    ASIM_SERIES_GOODPUT, /* Gb/s of messages over it, where a host is at one end */
    ASIM_SERIES_PAUSES,  /* PAUSE frames that took effect in a bin, at all nodes */
    ASIM_SERIES,
    ASIM_RUN_POINTS = 600 /* of a series, as many as a picture can show */
};

/* A segment of the critical path. */
struct asim_run_step {
    uint64_t from, to;
    uint32_t rank, op; /* op: index into ops, ASIM_RUN_NONE between ops */
};

/* One row of compare.csv, summed over ranks: the last finish. */
struct asim_run_other {
    char name[32];
    uint64_t finish, comm, exposed;
};
enum { ASIM_RUN_OTHERS = 8 };

/* A row of what_if.csv: the run with one thing changed. */
struct asim_run_change {
    char name[40]; /* "links leaf-spine", "spreading", …, as cli/what_if.c names it; "packets": as
                    * the flow level has the run */
    char option[128];  /* of a run that does so, without --; or "" */
    int is_in_packets; /* not at the flow level */
    uint64_t ns;       /* 0: not known */
    double saved; /* share of the run's time; of "no network" too, which is nothing to change */
};

struct asim_run_figure { /* of summary.json, in its order */
    const char *key, *value;
};

struct asim_run {
    const char *folder; /* borrowed */
    struct asim_identity identity;
    int is_brief;
    struct asim_arena arena;
    ASIM_VEC(struct asim_run_figure) figures;
    ASIM_VEC(struct asim_run_figure) settings; /* of the configuration files in the folder */
    ASIM_VEC(struct asim_run_figure) options;  /* as the user gave them; of older runs none */
    char title[160];       /* "llm × auto:leaf_spine", or the name of the folder */
    char version[80];      /* of asim, with its commit */
    double recorded_ms;    /* a step of the real system; 0: not known, or of other ranks */
    double recorded_error; /* of the simulated step, % */
    char trust[400];       /* a sentence about the flow level, or "" */
    double expected_error; /* of nine in ten such runs, %; 0: not known, or packets */
    int has_timeline;      /* timeline.pftrace */
    /* inference.json: a run that serves requests has no ops; its time is theirs. */
    struct {
        uint64_t requests, ttft_ns, tpot_ns; /* medians */
        double tokens_per_s, kv_share, comm_share;
    } serving;
    /* Sentences about files that are not of this run. */
    const char *doubts[16];
    uint32_t n_doubts;
    char state[24];
    uint64_t finish, messages, drops, marks, pauses, wire_bytes, ranks_done, ops_done;
    uint32_t n_ranks;
    ASIM_VEC(struct asim_run_rank) ranks;
    uint64_t median_compute; /* of the ranks */
    int has_breakdown;       /* ranks.csv has waiting, cpu and idle; else these are in `other` */
    ASIM_VEC(const char *) names;
    ASIM_VEC(struct asim_run_op) ops;
    uint64_t ops_seen; /* rows of ops.csv; more than ops.n where there are too many to keep */
    ASIM_VEC(struct asim_run_coll) colls;
    ASIM_VEC(struct asim_run_step) path; /* from the finish back */
    uint64_t *blame;                     /* [n_ranks]: ns that others waited for this rank */
    uint64_t waited;                     /* their sum */
    uint64_t flows;                      /* rows of flows.csv, without background traffic */
    int has_flows, has_links, has_topology;
    int is_flow_level; /* queues, marks, pauses and losses were not modelled */
    int is_formulas;   /* nor links */
    struct asim_run_flow top[ASIM_RUN_TOP_FLOWS];
    uint32_t n_top;
    uint64_t flow_bytes;
    double mean_base; /* mean ideal time of messages, ns */
    /* Of the messages of jobs, and of background flows; the first ASIM_RUN_SLOWDOWNS. By size, then
     * by slowdown. */
    ASIM_VEC(struct asim_run_slowdown) slowdowns[2];
    struct asim_map losses; /* (node, port) -> bits of the error rate, where it is not 0 */
    ASIM_VEC(struct asim_run_node) nodes;
    ASIM_VEC(struct asim_run_link) links; /* as in links.csv */
    ASIM_VEC(struct asim_run_class) classes;
    ASIM_VEC(struct asim_run_change) changes; /* what saves most first */
    const char *no_changes;                   /* NULL, or why there are none: a sentence */
    double flow_error; /* of the flow level without a change, beside this run */
    ASIM_VEC(struct asim_run_tier) tiers;
    ASIM_VEC(struct asim_run_ratio) ratios;
    struct asim_run_ways ways;
    int has_traffic;
    ASIM_VEC(struct asim_run_traffic) traffic; /* by type, in the order of traffic.csv */
    /* Bytes from rank to rank, in grid_side rows and columns of grid_ranks ranks each. */
    double grid[ASIM_RUN_GRID][ASIM_RUN_GRID];
    uint32_t grid_side, grid_ranks;
    /* Bytes into the median host, over links of the class of the busiest one, and their number. */
    uint64_t median_into;
    uint32_t n_into;
    /* Of the host at the busiest link: its links of that class in that direction, and their bytes.
     */
    uint32_t worst_ports;
    uint64_t worst_bytes;
    uint32_t worst[32], n_worst; /* indices of links, the worst first */
    uint32_t longest; /* the link whose queue, of a switch, was the longest; or ASIM_RUN_NONE */
    double lost;      /* frames that wires are expected to lose: frames times the error rate */
    struct asim_run_series series[ASIM_SERIES];
    double *goodput;       /* bins of ASIM_SERIES_GOODPUT, or NULL */
    int goodput_sends;     /* the host sends over the busiest link; else it receives */
    uint8_t *goodput_near; /* [nodes.n] hosts of the NVSwitch of that host */
    struct asim_run_other others[ASIM_RUN_OTHERS];
    uint32_t n_others;
};

/* Reads the folder; is_brief: only what the verdict needs. The error names the file and line, or
 * what is missing. folder is borrowed. Close on every path. */
int asim_run_load(struct asim_run *run, const char *folder, int is_brief, struct asim_err *err);
/* Keeps the slowdown of a flow that has ended, as HPCC's fct_analysis.py: none is below 1. 0 or
 * ASIM_ENOMEM. Then sorts them all by size. (network.c) */
int asim_run_keep_slowdown(struct asim_run *run, const struct asim_run_flow *flow);
void asim_run_sort_slowdowns(struct asim_run *run);
void asim_run_close(struct asim_run *run);

/* Adds the sentence that a file is not of the run. */
void asim_run_doubt(struct asim_run *run, const char *name);
/* Adds sentences on files of the run that are missing or were changed. */
void asim_run_check_files(struct asim_run *run);
/* Whether the file is of the run. One that is there and is not: 0, and that sentence. */
int asim_run_owns(struct asim_run *run, const char *name);
/* asim_table_open; a file that is not of the run counts as not there. */
struct asim_table;
int asim_run_open(struct asim_run *run, struct asim_table *table, const char *name,
                  struct asim_err *err);

/* The parts of asim_run_load, in this order. */
int asim_run_load_json(struct asim_run *run, struct asim_err *err);
/* Options, title, recorded step, timeline. */
int asim_run_load_origin(struct asim_run *run, struct asim_err *err);
int asim_run_load_changes(struct asim_run *run, struct asim_err *err);
int asim_run_load_ops(struct asim_run *run, struct asim_err *err);
int asim_run_load_flows(struct asim_run *run, struct asim_err *err);
int asim_run_load_links(struct asim_run *run, struct asim_err *err);
int asim_run_load_series(struct asim_run *run, struct asim_err *err);
int asim_run_load_traffic(struct asim_run *run, struct asim_err *err);
/* The keys of summary.json about the network: tiers, oversubscription and ecmp. */
int asim_run_load_tiers(struct asim_run *run, const struct json_t *summary, struct asim_err *err);
/* What follows from the ops: collectives, who waited for whom, the critical path. */
int asim_run_study_ops(struct asim_run *run, struct asim_err *err);

/* Goodput of the busiest link, where a host has no other of its class; then a message of it. */
int asim_run_open_goodput(struct asim_run *run, struct asim_err *err);
void asim_run_add_goodput(struct asim_run *run, const struct asim_run_flow *flow);
/* The index of a text in run->names, which copies it; ASIM_RUN_NONE out of memory. */
uint32_t asim_run_name(struct asim_run *run, struct asim_map *known, const char *text);
/* The kind of collectives that moves most bytes, or NULL. */
const struct asim_run_coll *asim_run_main_coll(const struct asim_run *run);
/* Sorts (tools/median.h). 0 where there are none. */
uint64_t asim_run_median(double *values, size_t n);
/* 1 if topology.json has that node as a host. */
int asim_run_is_host(const struct asim_run *run, uint32_t id);
/* Whether a rank has a time: one that stands for no job, beside background traffic, takes none. */
int asim_run_has_job(const struct asim_run *run);
/* The node of that id, or NULL. */
const struct asim_run_node *asim_run_node_of(const struct asim_run *run, uint32_t id);

#endif
