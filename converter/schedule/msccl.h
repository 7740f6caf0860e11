/* SPDX-License-Identifier: GPL-2.0-only
 *
 * An algorithm of MSCCL as its XML states it, or of MSCCL++ as its execution plan does: thread
 * blocks of each GPU, steps of each thread block, and the ways on which steps send and receive.
 */
#ifndef ASIM_CONVERTER_MSCCL_H
#define ASIM_CONVERTER_MSCCL_H

#include <stddef.h>
#include <stdint.h>
#include "asim/err.h"
#include "base/io/src.h"
#include "base/mem.h"

enum { ASIM_MSCCL_GPUS = 4096, ASIM_MSCCL_CHUNKS = 1 << 16, ASIM_MSCCL_STEPS = 1 << 24 };
#define ASIM_MSCCL_NO_WAY UINT32_MAX

enum asim_msccl_buffer { ASIM_MSCCL_INPUT, ASIM_MSCCL_OUTPUT, ASIM_MSCCL_SCRATCH };
enum asim_msccl_part { /* what a step does, together in a set of bits */
                       ASIM_MSCCL_RECV = 1,
                       ASIM_MSCCL_REDUCE = 2, /* with what lies at its source; with no receive: into
                                                 its destination */
                       ASIM_MSCCL_STORE = 4,  /* at its destination */
                       ASIM_MSCCL_SEND = 8,
                       ASIM_MSCCL_PACKET = 16, /* half of the bytes that it sends are flags */
                       ASIM_MSCCL_POSTED = 32  /* its block goes on before it has ended */
};

struct asim_msccl_step {
    unsigned line;                  /* of the XML; 0 = an op of a plan: */
    uint32_t of_gpu, block, op;     /* of the op */
    uint32_t gpu;                   /* whose buffers it reads and writes */
    uint32_t parts;                 /* enum asim_msccl_part; 0 = it waits only */
    int src, dst;                   /* enum asim_msccl_buffer */
    uint32_t src_at, dst_at, count; /* chunks; count 0: a message without any, of: */
    uint32_t bytes;
    uint32_t in, out; /* places of ways, or ASIM_MSCCL_NO_WAY */
    uint32_t next;    /* 1 + the step behind it in its block, 0 = none */
    uint32_t wait;    /* 1 + its first one in `wait`, 0 = none */
};

struct asim_msccl_gpu {
    uint32_t chunks[3]; /* of each buffer */
};

struct asim_msccl_wait {
    uint32_t before, next; /* the step that has to end; 1 + the step's next wait, 0 = none */
};

struct asim_msccl_block {
    uint32_t gpu;
    uint32_t first, last; /* 1 + a step, 0 = none */
};

struct asim_msccl_way { /* its messages arrive in the order they are sent */
    uint32_t from, to, channel;
};

struct asim_msccl {
    const char *path; /* the caller's */
    int coll_type;    /* ASIM_ALL_REDUCE, _ALL_GATHER, _REDUCE_SCATTER or _ALL_TO_ALL */
    int in_place;
    uint32_t gpus, chunks;   /* chunks of the largest buffer of the collective */
    uint32_t blocks_of_file; /* the first so many; those behind move what others put and get */
    uint64_t least, most;    /* bytes of the largest buffer it is for; most 0 = any */
    char name[64];
    ASIM_VEC(struct asim_msccl_gpu) gpu;
    ASIM_VEC(struct asim_msccl_block) block;
    ASIM_VEC(struct asim_msccl_step) step;
    ASIM_VEC(struct asim_msccl_wait) wait;
    ASIM_VEC(struct asim_msccl_way) way;
};

/* Reads the XML or the JSON strictly. ASIM_EINVAL with file and place; the caller calls
 * asim_msccl_fini in any case. */
int asim_msccl_read(struct asim_msccl *msccl, const char *path, struct asim_err *err);
/* Runs the algorithm on chunks that remember where they come from. ASIM_EINVAL where it stops,
 * sends or reads what is not there, adds a part twice, or leaves an output that is not the
 * collective's. */
int asim_msccl_check(const struct asim_msccl *msccl, struct asim_err *err);
void asim_msccl_fini(struct asim_msccl *msccl);

/* --- for the readers --------------------------------------------------------------------------
 */

/* The JSON of an execution plan. */
int asim_msccl_read_plan(struct asim_msccl *msccl, struct asim_src *src, struct asim_err *err);
/* The collective of that name; -1 for none that is read. */
int asim_msccl_collective(const char *name);
/* Adds a step behind the others of its block, or a wait to a step; not 0 if out of memory. */
int asim_msccl_add_step(struct asim_msccl *msccl, uint32_t block,
                        const struct asim_msccl_step *step);
int asim_msccl_add_wait(struct asim_msccl *msccl, uint32_t step, uint32_t before);
/* An error at a step. */
int asim_msccl_fail(const struct asim_msccl *msccl, const struct asim_msccl_step *step,
                    struct asim_err *err, const char *what);

#endif
