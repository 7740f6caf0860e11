/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Datagrams of another simulator: a round trip against its closed form, datagrams beside a message
 * on one port, losses, a switch that marks, wrong arguments; the audit after each.
 */
#include "testbench_links.h"
#include "asim/datagram.h"
#include "fabric/host/traffic.h"
#include "asim/err.h"
#include "asim/net.h"
#include "fabric/datagrams.h"
#include "fabric/host/flow.h"
#include "net/net_events.h"

enum { DATAGRAMS = 200, BYTES = 100 };

struct seen {
    struct testbench *bench;
    uint32_t started[DATAGRAMS], arrived[DATAGRAMS], lost[DATAGRAMS], at_host, congested;
    uint64_t at, at_of[DATAGRAMS];
};

static void on_seen(void *self, const struct asim_datagram_seen *what)
{
    struct seen *seen = self;

    CHECK(what->token < DATAGRAMS);
    seen->started[what->token] += what->event == ASIM_DATAGRAM_STARTED;
    seen->arrived[what->token] += what->event == ASIM_DATAGRAM_ARRIVED;
    seen->lost[what->token] += what->event == ASIM_DATAGRAM_LOST;
    if (what->event != ASIM_DATAGRAM_ARRIVED)
        return;
    seen->at_host = what->node;
    seen->at = seen->bench->fabric->host[what->node].now;
    seen->at_of[what->token] = seen->at;
    seen->congested += (uint32_t)what->congested;
}

static struct seen *open_seen(struct testbench *bench)
{
    struct seen *seen = calloc(1, sizeof *seen);
    struct asim_err err = {0};

    if (!seen)
        abort();
    seen->bench = bench;
    bench_prepare(bench, 0);
    CHECK(!asim_fabric_datagrams_open(bench->fabric, on_seen, seen, &err));
    CHECK(bench->fabric->schedule.per_event);
    return seen;
}

static void send(struct testbench *bench, uint64_t now, struct asim_datagram datagram)
{
    struct asim_err err = {0};

    datagram.port = 1;
    CHECK(!asim_fabric_datagram_send(bench->fabric, now, &datagram, &err));
}

static uint64_t tx(uint64_t bytes, uint64_t gbps)
{
    return asim_tx_ns(bytes, gbps * 1000000000);
}

/* 2 n (tx(s + 2) + d), over two links. */
static void round_trip(void)
{
    struct testbench *bench = bench_star(3, (const uint64_t[2]){10, 700});
    struct seen *seen = open_seen(bench);

    bench_start(bench);
    send(bench, 50, (struct asim_datagram){.from = 1, .to = 0, .bytes = BYTES, .token = 0});
    bench_go(bench);
    CHECK_U64(seen->at, 50 + 2 * (tx(BYTES + 2, 10) + 700));
    CHECK_U64(seen->at_host, 0);
    send(bench, seen->at, (struct asim_datagram){.from = 0, .to = 1, .bytes = BYTES, .token = 1});
    bench_go(bench);
    CHECK_U64(seen->at, 50 + 4 * (tx(BYTES + 2, 10) + 700));
    CHECK_U64(seen->at_host, 1);
    CHECK_U64(asim_fabric_datagrams_under_way(bench->fabric), 0);
    bench_check_conserved(bench);
    bench_close(bench);
    free(seen);
}

/* When a message of 200 packets has been sent while `n` full datagrams go to the same host from
 * `from`: the message's own host, or another one. */
static uint64_t beside(uint32_t n, uint32_t from, struct seen **seen)
{
    struct testbench *bench = bench_star(3, (const uint64_t[2]){100, 500});
    uint64_t sent;

    bench->net.has_win = 0;
    bench_send(bench, 0, (const uint32_t[2]){1, 0}, 200000);
    *seen = open_seen(bench);
    bench_start(bench);
    for (uint32_t i = 0; i < n; i++)
        send(bench, 0,
             (struct asim_datagram){.from = from,
                                    .to = 0,
                                    .bytes = asim_fabric_datagram_max(bench->fabric),
                                    .token = i});
    bench_go(bench);
    sent = bench->msg[0].sent;
    for (uint32_t i = 0; i < DATAGRAMS; i++) {
        CHECK_U64((*seen)->started[i], i < n);
        CHECK_U64((*seen)->arrived[i], i < n);
        CHECK_U64((*seen)->lost[i], 0);
    }
    bench_check_conserved(bench);
    bench_close(bench);
    return sent;
}

/* Frames take turns at the NIC, and share the switch's port: the message ends later by the time of
 * the datagrams, but for the last turn. */
static void shares(void)
{
    const uint64_t frame = tx(1036, 100);
    struct seen *seen;
    uint64_t alone = beside(0, 1, &seen), together;

    free(seen);
    together = beside(100, 1, &seen);
    CHECK(together >= alone + 99 * frame && together <= alone + 101 * frame);
    free(seen);
    together = beside(100, 2, &seen);
    CHECK(together >= alone + 98 * frame && together <= alone + 102 * frame);
    free(seen);
}

