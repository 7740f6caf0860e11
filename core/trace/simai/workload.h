/* SPDX-License-Identifier: GPL-2.0-only
 *
 * SimAI / AICB workload text (simai.md#workload-text): one header line, the number of rows, one row
 * per layer with forward, input-gradient and weight-gradient compute times and collectives. One
 * file serves all ranks. Rows repeat for every micro-batch, so equal rows are kept once: a file of
 * 1,800 rows with 15 distinct takes 9 kB.
 *
 * Also the communicator groups the header implies. All of them are arithmetic progressions of
 * ranks, so a group is a base, a stride and a size and no table is ever made.
 */
#ifndef ASIM_TRACE_SIMAI_WORKLOAD_H
#define ASIM_TRACE_SIMAI_WORKLOAD_H

#include <stddef.h>
#include <stdint.h>
#include "asim/err.h"

enum asim_simai_policy { /* order of asim_simai_policy_names */
                         ASIM_SIMAI_DATA,
                         ASIM_SIMAI_MODEL,
                         ASIM_SIMAI_MICRO,
                         ASIM_SIMAI_TRANSFORMER,
                         ASIM_SIMAI_FWD_IN_BCKWD,
                         ASIM_SIMAI_DLRM,
                         ASIM_SIMAI_DLRM_ENHANCED,
                         ASIM_SIMAI_DATA_MODEL,
                         ASIM_SIMAI_MODEL_DATA,
                         ASIM_SIMAI_CUSTOMIZED,
                         ASIM_SIMAI_INFERENCE,
                         ASIM_SIMAI_POLICIES
};
extern const char *const asim_simai_policy_names[ASIM_SIMAI_POLICIES];

enum asim_simai_op {
    ASIM_SIMAI_NONE,
    ASIM_SIMAI_ALLREDUCE,
    ASIM_SIMAI_ALLGATHER,
    ASIM_SIMAI_REDUCESCATTER,
    ASIM_SIMAI_ALLTOALL
};
enum asim_simai_group { ASIM_SIMAI_TP, ASIM_SIMAI_DP, ASIM_SIMAI_EP, ASIM_SIMAI_DP_EP };

struct asim_simai_comm {
    uint64_t bytes;    /* the whole buffer: gathered result, scattered input */
    uint8_t op, group; /* enums above */
};
enum { ASIM_SIMAI_FWD, ASIM_SIMAI_IG, ASIM_SIMAI_WG, ASIM_SIMAI_PARTS };

struct asim_simai_row {
    char name[48]; /* cut if longer */
    uint64_t compute_ns[ASIM_SIMAI_PARTS];
    struct asim_simai_comm comm[ASIM_SIMAI_PARTS];
    uint64_t update_ns; /* after every finished collective of the row */
};

struct asim_simai {
    char *source;
    int policy;
    uint32_t tp, ep, pp, vpp, ga, all_gpus; /* 0 where the header says nothing */
    uint64_t pp_comm;
    uint32_t *checkpoints, *initiates; /* row indices */
    uint32_t n_checkpoints, n_initiates;
    struct asim_simai_row *distinct; /* distinct rows */
    uint32_t *rows;                  /* [n_rows] index of each row's sort */
    size_t n_distinct, cap_distinct;
    uint32_t n_rows;
    uint32_t ignored; /* BROADCAST columns, which SimAI skips in silence */
};

/* Fails with file, line and what was expected. */
int asim_simai_read(struct asim_simai *w, const char *path, struct asim_err *err);
/* The same from bytes; name is for messages. */
int asim_simai_read_bytes(struct asim_simai *w, const char *name, const char *data, size_t size,
                          struct asim_err *err);
/* 1 if the text begins like this format: a policy word. */
int asim_simai_sniff(const void *head, size_t size);
const struct asim_simai_row *asim_simai_row(const struct asim_simai *w, uint32_t i);
void asim_simai_fini(struct asim_simai *w);

/* Members of a group: base, base + stride, … (n of them). n == 1: nothing to communicate. */
struct asim_simai_ranks {
    uint32_t id; /* distinct for every group of a run, above 0 */
    uint32_t base, stride, n;
};
/* Sizes of the run: tp tensor x ep expert x dp data x pp pipeline, `gpus` in all. Ranks are
 * numbered tensor first, then data (expert inside data), then pipeline: Megatron's order. */
struct asim_simai_layout {
    uint32_t gpus, tp, ep, dp, pp;
};
/* Fills it from the header, gpus = 0 meaning the header's all_gpus. Refuses what does not divide.
 */
int asim_simai_layout(const struct asim_simai *w, uint32_t gpus, struct asim_simai_layout *layout,
                      struct asim_err *err);
void asim_simai_group(const struct asim_simai_layout *layout, int group, uint32_t rank,
                      struct asim_simai_ranks *ranks);

#endif
