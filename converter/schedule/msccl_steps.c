/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Builds algorithms of MSCCL for their readers: steps of blocks and what they wait for.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "asim/trace.h"
#include "schedule/msccl.h"

int asim_msccl_collective(const char *name)
{
    static const struct {
        const char *word;
        int type;
    } known[] = {{"allreduce", ASIM_ALL_REDUCE},
                 {"allgather", ASIM_ALL_GATHER},
                 {"reduce_scatter", ASIM_REDUCE_SCATTER},
                 {"reducescatter", ASIM_REDUCE_SCATTER},
                 {"alltoall", ASIM_ALL_TO_ALL}};

    for (size_t i = 0; name && i < sizeof known / sizeof *known; i++)
        if (!strcmp(name, known[i].word))
            return known[i].type;
    return -1;
}

int asim_msccl_add_step(struct asim_msccl *msccl, uint32_t block,
                        const struct asim_msccl_step *step)
{
    struct asim_msccl_block *of = &msccl->block.at[block];

    if (msccl->step.n == ASIM_MSCCL_STEPS || ASIM_VEC_PUSH(msccl->step, *step))
        return ASIM_ENOMEM;
    if (of->last)
        msccl->step.at[of->last - 1].next = (uint32_t)msccl->step.n;
    else
        of->first = (uint32_t)msccl->step.n;
    of->last = (uint32_t)msccl->step.n;
    return 0;
}

int asim_msccl_add_wait(struct asim_msccl *msccl, uint32_t step, uint32_t before)
{
    struct asim_msccl_wait wait = {before, msccl->step.at[step].wait};

    if (msccl->wait.n == UINT32_MAX - 1 || ASIM_VEC_PUSH(msccl->wait, wait))
        return ASIM_ENOMEM;
    msccl->step.at[step].wait = (uint32_t)msccl->wait.n;
    return 0;
}

int asim_msccl_fail(const struct asim_msccl *msccl, const struct asim_msccl_step *step,
                    struct asim_err *err, const char *what)
{
    struct asim_where at = {msccl->path, step->line, 0};

    if (step->line)
        return asim_err_at(err, ASIM_EINVAL, at, "%s", what);
    return asim_err_at(err, ASIM_EINVAL, at,
                       "gpu %" PRIu32 ", thread block %" PRIu32 ", op %" PRIu32 ": %s",
                       step->of_gpu, step->block, step->op, what);
}

void asim_msccl_fini(struct asim_msccl *msccl)
{
    ASIM_FREE(msccl->gpu.at, msccl->block.at, msccl->step.at, msccl->wait.at, msccl->way.at);
}
