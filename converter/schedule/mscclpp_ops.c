/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Ops of an execution plan as steps. A put is a message, which does not hold up its thread block; a
 * read is a request and a message that answers it. Packets carry a flag beside each word, and who
 * reads them waits for them.
 */
#include "schedule/mscclpp.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { REQUEST_BYTES = 16 }; /* RETH: address, key and length */

static const struct asim_mscclpp_kind kinds[] = {
    {"nop", ASIM_MSCCLPP_NOTHING, 0},
    {"barrier", ASIM_MSCCLPP_BARRIER, 0},
    {"put", ASIM_MSCCLPP_MOVE, ASIM_MSCCLPP_TO_REMOTE},
    {"pws", ASIM_MSCCLPP_MOVE, ASIM_MSCCLPP_TO_REMOTE | ASIM_MSCCLPP_SIGNALS},
    {"pwsf", ASIM_MSCCLPP_MOVE,
     ASIM_MSCCLPP_TO_REMOTE | ASIM_MSCCLPP_SIGNALS | ASIM_MSCCLPP_FLUSHES},
    {"ppkt", ASIM_MSCCLPP_MOVE, ASIM_MSCCLPP_TO_REMOTE | ASIM_MSCCLPP_OUT_PACKETS},
    {"rppkt", ASIM_MSCCLPP_MOVE,
     ASIM_MSCCLPP_TO_REMOTE | ASIM_MSCCLPP_IN_PACKETS | ASIM_MSCCLPP_OUT_PACKETS},
    {"get", ASIM_MSCCLPP_MOVE, ASIM_MSCCLPP_FROM_REMOTE},
    {"copy", ASIM_MSCCLPP_MOVE, 0},
    {"cpkt", ASIM_MSCCLPP_MOVE, ASIM_MSCCLPP_OUT_PACKETS},
    {"upkt", ASIM_MSCCLPP_MOVE, ASIM_MSCCLPP_IN_PACKETS},
    {"re", ASIM_MSCCLPP_SUM, 0},
    {"res", ASIM_MSCCLPP_SUM, ASIM_MSCCLPP_TO_REMOTE},
    {"rre", ASIM_MSCCLPP_SUM, ASIM_MSCCLPP_FROM_REMOTE},
    {"rres", ASIM_MSCCLPP_SUM, ASIM_MSCCLPP_FROM_REMOTE | ASIM_MSCCLPP_TO_REMOTE},
    {"repkt", ASIM_MSCCLPP_SUM, ASIM_MSCCLPP_IN_PACKETS},
    {"respkt", ASIM_MSCCLPP_SUM,
     ASIM_MSCCLPP_IN_PACKETS | ASIM_MSCCLPP_OUT_PACKETS | ASIM_MSCCLPP_TO_REMOTE},
    {"recpkt", ASIM_MSCCLPP_SUM,
     ASIM_MSCCLPP_IN_PACKETS | ASIM_MSCCLPP_OUT_PACKETS | ASIM_MSCCLPP_COPIES},
    {"recspkt", ASIM_MSCCLPP_SUM,
     ASIM_MSCCLPP_IN_PACKETS | ASIM_MSCCLPP_OUT_PACKETS | ASIM_MSCCLPP_COPIES |
         ASIM_MSCCLPP_TO_REMOTE},
    {"signal", ASIM_MSCCLPP_SIGNAL, 0},
    {"rlxsignal", ASIM_MSCCLPP_SIGNAL, ASIM_MSCCLPP_RELAXED},
    {"wait", ASIM_MSCCLPP_WAIT, 0},
    {"rlxwait", ASIM_MSCCLPP_WAIT, ASIM_MSCCLPP_RELAXED},
    {"flush", ASIM_MSCCLPP_FLUSH, 0},
    {"sem_acquire", ASIM_MSCCLPP_ACQUIRE, 0},
    {"sem_release", ASIM_MSCCLPP_RELEASE, 0},
};

const struct asim_mscclpp_kind *asim_mscclpp_kind_find(const char *name, const char **why)
{
    static const char *const multicast[] = {"glre", "glres", "gstore", "gstorepkt"};

    *why = !strcmp(name, "pipeline") ? "works on a loop's pieces" : NULL;
    for (size_t i = 0; i < sizeof multicast / sizeof *multicast; i++)
        if (!strcmp(name, multicast[i]))
            *why = "sums or stores inside NVSwitches (NVLS)";
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(name, kinds[i].name))
            return &kinds[i];
    return NULL;
}

