/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A switch in calm windows: nobody is paused, no port is down, and what comes in before the window
 * ends is no pause and too little to call for one. All that is known when the window opens, for it
 * lies in the mailboxes. Then what ports have in common is the shared buffer alone, and in which
 * order frames enter and leave that makes no difference while none needs headroom: what is in use
 * is a sum over what lies there. So there are no events: the arrivals are dealt by the port they
 * leave through (batch.c), and each port is worked through from one end of the window to the other.
 * It catches up with its departures when the next frame comes, and once more at the end, each at
 * its own time: marks, telemetry and what watchers are told are those of the long way (switch.c),
 * which costs two events a frame.
 *
 * Rests on all arrivals of a time coming before its departures (is_patient in mmu.c): then what is
 * there when an arrival comes is what those before it have left.
 */
#include "fabric/batch.h"
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
 * what came at this same time behind it, which is no cause for a mark (`passes`). Its count is put
 * in when the window is through (batch.c). 1 if the port was free. */
static inline int pass_on(struct asim_fabric *fabric, struct asim_switch *sw,
                          const uint32_t in_out_q[3], const struct asim_frame *frame, uint64_t t)
{
    struct asim_switch_port *port = &sw->ports[in_out_q[1]];
    const struct asim_wire *wire = sw->ports[in_out_q[0]].port.in;
    uint32_t bytes = frame->wire;
    int free = !port->port.busy || port->port.busy_until != t;
    struct asim_frame *place;

    if (free) {
        place = asim_port_begin(sw->lane, &port->port, bytes,
                                (struct asim_moment){t, asim_wire_tie(wire, frame), 0});
    } else {
        port->passed_t = t;
        port->passed_bytes = bytes;
        place = begin_behind(sw, &port->port, bytes);
    }
    if (!place)
        return 0;
    asim_frame_copy(place, frame, port->port.start_youth);
    if (bytes > port->peak_bytes)
        port->peak_bytes = bytes;
    if (in_out_q[2])
        port->rr = (uint8_t)in_out_q[2];
    if (fabric->stamps)
        asim_telemetry_stamp(fabric, sw, in_out_q[1], place, asim_to_ns(fabric, t));
    place->t = port->port.busy_until + port->port.out->delay;
    asim_port_go(sw->lane, port->port.out, place);
    return free;
}

/* The tests of the long way are left out: asim_batch_deal has made them for the whole window. */
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

/* The whole of an arrival: its port has caught up, and sends it on or queues it. The frame is read
 * where it lies in the mailbox. 1 if it went on at once as the first of a row: what later counts as
 * the cause of all that follow it without a break. */
static inline int take_frame(struct asim_fabric *fabric, struct asim_switch *sw,
                             const uint32_t in_out[2], const struct asim_frame *frame, uint64_t t)
{
    uint32_t q = asim_queue_of(fabric, frame), out = in_out[1];
    struct asim_switch_port *port = &sw->ports[out];

    catch_up(fabric, sw, out, t);
    if (!port->frames && (!port->port.busy || port->port.busy_until < t + port->passes))
        return pass_on(fabric, sw, (const uint32_t[3]){in_out[0], out, q}, frame, t);
    enqueue(fabric, sw, (const uint32_t[3]){in_out[0], out, q}, frame, t);
    return 0;
}

/* All that leaves through port `out`, in the order in which it came. */
static void serve(struct asim_fabric *fabric, struct asim_switch *sw, uint32_t out, uint64_t begin,
                  uint64_t until)
{
    struct asim_batch *batch = &sw->batch[out];
    uint64_t cause = 0;
    int started = 0;

    for (uint32_t i = 0; i < batch->n; i++) {
        uint64_t entry = batch->at[i];
        uint32_t in = asim_batch_in(entry);
        const struct asim_frame *frame = asim_batch_frame(sw->ports[in].port.in, entry);

        if (take_frame(fabric, sw, (const uint32_t[2]){in, out}, frame,
                       begin + (entry >> ASIM_TICK_SHIFT))) {
            cause = entry;
            started = 1;
        }
    }
    if (started)
        sw->started[sw->n_started++] = (struct asim_came){cause, 0, out};
    batch->n = 0;
    catch_up(fabric, sw, out, until);
}

/* Asked where no pause holds and no port is down. Deals what comes in, if so (batch.c). */
int asim_calm_begin(struct asim_fabric *fabric, struct asim_switch *sw, uint64_t begin,
                    uint64_t until)
{
    if (!sw->patient || fabric->per_event || fabric->losses || fabric->watch.frame ||
        (fabric->watch.queue && !sw->samples) || fabric->net->load_balance == ASIM_SPRAY)
        return 0;
    return asim_batch_deal(fabric, sw, begin, until);
}

/* Ports whose last frame ends in this window are looked at once more: the next window may be no
 * calm one, and who asks for the switch's next time counts on nothing being overdue. Linear in
 * ports, as all that is done once a window. */
void asim_calm_advance(struct asim_fabric *fabric, struct asim_switch *sw, uint64_t begin,
                       uint64_t until)
{
    for (uint32_t i = 0; i < sw->n_ways_out; i++)
        serve(fabric, sw, sw->ways_out[i], begin, until);
    asim_batch_settle(sw);
    for (uint32_t p = 0; p < sw->n_ports; p++)
        catch_up(fabric, sw, p, until);
}
