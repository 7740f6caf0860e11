/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Parts of a network (core/fabric/memo/region/part.h) against frame by frame: servers whose hosts
 * have a switch of their own, and a network between servers. All servers do the same random pattern
 * again and again, at the same time or a little later, with the same hosts or rotated; in some
 * rounds one message of one server differs, is missing, or comes later. Messages between servers go
 * on meanwhile. In the last seeds a server is a leaf of a leaf-spine network, whose hosts have no
 * other switch: then such messages cross the border of two parts. All times at both ends, and all
 * counters of links and hosts must be equal, with one thread and with two, and in two or three
 * processes, which remember their own servers. Some switches send pauses, some drop frames, and in
 * some networks long messages never end. Over all seeds parts must have followed others, and
 * deviated from them.
 */
#include <stdlib.h>
#include <string.h>

#include "fabric/memo/memo.h"
#include "fabric/clock/domains.h"
#include "testbench_processes.h"
#include "topo/partition.h"
#include "net/ways.h"

enum { ITEMS = 48, ROUNDS = 8, SERVERS = 4, PROCESSES = 3, WIRES = 128, HOSTS = 16 };
enum { LONG_FROM = 1100, LEAVES_FROM = 1500, SEEDS = 2000 };

struct item {
    uint32_t src, dst;
    uint64_t bytes, delay;
    int after; /* item whose arrival it follows, -1: the round's begin */
};

struct told {
    uint64_t sent, arrived, start;
    int is_due, is_started;
};

/* What a run leaves. */
struct outcome {
    struct told told[ROUNDS][ITEMS];
    struct asim_link_use links[WIRES];
    struct asim_host_use hosts[HOSTS];
    uint64_t n_fct, fct_ns;
};

/* In a round one item is longer, missing, or late. */
struct deviation {
    uint32_t round, item, kind;
};

static struct item items[ITEMS];
static uint32_t n_items, servers, gpus;
static int has_leaves; /* hosts have no other switch than that of their server */
static struct deviation deviation[2];
static uint64_t round_ns;
static struct outcome outcome;
static struct testbench *bench;
static uint64_t state;

static uint32_t draw(uint32_t below)
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(state >> 33) % below;
}

/* Callbacks run on several threads, and CHECK counts. */
static void must(int is_true)
{
    if (!is_true)
        abort();
}

static int deviates(uint32_t round, uint32_t i, uint32_t kind)
{
    for (int d = 0; d < 2; d++)
        if (deviation[d].round == round && deviation[d].item == i && deviation[d].kind == kind)
            return 1;
    return 0;
}

static void send(struct testbench *own, uint32_t round, uint32_t i)
{
    struct asim_msg msg = {
        .id = round * ITEMS + i, .bytes = items[i].bytes, .src = items[i].src, .dst = items[i].dst};

    outcome.told[round][i].is_started = 1;
    outcome.told[round][i].start = asim_packet_backend.now(bench_net(own), msg.src);
    msg.bytes += deviates(round, i, 0) ? 1000 : 0;
    must(asim_packet_backend.send(bench_net(own), &msg) == 0);
}

static void plan(struct testbench *own, uint32_t round, uint32_t i, uint64_t delay)
{
    struct told *told = &outcome.told[round][i];

    if (deviates(round, i, 1))
        return; /* and so are the messages that follow it */
    delay += deviates(round, i, 2) ? 333 : 0;
    told->is_due = 1;
    told->start = asim_packet_backend.now(bench_net(own), items[i].src) + delay;
    if (delay)
        must(asim_packet_backend.wake_after(bench_net(own), items[i].src, delay) == 0);
    else
        send(own, round, i);
}

static void begin_round(struct testbench *own, uint32_t rank, uint32_t round)
{
    if (round + 1 < ROUNDS)
        must(asim_packet_backend.wake_after(bench_net(own), rank, round_ns) == 0);
    for (uint32_t i = 0; i < n_items; i++)
        if (items[i].after < 0 && items[i].src == rank)
            plan(own, round, i, items[i].delay);
}

static void on_wake(void *self, uint32_t rank)
{
    struct testbench *own = self;
    uint64_t now = asim_packet_backend.now(bench_net(own), rank);

    if (now % round_ns == 0)
        begin_round(own, rank, (uint32_t)(now / round_ns));
    for (uint32_t r = 0; r < ROUNDS; r++)
        for (uint32_t i = 0; i < n_items; i++)
            if (items[i].src == rank && outcome.told[r][i].is_due &&
                !outcome.told[r][i].is_started && outcome.told[r][i].start == now)
                send(own, r, i);
}

static void on_sent(void *self, const struct asim_msg *msg)
{
    outcome.told[msg->id / ITEMS][msg->id % ITEMS].sent =
        asim_packet_backend.now(bench_net(self), msg->src);
}

