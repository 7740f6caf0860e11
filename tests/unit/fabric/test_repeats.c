/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Hosts and ports that sleep while they repeat their windows (core/fabric/memo/sleep/repeat.h)
 * against frame by frame. Hosts in rings send long messages, each when the last one has arrived,
 * and begin at different times; or they send in one direction only, and not every packet is ACKed.
 * Other messages come between. Rings cross leaves and spines, so that ports are shared, and in some
 * networks the hosts of a server have NVLinks too. Some switches have more than 32 ports, which the
 * order of ties treats in another way (core/fabric/switch/bulk/tie_order.c). All times at both ends
 * and all counters of links and hosts must be equal.
 */
#include <stdlib.h>
#include <string.h>

#include "fabric/memo/memo.h"
#include "testbench.h"

enum { SEEDS = 400, ITEMS = 480, FEW_HOSTS = 16, HOSTS = 80, WIRES = 512, ROUNDS = 6 };

struct item {
    uint32_t src, dst;
    uint64_t bytes, delay;
    int after; /* item whose arrival it follows, -1: none */
};

struct outcome {
    uint64_t sent[ITEMS], arrived[ITEMS], n_fct, fct_ns;
    struct asim_link_use links[WIRES];
    struct asim_host_use hosts[HOSTS];
};

static struct item items[ITEMS];
static uint64_t start[ITEMS];
static int started[ITEMS];
static uint32_t n_items, n_hosts, most_hosts;
static struct testbench *bench;
static struct outcome outcome;
static uint64_t state;

static uint32_t draw(uint32_t below)
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(state >> 33) % below;
}

static void send(uint32_t i)
{
    struct asim_msg msg = {
        .id = i, .bytes = items[i].bytes, .src = items[i].src, .dst = items[i].dst};

    started[i] = 1;
    CHECK(asim_packet_backend.send(bench_net(bench), &msg) == 0);
}

static void plan(uint32_t i)
{
    start[i] = asim_packet_backend.now(bench_net(bench), items[i].src) + items[i].delay;
    if (items[i].delay)
        CHECK(asim_packet_backend.wake_after(bench_net(bench), items[i].src, items[i].delay) == 0);
    else
        send(i);
}

static void on_wake(void *self, uint32_t rank)
{
    uint64_t now = asim_packet_backend.now(bench_net(self), rank);

    for (uint32_t i = 0; i < n_items; i++)
        if (items[i].src == rank && !started[i] && start[i] == now)
            send(i);
}

static void on_sent(void *self, const struct asim_msg *msg)
{
    outcome.sent[msg->id] = asim_packet_backend.now(bench_net(self), msg->src);
}

static void on_arrived(void *self, const struct asim_msg *msg)
{
    outcome.arrived[msg->id] = asim_packet_backend.now(bench_net(self), msg->dst);
    for (uint32_t i = 0; i < n_items; i++)
        if (items[i].after == (int)msg->id)
            plan(i);
}

static void link(uint32_t a, uint32_t b, uint64_t gbps)
{
    bench_link(bench, a, b, (const uint64_t[2]){gbps, 500});
}

/* Hosts below leaves; spines; servers of `gpus` hosts with a switch of their own. */
static void draw_network(void)
{
    static const uint64_t rates[] = {400, 400, 100, 200};
    uint32_t leaves = 1 + draw(3), spines = leaves > 1 ? 1 + draw(3) : 0;
    uint32_t gpus = draw(2) ? 2 + draw(3) : 0, servers, first;
    uint64_t gbps = rates[draw(4)];

    n_hosts = gpus ? gpus * (2 + draw(most_hosts / gpus - 1)) : 3 + draw(most_hosts - 3);
    servers = gpus ? n_hosts / gpus : 0;
    first = n_hosts + servers;
    bench = bench_open(n_hosts, servers + leaves + spines);
    for (uint32_t h = 0; h < n_hosts; h++) {
        if (gpus)
            bench_link(bench, h, n_hosts + h / gpus, (const uint64_t[2]){2400, 25});
        for (uint32_t leg = 0; leg <= (!gpus && draw(8) == 0); leg++)
            link(h, first + (h + leg) % leaves, draw(12) ? gbps : rates[draw(4)]);
    }
    for (uint32_t l = 0; l < leaves; l++)
        for (uint32_t s = 0; s < spines; s++)
            link(first + l, first + leaves + s, draw(12) ? gbps : rates[draw(4)]);
}

static void add(struct item item)
{
    if (n_items < ITEMS)
        items[n_items++] = item;
}

/* In each round all hosts of the ring send to the next one. */
static void draw_ring(uint32_t stride, uint64_t bytes)
{
    uint32_t first = n_items, late = draw(3);

    for (uint32_t r = 0; r < ROUNDS; r++)
        for (uint32_t h = 0; h < n_hosts; h++)
            add((struct item){
                h, (h + stride) % n_hosts, bytes,
                r ? (draw(4) ? 0 : draw(2000)) : 1000 + late * draw(60000),
                r ? (int)(first + (r - 1) * n_hosts + (h + n_hosts - stride) % n_hosts) : -1});
}

/* Every other host sends to the next one. */
static void draw_pairs(uint64_t bytes)
{
    for (uint32_t h = 0; h + 1 < n_hosts; h += 2)
        add((struct item){h, h + 1, bytes, 1000 + draw(60000), -1});
}

