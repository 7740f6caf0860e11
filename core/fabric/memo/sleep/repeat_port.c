/* SPDX-License-Identifier: GPL-2.0-only
 *
 * See repeat_port.h. A port depends on the wires that carry frames for it. Ports do not influence
 * each other as long as the shared buffer is far from its thresholds: as in bulk windows, of which
 * asim_arrivals_fit_buffer tells whether that holds. All that a port needs are the frames that come
 * in and its own state.
 */
#include "fabric/memo/sleep/repeat_port.h"

#include <stdlib.h>

#include "fabric/memo/sleep/repeat_wire.h"
#include "fabric/memo/sleep/repeat_words.h"
#include "fabric/switch/bulk/egress_batch.h"
#include "fabric/switch/bulk/sleeping.h"
#include "fabric/switch/ecmp.h"

static struct asim_repeat_switch *own_of(const struct asim_fabric *fabric,
                                         const struct asim_switch *sw)
{
    return &fabric->repeats->sw[sw->node - fabric->set.hosts];
}

static uint64_t *row(const struct asim_repeat_switch *own, uint64_t *set, uint32_t p)
{
    return set + (size_t)p * own->n_words;
}

/* The first port of a set from p on; `n`, the number of ports: none. */
static uint32_t next_of(const uint64_t *set, uint32_t p, uint32_t n)
{
    for (; p < n; p = (p / 64 + 1) * 64) {
        uint64_t bits = set[p / 64] >> p % 64;

        if (bits)
            return p + (uint32_t)__builtin_ctzll(bits);
    }
    return n;
}

/* --- memory ----------------------------------------------------------------------------------- */

int asim_repeat_switch_open(struct asim_repeat_switch *own, const struct asim_switch *sw)
{
    size_t n = sw->n_ports + (size_t)1;

    own->n_words = (uint32_t)((n + 63) / 64);
    own->port = calloc(n, sizeof *own->port);
    own->routes = calloc(n * own->n_words, sizeof *own->routes);
    own->deps = calloc(n * own->n_words, sizeof *own->deps);
    own->sleeping.unsteady = calloc(own->n_words, sizeof *own->sleeping.unsteady);
    own->sleeping.ports = calloc(own->n_words, sizeof *own->sleeping.ports);
    own->sleeping.unread = calloc(own->n_words, sizeof *own->sleeping.unread);
    own->sleeping.arrival = calloc(n, sizeof *own->sleeping.arrival);
    own->sleeping.start = calloc(n, sizeof *own->sleeping.start);
    return own->port && own->routes && own->deps && own->sleeping.unsteady && own->sleeping.ports &&
                   own->sleeping.unread && own->sleeping.arrival && own->sleeping.start
               ? 0
               : ASIM_ENOMEM;
}

void asim_repeat_switch_close(struct asim_repeat_switch *own, const struct asim_switch *sw)
{
    for (uint32_t p = 0; own->port && p < sw->n_ports; p++)
        free(own->port[p].words);
    free(own->port);
    free(own->routes);
    free(own->deps);
    free(own->sleeping.unsteady);
    free(own->sleeping.ports);
    free(own->sleeping.unread);
    free(own->sleeping.arrival);
    free(own->sleeping.start);
}

void asim_repeat_switch_reset(struct asim_repeat_switch *own, const struct asim_switch *sw)
{
    size_t set = own->n_words * sizeof(uint64_t);

    memset(own->routes, 0, set * sw->n_ports);
    memset(own->deps, 0, set * sw->n_ports);
    memset(own->sleeping.unsteady, -1, set);
    memset(own->sleeping.ports, 0, set);
    memset(own->sleeping.unread, 0, set);
    own->n_asleep = 0;
    for (uint32_t p = 0; p < sw->n_ports; p++) {
        own->port[p].since = own->port[p].taken_at = ASIM_NEVER;
        own->sleeping.start[p] = UINT64_MAX;
    }
}

