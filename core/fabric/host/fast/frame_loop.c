/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The loop of a host over its frame events: frames that come in, and ends of its own transmissions.
 * These are nearly all events of a host. The loop orders them by time, and by tie keys only where
 * two have the same time. Where a timer or a wake-up comes first, host/advance.c compares all
 * events and processes one. Each frame event takes the fast path (fast_receive.h, fast_send.h)
 * where ASIM_WAY_HOST_FAST is open and the frame is the expected one.
 *
 * A host with several NICs is one node with one order of events: the soonest event of all NICs goes
 * first. A frame that one NIC takes in may let another NIC send: ACKs leave by the NIC that leads
 * back, and a received ACK concerns the NIC of its flow. Mostly a single NIC has frames, as where
 * the GPUs of a server talk to each other; the loop then looks at this NIC alone (`only`), and ends
 * where another one begins to send.
 */
#include "fabric/host/fast/fast_receive.h"
#include "net/ways.h"
#include "fabric/host/advance.h"

/* A frame arrives at a NIC, or the NIC's transmission ends. */
struct frame_event {
    struct asim_nic *nic;
    uint64_t t;
    int is_arrival;
};

/* Whether the oldest frame goes before the end of the NIC's own transmission at the same time.
 * Hosts in lockstep meet this case at every packet. */
ALWAYS_INLINE int arrival_is_first(struct asim_worker *worker, const struct asim_nic *nic)
{
    uint64_t arrival = asim_nic_arrival_tie_key(nic), end = asim_port_tie_key(&nic->port);

    worker->contested |= asim_tie_is_contested(arrival, end);

    return arrival < end || (arrival == end && nic->port.in->in_seq < nic->port.start_seq);
}

/* The end of the NIC's transmission, if it is an event. */
ALWAYS_INLINE uint64_t end_of(const struct asim_nic *nic)
{
    return nic->port.busy == ASIM_NIC_BUSY ? nic->port.busy_until : ASIM_NEVER;
}

ALWAYS_INLINE uint64_t soonest_of(const struct asim_nic *nic)
{
    uint64_t end = end_of(nic), arrival = nic->arrival_at;

    return arrival < end ? arrival : end;
}

ALWAYS_INLINE struct frame_event event_of(struct asim_worker *worker, struct asim_nic *nic)
{
    uint64_t end = end_of(nic), arrival = nic->arrival_at;

    if (arrival < end)
        return (struct frame_event){nic, arrival, 1};
    return (struct frame_event){
        nic, end, arrival == end && arrival != ASIM_NEVER && arrival_is_first(worker, nic)};
}

ALWAYS_INLINE uint64_t tie_of(const struct frame_event *event)
{
    return event->is_arrival ? asim_nic_arrival_tie_key(event->nic)
                             : asim_port_tie_key(&event->nic->port);
}

ALWAYS_INLINE uint64_t seq_of(const struct frame_event *event)
{
    const struct asim_port *port = &event->nic->port;

    return event->is_arrival ? port->in->in_seq : port->start_seq;
}

/* The order of two NICs of one host that have an event at the same time. */
static int is_before(struct asim_worker *worker, const struct frame_event *a,
                     const struct frame_event *b)
{
    uint64_t a_tie = tie_of(a), b_tie = tie_of(b);

    worker->contested |= asim_tie_is_contested(a_tie, b_tie) && (a->is_arrival || b->is_arrival);
    return a_tie != b_tie ? a_tie < b_tie : seq_of(a) < seq_of(b);
}

/* Whether the event goes before the host's first timer, which has the same time. */
ALWAYS_INLINE int is_before_timer(const struct asim_host *host, const struct frame_event *event)
{
    const struct asim_event_entry *timer = host->timers.at;
    uint64_t tie = tie_of(event);

    host->worker->contested |= event->is_arrival && asim_tie_is_contested(tie, timer->tie) &&
                               asim_host_timer_is_ordered(host);
    return tie != timer->tie ? tie < timer->tie : seq_of(event) < timer->seq;
}

/* The first of several NICs that have an event at t. */
static struct frame_event first_of_equals(const struct asim_host *host, uint64_t t)
{
    struct frame_event first = {NULL, t, 0};

    for (uint32_t i = 0; i < host->n_nics; i++) {
        struct frame_event other = event_of(host->worker, &host->nics[i]);

        if (other.t == t && (!first.nic || is_before(host->worker, &other, &first)))
            first = other;
    }
    return first;
}