static void on_arrived(void *self, const struct asim_msg *msg)
{
    uint32_t round = (uint32_t)msg->id / ITEMS, i = (uint32_t)msg->id % ITEMS;

    outcome.told[round][i].arrived = asim_packet_backend.now(bench_net(self), msg->dst);
    for (uint32_t j = 0; j < n_items; j++)
        if (items[j].after == (int)i)
            plan(self, round, j, items[j].delay);
}

/* Leaves with hosts of their own, and spines: a part is a leaf with its hosts. */
static void draw_leaves(void)
{
    static const uint64_t rates[] = {2400, 400, 100}, delays[] = {500, 1000};
    uint32_t hosts = servers * gpus, spines = 1 + draw(3);
    uint64_t delay = delays[draw(2)];
    const uint64_t inner[2] = {rates[draw(3)], delay}, outer[2] = {rates[draw(3)], delay};

    bench = bench_open(hosts, servers + spines);
    for (uint32_t h = 0; h < hosts; h++)
        bench_link(bench, h, hosts + h / gpus,
                   (const uint64_t[2]){inner[0], inner[1] + 500 * (draw(20) == 0)});
    for (uint32_t l = 0; l < servers; l++)
        for (uint32_t s = 0; s < spines; s++)
            bench_link(bench, hosts + l, hosts + servers + s, outer);
}

/* Hosts by server; switches of servers, leaves by rail, spines. */
static void draw_network(void)
{
    static const uint64_t rates[] = {2400, 400, 900}, delays[] = {25, 40, 300};
    uint32_t leaves, spines, hosts;
    uint64_t inner[2] = {rates[draw(3)], delays[draw(3)]};

    servers = 2 + draw(SERVERS - 1);
    gpus = 2 + draw(3);
    if (has_leaves) {
        draw_leaves();
        return;
    }
    hosts = servers * gpus;
    leaves = 1 + draw(gpus);
    spines = leaves > 1 ? 1 + draw(3) : 0;
    bench = bench_open(hosts, servers + leaves + spines);
    for (uint32_t s = 0; s < servers && draw(2); s++)
        bench->topo.node_type[hosts + s] = ASIM_NVSWITCH;
    for (uint32_t h = 0; h < hosts; h++) {
        uint64_t own[2] = {inner[0], inner[1] + 15 * (draw(20) == 0)};

        bench_link(bench, h, hosts + h / gpus, own);
        bench_link(bench, h, hosts + servers + h % gpus % leaves, (const uint64_t[2]){400, 500});
    }
    for (uint32_t l = 0; l < leaves; l++)
        for (uint32_t s = 0; s < spines; s++)
            bench_link(bench, hosts + servers + l, hosts + servers + leaves + s,
                       (const uint64_t[2]){400, 500});
}

/* One pattern for all servers, then messages between servers. */
static void draw_items(int is_long)
{
    static const uint32_t sizes[] = {1, 1000, 8192, 60000}, gaps[] = {0, 10, 400, 3000};
    static const uint32_t long_sizes[] = {8192, 200000, 500000, 499001};
    static const uint32_t later[] = {0, 0, 7, 100};
    uint32_t n = 1 + draw(is_long ? 4 : 8), others = draw(3) ? draw(5) : 0;
    uint64_t shift = later[draw(4)];
    uint32_t turn[SERVERS] = {0}, turns = draw(2) ? gpus : 1;

    for (uint32_t s = 1; s < SERVERS; s++)
        turn[s] = draw(turns);
    n_items = 0;
    for (uint32_t i = 0; i < n; i++) {
        struct item base = {.after = draw(2) && i ? (int)draw(i) : -1};

        base.src = base.after < 0 ? draw(gpus) : items[base.after].dst;
        base.dst = (base.src + 1 + draw(gpus - 1)) % gpus;
        base.bytes = is_long ? long_sizes[draw(4)] : sizes[draw(4)];
        base.delay = gaps[draw(4)] + (base.after < 0);
        for (uint32_t s = 0; s < servers; s++) {
            items[s * n + i] = base;
            items[s * n + i].src = s * gpus + (base.src + turn[s]) % gpus;
            items[s * n + i].dst = s * gpus + (base.dst + turn[s]) % gpus;
            items[s * n + i].after += base.after < 0 ? 0 : (int)(s * n);
            items[s * n + i].delay += base.after < 0 ? s * shift : 0;
        }
    }
    n_items = n * servers;
    for (uint32_t i = 0; i < others; i++, n_items++) {
        struct item *item = &items[n_items];
        uint32_t hosts = servers * gpus;

        item->after = draw(2) ? (int)draw(n_items) : -1;
        item->src = item->after < 0 ? draw(hosts) : items[item->after].dst;
        item->dst = (item->src + 1 + draw(hosts - 1)) % hosts;
        item->bytes = is_long ? long_sizes[draw(4)] : sizes[draw(4)];
        item->delay = gaps[draw(4)] + (item->after < 0);
    }
}

