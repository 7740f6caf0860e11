/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Writing and comparing snapshots (snapshot.h).
 */

#include <stdlib.h>
#include <string.h>
#include "fabric/memo/state/feedback.h"
#include "fabric/memo/state/fields.h"
#include "fabric/memo/memo.h"
#include "asim/topology.h"
#include "fabric/host/host.h"
#include "fabric/host/qplist.h"
#include "fabric/switch/switch.h"
#include "cc/cc.h"
#include "fabric/memo/state/idle_state.h"

struct list {
    const struct asim_fabric *fabric;
    struct asim_snapshot *snapshot;
    const struct asim_snapshot *kept; /* the snapshot to compare with; NULL: none */
    uint64_t *at;                     /* where the next word goes */
    uint32_t number;                  /* of the snapshot: marks the messages that it has met */
    size_t same;                      /* words known to equal those of `kept` */
    int not_periodic,
        failed; /* an obstacle to a period, or a difference from `kept`; out of memory */
};

/* Makes room for n words. The list keeps its memory from snapshot to snapshot, so it soon stops
 * growing. */
static int make_room(struct list *list, size_t n)
{
    list->snapshot->words.n = list->at ? (size_t)(list->at - list->snapshot->words.at) : 0;
    if (ASIM_VEC_RESERVE(list->snapshot->words, list->snapshot->words.n + n)) {
        list->failed = list->not_periodic = 1;
        return ASIM_ENOMEM;
    }
    list->at = list->snapshot->words.at + list->snapshot->words.n;
    return 0;
}

static inline void put(struct list *list, uint64_t word)
{
    *list->at++ = word;
}

/* Call it after each node. */
static void check(struct list *list)
{
    size_t n = (size_t)(list->at - list->snapshot->words.at), same = list->same;

    if (!list->kept)
        return;
    list->not_periodic |= n > list->kept->words.n ||
                          memcmp(list->snapshot->words.at + same, list->kept->words.at + same,
                                 (n - same) * sizeof *list->at) != 0;
    list->same = n;
}

/* Small values that share a word. */
struct packed {
    uint64_t word;
    size_t bits;
};

static inline void pack(struct list *list, struct packed *packed, uint64_t word, size_t bits)
{
    if (packed->bits + bits > 64) {
        put(list, packed->word);
        *packed = (struct packed){0, 0};
    }
    packed->word = packed->word << bits | word;
    packed->bits += bits;
}

/* Rows of tables (fields.h), of the struct `of`. ROWS: how many, at least the words they put. */
#define ONE(KIND, MEMBER) 1
#define ROWS(...)         sizeof((const char[]){__VA_ARGS__})
#define IS_SAME(KIND)     (ASIM_STATE_##KIND == ASIM_STATE_SAME || ASIM_STATE_##KIND == ASIM_STATE_KEPT)
#define WORD(MEMBER)      asim_state_word(&of->MEMBER, sizeof of->MEMBER)
#define PACK(KIND, MEMBER)                                                                         \
    (IS_SAME(KIND) && sizeof of->MEMBER < 8                                                        \
         ? pack(list, &packed, WORD(MEMBER), 8 * sizeof of->MEMBER % 64)                           \
         : (void)0)
#define PUT_SAME(KIND, MEMBER)                                                                     \
    (IS_SAME(KIND) && sizeof of->MEMBER >= 8 ? put(list, WORD(MEMBER)) : (void)0)
#define PUT_TIME(KIND, MEMBER)                                                                     \
    (ASIM_STATE_##KIND == ASIM_STATE_TIME || ASIM_STATE_##KIND == ASIM_STATE_CLOCK                 \
         ? put_time(list, WORD(MEMBER))                                                            \
         : (void)0)
#define PUT_SENT(KIND, MEMBER)                                                                     \
    (ASIM_STATE_##KIND == ASIM_STATE_SENT || ASIM_STATE_##KIND == ASIM_STATE_SENT_AT               \
         ? put(list, ASIM_STATE_##KIND == ASIM_STATE_SENT_AT ? WORD(MEMBER) - list->snapshot->t    \
                                                             : WORD(MEMBER))                       \
         : (void)0)