/* --- who gets the frames of a wire -------------------------------------------------------------
 */

static void add_route(struct asim_repeat_switch *own, uint32_t in, uint32_t out)
{
    asim_port_set_put(row(own, own->routes, in), out, 1);
    asim_port_set_put(row(own, own->deps, out), in, 1);
}

/* Of the last window that the wire has kept. PFC frames, and frames without a route, concern all
 * ports. */
static void add_routes(struct asim_fabric *fabric, struct asim_switch *sw, uint32_t in)
{
    struct asim_repeat_switch *own = own_of(fabric, sw);
    const struct asim_repeat_wire *wire = asim_repeat_wire_of(fabric->repeats, sw->in[in]);
    uint32_t known = 0; /* steps */

    for (uint32_t i = 0; i < wire->n; i++) {
        struct asim_frame frame = wire->frame[i];
        uint32_t out;

        if (known >> wire->step_of[i] & 1)
            continue;
        known |= wire->step_of[i] < ASIM_REPEAT_STEPS ? 1u << wire->step_of[i] : 0;
        frame.t += asim_repeat_time(fabric->repeats, fabric->repeats->window);
        out = frame.type < ASIM_PAUSE ? asim_ecmp_egress(fabric, sw->shard, &frame) : UINT32_MAX;
        if (out != UINT32_MAX)
            add_route(own, in, out);
        for (uint32_t p = 0; out == UINT32_MAX && p < sw->n_ports; p++)
            add_route(own, in, p);
    }
}

static void remove_routes(struct asim_repeat_switch *own, const struct asim_switch *sw, uint32_t in)
{
    uint64_t *routes = row(own, own->routes, in);

    for (uint32_t out = next_of(routes, 0, sw->n_ports); out < sw->n_ports;
         out = next_of(routes, out + 1, sw->n_ports))
        asim_port_set_put(row(own, own->deps, out), in, 0);
    memset(routes, 0, own->n_words * sizeof *routes);
}

void asim_repeat_ports_disturb(struct asim_fabric *fabric, const struct asim_wire *wire)
{
    struct asim_switch *sw = &fabric->sw[wire->to - fabric->set.hosts];
    struct asim_repeat_switch *own = own_of(fabric, sw);
    const uint64_t *routes = row(own, own->routes, wire->to_port);

    if (!own->port)
        return;
    asim_port_set_put(own->sleeping.unsteady, wire->to_port, 1);
    asim_port_set_put(own->sleeping.unread, wire->to_port, 0);
    add_routes(fabric, sw, wire->to_port);
    for (uint32_t out = next_of(routes, 0, sw->n_ports); out < sw->n_ports;
         out = next_of(routes, out + 1, sw->n_ports))
        if (asim_port_set_has(own->sleeping.ports, out) &&
            ASIM_VEC_PUSH(fabric->repeats->waking, ((struct asim_repeat_unit){sw->node, out})))
            fabric->run.failed = ASIM_ENOMEM;
}

void asim_repeat_ports_settle(struct asim_fabric *fabric, struct asim_switch *sw)
{
    const struct asim_repeats *repeats = fabric->repeats;
    struct asim_repeat_switch *own = own_of(fabric, sw);

    for (uint32_t in = next_of(own->sleeping.unsteady, 0, sw->n_ports); in < sw->n_ports;
         in = next_of(own->sleeping.unsteady, in + 1, sw->n_ports)) {
        if (!asim_repeat_wire_is_steady(repeats, asim_repeat_wire_of(repeats, sw->in[in]),
                                        repeats->window))
            continue;
        asim_port_set_put(own->sleeping.unsteady, in, 0);
        remove_routes(own, sw, in);
        add_routes(fabric, sw, in);
    }
}

