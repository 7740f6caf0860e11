/* SPDX-License-Identifier: GPL-2.0-only
 *
 * See remote.h. A block is a row of records, each a kind and a struct as it lies in memory: all
 * processes are one program. What crosses, and when:
 *
 * - frames, out of the mailboxes of cut wires, where the sending node has put them as always;
 * - before a message's first frame the facts others need of it (struct asim_rx): the copy there is
 *   what switches and the receiver work on;
 * - with in-band telemetry, the record of a packet beside every frame that may add to it or bring
 *   it back;
 * - notices for hosts elsewhere;
 * - what the receiver has taken in less what it has made since it was told of the message's end,
 *   for the sender to know when nothing of the message is under way and the slot is free.
 *
 * Why a window of the smallest cut delay is enough: frames due inside it were sent before it, and
 * notices are made one link delay, or one timeout, ahead.
 */
#include "fabric/remote.h"
#include "fabric/lanes.h"
#include "fabric/partition.h"

#include <stdlib.h>
#include <string.h>

enum { MIN_WINDOW_NS = 2, FS_PER_NS = 1000000 };

enum kind { FLOW, FRAMES, SEEN, NOTICE, CREDIT };

struct flow_record {
    struct asim_msg msg;
    uint64_t size, base_rtt_ns;
    uint32_t slot;
    uint16_t sport;
    uint8_t generation;
};

struct frames_record {
    uint32_t wire, n; /* n frames follow */
};

struct seen_record {
    struct asim_telemetry seen;
    uint32_t src, slot, cap;
};

struct credit_record {
    uint32_t src, slot, frames;
};

/* What goes to one other process. */
struct far {
    ASIM_VEC(uint32_t) wires; /* that lead there */
    ASIM_VEC(uint8_t) out;
    int packed;           /* `out` has been handed over */
    struct asim_map told; /* (source, slot) -> 1 + id of the message it was told of */
};

struct asim_remote {
    uint32_t n;
    uint64_t window_ns;
    struct far *far; /* [n] */
};

/* A record's kind, then its bytes. */
static int put(struct far *far, enum kind kind, const void *record, size_t size)
{
    const uint32_t word = kind;

    if (far->packed)
        far->out.n = 0;
    far->packed = 0;
    if (ASIM_VEC_RESERVE(far->out, far->out.n + sizeof word + size))
        return ASIM_ENOMEM;
    memcpy(far->out.at + far->out.n, &word, sizeof word);
    memcpy(far->out.at + far->out.n + sizeof word, record, size);
    far->out.n += sizeof word + size;
    return 0;
}

/* --- opening ---------------------------------------------------------------------------------- */

/* Per process, so that packing is linear in the wires that lead there. */
static int list_wires(struct asim_fabric *fabric)
{
    struct asim_remote *remote = fabric->remote;
    int code = 0;

    for (uint32_t w = 0; !code && w < fabric->topo->n_links * 2; w++) {
        const struct asim_link *link = &fabric->topo->links[w / 2];
        uint32_t from = w % 2 ? link->b : link->a, to = w % 2 ? link->a : link->b;

        if (asim_fabric_owns(fabric, from) && !asim_fabric_owns(fabric, to))
            code = ASIM_VEC_PUSH(remote->far[fabric->part_of[to]].wires, w);
    }
    return code;
}

/* A timeout is a way to act on another, too: its notice crosses, hence the second limit of W. */
int asim_remote_open(struct asim_fabric *fabric, const struct asim_partition *part, uint32_t self,
                     struct asim_err *err)
{
    struct asim_remote *remote = calloc(1, sizeof *remote);
    uint64_t window = part->window_fs / FS_PER_NS;

