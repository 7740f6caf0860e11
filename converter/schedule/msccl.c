/* SPDX-License-Identifier: GPL-2.0-only
 *
 * An algorithm of MSCCL or MSCCL++ as a schedule: a send, a receive, or a receive and then a send a
 * step. Steps of a thread block follow each other, and a step waits for those it names. Copies and
 * sums inside a GPU take a cycle, as computations of 0 ns do.
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

static int add(struct making *m, size_t at, int type)
{
    const struct asim_msccl_step *step = &m->msccl->step.at[at];
    struct asim_schedule_op op = {.type = type,
                                  .rank = step->gpu,
                                  .line = step->line,
                                  .block = step->block,
                                  .number = step->op};

    if (type != ASIM_OP_COMP) {
        const struct asim_msccl_way *way =
            &m->msccl->way.at[type == ASIM_OP_COMM_SEND ? step->out : step->in];

        op.peer = type == ASIM_OP_COMM_SEND ? way->to : way->from;
        op.tag = way->channel;
        op.bytes = m->whole / m->msccl->chunks * step->count + step->bytes;
        op.bytes *= step->parts & ASIM_MSCCL_PACKET ? 2 : 1;
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

static int add_step(struct making *m, size_t at)
{
    uint32_t parts = m->msccl->step.at[at].parts;
    int rc = 0;

    if (parts & ASIM_MSCCL_RECV)
        rc = add(m, at, ASIM_OP_COMM_RECV);
    if (!rc && parts & ASIM_MSCCL_SEND)
        rc = add(m, at, ASIM_OP_COMM_SEND);
    if (!rc && !(parts & (ASIM_MSCCL_RECV | ASIM_MSCCL_SEND)))
        rc = add(m, at, ASIM_OP_COMP);
    return rc;
}

static int wait_for(struct making *m, size_t step, size_t before)
{
    return ASIM_VEC_PUSH(m->to->wait,
                         ((struct asim_schedule_wait){m->first[step] - 1, m->last[before] - 1}));
}

static int add_waits(struct making *m, const struct asim_msccl_block *block)
{
    uint32_t behind = 0; /* 1 + the last step that holds up its block */
    int rc = 0;

    for (uint32_t at = block->first; at && !rc; at = m->msccl->step.at[at - 1].next) {
        const struct asim_msccl_step *step = &m->msccl->step.at[at - 1];

        if (behind)
            rc = wait_for(m, at - 1, behind - 1);
        for (uint32_t w = step->wait; w && !rc; w = m->msccl->wait.at[w - 1].next)
            rc = wait_for(m, at - 1, m->msccl->wait.at[w - 1].before);
        behind = step->parts & ASIM_MSCCL_POSTED ? behind : at;
    }
    return rc;
}

static int make(struct making *m)
{
    const struct asim_msccl *msccl = m->msccl;
    int rc = 0;

    for (size_t b = 0; b < msccl->block.n && !rc; b++)
        for (uint32_t at = msccl->block.at[b].first; at && !rc; at = msccl->step.at[at - 1].next)
            rc = add_step(m, at - 1);
    for (size_t b = 0; b < msccl->block.n && !rc; b++)
        rc = add_waits(m, &msccl->block.at[b]);
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
    if (msccl->most && (m.whole < msccl->least || m.whole > msccl->most))
        return asim_err_set(err, ASIM_EINVAL,
                            "--size=%" PRIu64 " makes a buffer of %" PRIu64
                            " bytes, but the plan is for %" PRIu64 " to %" PRIu64 ".",
                            bytes, m.whole, msccl->least, msccl->most);
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
    ASIM_FREE(m.first, m.last);
    return rc ? asim_err_nomem(err, "making a schedule") : 0;
}