static void draw_deviations(int is_long)
{
    round_ns = (is_long ? 200000 : 20000) + draw(4) * 40000;
    for (int d = 0; d < 2; d++)
        deviation[d] =
            (struct deviation){draw(2) ? ROUNDS : 2 + draw(ROUNDS - 2), draw(n_items), draw(3)};
}

/* Each process tells of the links that its nodes send on, and of its hosts. */
static void keep_outcome(void)
{
    for (uint32_t w = 0; w < bench->topo.n_links * 2; w++) {
        const struct asim_link *link = &bench->topo.links[w / 2];

        if (asim_fabric_owns(bench->fabric, w % 2 ? link->b : link->a))
            asim_fabric_link_use(bench->fabric, w, &outcome.links[w]);
    }
    for (uint32_t h = 0; h < bench->topo.hosts; h++)
        if (asim_fabric_owns(bench->fabric, h))
            asim_fabric_host_use(bench->fabric, h, &outcome.hosts[h]);
    outcome.n_fct += bench->n_fct;
    outcome.fct_ns += bench->fct_ns;
}

/* SHORT: frame by frame, in windows of the shortest link. The others go through servers one by one
 * in windows of the links between (core/fabric/clock/domains.h). */
enum variant { SHORT, FRAME_BY_FRAME, FAST_FORWARD, TWO_THREADS, VARIANTS };

static void set_user(void)
{
    bench->fabric->set.user.wake = on_wake;
    bench->fabric->set.user.sent = on_sent;
    bench->fabric->set.user.arrived = on_arrived;
}

static uint64_t windows[VARIANTS];

/* [nodes] the thread of each: whole servers. */
static const uint32_t *servers_of_threads(void)
{
    static uint32_t of[HOSTS + 3 * SERVERS];

    for (uint32_t v = 0; v < bench->topo.nodes; v++) {
        uint32_t server = v < servers * gpus ? v / gpus : v - servers * gpus;

        of[v] = server % 2;
    }
    return of;
}

static void go(enum variant variant)
{
    struct asim_err err = {0};

    memset(&outcome, 0, sizeof outcome);
    bench_prepare(bench, 0);
    set_user();
    if (variant == SHORT) {
        bench->fabric->set.without = ASIM_WAY_DOMAINS;
        CHECK(asim_domains_open(bench->fabric) == 0);
    }
    if (variant == TWO_THREADS)
        CHECK(asim_fabric_threads(bench->fabric, 2, servers_of_threads(), &err) == 0);
    asim_engine_of(bench->fabric)->workers.parallel_threshold = 0; /* together in each window */
    if (variant >= FAST_FORWARD)
        CHECK(asim_fabric_use_memo(bench->fabric) == 0);
    if (bench->fabric->memo)
        bench->fabric->memo->short_turns = 0; /* long windows at once */
    for (uint32_t h = 0; h < bench->topo.hosts; h++)
        begin_round(bench, h, 0);
    CHECK(asim_fabric_run(bench->fabric, &err) == 0);
    CHECK(asim_fabric_audit(bench->fabric, &err) == 0);
    if (err.code)
        fprintf(stderr, "%s\n", err.text);
    keep_outcome();
    windows[variant] += asim_engine_of(bench->fabric)->run.windows;
}

static uint64_t drops, leaf_replays, leaf_deviations;
static uint64_t inner, replays, rotated, deviations, skipped, with_parts;

/* The counts of what was carried, replayed and skipped add up. */
static void count(void)
{
    struct asim_fabric_stats stats;
    struct asim_memo_use use;
    uint64_t carried = 0;

    asim_fabric_stats(bench->fabric, &stats);
    asim_memo_get_use(bench->fabric, &use);
    for (int i = 0; i < ASIM_CARRIED_REASONS; i++) {
        carried += use.reasons[i].hops;
        CHECK(use.reasons[i].hops <= use.carried);
    }
    CHECK_U64(carried, use.carried);
    CHECK_U64(use.carried + use.replayed + use.skipped, stats.hops);
    if (!bench->fabric->memo || !bench->fabric->memo->parts)
        return;
    with_parts++;
    for (uint32_t i = 0; i < bench->fabric->memo->parts->n_workers; i++)
        inner += bench->fabric->memo->parts->of_worker[i].inner;
    replays += use.replays;
    for (uint32_t w = 0; w < bench->topo.n_links * 2; w++)
        drops += outcome.links[w].drops;
    leaf_replays += has_leaves ? use.replays : 0;
    leaf_deviations += has_leaves ? use.deviations : 0;
    rotated += use.rotated;
    deviations += use.deviations;
    skipped += use.skipped;
}

