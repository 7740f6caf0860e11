/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A switch in calm windows: nobody is paused, no port is down, and what comes in before the window
 * ends is no pause and too little to call for one. All that is known when the window opens, for it
 * lies in the mailboxes. Then what ports have in common is the shared buffer alone, and in which
 * order frames enter and leave that makes no difference while none needs headroom: what is in use
 * is a sum over what lies there. So only arrivals are events. A port catches up with its departures
 * when the next frame for it comes, and once more at the end of the window, each at its own time:
 * marks, telemetry and what watchers are told are those of the long way (switch.c), which costs an
 * event per departure.
 *
 * Rests on all arrivals of a time coming before its departures (is_patient in mmu.c): then what is
 * there when an arrival comes is what those before it have left.
 */
#include "fabric/queue.h"
#include "fabric/start.h"

/* A frame that was waiting goes when the one before it is through: the transmission that ends is
 * its cause, whose age is its length. The count of the port stays what it was when it became busy,
 * as in switch.c: there is no count of this event here, and no need for one (order.h). */
static inline struct asim_frame *begin_behind(struct asim_switch *sw, struct asim_port *port,
                                              uint32_t bytes)
{
    struct asim_moment then = {port->busy_until, asim_port_tie(port), port->start_seq};

    return asim_port_begin(sw->lane, port, bytes, then);
}

/* The next frame of port p begins when the present one ends; something must be waiting. */
static inline void depart(struct asim_fabric *fabric, struct asim_switch *sw, uint32_t p)
{
    struct asim_switch_port *port = &sw->ports[p];
    uint32_t q = asim_queue_next(port), in, bytes;
    struct asim_frame *head = asim_ring_head(&port->queue[q]), *frame;

    in = head->side;
    bytes = head->wire;
    frame = begin_behind(sw, &port->port, bytes);
    if (!frame)
        return;
    asim_frame_copy(frame, head, port->port.start_youth);
    asim_queue_drop(port, q);
    asim_queue_tell(fabric, sw, p, port->port.tx_start);
    if (q) {
        struct asim_queue_use *use = &sw->ports[in].use[q];
        uint64_t shared = asim_mmu_shared(use);

        use->ingress -= bytes;
        sw->shared_used -= bytes < shared ? bytes : shared;
        port->use[q].egress -= bytes;
    }
    asim_switch_stamp(fabric, sw, p, frame, (const uint64_t[2]){q, port->port.tx_start});
    frame->t = port->port.busy_until + port->port.out->delay;
    asim_port_go(sw->lane, port->port.out, frame);
}

/* All that leaves port p before t. What leaves at t itself goes after what comes in then, and is
 * left for the next time: costs a test where nothing waits, a copy per frame where something
 * does. */
static inline void catch_up(struct asim_fabric *fabric, struct asim_switch *sw, uint32_t p,
                            uint64_t t)
{
    const struct asim_switch_port *port = &sw->ports[p];

    while (port->frames && port->port.busy_until < t && !sw->lane->failed)
        depart(fabric, sw, p);
}

/* A frame whose way out is free, or becomes free just now with nobody before it: then it leaves
 * what came at this same time behind it, which is no cause for a mark (`passes`). */
static inline void pass_on(struct asim_fabric *fabric, struct asim_switch *sw,
                           const uint32_t out_q[2], const struct asim_frame *frame,
                           struct asim_now *now)
{
    struct asim_switch_port *port = &sw->ports[out_q[0]];
    uint32_t bytes = frame->wire;
    struct asim_frame *place;

    if (port->port.busy && port->port.busy_until == now->t) {
        port->passed_t = now->t;
        port->passed_bytes = bytes;
        place = begin_behind(sw, &port->port, bytes);
    } else {
        place = asim_port_begin(sw->lane, &port->port, bytes, asim_now_moment(sw, now));
    }
    if (!place)
        return;
    asim_frame_copy(place, frame, port->port.start_youth);
    if (bytes > port->peak_bytes)
        port->peak_bytes = bytes;
    if (out_q[1])
        port->rr = (uint8_t)out_q[1];
    if (fabric->stamps)
        asim_telemetry_stamp(fabric, sw, out_q[0], place, asim_to_ns(fabric, now->t));
    place->t = port->port.busy_until + port->port.out->delay;
    asim_port_go(sw->lane, port->port.out, place);
}

