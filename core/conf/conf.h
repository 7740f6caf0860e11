/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Settings as plain structs, one per published file kind, and the readers that fill them. All are
 * written once before time starts and are const afterwards. Readers take what ASTRA-sim 2 and the
 * HPCC family write (spec: system JSON, logical topology JSON, communicator groups, remote memory
 * JSON, config.txt), refuse what they do not know with file, line and did-you-mean, and never
 * leave a field undefined. A path inside a file is looked up from the working directory, then
 * from that file's own folder.
 */
#ifndef ASIM_CONF_CONF_H
#define ASIM_CONF_CONF_H

#include <stddef.h>
#include <stdint.h>
#include "asim/err.h"
#include "asim/ext/option.h"
#include "asim/net.h"

/* A line the caller shows to the user (warnings: "key X has no effect because …"). */
struct asim_diagnostics {
    void (*say)(void *self, const char *sentence);
    void *self;
};
void asim_diagnose(const struct asim_diagnostics *to, const char *fmt, ...) ASIM_PRINTF(2, 3);

/* Collective types, in the order of Chakra's CollectiveCommType. */
enum asim_kind {
    ASIM_ALL_REDUCE = 0,
    ASIM_REDUCE,
    ASIM_ALL_GATHER,
    ASIM_GATHER,
    ASIM_SCATTER,
    ASIM_BROADCAST,
    ASIM_ALL_TO_ALL,
    ASIM_REDUCE_SCATTER,
    ASIM_REDUCE_SCATTER_BLOCK,
    ASIM_BARRIER,
    ASIM_KINDS
};
/* "ALL_REDUCE" … ; "?" outside the enum. */
const char *asim_kind_name(int kind);
/* "all-reduce" …, as keys of system files begin; "?" outside the enum. */
const char *asim_kind_key(int kind);

/* Which of two waiting collectives goes first: the later, the earlier, or the one with the higher
 * comm_priority. */
enum asim_policy { ASIM_LIFO, ASIM_FIFO, ASIM_EXPLICIT };
/* How an all-reduce over several dimensions is cut into phases (spec astra-system.md, 4.4). */
enum asim_optimization { ASIM_BASELINE, ASIM_LOCAL_BW_AWARE };

/* Order of chunks inside a dimension and of dimensions ("intra-" and "inter-dimension-scheduling").
 * The published spellings "baseline" and "themis" mean ascending and offlineGreedy. */
enum asim_intra_dim {
    ASIM_INTRA_FIFO,
    ASIM_INTRA_RG,
    ASIM_INTRA_SMALLEST_FIRST,
    ASIM_INTRA_LESS_REMAINING_PHASE_FIRST
};
enum asim_inter_dim {
    ASIM_INTER_ASCENDING,
    ASIM_INTER_ROUND_ROBIN,
    ASIM_INTER_ONLINE_GREEDY,
    ASIM_INTER_OFFLINE_GREEDY,
    ASIM_INTER_OFFLINE_GREEDY_FLEX
};

/* List of words, one per logical dimension. */
struct asim_words {
    char **at;
    size_t n;
};

/* A number for some ranks (conf/rank_values.h). */
struct asim_rank_value {
    uint32_t from, to; /* both included */
    double value;
};
struct asim_rank_values {
    struct asim_rank_value *at;
    size_t n;
};