static int is_read(const struct asim_repeat_switch *own, uint32_t in)
{
    const uint64_t *routes = row(own, own->routes, in);

    for (uint32_t i = 0; i < own->n_words; i++)
        if (routes[i] & ~own->sleeping.ports[i])
            return 1;
    return 0;
}

/* Keeps the last arrival in a window: what the order of links needs (sleeping.h). */
static void leave_unread(struct asim_fabric *fabric, struct asim_switch *sw, uint32_t in)
{
    struct asim_repeat_switch *own = own_of(fabric, sw);
    const struct asim_repeat_wire *wire = asim_repeat_wire_of(fabric->repeats, sw->in[in]);
    struct asim_port_event *arrival = &own->sleeping.arrival[in];

    asim_repeat_wire_empty(fabric, sw->in[in]);
    asim_port_set_put(own->sleeping.unread, in, 1);
    *arrival = (struct asim_port_event){0, in, (uint32_t)wire->bytes};
    if (wire->n)
        arrival->entry = asim_arrival_entry(in, wire->n - 1, wire->arrival[wire->n - 1].t);
}

void asim_repeat_ports_empty(struct asim_fabric *fabric, struct asim_switch *sw)
{
    const struct asim_repeat_switch *own = own_of(fabric, sw);

    for (uint32_t in = 0; in < sw->n_ports; in++)
        if (!asim_port_set_has(own->sleeping.unread, in) &&
            !asim_port_set_has(own->sleeping.unsteady, in) && !is_read(own, in))
            leave_unread(fabric, sw, in);
}

void asim_repeat_ports_expand(struct asim_fabric *fabric, const struct asim_switch *sw)
{
    for (uint32_t in = 0; in < sw->n_ports; in++) {
        const struct asim_repeat_wire *wire = asim_repeat_wire_of(fabric->repeats, sw->in[in]);

        if (wire->sender_since != ASIM_NEVER && wire->reader_since == ASIM_NEVER)
            asim_repeat_wire_expand(fabric, sw->in[in]);
    }
}

/* --- a port ----------------------------------------------------------------------------------- */

/* The sequence number of a frame in a queue, from the end of the last frame like it that has been
 * sent to the switch: so the growth need not be known. */
static void put_sequence(const struct asim_fabric *fabric, const struct asim_switch *sw,
                         const struct asim_frame *frame, struct asim_repeat_words *words)
{
    const struct asim_repeats *repeats = fabric->repeats;
    struct asim_repeat_wire *in = asim_repeat_wire_of(repeats, sw->in[frame->ingress]);
    const struct asim_repeat_step *step = asim_repeat_step_find(in, frame->flow, frame->type);
    uint64_t windows = repeats->window - 1 - in->seen;

    words->is_excluded |= !step || (windows && step->by == ASIM_NEVER);
    if (!words->is_excluded)
        asim_repeat_put(words, (frame->word1 & ~ASIM_SEQ_MASK) |
                                   ((frame->seq - step->end - step->by * windows) & ASIM_SEQ_MASK));
}

static void put_queue(const struct asim_fabric *fabric, const struct asim_switch *sw,
                      const struct asim_ring *queue, struct asim_repeat_words *words)
{
    asim_repeat_put(words, queue->n);
    for (uint32_t i = 0; i < queue->n && !words->is_excluded; i++) {
        const struct asim_frame *frame = &queue->at[(queue->head + i) & (queue->cap - 1)];

        put_sequence(fabric, sw, frame, words);
        asim_repeat_put(words, frame->flow);
        asim_repeat_put(words, frame->word2);
    }
}

/* The order in which links were served last breaks ties. */
static void put_order(const struct asim_fabric *fabric, const struct asim_switch *sw, uint32_t p,
                      struct asim_repeat_words *words)
{
    const struct asim_repeat_switch *own = own_of(fabric, sw);
    const uint64_t *deps = row(own, own->deps, p);