/* Every datagram arrives or is lost, where links lose frames. */
static void loses(void)
{
    struct testbench *bench = bench_star(3, (const uint64_t[2]){100, 500});
    uint32_t lost = 0;
    struct seen *seen;

    bench->net.error_rate = 0.1;
    seen = open_seen(bench);
    bench_start(bench);
    for (uint32_t i = 0; i < DATAGRAMS; i++)
        send(bench, i, (struct asim_datagram){.from = 2, .to = 1, .bytes = BYTES, .token = i});
    bench_go(bench);
    for (uint32_t i = 0; i < DATAGRAMS; i++) {
        CHECK_U64(seen->arrived[i] + seen->lost[i], 1);
        lost += seen->lost[i];
    }
    CHECK(lost > 10 && lost < 80);
    CHECK_U64(asim_fabric_datagrams_under_way(bench->fabric), 0);
    bench_check_conserved(bench);
    bench_close(bench);
    free(seen);
}

/* A link that goes down: what waits at the NIC waits no longer, and is lost. */
static void loses_waiting(void)
{
    struct testbench *bench = bench_star(3, (const uint64_t[2]){100, 500});
    struct seen *seen = open_seen(bench);
    struct asim_host *host = &bench->fabric->host[2];

    bench_start(bench);
    for (uint32_t i = 0; i < DATAGRAMS; i++)
        send(bench, 0, (struct asim_datagram){.from = 2, .to = 1, .bytes = BYTES, .token = i});
    asim_nic_lose_datagrams(bench->fabric, host, &host->nics[0], 0);
    for (uint32_t i = 0; i < DATAGRAMS; i++) {
        CHECK_U64(seen->started[i], 1);
        CHECK_U64(seen->lost[i], 1);
    }
    CHECK_U64(asim_fabric_datagrams_under_way(bench->fabric), 0);
    bench_go(bench);
    bench_check_conserved(bench);
    bench_close(bench);
    free(seen);
}

/* A link that goes down under a row of datagrams: those before it arrive, those on it and those
 * that wait are lost, each once. */
static void link_down(void)
{
    struct testbench *bench = bench_star(3, (const uint64_t[2]){100, 500});
    uint32_t arrived = 0, full;
    struct seen *seen;

    bench_event(bench, (struct asim_net_event){.kind = ASIM_NET_LINK_DOWN, .at_ns = 5000, .of = 2});
    seen = open_seen(bench);
    full = asim_fabric_datagram_max(bench->fabric);
    bench_start(bench);
    for (uint32_t i = 0; i < DATAGRAMS; i++)
        send(bench, 0, (struct asim_datagram){.from = 2, .to = 1, .bytes = full, .token = i});
    bench_go(bench);
    for (uint32_t i = 0; i < DATAGRAMS; i++) {
        CHECK_U64(seen->started[i], 1);
        CHECK_U64(seen->arrived[i] + seen->lost[i], 1);
        arrived += seen->arrived[i];
    }
    /* Whole frames of 83 ns that have crossed the first link at 5000 ns. */
    CHECK_U64(arrived, (5000 - 500) / tx(1036, 100));
    CHECK_U64(asim_fabric_datagrams_under_way(bench->fabric), 0);
    CHECK(asim_fabric_audit(bench->fabric, NULL) == 0);
    bench_close(bench);
    free(seen);
}

/* Hosts 1 and 2 fill the port of host 0 by 100 full frames. How many come marked with this
 * threshold in frames; the link counts as many. */
static uint32_t marked(uint64_t frames)
{
    struct testbench *bench = bench_star(3, (const uint64_t[2]){100, 500});
    const uint64_t at = frames * 1036;
    struct asim_link_use use;
    struct seen *seen;
    uint32_t n;

    bench_event(bench,
                (struct asim_net_event){
                    .kind = ASIM_NET_ECN, .of = ASIM_NET_ALL, .kmin = at, .kmax = at, .pmax = 1});
    seen = open_seen(bench);
    bench_start(bench);
    for (uint32_t i = 0; i < DATAGRAMS; i++)
        send(bench, 0,
             (struct asim_datagram){.from = 1 + i % 2,
                                    .to = 0,
                                    .bytes = asim_fabric_datagram_max(bench->fabric),
                                    .token = i});
    bench_go(bench);
    n = seen->congested;
    asim_fabric_link_use(bench->fabric, 1, &use); /* the switch to host 0 */
    CHECK_U64(use.frames, DATAGRAMS);
    CHECK_U64(use.marks, n);
    bench_check_conserved(bench);
    bench_close(bench);
    free(seen);
    return n;
}

/* The queue grows to 100 frames and empties again: it is above 20 but for 20 frames at either end.
 */