    fabric->remote = remote;
    if (!remote || !(remote->far = calloc(part->n, sizeof *remote->far)))
        return asim_err_nomem(err, "preparing for several processes");
    remote->n = part->n;
    fabric->part_of = part->of;
    fabric->self = self;
    for (uint32_t p = 0; p < part->n; p++)
        asim_map_init(&remote->far[p].told);
    if (fabric->rto && asim_to_ns(fabric, fabric->rto) < window)
        window = asim_to_ns(fabric, fabric->rto);
    remote->window_ns = window;
    if (asim_partition_used(part) < part->n)
        return asim_err_set(err, ASIM_EINVAL,
                            "the network cannot be cut into %u parts, only into %u: leaves keep "
                            "their hosts, NVLinks are never cut; start fewer processes.",
                            part->n, asim_partition_used(part));
    if (window < MIN_WINDOW_NS)
        return asim_err_set(err, ASIM_EINVAL,
                            "several processes need links of at least %d ns between them; run this "
                            "on one process.",
                            MIN_WINDOW_NS);
    return list_wires(fabric) || asim_lane_open(fabric, 1, NULL)
               ? asim_err_nomem(err, "preparing for several processes")
               : 0;
}

/* Blocks that were not packed any more are forgotten. */
void asim_remote_close(struct asim_fabric *fabric)
{
    struct asim_remote *remote = fabric->remote;

    for (uint32_t p = 0; remote && remote->far && p < remote->n; p++) {
        free(remote->far[p].wires.at);
        free(remote->far[p].out.at);
        asim_map_fini(&remote->far[p].told);
    }
    if (remote)
        free(remote->far);
    free(remote);
}

uint64_t asim_remote_window(const struct asim_fabric *fabric)
{
    return fabric->remote ? fabric->remote->window_ns : 0;
}

/* --- out -------------------------------------------------------------------------------------- */

/* Made in this window, due W or more after its beginning, so in a later one. */
int asim_remote_notice(struct asim_fabric *fabric, const struct asim_notice *note)
{
    uint32_t host = note->lost ? note->msg.src : note->msg.dst;

    return put(&fabric->remote->far[fabric->part_of[host]], NOTICE, note, sizeof *note);
}

/* After a window, of one lane: what receivers here owe to senders elsewhere. */
int asim_remote_credits(struct asim_fabric *fabric, struct asim_lane *lane)
{
    int code = 0;

    for (size_t i = 0; !code && i < lane->owed.n; i++) {
        struct credit_record credit = {.src = lane->owed.at[i].src, .slot = lane->owed.at[i].slot};
        struct asim_rx *rx = asim_rx_of(fabric, credit.src, credit.slot);

        credit.frames = atomic_exchange(&rx->frames, 0);
        rx->owes = 0;
        code =
            put(&fabric->remote->far[fabric->part_of[credit.src]], CREDIT, &credit, sizeof credit);
    }
    lane->owed.n = 0;
    return code;
}

/* Before the destination has been told of the end, the source does not ask; and most flows owe only
 * once, for nothing follows their end. */
void asim_remote_owe_slow(struct asim_lane *lane, uint32_t src, uint32_t slot)
{
    struct asim_rx *rx = asim_rx_of(lane->fabric, src, slot);

    if (asim_fabric_owns(lane->fabric, src) || !rx->told || rx->owes)
        return;
    rx->owes = 1;
    if (ASIM_VEC_PUSH(lane->owed, ((struct asim_owed){src, slot & 0xffffff})))
        lane->failed = ASIM_ENOMEM;
}

/* Once per message and process; not to the source's own. */
static int tell_flow(struct asim_fabric *fabric, uint32_t peer, const struct asim_frame *frame)
{
    struct far *far = &fabric->remote->far[peer];
    uint32_t slot = frame->slot & 0xffffff;
    const struct asim_rx *rx = asim_rx_of(fabric, frame->src, slot);
    struct flow_record record = {.msg = rx->msg,
                                 .size = rx->size,
                                 .base_rtt_ns = rx->base_rtt_ns,
                                 .slot = slot,
                                 .sport = rx->sport,
                                 .generation = rx->generation};
    uint64_t *told;

    if (fabric->part_of[frame->src] == peer)
        return 0;
    told = asim_map_put(&far->told, frame->src, slot);
    if (!told)
        return ASIM_ENOMEM;
    if (*told == rx->msg.id + 1)
        return 0;
    *told = rx->msg.id + 1;
    return put(far, FLOW, &record, sizeof record);
}