/* --- packets ------------------------------------------------------------------------------------
 */

static uint64_t place_of(const struct asim_mscclpp_buff *buff, uint32_t i)
{
    return (uint64_t)buff->buffer << 32 | (buff->at + i);
}

static void write_packets(struct asim_mscclpp *plan, const struct asim_mscclpp_buff *to,
                          uint32_t step)
{
    for (uint32_t i = 0; i < to->count && !plan->err->code; i++) {
        uint64_t *at = asim_map_put(&plan->packets, to->gpu, place_of(to, i));

        if (!at)
            asim_mscclpp_nomem(plan);
        else if (*at)
            asim_mscclpp_fail(plan,
                              "packets are written twice to chunk %" PRIu32
                              " there; readers could take either.",
                              to->at + i);
        else
            *at = step + 1;
    }
}

static void read_packets(struct asim_mscclpp *plan, const struct asim_mscclpp_buff *from,
                         uint32_t step)
{
    if (!plan->err->code &&
        ASIM_VEC_PUSH(plan->reader, ((struct asim_mscclpp_reader){step, *from})))
        asim_mscclpp_nomem(plan);
}

static void link_packets(struct asim_mscclpp *plan)
{
    for (size_t r = 0; r < plan->reader.n; r++) {
        const struct asim_mscclpp_reader *one = &plan->reader.at[r];
        uint64_t before = 0;

        for (uint32_t i = 0; i < one->buff.count && !plan->err->code; i++) {
            uint64_t *at = asim_map_get(&plan->packets, one->buff.gpu, place_of(&one->buff, i));

            if (!at)
                asim_msccl_fail(plan->to, &plan->to->step.at[one->step], plan->err,
                                "this op waits for a packet that nobody writes.");
            else if (*at != before && *at - 1 != one->step)
                asim_mscclpp_add_wait(plan, one->step, (uint32_t)*at - 1);
            before = at ? *at : 0;
        }
    }
}

/* --- data ---------------------------------------------------------------------------------------
 */

static void put(struct asim_mscclpp *plan, const struct asim_mscclpp_op *op,
                const struct asim_mscclpp_buff *src, const struct asim_mscclpp_buff *dst)
{
    unsigned packet = op->kind->flags & ASIM_MSCCLPP_OUT_PACKETS ? ASIM_MSCCL_PACKET : 0;
    struct asim_mscclpp_flow *flow = asim_mscclpp_flow_to(plan, dst->gpu, 0);
    struct asim_mscclpp_posted posted = {.peer = dst->gpu, .channel = op->channel};

    if (!flow)
        return;
    posted.step = asim_mscclpp_emit(
        plan, plan->block.at,
        (struct asim_msccl_step){.parts = ASIM_MSCCL_SEND | ASIM_MSCCL_POSTED | packet,
                                 .src = src->buffer,
                                 .src_at = src->at,
                                 .count = src->count,
                                 .in = ASIM_MSCCL_NO_WAY,
                                 .out = flow->way});
    flow->last = 1 + asim_mscclpp_emit(plan, flow->block,
                                       (struct asim_msccl_step){.parts = ASIM_MSCCL_RECV |
                                                                         ASIM_MSCCL_STORE | packet,
                                                                .dst = dst->buffer,
                                                                .dst_at = dst->at,
                                                                .count = dst->count,
                                                                .in = flow->way,
                                                                .out = ASIM_MSCCL_NO_WAY});
    if (packet)
        write_packets(plan, dst, flow->last - 1);
    if (ASIM_VEC_PUSH(plan->block.posted, posted))
        asim_mscclpp_nomem(plan);
}

/* Asks for chunks of a peer, which a block there sends. */
static void ask(struct asim_mscclpp *plan, const struct asim_mscclpp_buff *src)
{
    struct asim_mscclpp_flow *flow = asim_mscclpp_flow_to(plan, src->gpu, 1);
    struct asim_msccl_step step = {.bytes = REQUEST_BYTES};

    if (!flow)
        return;
    step.parts = ASIM_MSCCL_SEND | ASIM_MSCCL_POSTED;
    step.out = flow->way;
    asim_mscclpp_emit(plan, plan->block.at, step);
    step.parts = ASIM_MSCCL_RECV;
    step.in = flow->way;
    asim_mscclpp_emit(plan, flow->block, step);
    step = (struct asim_msccl_step){.parts = ASIM_MSCCL_SEND | ASIM_MSCCL_POSTED,
                                    .src = src->buffer,
                                    .src_at = src->at,
                                    .count = src->count,
                                    .out = flow->answers};
    asim_mscclpp_emit(plan, flow->block, step);
}