static void draw_items(void)
{
    static const uint32_t sizes[] = {1000, 30000, 400000, 1234567};
    uint32_t others = draw(2) * draw(12);

    n_items = 0;
    if (draw(6))
        draw_ring(1 + draw(n_hosts - 1), 1000000 + draw(3) * 2000000 + draw(2) * draw(1000));
    else
        draw_pairs(5000000);
    while (others--) {
        uint32_t src = draw(n_hosts);

        add((struct item){src, (src + 1 + draw(n_hosts - 1)) % n_hosts, sizes[draw(4)],
                          1 + draw(800000), -1});
    }
}

static void draw_settings(uint64_t seed)
{
    static const uint32_t modes[] = {12, 12, 1, 12, 0}, chunks[] = {2000, 3000, 4000};

    bench->net.cc_mode = modes[seed % 5];
    bench->net.has_win = draw(4) != 0;
    bench->net.var_win = draw(2) != 0;
    for (size_t i = 0; i < bench->net.kmin.n; i++) {
        bench->net.kmin.at[i].value = draw(2) ? 400000 : 20000;
        bench->net.kmax.at[i].value = 2 * bench->net.kmin.at[i].value;
    }
    if (draw(5) == 0)
        bench->net.buffer_bytes = 300000;
    if (draw(4) == 0) { /* not every packet is ACKed; a window of less than a chunk never opens */
        bench->net.var_win = 0;
        bench->net.l2_ack_interval_bytes = draw(2) ? 0 : 1000000;
        bench->net.l2_chunk_bytes = chunks[draw(3)];
    }
}

static void draw_bench(uint64_t seed)
{
    state = seed * 0x9e3779b97f4a7c15u;
    most_hosts = seed % 40 ? FEW_HOSTS : HOSTS;
    draw_network();
    draw_items();
    draw_settings(seed);
}

static void keep_outcome(void)
{
    for (uint32_t w = 0; w < bench->topo.n_links * 2; w++)
        asim_fabric_link_use(bench->fabric, w, &outcome.links[w]);
    for (uint32_t h = 0; h < n_hosts; h++)
        asim_fabric_host_use(bench->fabric, h, &outcome.hosts[h]);
    outcome.n_fct = bench->n_fct;
    outcome.fct_ns = bench->fct_ns;
}

static void go(int fast_forward, uint32_t without)
{
    struct asim_err err = {0};

    memset(&outcome, 0, sizeof outcome);
    memset(started, 0, sizeof started);
    memset(start, -1, sizeof start);
    bench_prepare(bench, 0);
    bench->fabric->set.user.wake = on_wake;
    bench->fabric->set.user.sent = on_sent;
    bench->fabric->set.user.arrived = on_arrived;
    bench->fabric->watch.pfc = NULL;
    bench->fabric->set.without |= without;
    if (fast_forward)
        CHECK(asim_fabric_use_memo(bench->fabric) == 0);
    if (bench->fabric->repeats)
        asim_repeats_pause(bench->fabric->repeats, 1, 1);
    for (uint32_t i = 0; i < n_items; i++)
        if (items[i].after < 0)
            plan(i);
    CHECK(asim_fabric_run(bench->fabric, &err) == 0);
    CHECK(asim_fabric_audit(bench->fabric, &err) == 0);
    if (err.code)
        fprintf(stderr, "%s\n", err.text);
    keep_outcome();
}

static void compare(const struct outcome *want)
{
    for (uint32_t i = 0; i < n_items; i++) {
        CHECK_U64(outcome.sent[i], want->sent[i]);
        CHECK_U64(outcome.arrived[i], want->arrived[i]);
        CHECK(outcome.arrived[i] != 0);
    }
    CHECK(!memcmp(outcome.links, want->links, sizeof outcome.links));
    CHECK(!memcmp(outcome.hosts, want->hosts, sizeof outcome.hosts));
    CHECK_U64(outcome.n_fct, want->n_fct);
    CHECK_U64(outcome.fct_ns, want->fct_ns);
}

static uint64_t hops, slept, with_repeats;

static void count(void)
{
    struct asim_fabric_stats stats;

    asim_fabric_stats(bench->fabric, &stats);
    hops += stats.hops;
    if (!bench->fabric->repeats)
        return;
    with_repeats++;
    slept += bench->fabric->repeats->slept;
    CHECK_U64(bench->fabric->repeats->slept, bench->fabric->repeats->saved);
}

static void one(uint64_t seed)
{
    struct outcome first;
    int before = check_failures;

    draw_bench(seed);
    go(0, 0);
    first = outcome;
    bench_close(bench);
    draw_bench(seed);
    go(1, seed % 3 ? ASIM_FAST_STEADY_STATE : 0);
    compare(&first);
    count();
    if (check_failures != before)
        fprintf(stderr, "seed %llu\n", (unsigned long long)seed);
    bench_close(bench);
}

int main(int argc, char **argv)
{
    uint64_t from = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    uint64_t to = argc > 2 ? strtoull(argv[2], NULL, 10) : argc > 1 ? from : SEEDS;

    for (uint64_t seed = from; seed <= to && check_failures < 40; seed++)
        one(seed);
    printf("%llu networks with repeats; %.1f %% of %llu packet-hops slept\n",
           (unsigned long long)with_repeats, hops ? 100.0 * (double)slept / (double)hops : 0,
           (unsigned long long)hops);
    return CHECK_DONE();
}