    for (uint32_t in = next_of(deps, 0, sw->n_ports); in < sw->n_ports;
         in = next_of(deps, in + 1, sw->n_ports)) {
        uint64_t earlier = 0;

        for (uint32_t k = next_of(deps, 0, sw->n_ports); k < sw->n_ports;
             k = next_of(deps, k + 1, sw->n_ports))
            earlier += sw->in[k]->in_seq < sw->in[in]->in_seq;
        asim_repeat_put(words, (uint64_t)in << 32 | earlier);
    }
}

static void put_state(const struct asim_fabric *fabric, const struct asim_switch *sw, uint32_t p,
                      struct asim_repeat_words *words)
{
    const struct asim_switch_port *port = &sw->ports[p];

    asim_repeat_put_port(words, &port->port);
    asim_repeat_put(words, (uint64_t)port->frames << 32 | (uint64_t)port->rr << 16 |
                               (uint64_t)port->pausing << 8 | port->same_tick_ok);
    asim_repeat_put_time(words, port->same_tick_at);
    asim_repeat_put(words, port->same_tick_at >= words->t ? port->same_tick_bytes : 0);
    asim_repeat_put(words, port->peak_bytes);
    asim_repeat_put(words, port->marks);
    asim_repeat_put(words, port->pauses);
    asim_repeat_put(words, port->drops);
    asim_repeat_put(words, port->draws);
    asim_repeat_put(words, own_of(fabric, sw)->sleeping.start[p]);
    put_order(fabric, sw, p, words);
    for (uint32_t q = 0; q < ASIM_QUEUES; q++)
        put_queue(fabric, sw, &port->queue[q], words);
}

/* What comes to port p in that window came in the window before, too. */
static int wires_are_steady(const struct asim_fabric *fabric, const struct asim_switch *sw,
                            uint32_t p, uint64_t window)
{
    const struct asim_repeat_switch *own = own_of(fabric, sw);
    const uint64_t *deps = row(own, own->deps, p);

    for (uint32_t in = next_of(deps, 0, sw->n_ports); in < sw->n_ports;
         in = next_of(deps, in + 1, sw->n_ports))
        if (!asim_repeat_wire_is_steady(fabric->repeats,
                                        asim_repeat_wire_of(fabric->repeats, sw->in[in]), window))
            return 0;
    return 1;
}

/* The messages grow on the wire out as on the wires in. */
static int steps_agree(const struct asim_fabric *fabric, const struct asim_switch *sw, uint32_t p)
{
    const struct asim_repeat_switch *own = own_of(fabric, sw);
    struct asim_repeat_wire *out = asim_repeat_wire_of(fabric->repeats, sw->ports[p].port.out);
    const uint64_t *deps = row(own, own->deps, p);

    for (uint32_t i = 0; i < out->n_steps; i++) {
        uint64_t by = ASIM_NEVER;

        for (uint32_t in = next_of(deps, 0, sw->n_ports); in < sw->n_ports && by == ASIM_NEVER;
             in = next_of(deps, in + 1, sw->n_ports))
            by = asim_repeat_step_of(asim_repeat_wire_of(fabric->repeats, sw->in[in]),
                                     out->step[i].flow, out->step[i].type);
        if (!asim_repeat_step_agrees(&out->step[i], by))
            return 0;
    }
    return 1;
}

/* All queued messages are among those on the wire out, which tells their growth. */
static int knows_queued(const struct asim_fabric *fabric, const struct asim_switch_port *port)
{
    struct asim_repeat_wire *out = asim_repeat_wire_of(fabric->repeats, port->port.out);

    for (uint32_t q = 0; q < ASIM_QUEUES; q++)
        for (uint32_t i = 0; i < port->queue[q].n; i++) {
            const struct asim_ring *queue = &port->queue[q];
            const struct asim_frame *frame = &queue->at[(queue->head + i) & (queue->cap - 1)];

            if (asim_repeat_step_of(out, frame->flow, frame->type) == ASIM_NEVER)
                return 0;
        }
    return 1;
}

