/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Finds the communication of a kernel from all nodes around it. A kernel whose name has a
 * collective ran exactly that, whatever PyTorch called it (an all-gather of unequal parts runs
 * broadcasts, a barrier runs an all-reduce). For generic kernels (RCCL) and SendRecv kernels the
 * sources are: the kernel's args, the record_param_comms above, the nccl:… or c10d::… op above.
 * Bytes likewise: the tensors of the launching op, else stated count and type.
 */
#include "convert/convert.h"

#define LEVELS 8 /* ops above a kernel that may describe it */

struct above {
    int record, op;       /* types of the nearest record and of the nearest other op */
    struct asim_comm sum; /* the first value of each field */
};

static void merge(struct asim_comm *sum, const struct asim_comm *c)
{
    if (!sum->bytes)
        sum->bytes = c->bytes;
    if (!sum->msg_bytes)
        sum->msg_bytes = c->msg_bytes;
    if (sum->pg_name == ASIM_NONE)
        sum->pg_name = c->pg_name;
    if (sum->splits == ASIM_NONE) {
        sum->splits = c->splits;
        sum->splits_size = c->size;
    }
    sum->splits_cut |= c->splits_cut;
    if (sum->peer < 0 && (c->kind == ASIM_COMM_SEND || c->kind == ASIM_COMM_RECV))
        sum->peer = c->peer;
}

/* Stops at the first op that does not describe communication: the tensors of its callers are not
 * the collective's. */
static struct above look_above(const struct asim_convert *cv, uint32_t at)
{
    struct above up = {ASIM_COMM_UNKNOWN, ASIM_COMM_UNKNOWN, cv->comm.at[cv->node.at[at].comm]};

    up.sum.splits_size = up.sum.size;
    if (up.sum.kind != ASIM_COMM_SEND && up.sum.kind != ASIM_COMM_RECV && !up.sum.sendrecv)
        up.sum.peer = -1;
    if (up.sum.is_batch && cv->node.at[at].flags & ASIM_ET_MADE) /* its call says all */
        return up;
    for (int i = 0; i < LEVELS; i++) {
        const struct asim_comm *c;

        at = asim_convert_parent(cv, at);
        if (at == ASIM_NONE || cv->node.at[at].comm == ASIM_NONE)
            break;
        c = &cv->comm.at[cv->node.at[at].comm];
        merge(&up.sum, c);
        if (c->kind == ASIM_COMM_WAIT)
            continue;
        if (c->is_record && up.record == ASIM_COMM_UNKNOWN)
            up.record = c->kind;
        if (!c->is_record && up.op == ASIM_COMM_UNKNOWN)
            up.op = c->kind;
    }
    return up;
}

struct asim_comm asim_convert_comm(const struct asim_convert *cv, uint32_t node, int *guessed)
{
    struct above up = look_above(cv, node);
    struct asim_comm comm = up.sum;

    *guessed = 0;
    if (comm.kind == ASIM_COMM_UNKNOWN || (comm.from_name && comm.kind >= ASIM_COMM_SEND))
        comm.kind = up.record != ASIM_COMM_UNKNOWN ? up.record : up.op;
    if (comm.kind == ASIM_COMM_UNKNOWN) {
        comm.kind = comm.sendrecv ? ASIM_ALL_TO_ALL : ASIM_ALL_REDUCE;
        *guessed = 1;
    }
    if (!comm.bytes)
        comm.bytes = comm.msg_bytes;
    comm.peer = asim_comm_partner(&comm);
    return comm;
}
