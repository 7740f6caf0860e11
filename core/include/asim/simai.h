/* SPDX-License-Identifier: GPL-2.0-only
 *
 * SimAI / AICB workload text: one header line, the number of rows, one row per layer with forward,
 * input-gradient and weight-gradient compute times and collectives. One file serves all ranks. A
 * world reads such a file by itself (settings->workload); these functions are for programs that
 * look into it: its rows, its communicator groups, and the order in which a rank runs the rows.
 *
 * A rank has three passes (parts): forward, input gradient, weight gradient.
 */
#ifndef ASIM_SIMAI_H
#define ASIM_SIMAI_H

#include <stddef.h>
#include <stdint.h>
#include "asim/err.h"

ASIM_C_BEGIN

enum asim_simai_policy {
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
    unsigned zeros;   /* bit i: the i-th of tp, ep, pp, vpp, ga and all_gpus is 0 in the header */
    uint32_t ignored; /* BROADCAST columns, which SimAI skips in silence */
};

/* Fails with file, line and what was expected. *w is the caller's to _fini where it succeeds. */
ASIM_API int asim_simai_read(struct asim_simai *w, const char *path, struct asim_err *err);
/* Row i of the file, i < w->n_rows. */
ASIM_API const struct asim_simai_row *asim_simai_row(const struct asim_simai *w, uint32_t i);
ASIM_API void asim_simai_fini(struct asim_simai *w);

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
ASIM_API int asim_simai_layout(const struct asim_simai *w, uint32_t gpus,
                               struct asim_simai_layout *layout, struct asim_err *err);
/* group: enum asim_simai_group. */
ASIM_API void asim_simai_group(const struct asim_simai_layout *layout, int group, uint32_t rank,
                               struct asim_simai_ranks *ranks);

/* --- the order of a rank's work --------------------------------------------------------------- */

enum asim_simai_item_type {
    ASIM_SIMAI_META, /* the communicator groups */
    ASIM_SIMAI_RECV,
    ASIM_SIMAI_COMP,
    ASIM_SIMAI_COLL,
    ASIM_SIMAI_DELAY,
    ASIM_SIMAI_SEND
};
enum { ASIM_SIMAI_FORWARD, ASIM_SIMAI_BACKWARD }; /* part of a RECV or SEND */

struct asim_simai_item {
    uint64_t id, dep; /* ids from 1 on; dep: how many ids back, 0 = waits for nothing */
    uint32_t row;
    uint8_t type, part; /* part: ASIM_SIMAI_FWD …, or a direction */
};

/* Private to the iterator. */
struct asim_simai_action {
    uint8_t type, part, non_blocking; /* leaf: what follows does not wait for it */
};
struct asim_simai_pass {
    const struct asim_simai_action *actions;
    unsigned n;
    int down; /* rows last to first */
};

/* Begin with asim_simai_iterator_start; set has_meta then if the first item is to be META. All
 * other fields are private. */
struct asim_simai_iterator {
    const struct asim_simai *w;
    struct asim_simai_layout layout;
    uint32_t rank, stage;
    uint32_t first_row, batch_rows, batches; /* of the micro-batches; 0 rows = no pipeline */
    struct asim_simai_pass passes[2];
    unsigned n_passes;
    int has_meta; /* set by the caller: the first item is META */
    /* the cursor */
    unsigned pass, action;
    uint32_t row;
    int replaying;
    uint32_t replay_row;
    unsigned replay_action;
    uint64_t id, chain; /* last item made, last one of the chain; 0 = none */
};

/* Fails for a policy whose order is not known. */
ASIM_API int asim_simai_iterator_start(struct asim_simai_iterator *it, const struct asim_simai *w,
                                       const struct asim_simai_layout *layout, uint32_t rank,
                                       struct asim_err *err);
/* 1 and *item, or 0 at the end. */
ASIM_API int asim_simai_iterator_next(struct asim_simai_iterator *it, struct asim_simai_item *item);
/* Bytes of a row's collective as they are run. */
ASIM_API uint64_t asim_simai_run_bytes(const struct asim_simai *w, uint32_t row, int part);
/* How often each row's forward part is run: once, and once more for each recompute. [n_rows], to be
 * freed with free(); NULL when out of memory. */
ASIM_API uint32_t *asim_simai_forwards(const struct asim_simai *w);

ASIM_C_END
#endif
