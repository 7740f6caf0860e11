/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Bulk windows of a switch against the same windows event by event (core/fabric/switch/bulk): two
 * switches get the same random frames in their receive rings, and one of them may not use bulk
 * windows. After each window all that they have sent, queued and counted must be equal. Half of the
 * links repeat the frames of another link, so that ties and lockstep occur.
 */
#include "fabric/switch/bulk/switch_shard.h"
#include "testbench.h"
#include "fabric/clock/ways.h"
#include "net/ways.h"
#include "fabric/switch/advance.h"
#include "cc/cc.h"

enum { MOST_PORTS = 40, SEEDS = 1500, WINDOWS = 9 };

static uint64_t state;

static uint32_t draw(uint32_t below)
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(state >> 33) % below;
}

/* --- frames ----------------------------------------------------------------------------------- */

struct plan {
    uint32_t ports, dst_mode, most;
    uint64_t kmin, kmax, buffer;
};

static struct plan draw_plan(void)
{
    struct plan plan = {.ports = draw(4) ? 2 + draw(7) : 33 + draw(MOST_PORTS - 33),
                        .dst_mode = draw(6),
                        .most = 1 + draw(30)};

    plan.kmin = draw(2) ? 400000 : 2000;
    plan.kmax = draw(2) ? 800000 : 6000;
    plan.buffer = draw(3) ? 32 << 20 : plan.ports * 75000 + 4096 * plan.ports + draw(20000);
    return plan;
}

/* Where the frames of port `in` go: to one port, to all, to two in turn, or to port 0 (an incast).
 */
static uint32_t draw_out(const struct plan *plan, uint32_t in, uint32_t index)
{
    uint32_t other = (in + 1 + draw(plan->ports - 1)) % plan->ports;

    switch (plan->dst_mode) {
    case 0:
        return (in + 1) % plan->ports;
    case 1:
        return other;
    case 2:
        return index % 2 ? other : (in + 1) % plan->ports;
    default:
        return in ? 0 : 1;
    }
}

static void append(struct testbench *bench, uint32_t in, const struct asim_frame *frame)
{
    struct asim_switch *sw = bench->fabric->sw;
    struct asim_frame *slot = asim_link_ring_slot(sw->worker, sw->in[in]);

    CHECK(slot != NULL);
    *slot = *frame;
    sw->in[in]->frames++;
    sw->in[in]->bytes += frame->wire;
    asim_link_ring_commit(sw->in[in]);
}

/* One frame of port `in`, at t at the earliest. Returns its arrival. */
static uint64_t draw_frame(const struct plan *plan, uint32_t in, uint32_t index, uint64_t t,
                           struct testbench *const both[2])
{
    static const uint32_t sizes[] = {1036, 1036, 1036, 37, 536};
    int ack = draw(4) == 0;
    uint32_t out = draw_out(plan, in, index), wire = ack ? ASIM_ACK_WIRE : sizes[draw(5)];
    struct asim_frame frame = {.wire = wire & 0xffff,
                               .src = ack ? out : in,
                               .slot = ack ? in : out, /* a flow has one destination */
                               .dst = ack ? 0 : out,
                               .type = ack ? ASIM_ACK : ASIM_DATA,
                               .cause_recency = draw(3) ? 16777000 : 16776990 + draw(200)};

    frame.t = t + both[0]->fabric->sw->in[in]->in_tx[wire] + (draw(3) ? 0 : draw(60));
    append(both[0], in, &frame);
    append(both[1], in, &frame);
    return frame.t;
}

/* The frames of port `like` again, each for the neighbour of its port. */
static void repeat(const struct plan *plan, uint32_t in, uint32_t like,
                   struct testbench *const both[2])
{
    const struct asim_wire *wire = both[0]->fabric->sw->in[like];

    for (uint32_t i = 0; i < asim_link_ring_count(wire); i++) {
        struct asim_frame frame = *asim_link_ring_peek(wire, i);
        uint32_t out =
            ((frame.type == ASIM_DATA ? frame.dst : frame.src) + in - like + plan->ports) %
            plan->ports;

        frame.src = frame.type == ASIM_DATA ? in : out;
        frame.slot = frame.type == ASIM_DATA ? out : in;
        frame.dst = frame.type == ASIM_DATA ? out : 0;
        append(both[0], in, &frame);
        append(both[1], in, &frame);
    }
}

static void draw_frames(const struct plan *plan, struct testbench *const both[2])
{
    for (uint32_t in = 0; in < plan->ports; in++) {
        uint64_t t = 1000 + draw(3) * draw(700);

        if (in && draw(2)) {
            repeat(plan, in, draw(in), both);
            continue;
        }
        for (uint32_t i = 0, n = draw(4) ? draw(plan->most + 1) : 0; i < n; i++)
            t = draw_frame(plan, in, i, t + (draw(6) ? 0 : 500 * draw(3)), both);
    }
}