/* Linear in NICs, which are one to eight: compares times, then asks the soonest NIC. */
ALWAYS_INLINE struct frame_event next_frame_event(struct asim_host *host, struct asim_nic *only,
                                                  enum nics nics)
{
    struct asim_nic *soonest = host->nics;
    uint64_t t;
    int equal = 0;

    if (nics != ALL_NICS)
        return event_of(host->worker, only);
    t = soonest_of(soonest);
    for (uint32_t i = 1; i < host->n_nics; i++) {
        uint64_t other = soonest_of(&host->nics[i]);

        equal = other < t ? 0 : equal | (other == t);
        soonest = other < t ? &host->nics[i] : soonest;
        t = other < t ? other : t;
    }
    return equal && t != ASIM_NEVER ? first_of_equals(host, t) : event_of(host->worker, soonest);
}

/* The first timer of the host or wake-up of a NIC. */
struct own_event {
    struct asim_nic *nic; /* NULL: a timer */
    uint64_t t;
    int is_alone; /* no other timer or wake-up has this time */
};

ALWAYS_INLINE struct own_event next_own_event(struct asim_host *host, enum nics nics)
{
    struct own_event own = {NULL, host->timers.n ? host->timers.at->t : ASIM_NEVER, 1};

    uint32_t n = nics == SINGLE_NIC ? 1 : host->n_nics;

    for (uint32_t i = 0; i < n; i++) {
        struct asim_nic *nic = nics == SINGLE_NIC ? &host->single_nic : &host->nics[i];
        uint64_t wake = nic->wake_at;

        if (wake < own.t)
            own = (struct own_event){nic, wake, 1};
        else if (wake == own.t)
            own.is_alone = 0;
    }
    return own;
}

/* Removes a frame that took the fast path, as asim_host_handle_frame does on the slow path. */
ALWAYS_INLINE void consume(const struct asim_host *host, struct asim_nic *nic,
                           const struct asim_frame *frame)
{
    struct asim_wire *in = nic->port.in;
    uint32_t head = atomic_load_explicit(&in->head, memory_order_relaxed) + 1;

    asim_link_ring_count_in(in, frame, host->seq);
    atomic_store_explicit(&in->head, head, memory_order_release);
    nic->arrival_at = head != in->avail ? in->in_at[head & in->in_mask].t : ASIM_NEVER;
}

/* Returns 0 if the NIC has a new wake-up. */
ALWAYS_INLINE int kick_inline(struct asim_fabric *fabric, struct asim_host *host,
                              struct asim_nic *nic)
{
    uint64_t wake;

    if (fast_kick(fabric, host, nic, host->now))
        return 1;
    wake = nic->wake_at;
    fast_kick_several(fabric, host, nic, host->now);
    return nic->wake_at == wake;
}

static __attribute__((noinline)) int kick_call(struct asim_fabric *fabric, struct asim_host *host,
                                               struct asim_nic *nic)
{
    return kick_inline(fabric, host, nic);
}

/* Inline where one NIC has frames. Several NICs seldom do the same in a row, so the processor would
 * not keep a copy of the code at every place. */
ALWAYS_INLINE int kick(struct asim_fabric *fabric, struct asim_host *host, struct asim_nic *nic,
                       enum nics nics)
{
    return nics != ALL_NICS ? kick_inline(fabric, host, nic) : kick_call(fabric, host, nic);
}

void asim_host_kick(struct asim_fabric *fabric, struct asim_host *host, struct asim_nic *nic)
{
    if (!(fabric->ways & ASIM_WAY_HOST_FAST))
        asim_nic_kick(fabric, host, nic, host->now);
    else if (!asim_nic_is_busy(host, nic))
        kick_call(fabric, host, nic);
}

/* An ACK on the fast path, with all consequences in the same event. Returns as handle_event. */
ALWAYS_INLINE int handle_ack(struct asim_fabric *fabric, struct asim_host *host,
                             struct asim_nic *in, const struct asim_frame *frame,
                             struct asim_nic *only, enum nics nics)
{
    struct asim_flow *flow = fast_ack(fabric, host, frame);
    struct asim_nic *nic = in;
    int is_over;

    if (!flow) {
        asim_host_handle_frame(fabric, host, in);
        return 0;
    }
    if (nics != SINGLE_NIC)
        nic = &host->nics[flow->nic];
    if (flow->cc.snd_next < flow->cc.size)
        asim_qplist_mark_ready(&nic->qps, flow->place);
    is_over = flow->snd_una >= flow->cc.size;
    if (is_over)
        asim_message_sent(fabric, host, flow);
    consume(host, in, frame);
    if (!nic->qps.needs_scan) /* an idle port has no ACKs queued either */
        return !is_over;
    return (asim_nic_is_busy(host, nic) || kick(fabric, host, nic, nics)) && !is_over &&
           (nics != ONE_OF_SEVERAL || nic == only);
}

