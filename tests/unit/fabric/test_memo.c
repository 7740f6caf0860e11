/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Fast-forward against frame by frame (core/fabric/memo): random networks carry a random pattern of
 * messages again and again. Some messages start at a time, others as another one arrives. In some
 * rounds one message differs, is missing, or is surplus. All times at both ends and all counters of
 * all links must be equal with and without the memo. Over all seeds the memo must have replayed
 * some rounds, abandoned the replay of others, and skipped periods of long messages.
 */
#include <string.h>

#include "fabric/memo/memo.h"
#include "testbench.h"

enum { ITEMS = 12, ROUNDS = 12, SHORT = 400, SEEDS = 600 };

struct item {
    uint32_t src, dst;
    uint64_t bytes, delay;
    int after; /* item whose arrival it follows, -1: the round's begin */
};

struct told {
    uint64_t sent, arrived, start;
    int is_due, is_started;
};

static struct item items[ITEMS];
static uint32_t n_items, deviating_round[2], deviating_item;
static uint64_t round_ns;
static struct told told[ROUNDS][ITEMS];
static struct testbench *bench;
static uint64_t state;

static uint32_t draw(uint32_t below)
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(state >> 33) % below;
}

static void send(uint32_t round, uint32_t i)
{
    struct asim_msg msg = {
        .id = round * ITEMS + i, .bytes = items[i].bytes, .src = items[i].src, .dst = items[i].dst};

    told[round][i].is_started = 1;
    told[round][i].start = asim_packet_backend.now(bench_net(bench), msg.src);
    msg.bytes += round == deviating_round[0] && i == deviating_item ? 1000 : 0;
    CHECK(asim_packet_backend.send(bench_net(bench), &msg) == 0);
}

static void plan(uint32_t round, uint32_t i, uint64_t delay)
{
    if (round == deviating_round[1] && i == deviating_item)
        return; /* missing, and so are the messages that follow it */
    told[round][i].is_due = 1;
    told[round][i].start = asim_packet_backend.now(bench_net(bench), items[i].src) + delay;
    if (delay)
        CHECK(asim_packet_backend.wake_after(bench_net(bench), items[i].src, delay) == 0);
    else
        send(round, i);
}

/* Each round arms the wake of the next one, so that all rounds look alike to a host. */
static void begin_round(uint32_t rank, uint32_t round)
{
    if (round + 1 < ROUNDS)
        CHECK(asim_packet_backend.wake_after(bench_net(bench), rank, round_ns) == 0);
    for (uint32_t i = 0; i < n_items; i++)
        if (items[i].after < 0 && items[i].src == rank)
            plan(round, i, items[i].delay);
}

static void on_wake(void *self, uint32_t rank)
{
    uint64_t now = asim_packet_backend.now(bench_net(bench), rank);

    (void)self;
    if (now % round_ns == 0)
        begin_round(rank, (uint32_t)(now / round_ns));
    for (uint32_t r = 0; r < ROUNDS; r++)
        for (uint32_t i = 0; i < n_items; i++)
            if (told[r][i].is_due && !told[r][i].is_started && items[i].src == rank &&
                told[r][i].start == now)
                send(r, i);
}

static void on_sent(void *self, const struct asim_msg *msg)
{
    (void)self;
    told[msg->id / ITEMS][msg->id % ITEMS].sent =
        asim_packet_backend.now(bench_net(bench), msg->src);
}

static void on_arrived(void *self, const struct asim_msg *msg)
{
    uint32_t round = (uint32_t)msg->id / ITEMS, i = (uint32_t)msg->id % ITEMS;

    (void)self;
    told[round][i].arrived = asim_packet_backend.now(bench_net(bench), msg->dst);
    for (uint32_t j = 0; j < n_items; j++)
        if (items[j].after == (int)i)
            plan(round, j, items[j].delay);
}

static uint32_t draw_network(void)
{
    static const uint64_t rates[] = {100, 400, 400}, delays[] = {25, 500, 500};
    uint32_t hosts = 2 + draw(7), leaves = 1 + draw(3), spines = leaves > 1 ? 1 + draw(3) : 0;

    bench = bench_open(hosts, leaves + spines);
    for (uint32_t h = 0; h < hosts; h++)
        bench_link(bench, h, hosts + h % leaves,
                   (const uint64_t[2]){rates[draw(3)], delays[draw(3)]});
    for (uint32_t l = 0; l < leaves; l++)
        for (uint32_t s = 0; s < spines; s++)
            bench_link(bench, hosts + l, hosts + leaves + s, (const uint64_t[2]){400, 500});
    return hosts;
}

