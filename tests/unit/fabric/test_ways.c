/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Replays where several ways lead from host to host, against frame by frame. In odd seeds a
 * connection keeps its source port, so ECMP takes its messages over the same way in each round. In
 * even seeds each message has a port of its own, and may take another spine or another of parallel
 * links: then a replay must not take it for the message of an earlier round.
 *
 * First, patterns by hand that must be replayed. Then random networks (leaf-spine, hosts with two
 * NICs, three levels; some spines and links unequal) carry random patterns again and again; some
 * messages come in some rounds only, and in some rounds one differs or is missing. The time and the
 * order of each completion, all counters of links and hosts, and the peaks of queues must be equal
 * with and without the memo, with one thread, two and three.
 */
#include <string.h>

#include "fabric/memo/memo.h"
#include "fabric/clock/workers.h"
#include "testbench.h"

enum { ITEMS = 16, ROUNDS = 28, SEEDS = 900, HOSTS = 16, WIRES = 256 };

struct item {
    uint32_t src, dst, every;
    uint64_t bytes, delay;
    int after; /* item whose arrival it follows, -1: the round's begin */
};

struct told {
    uint64_t sent, arrived, start;
    uint32_t sent_as, arrived_as; /* so many had been told the host before */
    int is_due, is_started;
};

struct outcome {
    struct told told[ROUNDS][ITEMS];
    struct asim_link_use link[WIRES];
    struct asim_host_use host[HOSTS];
    uint64_t fct_ns, n_fct;
};

static struct item items[ITEMS];
static uint32_t n_items, deviating_round[2], deviating_item, n_told[HOSTS];
static uint64_t round_ns, state;
static struct outcome now, first;
static struct testbench *bench;

static uint32_t draw(uint32_t below)
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(state >> 33) % below;
}

/* Callbacks run on several threads, and CHECK counts. */
static void must(int code)
{
    if (!code)
        return;
    bench_lock(bench);
    CHECK(0);
    bench_unlock(bench);
}

static void send(uint32_t round, uint32_t i)
{
    struct asim_msg msg = {
        .id = round * ITEMS + i, .bytes = items[i].bytes, .src = items[i].src, .dst = items[i].dst};

    now.told[round][i].is_started = 1;
    now.told[round][i].start = asim_packet_backend.now(bench_net(bench), msg.src);
    msg.bytes += round == deviating_round[0] && i == deviating_item ? 1000 : 0;
    must(asim_packet_backend.send(bench_net(bench), &msg));
}

static void plan(uint32_t round, uint32_t i, uint64_t delay)
{
    struct told *told = &now.told[round][i];

    if (round == deviating_round[1] && i == deviating_item)
        return; /* missing, and so are the messages that follow it */
    told->is_due = 1;
    told->start = asim_packet_backend.now(bench_net(bench), items[i].src) + delay;
    if (delay)
        must(asim_packet_backend.wake_after(bench_net(bench), items[i].src, delay));
    else
        send(round, i);
}

static void begin_round(uint32_t rank, uint32_t round)
{
    if (round + 1 < ROUNDS)
        must(asim_packet_backend.wake_after(bench_net(bench), rank, round_ns));
    for (uint32_t i = 0; i < n_items; i++)
        if (items[i].after < 0 && items[i].src == rank && (round + i) % items[i].every == 0)
            plan(round, i, items[i].delay);
}

static void on_wake(void *self, uint32_t rank)
{
    uint64_t t = asim_packet_backend.now(bench_net(bench), rank);

    (void)self;
    if (t % round_ns == 0)
        begin_round(rank, (uint32_t)(t / round_ns));
    for (uint32_t r = 0; r < ROUNDS; r++)
        for (uint32_t i = 0; i < n_items; i++)
            if (items[i].src == rank && now.told[r][i].is_due && !now.told[r][i].is_started &&
                now.told[r][i].start == t)
                send(r, i);
}

static void on_sent(void *self, const struct asim_msg *msg)
{
    struct told *told = &now.told[msg->id / ITEMS][msg->id % ITEMS];

    (void)self;
    told->sent = asim_packet_backend.now(bench_net(bench), msg->src);
    told->sent_as = n_told[msg->src]++;
}

static void on_arrived(void *self, const struct asim_msg *msg)
{
    uint32_t round = (uint32_t)msg->id / ITEMS, i = (uint32_t)msg->id % ITEMS;

    (void)self;
    now.told[round][i].arrived = asim_packet_backend.now(bench_net(bench), msg->dst);
    now.told[round][i].arrived_as = n_told[msg->dst]++;
    for (uint32_t j = 0; j < n_items; j++)
        if (items[j].after == (int)i)
            plan(round, j, items[j].delay);
}