/* What its packet has gathered, where switches add to it. */
static int tell_seen(struct asim_fabric *fabric, uint32_t peer, const struct asim_frame *frame)
{
    const struct asim_rx *rx = asim_rx_of(fabric, frame->src, frame->slot);
    const struct asim_telemetry *seen = asim_telemetry_by(fabric, rx, frame);
    struct seen_record record = {
        .src = frame->src, .slot = frame->slot & 0xffffff, .cap = rx->seen_cap};

    if (!seen)
        return 0;
    record.seen = *seen;
    return put(&fabric->remote->far[peer], SEEN, &record, sizeof record);
}

/* Empties the mailbox of a cut wire, whose reader is this. */
static int pack_wire(struct asim_fabric *fabric, uint32_t peer, struct asim_wire *wire)
{
    struct far *far = &fabric->remote->far[peer];
    struct frames_record record = {.wire = wire->id, .n = asim_mail_count(wire)};
    size_t bytes = record.n * sizeof(struct asim_frame);

    if (!record.n)
        return 0;
    for (uint32_t i = 0; i < record.n; i++) {
        const struct asim_frame *frame = asim_mail_peek(wire, i);

        if (frame->type >= ASIM_PAUSE)
            continue;
        if (tell_flow(fabric, peer, frame) ||
            (fabric->cc->needs & (ASIM_CC_INT | ASIM_CC_DIGEST) && tell_seen(fabric, peer, frame)))
            return ASIM_ENOMEM;
    }
    if (put(far, FRAMES, &record, sizeof record) || ASIM_VEC_RESERVE(far->out, far->out.n + bytes))
        return ASIM_ENOMEM;
    for (uint32_t i = 0; i < record.n; i++) {
        memcpy(far->out.at + far->out.n, asim_mail_peek(wire, 0), sizeof(struct asim_frame));
        far->out.n += sizeof(struct asim_frame);
        asim_mail_drop(wire);
    }
    return 0;
}

/* Ascending by wire, though any order would do: a mailbox knows only its own frames. */
int asim_remote_pack(struct asim_fabric *fabric, uint32_t peer, struct asim_block *block,
                     struct asim_err *err)
{
    struct far *far = &fabric->remote->far[peer];
    int code = 0;

    if (far->packed)
        far->out.n = 0;
    far->packed = 0;
    for (size_t i = 0; !code && i < far->wires.n; i++)
        code = pack_wire(fabric, peer, &fabric->wires[far->wires.at[i]]);
    far->packed = 1;
    *block = (struct asim_block){far->out.at, far->out.n};
    return code ? asim_err_nomem(err, "sending packets to another process") : 0;
}

/* --- in --------------------------------------------------------------------------------------- */

/* The same message may be told of by several processes on its way. */
static int take_flow(struct asim_fabric *fabric, const struct flow_record *record)
{
    struct asim_host *host = &fabric->host[record->msg.src];
    struct asim_rx *rx;

    if (!asim_fabric_owns(fabric, record->msg.src))
        host->lane = fabric->lane;
    if (asim_rx_reserve(host, record->slot))
        return ASIM_ENOMEM;
    rx = asim_rx_of(fabric, record->msg.src, record->slot);
    if (rx->generation == record->generation && rx->msg.id == record->msg.id)
        return 0;
    rx->msg = record->msg;
    rx->size = record->size;
    rx->base_rtt_ns = record->base_rtt_ns;
    rx->sport = record->sport;
    rx->generation = record->generation;
    rx->heard = (uint8_t)(record->generation - 1);
    atomic_store(&rx->frames, 0);
    rx->ahead.n = 0;
    for (uint32_t i = 0; i < rx->seen_cap; i++)
        rx->seen[i].seq = UINT64_MAX;
    return 0;
}

