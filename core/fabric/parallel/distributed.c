/* SPDX-License-Identifier: GPL-2.0-only
 *
 * See distributed.h. A buffer is a row of records, each a kind and a struct as it lies in memory:
 * all processes are one program. What crosses, and when:
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
 * notices are made one link delay, or one timeout, ahead. Where sides take turns, what a side hears
 * of before (k+1)W the other one has sent before kW, which is how far it had come in window k-1.
 */
#include "fabric/parallel/distributed.h"
#include "fabric/parallel/workers.h"
#include "fabric/parallel/partition.h"
#include "fabric/parallel/wire_records.h"
#include "fabric/parallel/half_steps.h"
#include "fabric/host/telemetry.h"

#include <stdlib.h>
#include <string.h>

enum { MIN_WINDOW_NS = 2 };

/* A node of another process, at the far end of cut wires: wires[from] up to where the next begins.
 */
struct far_node {
    uint32_t node;
    size_t from;
};

/* What goes to one other process. */
struct far {
    ASIM_VEC(struct far_node) nodes; /* ends with one that is none */
    ASIM_VEC(uint32_t) wires;        /* that lead there */
    ASIM_VEC(uint8_t) out;
    int packed;           /* `out` has been handed over */
    struct asim_map told; /* (source, slot) -> 1 + id of the message it was told of */
};

struct asim_exchange {
    uint32_t n;
    int turns; /* of sides */
    uint64_t window_ns;
    struct far *far; /* [n] */
};

/* A record's kind, then its bytes. */
static int put(struct far *far, enum asim_record_kind kind, const void *record, size_t size)
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

/* The wires from here into a node of another process. */
static int list_wires_to(struct asim_fabric *fabric, uint32_t v)
{
    const struct asim_topo *topo = fabric->set.topo;
    struct far *far = &fabric->dist.exchange->far[fabric->dist.part_of[v]];
    const struct far_node node = {v, far->wires.n};

    for (uint32_t i = topo->first_port[v]; i < topo->first_port[v + 1]; i++) {
        uint32_t link = topo->ports[i].link, wire = 2 * link + (topo->links[link].a == v);

        if (asim_fabric_owns(fabric, topo->ports[i].peer) && ASIM_VEC_PUSH(far->wires, wire))
            return ASIM_ENOMEM;
    }
    return far->wires.n > node.from && ASIM_VEC_PUSH(far->nodes, node) ? ASIM_ENOMEM : 0;
}

/* By process and node there, so that packing looks at wires of nodes only to which something goes:
 * of a large network little is busy in most windows. */
static int list_wires(struct asim_fabric *fabric)
{
    struct asim_exchange *remote = fabric->dist.exchange;
    int code = 0;

    for (uint32_t v = 0; !code && v < fabric->set.nodes; v++)
        code = asim_fabric_owns(fabric, v) ? 0 : list_wires_to(fabric, v);
    for (uint32_t p = 0; !code && p < remote->n; p++)
        code = ASIM_VEC_PUSH(remote->far[p].nodes,
                             ((struct far_node){UINT32_MAX, remote->far[p].wires.n}));
    return code;
}

/* A timeout is a way to act on another, too: its notice crosses, hence the second limit of W. */
int asim_distributed_open(struct asim_fabric *fabric, const struct asim_partition *part,
                          uint32_t self, struct asim_err *err)
{
    struct asim_exchange *remote = calloc(1, sizeof *remote);
    uint64_t window = part->lookahead_fs / ASIM_FS_PER_NS;

    fabric->dist.exchange = remote;
    if (!remote || !(remote->far = calloc(part->n, sizeof *remote->far)))
        return asim_err_nomem(err, "preparing for several processes");
    remote->n = part->n;
    fabric->dist.part_of = part->of;
    fabric->dist.self = self;
    for (uint32_t p = 0; p < part->n; p++)
        asim_map_init(&remote->far[p].told);
    if (fabric->set.rto && asim_to_ns(fabric, fabric->set.rto) < window)
        window = asim_to_ns(fabric, fabric->set.rto);
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
    return list_wires(fabric) || asim_workers_open(fabric, 1, NULL) ||
                   asim_workers_assign_slots(fabric)
               ? asim_err_nomem(err, "preparing for several processes")
               : 0;
}