int asim_repeat_port_sleep(struct asim_fabric *fabric, struct asim_repeat_unit unit)
{
    struct asim_repeats *repeats = fabric->repeats;
    struct asim_switch *sw = &fabric->sw[unit.node - fabric->set.hosts];
    struct asim_repeat_switch *own = own_of(fabric, sw);
    struct asim_switch_port *port = &sw->ports[unit.port];
    struct asim_repeat_state *state = &own->port[unit.port];
    struct asim_repeat_words words = asim_repeat_words_begin(repeats);

    if (sw->maybe_paused || !wires_are_steady(fabric, sw, unit.port, repeats->window + 1)) {
        state->taken_at = ASIM_NEVER;
        return 0;
    }
    put_state(fabric, sw, unit.port, &words);
    if (!asim_repeat_words_end(repeats, &words, state) ||
        !wires_are_steady(fabric, sw, unit.port, repeats->window) ||
        !asim_repeat_wire_may_leave(fabric, port->port.out) ||
        !steps_agree(fabric, sw, unit.port) || !knows_queued(fabric, port))
        return 0;
    state->since = repeats->window;
    own->n_asleep++;
    asim_port_set_put(own->sleeping.ports, unit.port, 1);
    sw->shard->pending[unit.port / 64] &= ~(1ull << unit.port % 64);
    asim_repeat_wire_leave(repeats, port->port.out);
    return 1;
}

static void move(struct asim_fabric *fabric, struct asim_switch *sw, uint32_t p, uint64_t windows,
                 uint64_t since)
{
    struct asim_switch_port *port = &sw->ports[p];
    struct asim_repeat_wire *out = asim_repeat_wire_of(fabric->repeats, port->port.out);
    uint64_t ticks = windows * fabric->repeats->length;

    asim_port_skip(&port->port, since, ticks);
    if (port->same_tick_at >= since)
        port->same_tick_at += ticks;
    for (uint32_t q = 0; q < ASIM_QUEUES; q++)
        for (uint32_t i = 0; i < port->queue[q].n; i++) {
            struct asim_ring *queue = &port->queue[q];
            struct asim_frame *frame = &queue->at[(queue->head + i) & (queue->cap - 1)];

            frame->seq += asim_repeat_step_of(out, frame->flow, frame->type) * windows;
        }
}

void asim_repeat_port_wake(struct asim_fabric *fabric, struct asim_repeat_unit unit)
{
    struct asim_repeats *repeats = fabric->repeats;
    struct asim_switch *sw = &fabric->sw[unit.node - fabric->set.hosts];
    struct asim_repeat_switch *own = own_of(fabric, sw);
    struct asim_repeat_state *state = &own->port[unit.port];
    const uint64_t *deps = row(own, own->deps, unit.port);

    if (state->since == ASIM_NEVER)
        return;
    move(fabric, sw, unit.port, repeats->window - state->since,
         asim_repeat_time(repeats, state->since));
    state->since = state->taken_at = ASIM_NEVER;
    own->n_asleep--;
    asim_port_set_put(own->sleeping.ports, unit.port, 0);
    sw->shard->pending[unit.port / 64] |= (uint64_t)(sw->ports[unit.port].frames != 0)
                                          << unit.port % 64;
    asim_repeat_wire_send(repeats, sw->ports[unit.port].port.out);
    for (uint32_t in = next_of(deps, 0, sw->n_ports); in < sw->n_ports;
         in = next_of(deps, in + 1, sw->n_ports))
        if (asim_port_set_has(own->sleeping.unread, in)) {
            asim_port_set_put(own->sleeping.unread, in, 0);
            asim_repeat_wire_fill(fabric, sw->in[in]);
        }
    if (ASIM_VEC_PUSH(repeats->awake, unit))
        fabric->run.failed = ASIM_ENOMEM;
}