static void draw_items(uint32_t hosts, int is_long)
{
    static const uint32_t sizes[] = {1, 1000, 8192, 60000}, gaps[] = {0, 10, 400, 3000};
    static const uint32_t long_sizes[] = {8192, 300000, 1000000, 999001};

    n_items = 1 + draw(is_long ? 4 : ITEMS);
    for (uint32_t i = 0; i < n_items; i++) {
        struct item *item = &items[i];

        item->after = draw(2) && i ? (int)draw(i) : -1;
        item->src = item->after < 0 ? draw(hosts) : items[item->after].dst;
        item->dst = (item->src + 1 + draw(hosts - 1)) % hosts;
        item->bytes = is_long ? long_sizes[draw(4)] : sizes[draw(4)];
        item->delay = gaps[draw(4)] + (item->after < 0);
    }
    round_ns = (is_long ? 200000 : 20000) + draw(4) * 40000;
    deviating_item = draw(n_items);
    deviating_round[0] = draw(2) ? ROUNDS : 5 + draw(ROUNDS - 5);
    deviating_round[1] = draw(2) ? ROUNDS : 5 + draw(ROUNDS - 5);
}

static void go(int use_memo)
{
    struct asim_err err = {0};

    memset(told, 0, sizeof told);
    bench_prepare(bench, 0);
    bench->fabric->set.user.wake = on_wake;
    bench->fabric->set.user.sent = on_sent;
    bench->fabric->set.user.arrived = on_arrived;
    if (use_memo)
        CHECK(asim_fabric_use_memo(bench->fabric) == 0);
    for (uint32_t h = 0; h < bench->topo.hosts; h++)
        begin_round(h, 0);
    CHECK(asim_fabric_run(bench->fabric, &err) == 0);
    CHECK(asim_fabric_audit(bench->fabric, &err) == 0);
}

static uint64_t saved, wasted, skipped;

/* The counts of what was carried, replayed and skipped add up. */
static void check_use(const struct asim_fabric *fabric)
{
    struct asim_fabric_stats stats;
    struct asim_memo_use use;
    uint64_t carried = 0;

    asim_fabric_stats(fabric, &stats);
    asim_memo_get_use(fabric, &use);
    for (int i = 0; i < ASIM_CARRIED_REASONS; i++)
        carried += use.reasons[i].hops;
    CHECK_U64(carried, use.carried);
    CHECK_U64(use.carried + use.replayed + use.skipped, stats.hops);
    CHECK(!use.off == (fabric->memo != NULL));
    if (fabric->memo) {
        saved += use.replayed;
        wasted += use.wasted;
        skipped += use.skipped;
    }
}

static void one(uint64_t seed)
{
    static const uint32_t modes[] = {12, 12, 1, 7, 8};
    struct told first[ROUNDS][ITEMS];
    struct asim_link_use use[2][64];
    uint32_t cc = modes[seed % 5];

    for (int use_memo = 0; use_memo < 2; use_memo++) {
        state = seed;
        draw_items(draw_network(), seed > SHORT);
        bench->net.cc_mode = cc;
        for (size_t i = 0; seed % 3 == 0 && i < bench->net.kmin.n; i++) {
            bench->net.kmin.at[i].value = 2000;
            bench->net.kmax.at[i].value = seed % 2 ? 20000 : 4000;
        }
        go(use_memo);
        if (!use_memo)
            memcpy(first, told, sizeof told);
        for (uint32_t w = 0; w < bench->topo.n_links * 2 && w < 64; w++)
            asim_fabric_link_use(bench->fabric, w, &use[use_memo][w]);
        check_use(bench->fabric);
        if (use_memo && (memcmp(first, told, sizeof told) != 0 ||
                         memcmp(use[0], use[1], bench->topo.n_links * 2 * sizeof **use) != 0)) {
            fprintf(stderr, "seed %llu: fast-forward differs\n", (unsigned long long)seed);
            CHECK(0);
        }
        bench_close(bench);
    }
}

int main(void)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        if (check_takes(seed))
            one(seed);
    if (!check_sums())
        return CHECK_DONE();
    CHECK(saved > check_share(100000));
    CHECK(wasted > check_share(1000));
    CHECK(skipped > check_share(300000));
    return CHECK_DONE();
}
