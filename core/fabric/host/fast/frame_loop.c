/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The loop of a host over its events while these are frames that come in and frames of its own that
 * have left: nearly all there is. They are told apart by time alone, and by ties only where two
 * have the same; whatever meets a timer goes back to host.c, which compares everything. Each takes
 * the short way of quick.h where the network is plain and the frame is the expected one.
 *
 * A host with several NICs is one node with one order of events: the soonest of all NICs goes
 * first. What a NIC takes in may let another one send: answers leave by the NIC that leads back,
 * and an ACK is for the NIC of its flow.
 */
#include "fabric/host/fast/frame_loop.h"
#include "fabric/host/fast/fast_receive.h"

/* The next frame event: what comes in at a NIC, or the end of what it sends. */
struct coming {
    struct asim_nic *nic;
    uint64_t t;
    int is_mail;
};

/* What is neither: the first timer of the host or wake-up of a NIC. */
struct own {
    struct asim_nic *nic; /* NULL: a timer */
    uint64_t t;
    int is_alone; /* no other of these comes at the same time */
};

/* Whether the oldest frame goes before the end of the own transmission at the same time: hosts in
 * lockstep meet this at every packet. */
ALWAYS_INLINE int mail_is_first(const struct asim_nic *nic)
{
    uint64_t mail = asim_nic_arrival_tie_key(nic), free = asim_port_tie_key(&nic->port);

    return mail < free || (mail == free && nic->port.in->in_seq < nic->port.start_seq);
}

/* The end of what is sent, if anybody waits for it. */
ALWAYS_INLINE uint64_t free_of(const struct asim_nic *nic)
{
    return nic->port.busy == ASIM_NIC_BUSY ? nic->port.busy_until : ASIM_NEVER;
}

ALWAYS_INLINE uint64_t soon_of(const struct asim_nic *nic)
{
    uint64_t free = free_of(nic), mail = nic->arrival_at;

    return mail < free ? mail : free;
}

ALWAYS_INLINE struct coming coming_at(struct asim_nic *nic)
{
    uint64_t free = free_of(nic), mail = nic->arrival_at;

    if (mail < free)
        return (struct coming){nic, mail, 1};
    return (struct coming){nic, free, mail == free && mail != ASIM_NEVER && mail_is_first(nic)};
}

/* Two NICs of one host with the same time. */
static int is_before(const struct coming *a, const struct coming *b)
{
    uint64_t a_tie =
        a->is_mail ? asim_nic_arrival_tie_key(a->nic) : asim_port_tie_key(&a->nic->port);
    uint64_t b_tie =
        b->is_mail ? asim_nic_arrival_tie_key(b->nic) : asim_port_tie_key(&b->nic->port);
    uint64_t a_seq = a->is_mail ? a->nic->port.in->in_seq : a->nic->port.start_seq;
    uint64_t b_seq = b->is_mail ? b->nic->port.in->in_seq : b->nic->port.start_seq;

    return a_tie != b_tie ? a_tie < b_tie : a_seq < b_seq;
}

/* Of several NICs that have something at t. */
static struct coming first_of_equals(const struct asim_host *host, uint64_t t)
{
    struct coming first = {NULL, t, 0};

    for (uint32_t i = 0; i < host->n_nics; i++) {
        struct coming other = coming_at(&host->nics[i]);

        if (other.t == t && (!first.nic || is_before(&other, &first)))
            first = other;
    }
    return first;
}

/* Linear in NICs, which are one to eight; their times first, the rest of what is soonest. */
ALWAYS_INLINE struct coming first_coming(struct asim_host *host, int is_one)
{
    struct asim_nic *soonest = host->nics;
    uint64_t t;
    int equal = 0;

    if (is_one)
        return coming_at(&host->single_nic);
    t = soon_of(soonest);
    for (uint32_t i = 1; i < host->n_nics; i++) {
        uint64_t other = soon_of(&host->nics[i]);

        equal = other < t ? 0 : equal | (other == t);
        soonest = other < t ? &host->nics[i] : soonest;
        t = other < t ? other : t;
    }
    return equal && t != ASIM_NEVER ? first_of_equals(host, t) : coming_at(soonest);
}

