/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The contract of all egress schedulers, on a port with random frames and pauses: each value of
 * EGRESS_SCHEDULER has one row; queue 0 goes first; a queue that is served holds a frame and is not
 * paused; a port with such a queue never rests; no queue starves; a frame that passes empty queues
 * leaves what one leaves that was queued and served.
 */
#include "fabric/testbench.h"
#include "fabric/switch/egress/egress.h"
#include "fabric/switch/queue.h"
#include <string.h>

enum { LONGEST = 1036, STEPS = 20000, MOST_WEIGHT = 4, MOST_WAIT = 6 * MOST_WEIGHT * LONGEST / 31 };

static struct testbench *open_port(int kind)
{
    struct testbench *bench = bench_star(2, (const uint64_t[2]){100, 500});

    bench->net.egress_scheduler = kind;
    for (uint32_t q = 1; q < ASIM_QUEUES; q++)
        bench->net.queue_weight[q] = 1 + q % MOST_WEIGHT;
    bench_prepare(bench, 0);
    CHECK(!asim_fabric_use_classes(bench->fabric));
    return bench;
}

static void push(struct testbench *bench, uint32_t q, uint32_t bytes)
{
    struct asim_frame frame = {.wire = (uint16_t)bytes, .type = ASIM_DATA};

    CHECK(!asim_queue_push(bench->fabric->sw, (struct asim_transit){.q = q}, &frame));
}

static uint32_t draw(uint64_t *state, uint32_t n)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33) % n;
}

/* A step: a frame comes, a pause changes, or a frame leaves. waits: departures that each queue has
 * seen since it was served last or was not ready. */
static void step(struct testbench *bench, uint64_t *seed, uint32_t *waits)
{
    struct asim_switch_port *port = bench->fabric->sw->ports;
    uint32_t what = draw(seed, 16), ready, q;

    if (what < 7 && port->frames < 64)
        push(bench, draw(seed, 8) ? 1 + draw(seed, 7) : 0, 31 + draw(seed, LONGEST - 30));
    else if (what == 7)
        port->port.paused ^= (uint8_t)(2u << draw(seed, 7));
    if (what < 8)
        return;
    ready = port->waiting & ~(port->port.paused & ~1u);
    q = asim_queue_next(bench->fabric, port);
    CHECK(ready ? q < ASIM_QUEUES && ready >> q & 1 : q == ASIM_QUEUES);
    CHECK(!(ready & 1) || q == 0);
    if (q == ASIM_QUEUES)
        return;
    asim_queue_drop(port, q);
    for (uint32_t other = 1; q && other < ASIM_QUEUES; other++) {
        waits[other] = other != q && ready >> other & 1 ? waits[other] + 1 : 0;
        CHECK(waits[other] < MOST_WAIT);
    }
}

static void random_port(int kind)
{
    struct testbench *bench = open_port(kind);
    uint32_t waits[ASIM_QUEUES] = {0};
    uint64_t seed = 1;

    for (uint32_t i = 0; i < STEPS; i++)
        step(bench, &seed, waits);
    bench_close(bench);
}

/* Empties a port with frames in several queues, and lets one more frame go by. */
static struct testbench *empty_then(const struct asim_egress_scheduler *row, uint32_t q, int pass)
{
    struct testbench *bench = open_port(row->kind);
    struct asim_switch_port *port = bench->fabric->sw->ports;

    CHECK(bench->fabric->set.scheduler == row);
    for (uint32_t i = 0; i < 30; i++)
        push(bench, 1 + i % 5, 100 + 31 * i);
    while (port->frames)
        asim_queue_drop(port, asim_queue_next(bench->fabric, port));
    if (pass) {
        asim_queue_pass(port, q);
        return bench;
    }
    push(bench, q, 500);
    CHECK_U64(asim_queue_next(bench->fabric, port), q);
    asim_queue_drop(port, q);
    return bench;
}

static void passes(const struct asim_egress_scheduler *row)
{
    for (uint32_t q = 1; q < ASIM_QUEUES; q++) {
        struct testbench *a = empty_then(row, q, 0), *b = empty_then(row, q, 1);
        const struct asim_switch_port *x = a->fabric->sw->ports, *y = b->fabric->sw->ports;

        CHECK_U64(y->rr, x->rr);
        CHECK(!row->state_size || !memcmp(x->scheduler, y->scheduler, row->state_size));
        bench_close(a);
        bench_close(b);
    }
}

int main(void)
{
    struct asim_err err = {0};

    CHECK(asim_family_check(asim_egress_table, "egress scheduler", &err) == 0);
    for (int i = 0; asim_egress_table[i]; i++) {
        const struct asim_egress_scheduler *row =
            (const struct asim_egress_scheduler *)asim_egress_table[i];
        const char *const key[2] = {"EGRESS_SCHEDULER", row->member.name};
        struct asim_netconf net;

        CHECK(asim_netconf_defaults(&net, &err) == 0);
        CHECK(asim_netconf_set(&net, key, &err) == 0);
        CHECK_U64((uint64_t)net.egress_scheduler, (uint64_t)row->kind);
        asim_netconf_fini(&net);
        random_port(row->kind);
        passes(row);
    }
    return CHECK_DONE();
}