/* Blocks that were not packed any more are forgotten. */
void asim_distributed_close(struct asim_fabric *fabric)
{
    struct asim_exchange *remote = fabric->dist.exchange;

    for (uint32_t p = 0; remote && remote->far && p < remote->n; p++) {
        free(remote->far[p].nodes.at);
        free(remote->far[p].wires.at);
        free(remote->far[p].out.at);
        asim_map_fini(&remote->far[p].told);
    }
    if (remote)
        free(remote->far);
    free(remote);
}

uint64_t asim_distributed_lookahead(const struct asim_fabric *fabric)
{
    return fabric->dist.exchange ? fabric->dist.exchange->window_ns : 0;
}

/* --- out -------------------------------------------------------------------------------------- */

/* Made in this window, due W or more after its beginning, so in a later one. */
int asim_distributed_notification(struct asim_fabric *fabric, const struct asim_notification *note)
{
    uint32_t host = note->lost ? note->msg.src : note->msg.dst;

    return put(&fabric->dist.exchange->far[fabric->dist.part_of[host]], ASIM_REC_NOTICE, note,
               sizeof *note);
}

/* After a window, of one worker: what receivers here owe to senders elsewhere. */
int asim_distributed_send_releases(struct asim_fabric *fabric, struct asim_worker *worker)
{
    int code = 0;

    for (size_t i = 0; !code && i < worker->pending_releases.n; i++) {
        struct asim_credit_record credit = {.src = worker->pending_releases.at[i].src,
                                            .slot = worker->pending_releases.at[i].slot};
        struct asim_rx *rx = asim_rx_of(fabric, credit.src, credit.slot);

        credit.frames = atomic_exchange(&rx->frames, 0);
        rx->release_pending = 0;
        code = put(&fabric->dist.exchange->far[fabric->dist.part_of[credit.src]], ASIM_REC_CREDIT,
                   &credit, sizeof credit);
    }
    worker->pending_releases.n = 0;
    return code;
}

/* Once per message and process; not to the source's own. */
static int tell_flow(struct asim_fabric *fabric, uint32_t peer, const struct asim_frame *frame)
{
    struct far *far = &fabric->dist.exchange->far[peer];
    uint32_t slot = frame->slot & 0xffffff;
    const struct asim_rx *rx = asim_rx_of(fabric, frame->src, slot);
    struct asim_flow_record record = {.msg = rx->msg,
                                      .size = rx->size,
                                      .base_rtt_ns = rx->base_rtt_ns,
                                      .slot = slot,
                                      .sport = rx->sport,
                                      .generation = rx->generation};
    uint64_t *told;

    if (fabric->dist.part_of[frame->src] == peer)
        return 0;
    told = asim_map_put(&far->told, frame->src, slot);
    if (!told)
        return ASIM_ENOMEM;
    if (*told == rx->msg.id + 1)
        return 0;
    *told = rx->msg.id + 1;
    return put(far, ASIM_REC_FLOW, &record, sizeof record);
}

/* What its packet has gathered, where switches add to it. */
static int tell_seen(struct asim_fabric *fabric, uint32_t peer, const struct asim_frame *frame)
{
    const struct asim_rx *rx = asim_rx_of(fabric, frame->src, frame->slot);
    const struct asim_telemetry *seen = asim_telemetry_by(fabric, rx, frame);
    struct asim_seen_record record = {
        .src = frame->src, .slot = frame->slot & 0xffffff, .cap = rx->seen_cap};

    if (!seen)
        return 0;
    record.seen = *seen;
    return put(&fabric->dist.exchange->far[peer], ASIM_REC_SEEN, &record, sizeof record);
}