/* As the sending node would have put them, had it been here. */
static int take_frames(struct asim_fabric *fabric, const struct frames_record *record,
                       const uint8_t *bytes)
{
    struct asim_wire *wire = &fabric->wires[record->wire];

    for (uint32_t i = 0; i < record->n; i++) {
        struct asim_frame *frame = asim_mail_slot(fabric->lane, wire);

        if (!frame)
            return ASIM_ENOMEM;
        memcpy(frame, bytes + i * sizeof *frame, sizeof *frame);
        if (!i)
            asim_fabric_at(fabric, wire->to, frame->t);
        asim_mail_commit(wire);
    }
    return asim_mail_unspill(wire);
}

/* From the first of them on the sum with the sender's own count is exact (flow.c, is_quiet). */
static int take_credit(struct asim_fabric *fabric, const struct credit_record *credit)
{
    struct asim_rx *rx = asim_rx_of(fabric, credit->src, credit->slot);

    atomic_fetch_add(&rx->frames, credit->frames);
    rx->credited = 1;
    return 0;
}

/* One record at bytes + *at, of which the kind is known; moves *at behind it. */
static int take(struct asim_fabric *fabric, const struct asim_block *block, size_t *at)
{
    union {
        struct flow_record flow;
        struct frames_record frames;
        struct seen_record seen;
        struct asim_notice notice;
        struct credit_record credit;
    } of;
    static const size_t sizes[] = {[FLOW] = sizeof of.flow,
                                   [FRAMES] = sizeof of.frames,
                                   [SEEN] = sizeof of.seen,
                                   [NOTICE] = sizeof of.notice,
                                   [CREDIT] = sizeof of.credit};
    uint32_t kind;
    const uint8_t *frames;

    memcpy(&kind, block->at + *at, sizeof kind);
    memcpy(&of, block->at + *at + sizeof kind, sizes[kind]);
    *at += sizeof kind + sizes[kind];
    switch ((enum kind)kind) {
    case FLOW:
        return take_flow(fabric, &of.flow);
    case FRAMES:
        frames = block->at + *at;
        *at += of.frames.n * sizeof(struct asim_frame);
        return take_frames(fabric, &of.frames, frames);
    case SEEN:
        return asim_telemetry_take(fabric, asim_rx_of(fabric, of.seen.src, of.seen.slot),
                                   &of.seen.seen,
                                   asim_fabric_owns(fabric, of.seen.src) ? 0 : of.seen.cap);
    case NOTICE:
        return asim_notice_deliver(fabric, &of.notice);
    case CREDIT:
        return take_credit(fabric, &of.credit);
    }
    return ASIM_EBUG;
}

/* All records, in their order: facts of a flow come before its frames. */
int asim_remote_unpack(struct asim_fabric *fabric, const struct asim_block *block,
                       struct asim_err *err)
{
    int code = 0;

    for (size_t at = 0; !code && at < block->n;)
        code = take(fabric, block, &at);
    return code ? asim_err_nomem(err, "taking packets from another process") : 0;
}

/* --- time ------------------------------------------------------------------------------------- */

/* The fabric's own windows, which may be shorter (NVLinks inside a process), up to the grid's; at
 * W = 0 single events in their order of time. Others see neither, only the grid. */
int asim_remote_advance(struct asim_fabric *fabric, uint64_t until_ns, struct asim_err *err)
{
    uint64_t until = asim_to_ticks(fabric, until_ns);

    fabric->bound = until;
    while (!fabric->failed && asim_fabric_next_tick(fabric) < until)
        asim_fabric_step(fabric, err);
    return fabric->failed;
}