static void marks(void)
{
    const uint32_t n = marked(20);

    CHECK(n >= DATAGRAMS - 42 && n <= DATAGRAMS - 38);
    CHECK_U64(marked(DATAGRAMS), 0);
}

/* When the last of 40 full datagrams of host 3 comes to host 0, beside 80 from each of hosts 1 and
 * 2 in the queue of RDMA. */
static uint64_t last_of_40(uint8_t queue, uint64_t buffer, uint32_t *pauses)
{
    struct testbench *bench = bench_star(4, (const uint64_t[2]){100, 500});
    struct seen *seen;
    uint64_t last;

    if (buffer)
        bench->net.buffer_bytes = buffer;
    seen = open_seen(bench);
    bench_start(bench);
    for (uint32_t i = 0; i < DATAGRAMS; i++)
        send(bench, 0,
             (struct asim_datagram){.from = i < 40 ? 3 : 1 + i % 2,
                                    .to = 0,
                                    .bytes = asim_fabric_datagram_max(bench->fabric),
                                    .token = i,
                                    .queue = i < 40 ? queue : 0});
    bench_go(bench);
    last = seen->at_of[39];
    *pauses = bench->n_pfc;
    bench_check_conserved(bench);
    bench_close(bench);
    free(seen);
    return last;
}

/* In one queue the last of host 3 waits behind 120 frames; a priority of its own takes turns with
 * the other. Where the buffer is small, PFC holds both. */
static void priorities(void)
{
    const uint64_t frame = tx(1036, 100), way = 2 * 500 + frame;
    uint32_t pauses;
    uint64_t last = last_of_40(0, 0, &pauses);

    CHECK(last >= way + 118 * frame && last <= way + 120 * frame);
    CHECK_U64(pauses, 0);
    CHECK_U64(last_of_40(3, 0, &pauses), last);
    last = last_of_40(5, 0, &pauses);
    CHECK(last >= way + 78 * frame && last <= way + 81 * frame);
    last_of_40(5, 200000, &pauses);
    CHECK(pauses > 0);
}

/* 64 datagrams over four spines, all of one pair of ports or each of its own. */
static void spreads(int different, uint32_t used)
{
    struct testbench *bench = bench_open(2, 6); /* leaves 2 and 3, spines 4 to 7 */
    struct asim_link_use use;
    uint32_t paths = 0;
    uint64_t frames = 0;
    struct seen *seen;

    for (uint32_t leaf = 2; leaf < 4; leaf++) {
        bench_link(bench, leaf - 2, leaf, (const uint64_t[2]){100, 500});
        for (uint32_t spine = 4; spine < 8; spine++)
            bench_link(bench, leaf, spine, (const uint64_t[2]){100, 500});
    }
    seen = open_seen(bench);
    bench_start(bench);
    for (uint32_t i = 0; i < 64; i++)
        send(bench, 0,
             (struct asim_datagram){.from = 0,
                                    .to = 1,
                                    .bytes = BYTES,
                                    .token = i,
                                    .sport = (uint16_t)(different ? 1000 + i : 1000),
                                    .dport = 9});
    bench_go(bench);
    for (uint32_t l = 1; l < 5; l++) {
        asim_fabric_link_use(bench->fabric, 2 * l, &use);
        frames += use.frames;
        paths += use.frames > 0;
    }
    CHECK_U64(frames, 64);
    CHECK_U64(paths, used);
    bench_check_conserved(bench);
    bench_close(bench);
    free(seen);
}

static void refuses(void)
{
    static const struct asim_datagram wrong[] = {
        {.from = 0, .to = 0, .port = 1, .bytes = 20},
        {.from = 3, .to = 0, .port = 1, .bytes = 20},
        {.from = 0, .to = 3, .port = 1, .bytes = 20},
        {.from = 0, .to = 1, .port = 0, .bytes = 20},
        {.from = 0, .to = 1, .port = 2, .bytes = 20},
        {.from = 0, .to = 1, .port = 1, .bytes = 0},
        {.from = 0, .to = 1, .port = 1, .bytes = 19},
        {.from = 0, .to = 1, .port = 1, .bytes = 1035},
        {.from = 0, .to = 1, .port = 1, .bytes = 20, .queue = 8},
    };
    struct testbench *bench = bench_star(3, (const uint64_t[2]){100, 500});
    struct seen *seen = open_seen(bench);

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct asim_err err = {0};

        CHECK_U64(
            (uint64_t)(asim_fabric_datagram_send(bench->fabric, 0, &wrong[i], &err) == ASIM_EINVAL),
            1);
        CHECK(err.text[0]);
    }
    bench_close(bench);
    free(seen);
}

int main(void)
{
    round_trip();
    shares();
    loses();
    loses_waiting();
    link_down();
    marks();
    priorities();
    spreads(0, 1);
    spreads(1, 4);
    refuses();
    return CHECK_DONE();
}
