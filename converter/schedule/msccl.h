/* SPDX-License-Identifier: GPL-2.0-only
 *
 * An algorithm of MSCCL as its XML states it: thread blocks of each GPU, steps of each thread
 * block.
 */
#ifndef ASIM_CONVERTER_MSCCL_H
#define ASIM_CONVERTER_MSCCL_H

#include <stdint.h>
#include "asim/err.h"
#include "base/mem.h"

enum asim_msccl_buffer { ASIM_MSCCL_INPUT, ASIM_MSCCL_OUTPUT, ASIM_MSCCL_SCRATCH };
enum asim_msccl_part { /* what a step does, together in a set of bits */
                       ASIM_MSCCL_RECV = 1,
                       ASIM_MSCCL_REDUCE = 2, /* with what lies at its source; with no receive: into
                                                 its destination */
                       ASIM_MSCCL_STORE = 4,  /* at its destination */
                       ASIM_MSCCL_SEND = 8
};

struct asim_msccl_step {
    unsigned line;
    uint32_t parts;                 /* enum asim_msccl_part; 0 = it waits only */
    int src, dst;                   /* enum asim_msccl_buffer */
    uint32_t src_at, dst_at, count; /* chunks */
    int64_t wait_block, wait_step;  /* of its GPU; -1 = none */
};

struct asim_msccl_block {
    uint32_t gpu, id, channel;
    int64_t send, recv; /* GPUs, -1 = none */
    uint32_t first_step, steps;
};

struct asim_msccl_gpu {
    uint32_t chunks[3]; /* of each buffer */
    uint32_t first_block, blocks;
};

struct asim_msccl {
    const char *path; /* the caller's */
    int coll_type;    /* ASIM_ALL_REDUCE, _ALL_GATHER, _REDUCE_SCATTER or _ALL_TO_ALL */
    int in_place;
    uint32_t gpus, chunks; /* chunks of the largest buffer of the collective */
    char name[64];
    ASIM_VEC(struct asim_msccl_gpu) gpu;
    ASIM_VEC(struct asim_msccl_block) block;
    ASIM_VEC(struct asim_msccl_step) step;
};

/* Reads the XML strictly. ASIM_EINVAL with file and line; the caller calls asim_msccl_fini. */
int asim_msccl_read(struct asim_msccl *msccl, const char *path, struct asim_err *err);
/* Runs the algorithm on chunks that remember where they come from. ASIM_EINVAL where it stops,
 * sends or reads what is not there, adds a part twice, or leaves an output that is not the
 * collective's. */
int asim_msccl_check(const struct asim_msccl *msccl, struct asim_err *err);
void asim_msccl_fini(struct asim_msccl *msccl);

#endif
