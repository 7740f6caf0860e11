/* SPDX-License-Identifier: GPL-2.0-only
 *
 * An algorithm of MSCCL as a schedule: a send, a receive, or a receive and then a send a step.
 * Steps of a thread block follow each other, and a step waits for the one that depid and deps name.
 * Copies and sums inside a GPU take no time, as in all algorithms of asim.
 */
#include "schedule/msccl.h"

#include <inttypes.h>
#include <stdlib.h>

#include "asim/trace.h"
#include "schedule/schedule.h"

struct making {
    struct asim_schedule *to;
    const struct asim_msccl *msccl;
    uint64_t whole;  /* bytes of the largest buffer */
    uint32_t *first; /* [steps] 1 + its first op, 0 = none */
    uint32_t *last;  /* [steps] 1 + its last op */
};

static int add(struct making *m, const struct asim_msccl_block *block,
               const struct asim_msccl_step *step, int type)
{
    size_t at = (size_t)(step - m->msccl->step.at);
    struct asim_schedule_op op = {.type = type, .rank = block->gpu, .line = step->line};

    if (type != ASIM_OP_COMP) {
        op.peer = (uint32_t)(type == ASIM_OP_COMM_SEND ? block->send : block->recv);
        op.tag = block->channel;
        op.bytes = m->whole / m->msccl->chunks * step->count;
        m->to->sends += type == ASIM_OP_COMM_SEND;
    }
    if (m->last[at] && ASIM_VEC_PUSH(m->to->wait, ((struct asim_schedule_wait){
                                                      (uint32_t)m->to->op.n, m->last[at] - 1})))
        return ASIM_ENOMEM;
    m->last[at] = (uint32_t)m->to->op.n + 1;
    if (!m->first[at])
        m->first[at] = m->last[at];
    return ASIM_VEC_PUSH(m->to->op, op);
}

static int add_step(struct making *m, const struct asim_msccl_block *block,
                    const struct asim_msccl_step *step)
{
    int rc = 0;

    if (step->parts & ASIM_MSCCL_RECV)
        rc = add(m, block, step, ASIM_OP_COMM_RECV);
    if (!rc && step->parts & ASIM_MSCCL_SEND)
        rc = add(m, block, step, ASIM_OP_COMM_SEND);
    if (!rc && !(step->parts & (ASIM_MSCCL_RECV | ASIM_MSCCL_SEND)))
        rc = add(m, block, step, ASIM_OP_COMP);
    return rc;
}

static int wait_for(struct making *m, size_t step, size_t before)
{
    return ASIM_VEC_PUSH(m->to->wait,
                         ((struct asim_schedule_wait){m->first[step] - 1, m->last[before] - 1}));
}

static int add_waits(struct making *m, const struct asim_msccl_block *block)
{
    const struct asim_msccl_gpu *gpu = &m->msccl->gpu.at[block->gpu];
    int rc = 0;

    for (uint32_t i = 0; i < block->steps && !rc; i++) {
        size_t at = block->first_step + i;
        const struct asim_msccl_step *step = &m->msccl->step.at[at];

        if (i)
            rc = wait_for(m, at, at - 1);
        if (!rc && step->wait_block >= 0)
            rc = wait_for(m, at,
                          m->msccl->block.at[gpu->first_block + step->wait_block].first_step +
                              (size_t)step->wait_step);
    }
    return rc;
}

static int make(struct making *m)
{
    int rc = 0;

    for (size_t b = 0; b < m->msccl->block.n && !rc; b++) {
        const struct asim_msccl_block *block = &m->msccl->block.at[b];

        for (uint32_t i = 0; i < block->steps && !rc; i++)
            rc = add_step(m, block, &m->msccl->step.at[block->first_step + i]);
    }
    for (size_t b = 0; b < m->msccl->block.n && !rc; b++)
        rc = add_waits(m, &m->msccl->block.at[b]);
    return rc;
}

int asim_schedule_from_msccl(struct asim_schedule *schedule, const struct asim_msccl *msccl,
                             uint64_t bytes, struct asim_err *err)
{
    struct making m = {.to = schedule, .msccl = msccl, .whole = bytes};
    int rc;

    if (msccl->coll_type == ASIM_ALL_GATHER && bytes > UINT64_MAX / msccl->gpus)
        return asim_err_set(err, ASIM_EINVAL,
                            "the gathered bytes are more than 64 bits can count.");
    m.whole *= msccl->coll_type == ASIM_ALL_GATHER ? msccl->gpus : 1;
    if (m.whole % msccl->chunks || !m.whole)
        return asim_err_set(err, ASIM_EINVAL,
                            "--size=%" PRIu64 " makes a buffer of %" PRIu64
                            " bytes, which the algorithm's %" PRIu32
                            " chunks do not divide; give a size that they do.",
                            bytes, m.whole, msccl->chunks);
    schedule->path = msccl->path;
    schedule->ranks = msccl->gpus;
    schedule->custom = msccl->coll_type == ASIM_ALL_REDUCE   ? "all-reduce-implementation-custom"
                       : msccl->coll_type == ASIM_ALL_GATHER ? "all-gather-implementation-custom"
                       : msccl->coll_type == ASIM_ALL_TO_ALL
                           ? "all-to-all-implementation-custom"
                           : "reduce-scatter-implementation-custom";
    m.first = calloc(msccl->step.n + 1, sizeof *m.first);
    m.last = calloc(msccl->step.n + 1, sizeof *m.last);
    rc = m.first && m.last ? make(&m) : ASIM_ENOMEM;
    free(m.first);
    free(m.last);
    return rc ? asim_err_nomem(err, "making a schedule") : 0;
}