/* One local step from src to dst; with a receive (way), of what came. */
static uint32_t local(struct asim_mscclpp *plan, uint32_t parts,
                      const struct asim_mscclpp_buff *src, const struct asim_mscclpp_buff *dst,
                      uint32_t way)
{
    return asim_mscclpp_emit(plan, plan->block.at,
                             (struct asim_msccl_step){.parts = parts | ASIM_MSCCL_STORE,
                                                      .src = src->buffer,
                                                      .src_at = src->at,
                                                      .dst = dst->buffer,
                                                      .dst_at = dst->at,
                                                      .count = dst->count,
                                                      .in = way,
                                                      .out = ASIM_MSCCL_NO_WAY});
}

static void move(struct asim_mscclpp *plan, const struct asim_mscclpp_op *op,
                 const struct asim_mscclpp_buff *src, const struct asim_mscclpp_buff *dst)
{
    unsigned flags = op->kind->flags;
    int is_packet = flags & ASIM_MSCCLPP_IN_PACKETS ||
                    (flags & ASIM_MSCCLPP_OUT_PACKETS && flags & ASIM_MSCCLPP_TO_REMOTE &&
                     op->channel == ASIM_MSCCLPP_PORT);
    struct asim_mscclpp_flow *flow;
    uint32_t step;

    if (flags & ASIM_MSCCLPP_FROM_REMOTE) {
        ask(plan, src);
        flow = asim_mscclpp_flow_to(plan, src->gpu, 1);
        if (flow)
            local(plan, ASIM_MSCCL_RECV, dst, dst, flow->answers);
    } else if (flags & ASIM_MSCCLPP_TO_REMOTE) {
        step = (uint32_t)plan->to->step.n;
        put(plan, op, src, dst);
        if (is_packet)
            read_packets(plan, src, step);
    } else {
        step = local(plan, 0, src, dst, ASIM_MSCCL_NO_WAY);
        if (is_packet)
            read_packets(plan, src, step);
        if (flags & ASIM_MSCCLPP_OUT_PACKETS)
            write_packets(plan, dst, step);
    }
}

static int is_same(const struct asim_mscclpp_buff *a, const struct asim_mscclpp_buff *b)
{
    return !a->is_remote && !b->is_remote && a->buffer == b->buffer && a->at == b->at;
}

/* The first destination gets the sum of all sources, those behind it are copies of that. */
static void sum(struct asim_mscclpp *plan, const struct asim_mscclpp_op *op)
{
    unsigned flags = op->kind->flags;
    const struct asim_mscclpp_buff *dst = &op->dst[0];
    struct asim_mscclpp_flow *flow;
    uint32_t first = 0, step;

    for (uint32_t i = 1; i < op->srcs; i++) {
        first = is_same(&op->src[i], dst) ? i : first; /* what lies there is not lost */
        if (flags & ASIM_MSCCLPP_FROM_REMOTE)
            ask(plan, &op->src[i]);
    }
    if (!is_same(&op->src[first], dst)) {
        step = local(plan, 0, &op->src[first], dst, ASIM_MSCCL_NO_WAY);
        if (first && flags & ASIM_MSCCLPP_IN_PACKETS)
            read_packets(plan, &op->src[first], step);
    }
    for (uint32_t i = 0; i < op->srcs && !plan->err->code; i++) {
        if (i == first)
            continue;
        flow =
            flags & ASIM_MSCCLPP_FROM_REMOTE ? asim_mscclpp_flow_to(plan, op->src[i].gpu, 1) : NULL;
        step = flow ? local(plan, ASIM_MSCCL_RECV | ASIM_MSCCL_REDUCE, dst, dst, flow->answers)
                    : local(plan, ASIM_MSCCL_REDUCE, &op->src[i], dst, ASIM_MSCCL_NO_WAY);
        if (i && flags & ASIM_MSCCLPP_IN_PACKETS)
            read_packets(plan, &op->src[i], step);
    }
    if (flags & ASIM_MSCCLPP_COPIES)
        write_packets(plan, &op->dst[1], local(plan, 0, dst, &op->dst[1], ASIM_MSCCL_NO_WAY));
    for (uint32_t i = flags & ASIM_MSCCLPP_COPIES ? 2 : 1; i < op->dsts && !plan->err->code; i++)
        put(plan, op, dst, &op->dst[i]);
}