static void link_to(uint32_t a, uint32_t b, int may_differ)
{
    static const uint64_t rates[] = {100, 200, 400}, delays[] = {300, 500, 1000};
    int differs = may_differ && draw(4) == 0;

    bench_link(
        bench, a, b,
        (const uint64_t[2]){differs ? rates[draw(3)] : 400, differs ? delays[draw(3)] : 500});
}

/* Each leaf to each spine, by one link or more; some spines or links differ. */
static void join(const uint32_t lower[2], const uint32_t upper[2], int may_differ)
{
    uint32_t links = 1 + (draw(3) == 0);

    for (uint32_t s = upper[0]; s < upper[0] + upper[1]; s++) {
        int differs = may_differ && draw(2);

        for (uint32_t l = lower[0]; l < lower[0] + lower[1]; l++)
            for (uint32_t i = 0; i < links; i++)
                link_to(l, s, differs);
    }
}

static uint32_t draw_leaf_spine(int may_differ)
{
    uint32_t leaves = 2 + draw(3), spines = 2 + draw(3), hosts = leaves * (1 + draw(3));
    uint32_t two = draw(3) == 0;

    bench = bench_open(hosts, leaves + spines);
    for (uint32_t h = 0; h < hosts; h++)
        for (uint32_t k = 0; k <= two; k++)
            link_to(h, hosts + (h + k) % leaves, may_differ);
    join((const uint32_t[2]){hosts, leaves}, (const uint32_t[2]){hosts + leaves, spines},
         may_differ);
    return hosts;
}

/* Two pods of two leaves and two or three switches above them, and cores that join the pods. */
static uint32_t draw_three_levels(int may_differ)
{
    uint32_t hosts = 4 * (1 + draw(2)), above = 2 + draw(2), cores = above;
    uint32_t upper = hosts + 4, top = upper + 2 * above;

    bench = bench_open(hosts, 4 + 2 * above + cores);
    for (uint32_t h = 0; h < hosts; h++)
        link_to(h, hosts + h % 4, may_differ);
    for (uint32_t p = 0; p < 2; p++)
        join((const uint32_t[2]){hosts + 2 * p, 2}, (const uint32_t[2]){upper + p * above, above},
             may_differ);
    for (uint32_t i = 0; i < 2 * above; i++)
        for (uint32_t c = 0; c < cores; c++)
            link_to(upper + i, top + c, may_differ);
    return hosts;
}

static void draw_items(uint32_t hosts)
{
    static const uint32_t sizes[] = {1, 1000, 8192, 60000}, gaps[] = {0, 0, 10, 400};
    uint32_t whole = draw(2);

    n_items = 1 + draw(ITEMS);
    for (uint32_t i = 0; i < n_items; i++) {
        struct item *item = &items[i];

        item->after = draw(2) && i ? (int)draw(i) : -1;
        item->every = whole ? 1 : 1 + draw(3);
        item->src = item->after < 0 ? draw(hosts) : items[item->after].dst;
        item->dst = (item->src + 1 + draw(hosts - 1)) % hosts;
        item->bytes = sizes[draw(4)];
        item->delay = gaps[draw(4)] + (item->after < 0);
    }
    round_ns = 60000 + draw(3) * 40000;
    deviating_item = draw(n_items);
    deviating_round[0] = draw(2) ? ROUNDS : 8 + draw(ROUNDS - 8);
    deviating_round[1] = draw(2) ? ROUNDS : 8 + draw(ROUNDS - 8);
}

static uint64_t replayed, replays, deviations, carried, marks;

static void use_threads(uint32_t threads)
{
    uint32_t of[HOSTS * 4] = {0};
    struct asim_err err = {0};

    for (uint32_t v = 0; v < bench->topo.nodes; v++)
        of[v] = v % threads;
    CHECK(asim_fabric_threads(bench->fabric, threads, of, &err) == 0);
    asim_engine_of(bench->fabric)->workers.parallel_threshold = 0; /* together in each window */
}