ALWAYS_INLINE struct own first_own(struct asim_host *host, int is_one)
{
    struct own own = {NULL, host->timers.n ? host->timers.at->t : ASIM_NEVER, 1};
    struct asim_nic *nics = is_one ? &host->single_nic : host->nics;

    for (uint32_t i = 0; i < (is_one ? 1 : host->n_nics); i++) {
        uint64_t wake = nics[i].wake_at;

        if (wake < own.t)
            own = (struct own){&nics[i], wake, 1};
        else if (wake == own.t)
            own.is_alone = 0;
    }
    return own;
}

/* What asim_host_handle_frame does around the long way. */
ALWAYS_INLINE void took(const struct asim_host *host, struct asim_nic *nic,
                        const struct asim_frame *frame)
{
    struct asim_wire *in = nic->port.in;
    uint32_t head = atomic_load_explicit(&in->head, memory_order_relaxed) + 1;

    asim_link_ring_count_in(in, frame, host->seq);
    atomic_store_explicit(&in->head, head, memory_order_release);
    nic->arrival_at = head != in->avail ? in->in_at[head & in->in_mask].t : ASIM_NEVER;
}

/* 0: there is a new wake-up. */
ALWAYS_INLINE int kick_here(struct asim_fabric *fabric, struct asim_host *host,
                            struct asim_nic *nic)
{
    uint64_t wake;

    if (quick_kick(fabric, host, nic, host->now))
        return 1;
    wake = nic->wake_at;
    quick_kick_any(fabric, host, nic, host->now);
    return nic->wake_at == wake;
}

static __attribute__((noinline)) int kick_apart(struct asim_fabric *fabric, struct asim_host *host,
                                                struct asim_nic *nic)
{
    return kick_here(fabric, host, nic);
}

/* A call where the processor would not keep a copy at every place: of hosts with several NICs few
 * do the same. */
ALWAYS_INLINE int kick(struct asim_fabric *fabric, struct asim_host *host, struct asim_nic *nic,
                       int is_one)
{
    return is_one ? kick_here(fabric, host, nic) : kick_apart(fabric, host, nic);
}

void asim_host_kick(struct asim_fabric *fabric, struct asim_host *host, struct asim_nic *nic)
{
    if (!host->worker->fast_ok)
        asim_nic_kick(fabric, host, nic, host->now);
    else if (!asim_nic_is_busy(host, nic))
        kick_apart(fabric, host, nic);
}

/* An ACK on the short way, with all that follows from it in the same event. */
ALWAYS_INLINE int take_ack(struct asim_fabric *fabric, struct asim_host *host, struct asim_nic *in,
                           const struct asim_frame *frame, int is_one)
{
    struct asim_flow *flow = quick_ack(fabric, host, frame);
    struct asim_nic *nic = in;
    int is_over;

    if (!flow) {
        asim_host_handle_frame(fabric, host, in);
        return 0;
    }
    if (!is_one)
        nic = &host->nics[flow->nic];
    if (flow->cc.snd_next < flow->cc.size)
        asim_qplist_mark_ready(&nic->qps, flow->place);
    is_over = flow->snd_una >= flow->cc.size;
    if (is_over)
        asim_sender_complete(fabric, host, flow);
    took(host, in, frame);
    if (!nic->qps.maybe_paused) /* nor are there answers where the port is idle */
        return !is_over;
    return (asim_nic_is_busy(host, nic) || kick(fabric, host, nic, is_one)) && !is_over;
}

/* One of them. 0: timers or wake-ups may be others now, or the worker has failed. */
ALWAYS_INLINE int take_coming(struct asim_fabric *fabric, struct asim_host *host,
                              const struct coming *coming, int is_one)
{
    struct asim_nic *nic = coming->nic;
    const struct asim_frame *frame;

    if (!coming->is_mail) {
        asim_host_begin(host, coming->t, asim_port_tie_key(&nic->port));
        nic->port.busy = 0;
        return kick(fabric, host, nic, is_one);
    }
    frame = asim_link_ring_oldest(nic->port.in);
    asim_host_begin(host, coming->t, asim_wire_tie_key(nic->port.in, frame));
    if (frame->type == ASIM_ACK)
        return take_ack(fabric, host, nic, frame, is_one);
    if (frame->type == ASIM_DATA && quick_data(fabric, host, frame, is_one)) {
        took(host, nic, frame);
        return 1;
    }
    asim_host_handle_frame(fabric, host, nic);
    return 0;
}

