/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Settings as plain structs, one per published file format, and the readers that fill them. A
 * struct is constant once time starts. The readers accept the files of ASTRA-sim 2 and of the HPCC
 * family (system JSON, logical topology JSON, communicator groups, remote memory JSON, config.txt),
 * refuse unknown keys with file, line and did-you-mean, and leave no field undefined. A path inside
 * a file is looked up from the working directory, then from that file's folder.
 */
#ifndef ASIM_CONF_CONF_H
#define ASIM_CONF_CONF_H

#include <stddef.h>
#include <stdint.h>
#include "asim/err.h"
#include "asim/ext/option.h"
#include "asim/net.h"
#include "asim/trace.h"
#include "conf/netconf_keys.h"

struct asim_diagnostics;

/* "all-reduce" …, as keys of system files begin; "?" outside the enum. */
const char *asim_coll_type_key(int kind);

/* Which of two waiting collectives goes first: the later, the earlier, or the one with the higher
 * comm_priority. */
enum asim_policy { ASIM_LIFO, ASIM_FIFO, ASIM_EXPLICIT };
/* How an all-reduce over several dimensions is cut into phases (system-layer.md#phases). */
enum asim_optimization { ASIM_BASELINE, ASIM_LOCAL_BW_AWARE };

/* Order of chunks inside a dimension ("intra-dimension-scheduling"). */
enum asim_intra_dim {
    ASIM_INTRA_FIFO,
    ASIM_INTRA_RG,
    ASIM_INTRA_SMALLEST_FIRST,
    ASIM_INTRA_LESS_REMAINING_PHASE_FIRST
};

/* List of words, one per logical dimension. */
struct asim_words {
    char **at;
    size_t n;
};

/* "<node id>: <prefix>" lines of per-node-custom-implementation
 * (custom.h). */
struct asim_node_prefix {
    uint64_t node;
    char *prefix;
};
struct asim_node_prefixes {
    struct asim_node_prefix *at; /* ascending node */
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
    uint32_t splits;  /* preferred-dataset-splits; default 1 (ASTRA-sim divides by zero) */
    /* Chunks running at once in a dimension, before it is divided by the queues
     * (system-layer.md#queues-and-active-chunks). */
    uint32_t active_chunks;
    uint32_t flow_order_seed; /* 0: flows free at one instant start in the listed order */
    /* Before every message bundle; parity: sub-group rings pay a fixed 10 ns instead
     * (system-layer.md#endpoint-delay-and-reduction). */
    int64_t endpoint_delay_ns;
    int endpoint_delay_set; /* injection-scale applies only to a value from the file */
    /* Of the LogGP bus only, per 100 bytes (system-layer.md#loggp-bus). */
    uint64_t local_reduction_delay;
    double loggp_l, loggp_o, loggp_g, loggp_G; /* single keys L o g G; ns and ns/byte */
    int shared_bus;
    double peak_perf_tflops;  /* ×1e12 FLOP/s */
    double local_mem_bw_gbps; /* ×1e9 byte/s; 0 = reductions cost nothing */
    /* Flags of system-layer.md#system-file; replay_only gives every op its recorded duration,
     * whatever its type. */
    int roofline, trace_enabled, replay_only, track_local_mem;
    /* Prefix; ".<rank>.json" is appended. */
    char *local_mem_trace;
    int intra_dim;   /* enum asim_intra_dim */
    char *dim_order; /* "inter-dimension-scheduling": a name of coll/dims.h */
    /* Ops of a rank that may run at once: collectives and other communication, compute, CPU. */
    uint32_t comm_slots, comp_slots, cpu_slots;
    int in_communicators; /* of a group one collective after another, of several groups at once */
    struct asim_rank_values compute_scale, start_delay_ns, message_delay_ns;
    double boost_mode;                       /* accepted without effect */
    struct asim_words impl[ASIM_COLL_TYPES]; /* "<kind>-implementation"; n = 0 where absent */
    char *custom[ASIM_COLL_TYPES]; /* "<kind>-implementation-custom": ET prefix, or NULL */
    char *per_node_custom;         /* path of a YAML file, or NULL */
};

int asim_system_read(struct asim_system *sys, const char *path,
                     const struct asim_diagnostics *diagnostics, struct asim_err *err);
/* The built-in defaults (configs/system/ring.json, but all-to-all direct, all-reduce treeOrRing).
 */
int asim_system_defaults(struct asim_system *sys, int like, struct asim_err *err);
void asim_system_fini(struct asim_system *sys);

/* Logical topology JSON {"logical-dims": ["8", "4"]}; numbers accepted too. */
struct asim_dims {
    /* Dimension 0 varies fastest with the rank. */
    uint32_t at[ASIM_DIMS];
    size_t n;
};
/* How many ranks; below 2^32 for anything asim_logical_read accepted. */
uint64_t asim_dims_product(const struct asim_dims *dims);
/* path: a file, or the sizes, as "8x64". */
int asim_logical_read(struct asim_dims *dims, const char *path, struct asim_err *err);

/* 0 stands for all ranks, where no group is named. */
static inline uint64_t asim_group_key(const struct asim_group *group)
{
    return group ? (uint64_t)group->id + 1 : 0;
}

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
    /* Time of an access = latency + size / bandwidth (system-layer.md#remote-memory). */
    uint64_t latency_ns;
    double bandwidth_gbps; /* 1e9 byte/s = byte/ns */
};
int asim_memory_read(struct asim_memory *mem, const char *path,
                     const struct asim_diagnostics *diagnostics, struct asim_err *err);

/* malloc'ed path to open for `path` named inside file `owner`: path itself if it exists or is
 * absolute, else beside owner if that exists, else path. NULL = out of memory. */
char *asim_conf_resolve(const char *owner, const char *path);

#endif