/* --- comparison ------------------------------------------------------------------------------- */

static void compare_link(const struct asim_wire *a, const struct asim_wire *b)
{
    CHECK_U64(b->frames, a->frames);
    CHECK_U64(b->bytes, a->bytes);
    CHECK_U64(asim_link_ring_count(b), asim_link_ring_count(a));
    for (uint32_t i = 0; i < asim_link_ring_count(a) && check_failures < 10; i++) {
        const struct asim_frame *f = asim_link_ring_peek(a, i), *g = asim_link_ring_peek(b, i);

        CHECK_U64(g->t, f->t);
        CHECK_U64(g->word1, f->word1);
        CHECK_U64(g->flow, f->flow);
        CHECK_U64(g->word2, f->word2);
    }
}

static void compare_port(const struct asim_switch_port *a, const struct asim_switch_port *b,
                         uint64_t until)
{
    int busy[2] = {a->port.busy && a->port.busy_until >= until,
                   b->port.busy && b->port.busy_until >= until};

    CHECK(busy[0] == busy[1]);
    if (busy[0] && busy[1]) {
        CHECK_U64(b->port.busy_until, a->port.busy_until);
        CHECK_U64(b->port.tx_start, a->port.tx_start);
        CHECK_U64(b->port.start_recency, a->port.start_recency);
    }
    CHECK_U64(b->frames, a->frames);
    CHECK_U64(b->bytes, a->bytes);
    CHECK_U64(b->peak_bytes, a->peak_bytes);
    CHECK_U64(b->waiting, a->waiting);
    CHECK_U64(b->pausing, a->pausing);
    CHECK_U64(b->marks, a->marks);
    CHECK_U64(b->draws, a->draws);
    CHECK_U64(b->drops, a->drops);
    CHECK_U64(b->port.in->received, a->port.in->received);
    CHECK_U64(b->port.in->received_bytes, a->port.in->received_bytes);
    CHECK(memcmp(a->occupancy, b->occupancy, sizeof a->occupancy) == 0);
    compare_link(a->port.out, b->port.out);
}

static void compare(const struct asim_switch *a, const struct asim_switch *b, uint64_t until)
{
    CHECK_U64(b->shared_used, a->shared_used);
    CHECK_U64(b->drops, a->drops);
    CHECK_U64(b->pauses, a->pauses);
    for (uint32_t p = 0; p < a->n_ports && check_failures < 10; p++)
        compare_port(&a->ports[p], &b->ports[p], until);
}

/* --- one case ----------------------------------------------------------------------------------
 */

static struct testbench *open_bench(const struct plan *plan)
{
    struct testbench *bench = bench_star(plan->ports, (const uint64_t[2]){400, 500});

    for (size_t i = 0; i < bench->net.kmin.n; i++) {
        bench->net.kmin.at[i].value = (double)plan->kmin;
        bench->net.kmax.at[i].value = (double)plan->kmax;
    }
    bench->net.buffer_bytes = plan->buffer;
    bench_prepare(bench, 0);
    return bench;
}

static uint64_t n_bulk, n_events, n_frames, n_marks, n_pauses;

static void one(uint64_t seed)
{
    struct plan plan;
    struct testbench *both[2];
    struct asim_switch *a, *b;

    state = seed;
    plan = draw_plan();
    both[0] = open_bench(&plan);
    both[1] = open_bench(&plan);
    a = both[0]->fabric->sw;
    b = both[1]->fabric->sw;
    both[0]->fabric->set.without = ASIM_WAY_BULK_SWITCH;
    asim_ways_find(both[0]->fabric);
    draw_frames(&plan, both);
    for (uint64_t w = 2; w < 2 + WINDOWS && check_failures < 10; w++) {
        uint64_t until = w * 500, x, y;

        b->bulk = 0;
        x = asim_switch_advance(both[0]->fabric, a, until);
        y = asim_switch_advance(both[1]->fabric, b, until);
        CHECK_U64(y, x);
        compare(a, b, until);
        n_bulk += b->bulk != 0;
        n_events += b->bulk == 0;
    }
    for (uint32_t p = 0; p < a->n_ports; p++)
        n_frames += a->ports[p].port.out->frames, n_marks += a->ports[p].marks;
    n_pauses += a->pauses;
    if (check_failures)
        fprintf(stderr, "seed %llu\n", (unsigned long long)seed);
    bench_close(both[0]);
    bench_close(both[1]);
}

int main(void)
{
    for (uint64_t seed = 1; seed <= SEEDS && check_failures < 10; seed++)
        one(seed);
    CHECK(n_bulk > SEEDS);
    CHECK(n_events > SEEDS / 4);
    CHECK(n_frames > SEEDS * 10);
    CHECK(n_marks > 100);
    CHECK(n_pauses > 10);
    return CHECK_DONE();
}