/* The tests of the long way are left out: asim_calm_holds has made them for the whole window. */
static inline void enqueue(struct asim_fabric *fabric, struct asim_switch *sw,
                           const uint32_t in_out_q[3], const struct asim_frame *frame, uint64_t t)
{
    uint32_t p = in_out_q[1], q = in_out_q[2];
    struct asim_switch_port *port = &sw->ports[p];
    uint64_t length;

    if (asim_queue_push(sw, port, (const uint32_t[2]){q, in_out_q[0]}, frame))
        return;
    if (q) {
        struct asim_queue_use *use = &sw->ports[in_out_q[0]].use[q];
        uint64_t before = asim_mmu_shared(use);

        use->ingress += frame->wire;
        port->use[q].egress += frame->wire;
        sw->shared_used += asim_mmu_shared(use) - before;
    }
    length = port->bytes + (port->passed_t == t ? port->passed_bytes : 0);
    if (length > port->peak_bytes)
        port->peak_bytes = length;
    asim_queue_tell(fabric, sw, p, t);
}

/* The whole of an arrival: found its way, caught up with its port, sent on or queued. The frame is
 * read where it lies in the mailbox. Without a way it is lost, as in switch.c; nothing else is lost
 * here. */
static inline void take_frame(struct asim_fabric *fabric, struct asim_switch *sw, uint32_t in,
                              struct asim_now *now)
{
    struct asim_wire *wire = sw->ports[in].port.in;
    const struct asim_frame *frame = asim_mail_head(wire);
    uint32_t q = asim_queue_of(fabric, frame), goal = asim_frame_goal(frame), out;
    const struct asim_hop *hop = &sw->hops[goal % ASIM_HOPS];
    struct asim_switch_port *port;

    out = hop->port && hop->dst == goal ? hop->port - 1 : asim_switch_route(fabric, sw, frame);
    sw->ports[in].port.in_seq = sw->seq;
    wire->got++;
    wire->got_bytes += frame->wire;
    if (out == UINT32_MAX) {
        asim_switch_drop(sw, in, frame, now->t);
    } else {
        port = &sw->ports[out];
        catch_up(fabric, sw, out, now->t);
        if (!port->frames && (!port->port.busy || port->port.busy_until < now->t + port->passes))
            pass_on(fabric, sw, (const uint32_t[2]){out, q}, frame, now);
        else
            enqueue(fabric, sw, (const uint32_t[3]){in, out, q}, frame, now->t);
    }
    asim_mail_drop(wire);
    asim_queue_arrival(sw, in, now->until);
}

/* Bytes that come in at a port before `until`; UINT64_MAX with a pause or resume among them. */
static inline uint64_t coming_in(const struct asim_wire *wire, uint64_t until)
{
    uint32_t head = atomic_load_explicit(&wire->head, memory_order_relaxed);
    uint64_t bytes = 0;

    for (; head != wire->avail; head++) {
        const struct asim_frame *frame = &wire->at[head & wire->mask];

        if (frame->t >= until)
            break;
        if (frame->type >= ASIM_PAUSE)
            return UINT64_MAX;
        bytes += frame->wire;
    }
    return bytes;
}

/* Asked where no pause holds and no port is down. No threshold may be reached even if nothing left:
 * an ingress queue would hold all that it holds now and all that comes in, and the shared buffer,
 * too. PFC frames that wait here are of queue 0, which is none of the buffer's. */
int asim_calm_holds(const struct asim_fabric *fabric, const struct asim_switch *sw, uint64_t until)
{
    uint32_t group = fabric->net->priority_group;
    uint64_t used = sw->shared_used, most = 0;

    if (!sw->patient || fabric->per_event || fabric->losses || fabric->watch.frame ||
        (fabric->watch.queue && !sw->samples))
        return 0;
    for (uint32_t i = 0; i < sw->n_active; i++) {
        const struct asim_switch_port *port = &sw->ports[sw->active[i]];
        uint64_t bytes = coming_in(port->port.in, until), level;

        if (bytes == UINT64_MAX)
            return 0;
        level = (port->use[group].ingress + bytes + 1) << port->shift;
        most = level > most ? level : most;
        used += bytes;
    }
    return used + most <= sw->shareable;
}

/* Ports whose last frame ends in this window are looked at once more: the next window may be no
 * calm one, and who asks for the switch's next time counts on nothing being overdue. Linear in
 * ports, as all that is done once a window. */
void asim_calm_advance(struct asim_fabric *fabric, struct asim_switch *sw, uint64_t until)
{
    int32_t value;

    while ((value = asim_wheel_take_even(&sw->wheel)) != ASIM_WHEEL_END && !sw->lane->failed) {
        const struct asim_wheel_entry *entry = &sw->wheel.at[value];
        struct asim_now now = {entry->t, entry->tie, entry->seq, until};

        sw->seq++;
        take_frame(fabric, sw, (uint32_t)value >> 1, &now);
    }
    for (uint32_t p = 0; p < sw->n_ports; p++)
        catch_up(fabric, sw, p, until);
}