/* All before `end`; *t is then the time of the first that is not. 0: what the host has of its own
 * is to be asked again. */
ALWAYS_INLINE int take_frames(struct asim_fabric *fabric, struct asim_host *host, uint64_t end,
                              uint64_t *t, int is_one)
{
    struct coming coming;

    do {
        coming = first_coming(host, is_one);
        *t = coming.t;
        if (coming.t >= end)
            return 1;
    } while (take_coming(fabric, host, &coming, is_one));
    return 0;
}

/* The same, one by one, of the one NIC of a host in a network that is not plain. */
static int take_long(struct asim_fabric *fabric, struct asim_host *host, uint64_t end, uint64_t *t)
{
    struct coming coming = first_coming(host, 1);
    struct asim_nic *nic = coming.nic;

    *t = coming.t;
    if (coming.t >= end)
        return 1;
    if (coming.is_mail) {
        asim_host_begin(host, coming.t, asim_nic_arrival_tie_key(nic));
        asim_host_handle_frame(fabric, host, nic);
        return 0;
    }
    asim_host_begin(host, coming.t, asim_port_tie_key(&nic->port));
    nic->port.busy = 0;
    asim_nic_kick(fabric, host, nic, coming.t);
    return 0;
}

/* A timer or a wake-up of a NIC that comes alone. */
static void take_own(struct asim_fabric *fabric, struct asim_host *host, const struct own *own)
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

/* As long as frames meet no timer at the same time. Returns the time of the next event; that is
 * before `until` where several meet, and after a failure. Callbacks may start messages and make
 * timers, but do not change whether the network is plain. */
ALWAYS_INLINE uint64_t advance(struct asim_fabric *fabric, struct asim_host *host, uint64_t until,
                               int is_one)
{
    int plain = host->worker->fast_ok;

    if (!is_one && !plain)
        return 0;
    while (!host->worker->failed) {
        struct own own = first_own(host, is_one);
        uint64_t end = own.t < until ? own.t : until, t;
        int is_through =
            plain ? take_frames(fabric, host, end, &t, is_one) : take_long(fabric, host, end, &t);

        if (!is_through)
            continue;
        if (own.t >= until || t == own.t || !own.is_alone)
            return own.t < t ? own.t : t;
        take_own(fabric, host, &own);
    }
    return 0;
}

static uint64_t advance_several(struct asim_fabric *fabric, struct asim_host *host, uint64_t until)
{
    uint64_t next;

    for (uint32_t i = 0; i < host->n_nics; i++)
        asim_nic_open_ring(&host->nics[i]);
    do
        next = host->n_nics ? advance(fabric, host, until, 0) : 0;
    while (next < until && asim_host_handle_first(fabric, host, until, &next));
    for (uint32_t i = 0; i < host->n_nics; i++)
        asim_link_ring_reset(host->nics[i].port.in);
    return next;
}

int asim_host_fast_ok(const struct asim_fabric *fabric)
{
    return !(fabric->set.without & ASIM_FAST_HOST) && !fabric->losses && !fabric->run.per_event &&
           !fabric->watch.frame && !fabric->set.cc->needs &&
           !fabric->set.net->nic_total_pause_count && !fabric->set.net->l2_back_to_zero;
}

/* Everything of this host before `until`, in order; returns the time of what comes next. host->now
 * moves with each event, which is what the rank sees as its own time. Stops early once failed. What
 * the loops leave, and all of a host with several NICs where the network is not plain, is found by
 * comparing everything. */
uint64_t asim_host_advance(struct asim_fabric *fabric, struct asim_host *host, uint64_t until)
{
    uint64_t next;

    if (host->n_nics != 1)
        return advance_several(fabric, host, until);
    asim_nic_open_ring(&host->single_nic);
    do
        next = advance(fabric, host, until, 1);
    while (next < until && asim_host_handle_first(fabric, host, until, &next));
    asim_link_ring_reset(host->single_nic.port.in);
    return next;
}