/* One frame event. Returns 0 if timers, wake-ups or NICs other than `only` may have changed, or the
 * worker has failed. */
ALWAYS_INLINE int handle_event(struct asim_fabric *fabric, struct asim_host *host,
                               const struct frame_event *event, struct asim_nic *only,
                               enum nics nics)
{
    struct asim_nic *nic = event->nic, *reply;
    const struct asim_frame *frame;

    if (!event->is_arrival) {
        asim_host_begin(host, event->t, asim_port_tie_key(&nic->port));
        nic->port.busy = ASIM_NIC_IDLE;
        return kick(fabric, host, nic, nics);
    }
    frame = asim_link_ring_oldest(nic->port.in);
    asim_host_begin(host, event->t, asim_wire_tie_key(nic->port.in, frame));
    if (frame->type == ASIM_ACK)
        return handle_ack(fabric, host, nic, frame, only, nics);
    reply = frame->type == ASIM_DATA ? fast_data(fabric, host, nic, frame, nics) : NULL;
    if (reply) {
        consume(host, nic, frame);
        return nics != ONE_OF_SEVERAL || reply == only;
    }
    asim_host_handle_frame(fabric, host, nic);
    return 0;
}

/* All frame events before `end`; then *t is the time of the next one. Returns 0 if the caller must
 * ask for timers again. */
ALWAYS_INLINE int handle_events(struct asim_fabric *fabric, struct asim_host *host, uint64_t end,
                                uint64_t *t, struct asim_nic *only, enum nics nics)
{
    struct frame_event event;

    do {
        event = next_frame_event(host, only, nics);
        *t = event.t;
        if (event.t >= end)
            return 1;
    } while (handle_event(fabric, host, &event, only, nics));
    return 0;
}

/* As handle_events, but one event of a host with one NIC, on the slow path. */
static int handle_one_slowly(struct asim_fabric *fabric, struct asim_host *host, uint64_t end,
                             uint64_t *t)
{
    struct frame_event event = next_frame_event(host, host->nics, SINGLE_NIC);
    struct asim_nic *nic = event.nic;

    *t = event.t;
    if (event.t >= end)
        return 1;
    if (event.is_arrival) {
        asim_host_begin(host, event.t, asim_nic_arrival_tie_key(nic));
        asim_host_handle_frame(fabric, host, nic);
        return 0;
    }
    asim_host_begin(host, event.t, asim_port_tie_key(&nic->port));
    nic->port.busy = ASIM_NIC_IDLE;
    asim_nic_kick(fabric, host, nic, event.t);
    return 0;
}

static void handle_own_event(struct asim_fabric *fabric, struct asim_host *host,
                             const struct own_event *own)
{
    if (!own->nic) {
        asim_host_begin(host, own->t, host->timers.at->tie);
        asim_host_handle_timer(fabric, host);
        return;
    }
    asim_host_begin(host, own->t, own->nic->wake_tie);
    own->nic->wake_at = ASIM_NEVER;
    asim_nic_kick(fabric, host, own->nic, own->t);
}

/* A NIC with more messages finds their state in the third cache at best. */
enum { FEW_MESSAGES = 8 };

/* Begins to load the flows of the frames that arrive before `until`. */
static void prefetch_flows(const struct asim_fabric *fabric, const struct asim_host *host,
                           const struct asim_nic *nic, uint64_t until)
{
    const struct asim_link_ring_view ring = asim_link_ring_view_of(nic->port.in);
    uint32_t n = nic->port.in->avail - ring.head;

    for (uint32_t i = 0; i < n; i++) {
        const struct asim_frame *frame = asim_link_ring_view_nth(&ring, i);

        if (frame->t >= until)
            return;
        if (frame->type == ASIM_DATA)
            __builtin_prefetch(asim_rx_of(fabric, frame->src, frame->slot), 1);
        else if (frame->type == ASIM_ACK)
            asim_flow_prefetch(asim_own_flow(host, frame->slot));
    }
}

/* The turn of a NIC begins. */
static inline void open_nic(const struct asim_fabric *fabric, const struct asim_host *host,
                            struct asim_nic *nic, uint64_t until)
{
    asim_nic_open_ring(nic);
    if (nic->qps.n > FEW_MESSAGES)
        prefetch_flows(fabric, host, nic, until);
}

