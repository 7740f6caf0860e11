/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A device trace (Kineto's Chrome-trace JSON, chakra.md#device-trace), reduced to the CPU
 * operators, runtime calls, GPU operations and synchronisation events, about 40 bytes each. Other
 * events are counted only. Times are microseconds; a flag tells whether the file has an integer or
 * a real, for output that must compare.
 */
#ifndef ASIM_CONVERTER_LINK_KINETO_H
#define ASIM_CONVERTER_LINK_KINETO_H

#include "json/reader.h"
#include "lib/index.h"

enum asim_kineto_flag {
    ASIM_KIN_TS_REAL = 1,  /* ts was written as a real */
    ASIM_KIN_DUR_REAL = 2, /* dur was written as a real */
    ASIM_KIN_EXCL_REAL = 4,
    ASIM_KIN_COALESCED = 8, /* the op is nccl:coalesced */
    ASIM_KIN_LAUNCH = 16,   /* runtime call on Chakra's list of launches */
    ASIM_KIN_CALL = 32      /* the op is a runtime call */
};

struct asim_kineto_cpu { /* category cpu_op or user_annotation, ProfilerStep excluded */
    double ts, dur, exclusive;
    uint32_t thread : 24, flags : 8;
    uint32_t inter_thread; /* the op of another thread it waits for, or ASIM_NONE */
};

struct asim_kineto_call { /* CUDA and HIP runtime and driver calls */
    int64_t correlation;
    double ts, dur;
    uint32_t name;
    uint32_t thread : 24, flags : 8;
};

enum asim_gpu_kind { ASIM_GPU_KERNEL, ASIM_GPU_MEMCPY, ASIM_GPU_MEMSET };

struct asim_kineto_gpu {
    double ts, dur;
    uint32_t name;
    uint32_t stream; /* name of the stream as written, or ASIM_NONE */
    uint32_t call;   /* its launcher, or ASIM_NONE */
    uint32_t parent; /* CPU op that launched it, or ASIM_NONE */
    uint32_t comm;   /* index in gpu_comm, or ASIM_NONE */
    uint32_t kind : 2, flags : 6, stream_is_int : 1;
    uint32_t device : 23; /* + 1; 0 = absent */
};

struct asim_kineto_comm { /* a kernel's description of its collective */
    uint32_t args;        /* raw text of the args, or ASIM_NONE */
    uint32_t pg_name;     /* "Process Group Name", or ASIM_NONE */
};

struct asim_kineto_ids { /* of a GPU operation */
    int64_t correlation, external;
};

enum asim_sync_kind { ASIM_SYNC_STREAM, ASIM_SYNC_CONTEXT, ASIM_SYNC_EVENT, ASIM_SYNC_WAIT };

struct asim_kineto_sync {        /* category cuda_sync */
    int64_t correlation, record; /* record: correlation of the event's record call, -1 = none */
    double ts, dur;
    uint32_t kind, stream, wait_stream;
    int32_t device; /* + 1; 0 = absent */
};

struct asim_kineto {
    struct asim_names names;
    ASIM_VEC(struct asim_kineto_cpu) cpu; /* in file order */
    ASIM_VEC(struct asim_kineto_call) call;
    ASIM_VEC(struct asim_kineto_gpu) gpu;
    ASIM_VEC(struct asim_kineto_comm) gpu_comm;
    ASIM_VEC(struct asim_kineto_sync) sync;
    /* Temporary, beside cpu and gpu, by their numbers. Ids: -1 = absent. */
    ASIM_VEC(int64_t) rf_id, external; /* of CPU ops */
    ASIM_VEC(uint32_t) cpu_name;       /* freed as soon as there are rf_ids, unless alone */
    ASIM_VEC(struct asim_kineto_comm) cpu_comm; /* alone: parallel to cpu */
    ASIM_VEC(struct asim_kineto_ids) ids;       /* of GPU operations */
    uint32_t *by_time;                          /* CPU ops by ts, file order among equals */
    uint32_t *by_thread;                        /* the same, by thread */
    uint32_t *enclosing; /* of each CPU op: the innermost op around it, or ASIM_NONE */
    uint32_t *thread_at; /* threads + 1 positions in by_thread */
    uint32_t threads;    /* numbered in order of appearance */
    struct asim_names thread_names;
    char *groups;     /* distributedInfo.pg_config as JSON, or NULL */
    int64_t rank;     /* distributedInfo.rank, -1 = not in the file */
    int64_t ranks;    /* distributedInfo.world_size, -1 = not in the file */
    double clock_mhz; /* of the first GPU, 0 = not in the file */
    double steps_us;  /* sum of the annotations ProfilerStep, and their number */
    uint64_t steps;
    uint64_t events, ignored;
    uint64_t repeats; /* keys that an object has twice with two values */
    uint64_t no_utf8; /* strings with bytes that are not UTF-8 */
    uint64_t bytes;   /* of the inflated file */
    int has_rf_ids;   /* at least one op has a Record function id */
};

/* The type of an event by its category; GPU operations by enum asim_gpu_kind. */
enum asim_kineto_what {
    ASIM_KINETO_IGNORED,
    ASIM_KINETO_CPU,
    ASIM_KINETO_CALL,
    ASIM_KINETO_GPU,
    ASIM_KINETO_SYNC
};
/* Frees an array early. */
#define ASIM_KINETO_DROP(v) (free((v).at), (v).at = NULL, (v).n = (v).cap = 0)

/* ALONE: no host trace will come, so runtime calls are CPU ops, too, and names and descriptions of
 * collectives stay. */
enum asim_kineto_mode { ASIM_KINETO_PLAIN, ASIM_KINETO_COMPAT, ASIM_KINETO_ALONE };
/* Reads the whole file. A missing or wrong field of an event in use is an error that names it. */
int asim_kineto_read(struct asim_kineto *kin, const char *path, enum asim_kineto_mode mode,
                     struct asim_err *err);
void asim_kineto_fini(struct asim_kineto *kin);

/* Fills by_time, by_thread, thread_at. */
int asim_nest_order(struct asim_kineto *kin, struct asim_err *err);
/* Fills exclusive and enclosing. path names the file in errors. */
int asim_nest_exclusive(struct asim_kineto *kin, int compat, const char *path,
                        struct asim_err *err);
/* Fills inter_thread. */
int asim_nest_threads(struct asim_kineto *kin, struct asim_err *err);

struct asim_launch_counts {
    uint64_t no_correlation; /* GPU operations without correlation */
    uint64_t no_call;        /* without a runtime call of that correlation */
    uint64_t no_op;          /* whose launching thread ran no op before */
    uint64_t outside;        /* launched outside of any op: the latest op before was taken */
    uint64_t not_listed;     /* launched by calls that Chakra's tools do not know */
};

/* Fills call and parent of every GPU operation. */
int asim_nest_launches(struct asim_kineto *kin, int compat, struct asim_launch_counts *counts,
                       struct asim_err *err);

enum asim_kineto_what asim_kineto_classify(const struct asim_jdoc *doc, const struct asim_jv *cat,
                                           int *gpu_kind);
/* 1 if Chakra's tools take that runtime call as a launch. */
int asim_kineto_is_listed(const char *name);

#endif