/* System JSON. */
struct asim_system {
    int policy;       /* enum asim_policy; default LIFO */
    int optimization; /* enum asim_optimization; default baseline */
    uint32_t splits;  /* preferred-dataset-splits; default 1 (the reference divides by zero) */
    /* Chunks running at once in a dimension, before it is divided by the queues (spec 4.7). */
    uint32_t active_chunks;
    uint32_t flow_order_seed; /* 0: flows free at one instant start in the listed order */
    /* Before every message bundle; parity: sub-group rings pay a fixed 10 ns instead (spec 5.1). */
    int64_t endpoint_delay_ns;
    int endpoint_delay_set; /* injection-scale applies only to a value from the file */
    /* Of the LogGP bus only, per 100 bytes (spec 5.8). */
    uint64_t local_reduction_delay;
    double loggp_l, loggp_o, loggp_g, loggp_G; /* single keys L o g G; ns and ns/byte */
    int shared_bus;
    double peak_perf_tflops;  /* ×1e12 FLOP/s */
    double local_mem_bw_gbps; /* ×1e9 byte/s; 0 = reductions cost nothing */
    /* Flags of spec 2.1; replay_only gives every op its recorded duration, whatever its type. */
    int roofline, trace_enabled, replay_only, track_local_mem;
    /* Prefix; ".<rank>.json" is appended. */
    char *local_mem_trace;
    int intra_dim; /* enum asim_intra_dim */
    int inter_dim; /* enum asim_inter_dim */
    /* Ops of a rank that may run at once: collectives and other communication, compute, CPU. */
    uint32_t comm_slots, comp_slots, cpu_slots;
    struct asim_rank_values compute_scale, start_delay_ns, message_delay_ns;
    double boost_mode;                  /* accepted without effect */
    struct asim_words impl[ASIM_KINDS]; /* "<kind>-implementation"; n = 0 where absent */
    char *custom[ASIM_KINDS];           /* "<kind>-implementation-custom": ET prefix, or NULL */
    char *per_node_custom;              /* path of a YAML file, or NULL */
};

int asim_system_read(struct asim_system *sys, const char *path,
                     const struct asim_diagnostics *notes, struct asim_err *err);
/* The built-in defaults (what configs/system/ring.json says). */
int asim_system_defaults(struct asim_system *sys, struct asim_err *err);
void asim_system_fini(struct asim_system *sys);

/* Logical topology JSON {"logical-dims": ["8", "4"]}; numbers accepted too. */
struct asim_dims {
    /* Dimension 0 varies fastest with the rank. */
    uint32_t at[ASIM_DIMS];
    size_t n;
};
/* How many ranks; below 2^32 for anything asim_logical_read accepted. */
uint64_t asim_dims_product(const struct asim_dims *dims);
int asim_logical_read(struct asim_dims *dims, const char *path, struct asim_err *err);

/* Communicator groups. */
struct asim_group {
    int64_t id;
    uint32_t *ranks; /* file order */
    uint32_t n;
};
/* 0 stands for all ranks, where no group is named. */
static inline uint64_t asim_group_key(const struct asim_group *group)
{
    return group ? (uint64_t)group->id + 1 : 0;
}
struct asim_groups {
    struct asim_group *at; /* ascending id */
    size_t n;
};
/* ranks: how many the run has; a member outside it, or twice in a group, is an error. */
int asim_groups_read(struct asim_groups *groups, const char *path, uint32_t ranks,
                     struct asim_err *err);
void asim_groups_fini(struct asim_groups *groups);

/* Remote memory JSON. */
enum asim_memory_type {
    ASIM_MEM_NONE,     /* NO_MEMORY_EXPANSION */
    ASIM_MEM_PER_NODE, /* PER_NODE_MEMORY_EXPANSION */
    ASIM_MEM_PER_NPU,  /* PER_NPU_MEMORY_EXPANSION */
    ASIM_MEM_POOL      /* MEMORY_POOL */
};
struct asim_memory {
    int type;
    uint32_t nodes, npus_per_node;
    /* Time of an access = latency + size / bandwidth (spec 2.6). */
    uint64_t latency_ns;
    double bandwidth_gbps; /* 1e9 byte/s = byte/ns */
};
int asim_memory_read(struct asim_memory *mem, const char *path,
                     const struct asim_diagnostics *notes, struct asim_err *err);