/* The first frame event of the other NICs. */
static uint64_t soonest_but(const struct asim_host *host, const struct asim_nic *only)
{
    uint64_t t = ASIM_NEVER;

    for (uint32_t i = 0; i < host->n_nics; i++)
        if (&host->nics[i] != only && soonest_of(&host->nics[i]) < t)
            t = soonest_of(&host->nics[i]);
    return t;
}

/* Frame events, timers, and wake-ups that no other event meets, until `until`, or until NICs
 * other than `only` have frames (NULL: of all NICs). Returns the time of the next event, which is
 * before `until` where several meet, where another NIC has frames, and after a failure. Callbacks
 * may start messages and make timers, but do not change the ways. */
ALWAYS_INLINE uint64_t advance(struct asim_fabric *fabric, struct asim_host *host, uint64_t until,
                               struct asim_nic *only, enum nics nics)
{
    int fast_ok = (fabric->ways & ASIM_WAY_HOST_FAST) != 0;

    if (nics != SINGLE_NIC && !fast_ok)
        return 0;
    while (!host->worker->failed) {
        struct own_event own = next_own_event(host, nics);
        uint64_t end = own.t < until ? own.t : until, t, other = ASIM_NEVER;

        if (nics == ONE_OF_SEVERAL)
            other = soonest_but(host, only);
        if (other < until)
            return other;
        if (!(fast_ok ? handle_events(fabric, host, end, &t, only, nics)
                      : handle_one_slowly(fabric, host, end, &t)))
            continue;
        t = other < t ? other : t;
        if (own.t >= until || !own.is_alone || (t == own.t && (own.nic || !fast_ok)))
            return own.t < t ? own.t : t;
        if (t == own.t) {
            struct frame_event event = next_frame_event(host, only, nics);

            if (is_before_timer(host, &event)) {
                handle_event(fabric, host, &event, only, nics);
                continue;
            }
        }
        handle_own_event(fabric, host, &own);
    }
    return 0;
}

static inline uint64_t advance_single(struct asim_fabric *fabric, struct asim_host *host,
                                      uint64_t until)
{
    return advance(fabric, host, until, &host->single_nic, SINGLE_NIC);
}

/* Turns in which a host takes its NICs together after one in which several had frames. */
enum { MIXED_TURNS = 64 };

/* The only NIC with frames before `until`; NULL: there are others, or there have lately been. */
static struct asim_nic *find_only(struct asim_host *host, uint64_t until)
{
    struct asim_nic *only = host->nics;

    if (host->mixed_turns) {
        host->mixed_turns--;
        return NULL;
    }
    for (uint32_t i = 1; i < host->n_nics; i++)
        if (soonest_of(&host->nics[i]) < soonest_of(only))
            only = &host->nics[i];
    if (soonest_but(host, only) >= until)
        return only;
    host->mixed_turns = MIXED_TURNS;
    return NULL;
}

static uint64_t advance_several(struct asim_fabric *fabric, struct asim_host *host, uint64_t until)
{
    struct asim_nic *only;
    uint64_t next;

    for (uint32_t i = 0; i < host->n_nics; i++)
        open_nic(fabric, host, &host->nics[i], until);
    only = host->n_nics ? find_only(host, until) : NULL;
    do {
        next = only ? advance(fabric, host, until, only, ONE_OF_SEVERAL) : 0;
        if (next < until && only && soonest_but(host, only) < until) {
            only = NULL;
            host->mixed_turns = MIXED_TURNS;
        }
        if (!only && host->n_nics)
            next = advance(fabric, host, until, NULL, ALL_NICS);
    } while (next < until && asim_host_handle_first(fabric, host, until, &next));
    for (uint32_t i = 0; i < host->n_nics; i++)
        asim_link_ring_reset(host->nics[i].port.in);
    return next;
}

/* host->now moves with each event, and the rank sees it as its own time. The function stops early
 * once the worker has failed. */
uint64_t asim_host_advance(struct asim_fabric *fabric, struct asim_host *host, uint64_t until)
{
    uint64_t next;

    if (host->n_nics != 1)
        return advance_several(fabric, host, until);
    open_nic(fabric, host, &host->single_nic, until);
    do
        next = advance_single(fabric, host, until);
    while (next < until && asim_host_handle_first(fabric, host, until, &next));
    asim_link_ring_reset(host->single_nic.port.in);
    return next;
}