static void draw_bench(uint64_t seed)
{
    static const uint32_t modes[] = {12, 12, 1, 7, 8};
    int is_long = seed > LEAVES_FROM ? seed % 2 : seed > LONG_FROM;

    state = seed;
    has_leaves = seed > LEAVES_FROM;
    draw_network();
    draw_items(is_long);
    draw_deviations(is_long);
    bench->net.cc_mode = modes[seed % 5];
    for (size_t i = 0; seed % 3 == 0 && i < bench->net.kmin.n; i++) {
        bench->net.kmin.at[i].value = 2000;
        bench->net.kmax.at[i].value = seed % 2 ? 20000 : 4000;
    }
    if (seed % 7 == 0) /* pauses in some switches; without headroom also drops */
        bench->net.buffer_bytes = 60000;
    if (seed % 14 == 0)
        bench->net.headroom_factor = 0;
    if (seed % 11 == 0) { /* longer messages than their windows wait for an ACK for ever */
        bench->net.l2_back_to_zero = 1;
        bench->net.l2_chunk_bytes = 64000;
    }
}

static void compare(const struct outcome *first, uint64_t seed, int variant)
{
    if (memcmp(first, &outcome, sizeof *first) == 0)
        return;
    fprintf(stderr, "seed %llu: variant %d differs\n", (unsigned long long)seed, variant);
    CHECK(0);
}

static uint64_t cut, process_replays, process_deviations;

/* Each process has whole servers, if the network can be cut so. */
static void in_processes(const struct outcome *first, uint64_t seed)
{
    struct testbench *benches[PROCESSES];
    uint32_t n = 2 + (uint32_t)(seed % (PROCESSES - 1)), has_failed = 0;
    struct asim_partition part = {0};
    struct asim_memo_use use;
    struct asim_err err = {0};

    for (uint32_t p = 0; p < n; p++) {
        draw_bench(seed);
        benches[p] = bench;
        if (!p) {
            CHECK(asim_topo_finish(&bench->topo, &err) == 0);
            CHECK(!asim_partition_make(&part, &bench->topo, n, 0, NULL));
        }
        bench->part_of = part.of;
        bench->self = p;
        bench_prepare(bench, 0);
        set_user();
        has_failed |= (uint32_t)(asim_exchange_open(bench->fabric, &part, p, &err) != 0);
        CHECK(has_failed || asim_fabric_use_memo(bench->fabric) == 0);
        if (bench->fabric->memo)
            bench->fabric->memo->short_turns = 0;
    }
    memset(&outcome, 0, sizeof outcome);
    for (uint32_t h = 0; h < bench->topo.hosts && part.cut_links && !has_failed; h++)
        begin_round(benches[part.of[h]], h, 0);
    if (part.cut_links && !has_failed)
        bench_run_grid(benches, n);
    for (uint32_t p = 0; p < n; p++) {
        bench = benches[p];
        keep_outcome();
        asim_memo_get_use(bench->fabric, &use);
        process_replays += use.replays;
        process_deviations += use.deviations;
    }
    if (part.cut_links && !has_failed) {
        compare(first, seed, VARIANTS);
        cut++;
    }
    for (uint32_t p = 0; p < n; p++)
        bench_close(benches[p]);
    asim_partition_fini(&part);
}

static void one(uint64_t seed)
{
    static struct outcome first;

    for (int variant = 0; variant < (seed % 8 ? TWO_THREADS : VARIANTS); variant++) {
        draw_bench(seed);
        go(variant);
        if (variant == SHORT)
            first = outcome;
        count();
        compare(&first, seed, variant);
        bench_close(bench);
    }
    in_processes(&first, seed);
}

int main(void)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        if (check_takes(seed))
            one(seed);
    if (!check_sums())
        return CHECK_DONE();
    CHECK(with_parts > check_share(800));
    CHECK(replays > check_share(10000));
    CHECK(leaf_replays > check_share(5000));
    CHECK(leaf_deviations > check_share(200));
    CHECK(drops > check_share(500));
    fprintf(stderr, "%llu replays of leaves, %llu deviations\n", (unsigned long long)leaf_replays,
            (unsigned long long)leaf_deviations);
    CHECK(inner > check_share(100000));
    CHECK(rotated > check_share(1000));
    CHECK(deviations > check_share(100));
    CHECK(skipped > check_share(100000));
    fprintf(stderr, "%llu networks in processes, %llu replays, %llu deviations\n",
            (unsigned long long)cut, (unsigned long long)process_replays,
            (unsigned long long)process_deviations);
    CHECK(cut > check_share(500) && process_replays > check_share(1000));
    CHECK(process_deviations > check_share(50));
    CHECK(windows[FRAME_BY_FRAME] < windows[SHORT] / 2);
    return CHECK_DONE();
}