static void go(int use_memo, uint32_t threads)
{
    struct asim_err err = {0};

    memset(&now, 0, sizeof now);
    memset(n_told, 0, sizeof n_told);
    bench_prepare(bench, 0);
    bench->fabric->set.user.wake = on_wake;
    bench->fabric->set.user.sent = on_sent;
    bench->fabric->set.user.arrived = on_arrived;
    if (threads > 1)
        use_threads(threads);
    if (use_memo) {
        CHECK(asim_fabric_use_memo(bench->fabric) == 0);
        /* Each round looks for an episode. */
        asim_search_budget_raise(&bench->fabric->memo->of_whole.budget, 1ull << 40);
    }
    for (uint32_t h = 0; h < bench->topo.hosts; h++)
        begin_round(h, 0);
    CHECK(asim_fabric_run(bench->fabric, &err) == 0);
    CHECK(asim_fabric_audit(bench->fabric, &err) == 0);
    for (uint32_t w = 0; w < bench->topo.n_links * 2 && w < WIRES; w++) {
        asim_fabric_link_use(bench->fabric, w, &now.link[w]);
        marks += now.link[w].marks;
    }
    for (uint32_t h = 0; h < bench->topo.hosts; h++)
        asim_fabric_host_use(bench->fabric, h, &now.host[h]);
    now.fct_ns = bench->fct_ns;
    now.n_fct = bench->n_fct;
}

static void count(void)
{
    struct asim_memo_use use;

    asim_memo_get_use(bench->fabric, &use);
    replayed += use.replayed;
    carried += use.carried;
    replays += use.replays;
    deviations += use.deviations;
}

static void compare(uint64_t seed)
{
    if (memcmp(&first, &now, sizeof now) == 0)
        return;
    fprintf(stderr, "seed %llu: fast-forward differs\n", (unsigned long long)seed);
    CHECK(0);
}

static void draw_bench(uint64_t seed)
{
    static const uint32_t modes[] = {12, 12, 1, 7, 8};
    int may_differ = seed % 3 == 0;

    state = seed * 0x9e3779b97f4a7c15ull;
    draw_items(seed % 4 ? draw_leaf_spine(may_differ) : draw_three_levels(may_differ));
    bench->net.cc_mode = modes[seed % 5];
    bench->net.qps_per_connection = seed % 2;
    for (size_t i = 0; seed % 7 < 3 && i < bench->net.kmin.n; i++) {
        bench->net.kmin.at[i].value = 2000;
        bench->net.kmax.at[i].value = seed % 2 ? 20000 : 2001;
    }
}

static void one(uint64_t seed)
{
    draw_bench(seed);
    go(0, 1);
    first = now;
    bench_close(bench);
    for (uint32_t threads = 1; threads <= (seed % 8 ? 1 : 3); threads++) {
        draw_bench(seed);
        go(1, threads);
        count();
        compare(seed);
        bench_close(bench);
    }
}

struct by_hand {
    uint32_t hosts, a_leaf, spines, least; /* least: percent of packet-hops that are replayed */
};

/* Equal spines. Each host sends to the next one, over the same way in each round. */
static void neighbours(const struct by_hand *by_hand)
{
    uint32_t hosts = by_hand->hosts, leaves = hosts / by_hand->a_leaf;

    n_items = hosts;
    round_ns = 100000;
    deviating_round[0] = deviating_round[1] = ROUNDS;
    for (int use_memo = 0; use_memo < 2; use_memo++) {
        bench = bench_open(hosts, leaves + by_hand->spines);
        for (uint32_t h = 0; h < hosts; h++) {
            items[h] = (struct item){h, (h + 1) % hosts, 1, 65536, 1, -1};
            link_to(h, hosts + h / by_hand->a_leaf, 0);
        }
        for (uint32_t l = 0; l < leaves; l++)
            for (uint32_t s = 0; s < by_hand->spines; s++)
                link_to(hosts + l, hosts + leaves + s, 0);
        bench->net.qps_per_connection = 1;
        go(use_memo, 1);
        if (!use_memo) {
            first = now;
        } else {
            replayed = carried = 0;
            count();
            compare(0);
            printf("%u hosts, %u a leaf, %u spines, each to the next: %llu %% replayed\n", hosts,
                   by_hand->a_leaf, by_hand->spines,
                   (unsigned long long)(100 * replayed / (replayed + carried)));
            CHECK(100 * replayed >= by_hand->least * (replayed + carried));
        }
        bench_close(bench);
    }
}

int main(void)
{
    static const struct by_hand by_hand[] = {
        {2, 1, 2, 80}, {2, 1, 8, 80}, {4, 2, 2, 80}, {4, 2, 4, 80}};

    for (size_t i = 0; i < sizeof by_hand / sizeof by_hand[0]; i++)
        neighbours(&by_hand[i]);
    replays = deviations = replayed = carried = marks = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        if (check_takes(seed))
            one(seed);
    printf("%llu replays, %llu deviations; %llu of %llu packet-hops\n", (unsigned long long)replays,
           (unsigned long long)deviations, (unsigned long long)replayed,
           (unsigned long long)(replayed + carried));
    if (!check_sums())
        return CHECK_DONE();
    CHECK(replays > check_share(3000));
    CHECK(deviations > check_share(200));
    CHECK(marks > check_share(1000));
    return CHECK_DONE();
}