static void check_buff(struct asim_mscclpp *plan, const struct asim_mscclpp_buff *buff,
                       int is_remote, uint32_t count)
{
    if (buff->is_remote != is_remote)
        asim_mscclpp_fail(plan, is_remote ? "a buffer is its own where one of a peer belongs."
                                          : "a buffer lies at a peer where an own one belongs.");
    if (buff->count != count)
        asim_mscclpp_fail(plan, "its buffers have different sizes.");
}

static void check_move(struct asim_mscclpp *plan, const struct asim_mscclpp_op *op)
{
    int from_remote = (op->kind->flags & ASIM_MSCCLPP_FROM_REMOTE) != 0;
    int to_remote = (op->kind->flags & ASIM_MSCCLPP_TO_REMOTE) != 0;

    if (!op->dsts || (op->srcs != op->dsts && op->srcs != 1))
        asim_mscclpp_fail(plan, "it needs as many sources as destinations, or one.");
    for (uint32_t i = 0; i < op->dsts && !plan->err->code; i++) {
        const struct asim_mscclpp_buff *src = &op->src[op->srcs == 1 ? 0 : i];

        check_buff(plan, src, from_remote, src->count);
        check_buff(plan, &op->dst[i], to_remote, src->count);
    }
}

static void check_sum(struct asim_mscclpp *plan, const struct asim_mscclpp_op *op)
{
    unsigned flags = op->kind->flags;
    uint32_t locals = flags & ASIM_MSCCLPP_COPIES ? 2 : 1;

    if (op->srcs < 2 || op->dsts < locals ||
        (op->dsts > locals && !(flags & ASIM_MSCCLPP_TO_REMOTE)))
        asim_mscclpp_fail(plan, "%" PRIu32 " sources and %" PRIu32 " destinations do not fit it.",
                          op->srcs, op->dsts);
    for (uint32_t i = 0; i < op->srcs; i++)
        check_buff(plan, &op->src[i], i && flags & ASIM_MSCCLPP_FROM_REMOTE, op->src[0].count);
    for (uint32_t i = 0; i < op->dsts; i++)
        check_buff(plan, &op->dst[i], i >= locals, op->src[0].count);
}

void asim_mscclpp_link(struct asim_mscclpp *plan)
{
    asim_mscclpp_link_order(plan);
    link_packets(plan);
}

static void add_moves(struct asim_mscclpp *plan, const struct asim_mscclpp_op *op)
{
    check_move(plan, op);
    for (uint32_t i = 0; i < op->dsts && !plan->err->code; i++)
        move(plan, op, &op->src[op->srcs == 1 ? 0 : i], &op->dst[i]);
    for (uint32_t i = 0; op->kind->flags & ASIM_MSCCLPP_SIGNALS && i < op->ids; i++)
        asim_mscclpp_signal(plan, op, i);
    if (op->kind->flags & ASIM_MSCCLPP_FLUSHES)
        asim_mscclpp_end_puts(plan, op->channel, UINT32_MAX);
}

void asim_mscclpp_add(struct asim_mscclpp *plan, const struct asim_mscclpp_op *op)
{
    const struct asim_mscclpp_gpu *gpu = &plan->gpu.at[plan->block.gpu];
    enum asim_mscclpp_does does = op->kind->does;

    if (!op->ids && (does >= ASIM_MSCCLPP_SIGNAL || op->kind->flags & ASIM_MSCCLPP_SIGNALS))
        asim_mscclpp_fail(plan, "it names no channel or semaphore.");
    else if (does == ASIM_MSCCLPP_MOVE)
        add_moves(plan, op);
    else if (does == ASIM_MSCCLPP_SUM)
        check_sum(plan, op);
    else if (does == ASIM_MSCCLPP_BARRIER)
        asim_mscclpp_stop_at_barrier(plan, op);
    if (does == ASIM_MSCCLPP_SUM && !plan->err->code)
        sum(plan, op);
    for (uint32_t i = 0; does >= ASIM_MSCCLPP_SIGNAL && i < op->ids && !plan->err->code; i++)
        if (does == ASIM_MSCCLPP_SIGNAL)
            asim_mscclpp_signal(plan, op, i);
        else if (does == ASIM_MSCCLPP_FLUSH)
            asim_mscclpp_end_puts(plan, op->channel, gpu->channel[op->channel].at[op->id[i]].peer);
        else
            asim_mscclpp_meet(plan, op, i);
}