/* config.txt of the RDMA network: every key of the HPCC / ASTRA-sim / SimAI files. */
struct asim_rate_value { /* one entry of KMAX_MAP, KMIN_MAP (bytes) or PMAX_MAP (0..1) */
    uint64_t rate_bps;
    double value;
};
struct asim_rate_map {
    struct asim_rate_value *at;
    size_t n;
};
/* One planned change of a link. */
struct asim_link_down { /* all links between a and b go down (or come up) at a time of the run */
    uint64_t at_ns;
    uint32_t a, b;
    int up;
};
enum asim_recovery { ASIM_GO_BACK_N, ASIM_SELECTIVE_REPEAT };
enum asim_spreading { ASIM_PER_FLOW, ASIM_SPRAY };
enum asim_time_base { ASIM_BASE_NS, ASIM_BASE_PS };
struct asim_netconf {
    /* Meaning, unit and default of each field: the rows of asim_netconf_options (netconf.c). Times
     * in fs, rates in bit/s, sizes in bytes; files are names, NULL where absent, freed by _fini. */
    int enable_qcn, dynamic_pfc, clamp_target_rate;
    /* Only whether it is 0 matters (spec rdma-network 4.6). */
    uint64_t pause_time_fs;
    uint32_t payload_bytes, l2_chunk_bytes, l2_ack_interval_bytes;
    int l2_back_to_zero;
    char *topology_file, *flow_file, *trace_file, *trace_output, *fct_output, *pfc_output;
    double stop_time_s;
    uint32_t cc_mode;
    char *cc_name; /* CC: congestion control by name, before CC_MODE; NULL = not given */
    uint64_t alpha_resume_fs, rate_decrease_fs, rp_timer_fs;
    double ewma_gain;
    uint32_t fast_recovery_times;
    uint64_t rate_ai_bps, rate_hai_bps, min_rate_bps, dctcp_rate_ai_bps;
    double error_rate;
    int loss_recovery; /* enum asim_recovery */
    uint64_t rto_fs, nack_interval_fs;
    uint32_t rto_retries;
    int load_balance, time_base; /* enum asim_spreading, enum asim_time_base */
    uint32_t priority_group;
    int switch_ack_high_prio, nvswitch_endpoints;
    int has_win, global_t;
    uint32_t mi_thresh;
    int var_win, fast_react;
    double u_target;
    uint32_t int_multi;
    int rate_bound, ack_high_prio;
    uint32_t nic_total_pause_count;
    struct asim_link_down *link_down;
    size_t link_downs;
    int enable_trace;
    struct asim_rate_map kmax, kmin, pmax;
    uint64_t buffer_bytes; /* BUFFER_SIZE: MiB in the file */
    char *qlen_output;
    uint64_t qlen_start_ns, qlen_end_ns;
    int multi_rate, sample_feedback;
    double pint_log_base, pint_prob;
    uint64_t swift_target_fs; /* 0 = from the path */
    double swift_ai, swift_beta, swift_max_mdf;
    uint32_t headroom_factor, frame_extra_bytes;
    /* SimAI's monitors */
    char *bw_output, *rate_output, *cnp_output;
    uint64_t mon_start_us, mon_end_us, qp_mon_us, bw_mon_us, qlen_mon_us;
    char *data_rate, *link_delay; /* no effect in the reference either */
};
/* The single-valued keys; maps and LINK_DOWN are read by hand. */
extern const struct asim_option asim_netconf_options[];
int asim_netconf_defaults(struct asim_netconf *net, struct asim_err *err);
/* Starts from the defaults. Unknown keys are errors with line and did-you-mean; keys whose effect
 * is still to come are named once through notes. A repeated key: the last wins, with a note;
 * LINK_DOWN may come several times. */
int asim_netconf_read(struct asim_netconf *net, const char *path,
                      const struct asim_diagnostics *notes, struct asim_err *err);
/* One more key, as if `KEY value` stood at the end of the file: maps and link events too. */
int asim_netconf_set(struct asim_netconf *net, const char *const kv[2], struct asim_err *err);
void asim_netconf_fini(struct asim_netconf *net);

/* malloc'ed path to open for `path` named inside file `owner`: path itself if it exists or is
 * absolute, else beside owner if that exists, else path. NULL = out of memory. */
char *asim_conf_resolve(const char *owner, const char *path);

#endif