#define NOTHING(KIND, MEMBER) (void)0
#define PUT_SEQ(KIND, MEMBER)                                                                      \
    (ASIM_STATE_##KIND == ASIM_STATE_SEQ ? put(list, WORD(MEMBER) - base) : (void)0)

/* Upper bounds, for items that are not counted before they are written. */
enum {
    FRAME_WORDS = 4,
    PORT_WORDS = 4,
    FLOW_WORDS = 11,
    NIC_WORDS = 4,
    HOST_WORDS = 1,
    RECEIVER_WORDS = 2
};

/* A future time, counted from 1; 0 for a past one. */
static void put_time(struct list *list, uint64_t t)
{
    put(list, t >= list->snapshot->t ? t - list->snapshot->t + 1 : 0);
}

/* The snapshot meets a message from another process for the first time. */
static void meet(struct list *list, const struct asim_foreign_flow *flow, struct asim_rx *rx)
{
    rx->base = flow->base;
    rx->met_by = list->number;
    if (ASIM_VEC_PUSH(list->snapshot->foreign, *flow))
        list->failed = list->not_periodic = 1;
}

/* The byte from which sequence numbers of the frame's message count. */
static inline uint64_t base_of(struct list *list, const struct asim_frame *frame)
{
    struct asim_rx *rx;

    if (asim_fabric_owns(list->fabric, frame->src)) {
        const struct asim_flow *flow = asim_flow_of(list->fabric, frame->src, frame->slot);

        list->not_periodic |= flow->generation != frame->slot >> 24 || !flow->live;
        return flow->snd_una;
    }
    rx = asim_rx_of(list->fabric, frame->src, frame->slot);
    list->not_periodic |= rx->generation != frame->slot >> 24;
    if (rx->met_by != list->number)
        meet(list, &(struct asim_foreign_flow){frame->src, frame->slot & 0xffffff, frame->seq}, rx);
    return rx->base;
}

/* A frame without its time, with its sequence number relative to that byte. On a link word 2 holds
 * the cause recency, which orders frames of equal time; in a queue it holds the ingress port, which
 * gets its share of the buffer back. */
static inline void put_frame(struct list *list, const struct asim_frame *frame)
{
    if (frame->type >= ASIM_PAUSE) { /* of a queue, not of a message */
        put(list, frame->word1);
        put(list, frame->flow);
        put(list, frame->word2);
        return;
    }
    put(list,
        ((frame->word1 - base_of(list, frame)) & ASIM_SEQ_MASK) | (frame->word1 & ~ASIM_SEQ_MASK));
    put(list, frame->flow);
    put(list, frame->word2);
}

static void put_ring(struct list *list, const struct asim_ring *ring)
{
    if (make_room(list, 1 + (size_t)ring->n * FRAME_WORDS))
        return;
    put(list, ring->n);
    for (uint32_t i = 0; i < ring->n; i++)
        put_frame(list, &ring->at[(ring->head + i) & (ring->cap - 1)]);
}

/* Most words of a snapshot. Between windows the overflow of a receive ring is empty (window.c). */
static void put_receive_ring(struct list *list, const struct asim_wire *wire)
{
    uint32_t head = atomic_load_explicit(&wire->head, memory_order_relaxed);
    uint32_t n = atomic_load_explicit(&wire->tail, memory_order_relaxed) - head;

    list->not_periodic |= wire->overflow.n != 0;
    if (make_room(list, 1 + (size_t)n * FRAME_WORDS))
        return;
    put(list, n);
    for (uint32_t i = 0; i < n; i++) {
        const struct asim_frame *frame = &wire->at[(head + i) & wire->mask];

        put(list, frame->t - list->snapshot->t);
        put_frame(list, frame);
    }
}

static void put_port(struct list *list, const struct asim_port *of)
{
    struct packed packed = {of->busy && of->busy_until >= list->snapshot->t, 1};

    if (make_room(list, ROWS(ASIM_PORT_STATE(ONE))))
        return;
    if (packed.word)
        ASIM_PORT_STATE(PUT_SENT);
    ASIM_PORT_STATE(PACK);
    put(list, packed.word);
    put_receive_ring(list, of->in);
}

static void put_feedback(struct list *list, const struct asim_flow *flow)
{
    size_t most = asim_feedback_size(list->fabric, flow);
    uint64_t *end;

    if (!most || list->not_periodic || make_room(list, most))
        return;
    end = asim_feedback_put(list->fabric, flow, list->snapshot->t, list->at);
    list->not_periodic |= !end;
    list->at = end ? end : list->at;
}

static void put_sender(struct list *list, const struct asim_flow *of)
{
    struct packed packed = {0, 0};

    ASIM_FLOW_STATE(PACK, NOTHING);
    put(list, packed.word);
    ASIM_FLOW_STATE(PUT_SAME, NOTHING), ASIM_FLOW_STATE(PUT_TIME, NOTHING);
}

static void put_cc(struct list *list, const struct asim_cc_flow *of, uint64_t base)
{
    ASIM_CC_FLOW_STATE(PUT_SEQ), ASIM_CC_FLOW_STATE(PUT_SAME);
}

static void put_receiving(struct list *list, const struct asim_rx *of, uint64_t base)
{
    struct packed packed = {0, 0};

    if (asim_rx_has_begun(list->fabric, of))
        ASIM_RX_STATE(PUT_SEQ);
    else
        put(list, UINT64_MAX);
    ASIM_RX_STATE(PACK), ASIM_RX_STATE(PUT_SAME);
    put(list, packed.word);
}

/* Both ends of a message. Without losses nothing else of it changes. */
static void put_flow(struct list *list, uint32_t host, uint32_t slot)
{
    const struct asim_flow *flow = asim_flow_of(list->fabric, host, slot);
    struct asim_rx *rx = asim_rx_of(list->fabric, host, slot);

    if (make_room(list, FLOW_WORDS + ROWS(ASIM_FLOW_STATE(ONE, ONE), ASIM_CC_FLOW_STATE(ONE),
                                          ASIM_RX_STATE(ONE))))
        return;
    put(list, slot);
    put(list, asim_flow_is_over(flow));
    if (asim_flow_is_over(flow))
        return;
    list->not_periodic |= !asim_flow_is_regular(flow) || !asim_rx_is_regular(rx);
    put_sender(list, flow);
    put_cc(list, &flow->cc, flow->snd_una);
    put_receiving(list, rx, flow->snd_una);
    if (list->fabric->set.cc->retimes) /* may bring a gap that has ended back (pacing.c) */
        put(list, flow->next_avail - list->snapshot->t);
    put_feedback(list, flow);
    if (ASIM_VEC_PUSH(list->snapshot->acked, flow->snd_una))
        list->failed = 1;
    if (list->fabric->set.cc->repeat &&
        ASIM_VEC_PUSH(list->snapshot->rounds, asim_feedback_rounds(list->fabric, flow)))
        list->failed = 1;
}

/* The caller bounds the skipped time by the wakes of ranks, the completions of parts that follow a
 * log, and the timers of congestion control, so these are not part of the snapshot. */
static void put_host(struct list *list, const struct asim_host *host)
{
    if (make_room(list, HOST_WORDS))
        return;
    put(list, host->counts.rates_reported); /* rates.csv has a row for each change */
    for (size_t i = 0; i < host->timers.n; i++) {
        uint64_t kind = host->timers.at[i].value >> 56;

        list->not_periodic |=
            kind != ASIM_TIMER_WAKE && kind != ASIM_TIMER_REPLAY && kind != ASIM_TIMER_CC;
    }
    for (uint32_t i = 0; i < host->n_nics; i++) {
        const struct asim_nic *nic = &host->nics[i];

        put_port(list, &nic->port);
        put_ring(list, &nic->acks);
        if (make_room(list, NIC_WORDS))
            return;
        put(list, nic->wake_at == ASIM_NEVER);
        if (nic->wake_at != ASIM_NEVER) {
            put_time(list, nic->wake_at);
            put(list, nic->wake_tie);
        }
        put(list, (uint64_t)nic->qps.n << 32 | asim_qplist_position(&nic->qps));
        for (uint32_t q = 0; (q = asim_qplist_next(&nic->qps, q)) != ASIM_QP_NONE; q++)
            put_flow(list, host->node, asim_qplist_at(&nic->qps, q)->slot);
    }
}

/* Omits empty queues; the number in front of each queue identifies it. */
static void put_queue(struct list *list, const struct asim_switch_port *port, uint32_t q)
{
    const struct asim_queue_occupancy *of = &port->occupancy[q];

    if ((!(of->ingress | of->headroom | of->egress) && !port->queue[q].n) ||
        make_room(list, 1 + ROWS(ASIM_QUEUE_OCCUPANCY_STATE(ONE))))
        return;
    put(list, q);
    ASIM_QUEUE_OCCUPANCY_STATE(PUT_SAME);
    put_ring(list, &port->queue[q]);
}

static void put_switch_port(struct list *list, const struct asim_switch_port *of)
{
    struct packed packed = {0, 0};

    put_port(list, &of->port);
    if (make_room(list, ROWS(ASIM_SWITCH_PORT_STATE(ONE))))
        return;
    put(list, asim_feedback_port(list->fabric, &of->port));
    ASIM_SWITCH_PORT_STATE(PACK);
    put(list, packed.word);
    ASIM_SWITCH_PORT_STATE(PUT_TIME), ASIM_SWITCH_PORT_STATE(PUT_SAME);
    put(list, list->fabric->set.cc_idle ? 0 : of->marks); /* marks that change a rate exclude it */
    for (uint32_t q = 0; q < ASIM_QUEUES; q++)
        put_queue(list, of, q);
}

static void put_switch(struct list *list, const struct asim_switch *of)
{
    if (make_room(list, ROWS(ASIM_SWITCH_STATE(ONE))))
        return;
    ASIM_SWITCH_STATE(PUT_SAME);
    /* pfc.txt has a row for each pause and resume. */
    put(list, list->fabric->watch->pfc ? of->pfc_generated : 0);
    for (uint32_t p = 0; p < of->n_ports; p++)
        put_switch_port(list, &of->ports[p]);
}

int asim_snapshot_may_be_same(const struct asim_fabric *fabric, const struct asim_snapshot *kept,
                              uint64_t t)
{
    return asim_ports_probe(fabric, kept->probe_node, t) == kept->probes.at[kept->probe_node];
}

static void put_receiver(struct list *list, const struct asim_foreign_flow *flow,
                         struct asim_rx *rx)
{
    list->not_periodic |= !asim_rx_is_regular(rx);
    meet(list, flow, rx);
    if (make_room(list, RECEIVER_WORDS))
        return;
    put(list, (uint64_t)flow->src << 32 | flow->slot);
    put(list, (uint64_t)rx->generation << 32 | rx->frames);
}

/* The receivers here of messages from a host of another process. */
static void put_receivers(struct list *list, uint32_t src)
{
    const struct asim_host *host = &list->fabric->host[src];
    struct asim_rx **chunks = atomic_load(&host->rx);

    for (uint32_t slot = 0; slot < host->cap_rx * ASIM_FLOW_CHUNK; slot++) {
        struct asim_rx *rx = chunks[slot / ASIM_FLOW_CHUNK];

        if (!rx)
            continue;
        rx += slot % ASIM_FLOW_CHUNK;
        if (asim_rx_has_begun(list->fabric, rx) && rx->next < rx->size)
            put_receiver(list, &(struct asim_foreign_flow){src, slot, rx->next}, rx);
    }
}

/* Stops at the first node that differs. */
static void write_nodes(struct list *list)
{
    const struct asim_fabric *fabric = list->fabric;

    list->number = ++fabric->memo->steady.snapshots;
    list->snapshot->words.n = list->snapshot->acked.n = 0;
    list->snapshot->rounds.n = list->snapshot->foreign.n = 0;
    if (make_room(list, 1)) /* allocates the list */
        return;
    put(list, list->snapshot->t % fabric->set.tick); /* congestion control counts in ns */
    for (uint32_t v = 0; fabric->set.process_of && v < fabric->set.hosts && !list->not_periodic;
         v++)
        if (!asim_fabric_owns(fabric, v)) {
            put_receivers(list, v);
            check(list);
        }
    for (uint32_t v = 0; v < fabric->set.hosts && !list->not_periodic; v++) {
        put_host(list, &fabric->host[v]);
        check(list);
    }
    for (uint32_t v = 0; v < fabric->set.nodes - fabric->set.hosts && !list->not_periodic; v++) {
        put_switch(list, &fabric->sw[v]);
        check(list);
    }
    list->snapshot->words.n = list->at ? (size_t)(list->at - list->snapshot->words.at) : 0;
}

/* Probes, and the order of ports, which decides ties. */
static int take_orders(const struct asim_fabric *fabric, struct asim_snapshot *snapshot)
{
    size_t ports = fabric->set.topo->first_port[fabric->set.nodes];

    if (ASIM_VEC_RESERVE(snapshot->probes, fabric->set.nodes + 1) ||
        ASIM_VEC_RESERVE(snapshot->port_order, 2 * ports + 1))
        return ASIM_ENOMEM;
    asim_port_order_save(fabric, snapshot->port_order.at);
    snapshot->port_order.n = 2 * ports;
    snapshot->probes.n = fabric->set.nodes;
    snapshot->probe_node = 0;
    for (uint32_t v = fabric->set.nodes; v-- > 0;) {
        snapshot->probes.at[v] = asim_ports_probe(fabric, v, snapshot->t);
        if (snapshot->probes.at[v])
            snapshot->probe_node = v;
    }
    return 0;
}

/* Each costs a look. */
static uint64_t foreign_slots(const struct asim_fabric *fabric)
{
    uint64_t slots = 0;

    for (uint32_t v = 0; fabric->set.process_of && v < fabric->set.hosts; v++)
        if (!asim_fabric_owns(fabric, v))
            slots += fabric->host[v].cap_rx * ASIM_FLOW_CHUNK;
    return slots;
}

uint64_t asim_snapshot_size(const struct asim_fabric *fabric, uint64_t *moving)
{
    uint64_t rings = 0, flows = 0, waiting = 0;
    uint64_t ports =
        (uint64_t)fabric->set.topo->first_port[fabric->set.nodes] * (PORT_WORDS + NIC_WORDS);
    uint64_t frame_words = FRAME_WORDS + asim_feedback_packet_size(fabric);

    for (uint32_t v = 0; v < fabric->set.hosts; v++)
        for (uint32_t i = 0; i < fabric->host[v].n_nics; i++) {
            const struct asim_nic *nic = &fabric->host[v].nics[i];

            rings += asim_link_ring_count(nic->port.in) * frame_words;
            flows += (uint64_t)nic->qps.n * FLOW_WORDS;
            waiting += nic->acks.n * frame_words;
        }
    for (uint32_t v = 0; v < fabric->set.nodes - fabric->set.hosts; v++)
        for (uint32_t p = 0; p < fabric->sw[v].n_ports; p++) {
            rings += asim_link_ring_count(fabric->sw[v].ports[p].port.in) * frame_words;
            waiting += fabric->sw[v].ports[p].frames * frame_words;
        }
    *moving = ports + rings + (flows < rings ? flows : rings);
    return ports + rings + flows + waiting + foreign_slots(fabric);
}

void asim_snapshot_fini(struct asim_snapshot *snapshot)
{
    ASIM_FREE(snapshot->words.at, snapshot->acked.at, snapshot->rounds.at, snapshot->foreign.at,
              snapshot->port_order.at, snapshot->probes.at);
}

int asim_snapshot_take(const struct asim_fabric *fabric, struct asim_snapshot *snapshot, uint64_t t)
{
    struct list list = {.fabric = fabric, .snapshot = snapshot};

    snapshot->t = t;
    write_nodes(&list);
    if (list.failed || (!list.not_periodic && take_orders(fabric, snapshot)))
        return ASIM_ENOMEM;
    return !list.not_periodic;
}

/* Probes the node that differs first from now on. */
static int probes_differ(const struct asim_fabric *fabric, struct asim_snapshot *kept, uint64_t t)
{
    for (uint32_t v = 0; v < fabric->set.nodes; v++)
        if (asim_ports_probe(fabric, v, t) != kept->probes.at[v]) {
            kept->probe_node = v;
            return 1;
        }
    return 0;
}

int asim_snapshot_is_same(const struct asim_fabric *fabric, struct asim_snapshot *kept,
                          struct asim_snapshot *now, uint64_t t)
{
    struct list list = {.fabric = fabric, .snapshot = now, .kept = kept};

    now->t = t;
    now->words.n = 0;
    if (probes_differ(fabric, kept, t))
        return 0;
    write_nodes(&list);
    if (list.failed)
        return ASIM_ENOMEM;
    if (list.not_periodic || now->words.n != kept->words.n)
        return 0;
    return asim_port_order_is_same(fabric, kept->port_order.at);
}