/* Empties the mailbox of a cut wire, whose reader is this. */
static int pack_wire(struct asim_fabric *fabric, uint32_t peer, struct asim_wire *wire)
{
    struct far *far = &fabric->dist.exchange->far[peer];
    struct asim_frames_record record = {.wire = wire->id, .n = asim_link_ring_count(wire)};
    size_t bytes = record.n * sizeof(struct asim_frame);

    if (!record.n)
        return 0;
    for (uint32_t i = 0; i < record.n; i++) {
        const struct asim_frame *frame = asim_link_ring_peek(wire, i);

        if (frame->type >= ASIM_PAUSE)
            continue;
        if (tell_flow(fabric, peer, frame) ||
            (fabric->set.cc->needs & (ASIM_CC_INT | ASIM_CC_DIGEST) &&
             tell_seen(fabric, peer, frame)))
            return ASIM_ENOMEM;
    }
    if (put(far, ASIM_REC_FRAMES, &record, sizeof record) ||
        ASIM_VEC_RESERVE(far->out, far->out.n + bytes))
        return ASIM_ENOMEM;
    for (uint32_t i = 0; i < record.n; i++) {
        memcpy(far->out.at + far->out.n, asim_link_ring_peek(wire, 0), sizeof(struct asim_frame));
        far->out.n += sizeof(struct asim_frame);
        asim_link_ring_drop(wire);
    }
    return 0;
}

/* Whether a worker has put anything into a mailbox of that node since it was asked last. What it
 * would do to next[] is for those who have the node to say (receive.c). */
static int was_fed(struct asim_fabric *fabric, uint32_t v)
{
    int fed = 0;

    for (uint32_t l = 0; l < fabric->workers.n; l++) {
        fed |= fabric->workers.at[l].min_arrival[fabric->run.slot[v]] != ASIM_NEVER;
        fabric->workers.at[l].min_arrival[fabric->run.slot[v]] = ASIM_NEVER;
    }
    return fed;
}

/* Ascending by node and port, though any order would do: a mailbox knows only its own frames. */
int asim_distributed_pack(struct asim_fabric *fabric, uint32_t peer, struct asim_buffer *buffer,
                          struct asim_err *err)
{
    struct far *far = &fabric->dist.exchange->far[peer];
    int code = 0;

    if (far->packed)
        far->out.n = 0;
    far->packed = 0;
    for (const struct far_node *at = far->nodes.at; !code && at->node != UINT32_MAX; at++)
        if (was_fed(fabric, at->node))
            for (size_t i = at[0].from; !code && i < at[1].from; i++)
                code = pack_wire(fabric, peer, &fabric->wires[far->wires.at[i]]);
    far->packed = 1;
    *buffer = (struct asim_buffer){far->out.at, far->out.n};
    return code ? asim_err_nomem(err, "sending packets to another process") : 0;
}

/* --- time ------------------------------------------------------------------------------------- */

/* Links that are shorter than those between processes would want more than two sides. */
int asim_distributed_may_use_half_steps(const struct asim_fabric *fabric)
{
    return asim_half_steps_allowed(fabric) &&
           asim_to_ticks(fabric, fabric->dist.exchange->window_ns) == fabric->set.lookahead;
}

void asim_distributed_use_half_steps(struct asim_fabric *fabric)
{
    fabric->dist.exchange->turns = 1;
}

/* Of each side its first window that ends behind its first event. None of those is over: a side's
 * events lie behind its last window, and behind the begin of the other's. */
uint64_t asim_distributed_next(struct asim_fabric *fabric)
{
    uint64_t t = asim_fabric_next(fabric), window = fabric->dist.exchange->window_ns,
             next = ASIM_NEVER;

    if (t == ASIM_NEVER || !fabric->dist.exchange->turns)
        return t == ASIM_NEVER ? t : t - t % window;
    for (uint64_t side = 0; side < 2; side++) {
        uint64_t k = fabric->run.half_next[side] / fabric->set.lookahead;

        k += k % 2 != side;
        if (fabric->run.half_next[side] != ASIM_NEVER && k * window < next)
            next = k * window;
    }
    return next;
}

/* The fabric's own windows, which may be shorter (NVLinks inside a process), up to the grid's; at
 * W = 0 single events in their order of time. Others see neither, only the grid. */
int asim_distributed_advance(struct asim_fabric *fabric, uint64_t until_ns, struct asim_err *err)
{
    uint64_t until = asim_to_ticks(fabric, until_ns);

    if (fabric->dist.exchange->turns)
        return asim_fabric_advance_half(
            fabric, until_ns / fabric->dist.exchange->window_ns % 2 == 0, until, err);
    fabric->dist.limit = until;
    while (!fabric->run.failed && asim_fabric_next_tick(fabric) < until)
        asim_fabric_step(fabric, err);
    return fabric->run.failed;
}
