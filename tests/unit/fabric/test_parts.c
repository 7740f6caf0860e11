/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A network dealt to threads, and to processes, against the same network on one of each: random
 * networks and messages, every congestion control, losses, links that go down and up, spraying.
 * The processes are fabrics side by side in this one, whose blocks are handed over by hand, so that
 * everything but the transport is tested here. Each message's times and each wire's counts must be
 * equal.
 */
#include "lab_links.h"
#include "lab_random.h"

#include "fabric/parallel/partition.h"
#include "fabric/parallel/distributed.h"

enum { MOST_PARTS = 4 };

static uint32_t turns; /* networks in several processes whose sides took turns */

/* Losses of all kinds, beside what random_lab draws. */
static struct lab *lossy_lab(uint64_t seed)
{
    struct lab *lab = random_lab(seed);
    const struct asim_link *link = &lab->topo.links[seed % lab->topo.n_links];

    if (seed % 3 == 1)
        lab->net.error_rate = 0.01;
    if (seed % 5 == 1)
        lab->net.loss_recovery = ASIM_SELECTIVE_REPEAT;
    if (seed % 7 == 1)
        lab->net.load_balance = ASIM_SPRAY;
    if (seed % 4 == 2) {
        lab->net.link_down = calloc(2, sizeof *lab->net.link_down);
        lab->net.link_down[0] = (struct asim_link_down){3000 + seed, link->a, link->b, 0};
        lab->net.link_down[1] = (struct asim_link_down){40000 + seed, link->a, link->b, 1};
        lab->net.link_downs = 2;
    }
    return lab;
}

/* A message's times and a wire's counts, from whoever knows them. */
static void compare_wires(const struct lab *one, struct lab *const *labs, const uint32_t *part_of)
{
    for (uint32_t w = 0; w < one->topo.n_links * 2 && check_failures < 10; w++) {
        uint32_t from = one->topo.links[w / 2].a;

        if (w % 2)
            from = one->topo.links[w / 2].b;
        lab_check_link(one, labs[part_of ? part_of[from] : 0], w);
    }
}

static void compare(const struct lab *one, struct lab *const *labs, uint32_t n,
                    const uint32_t *part_of)
{
    struct asim_fabric_stats x, y, sum = {0};

    asim_fabric_stats(one->fabric, &x);
    for (uint32_t p = 0; p < n; p++) {
        asim_fabric_stats(labs[p]->fabric, &y);
        sum.messages += y.messages;
        sum.lost += y.lost;
        sum.again += y.again;
        sum.duplicates += y.duplicates;
        sum.timeouts += y.timeouts;
        CHECK(asim_fabric_audit(labs[p]->fabric, NULL) == 0);
    }
    CHECK_U64(sum.messages, x.messages);
    CHECK_U64(sum.lost, x.lost);
    CHECK_U64(sum.again, x.again);
    CHECK_U64(sum.duplicates, x.duplicates);
    CHECK_U64(sum.timeouts, x.timeouts);
    for (uint32_t i = 0; i < one->n && check_failures < 10; i++) {
        const struct lab_message *m = &one->msg[i];

        CHECK_U64(labs[part_of ? part_of[m->src] : 0]->msg[i].sent, m->sent);
        CHECK_U64(labs[part_of ? part_of[m->dst] : 0]->msg[i].arrived, m->arrived);
        CHECK_U64(labs[part_of ? part_of[m->dst] : 0]->msg[i].n_arrived, m->n_arrived);
    }
    compare_wires(one, labs, part_of);
}

/* Returns whether the lanes went on alone for longer than the smallest link delay. */
static int on_threads(uint64_t seed, const struct lab *one, uint32_t n, int use_memo)
{
    int strides;

    struct lab *lab = lossy_lab(seed);
    struct asim_partition part;

    lab_prepare(lab, 0);
    CHECK(!asim_partition_make(&part, &lab->topo, n, 0, NULL));
    CHECK(!asim_fabric_threads(lab->fabric, n, part.of, NULL));
    CHECK(!use_memo || !asim_fabric_use_memo(lab->fabric));
    lab->fabric->workers.parallel_threshold = 0;
    lab_go(lab);
    compare(one, &lab, 1, NULL);
    strides = lab->fabric->workers.lookahead > lab->fabric->set.lookahead;
    asim_partition_fini(&part);
    lab_close(lab);
    return strides;
}

/* A switch of hosts that belong to n threads in no order, each of which has a shard there. Returns
 * how many windows were bulk. */
static uint32_t on_desks(uint64_t seed, const struct lab *one, uint32_t n)
{
    struct lab *lab = lossy_lab(seed);
    uint32_t *of = calloc(lab->topo.nodes, sizeof *of), bulk = 0;
    uint64_t state = seed;

    for (uint32_t v = 0; v < lab->topo.nodes; v++)
        of[v] = draw(&state, n);
    lab_prepare(lab, 0);
    lab->fabric->workers.min_ports = 2;
    CHECK(!asim_fabric_threads(lab->fabric, n, of, NULL));
    lab->fabric->workers.parallel_threshold = 0;
    lab_start(lab);
    while (asim_fabric_next(lab->fabric) != ASIM_NEVER && !lab->fabric->run.failed) {
        asim_fabric_step(lab->fabric, NULL);
        bulk += lab->fabric->workers.n_sharded && lab->fabric->workers.sharded[0]->due &&
                lab->fabric->workers.sharded[0]->bulk;
    }
    compare(one, &lab, 1, NULL);
    free(of);
    lab_close(lab);
    return bulk;
}

/* What each has for the others goes over at the end of the window. */
static void exchange(struct lab **labs, uint32_t n)
{
    for (uint32_t p = 0; p < n; p++)
        for (uint32_t q = 0; q < n; q++) {
            struct asim_buffer block;

            if (p == q)
                continue;
            CHECK(!asim_remote_pack(labs[p]->fabric, q, &block, NULL));
            CHECK(!asim_remote_unpack(labs[q]->fabric, &block, NULL));
        }
}

/* As the processes of ns-3 do: windows on one grid, those that are empty left out. */
static void run_grid(struct lab **labs, uint32_t n)
{
    uint64_t window = asim_remote_window(labs[0]->fabric);

    for (;;) {
        uint64_t next = ASIM_NEVER;

        for (uint32_t p = 0; p < n; p++) {
            uint64_t one = asim_remote_next(labs[p]->fabric);

            next = one < next ? one : next;
        }
        if (next == ASIM_NEVER)
            return;
        for (uint32_t p = 0; p < n; p++)
            CHECK(!asim_remote_advance(labs[p]->fabric, next + window, NULL));
        exchange(labs, n);
    }
}

/* All or none, and of those that may not all, so that the other way is tried as well. */
static void take_turns(struct lab **labs, uint32_t n, uint64_t seed)
{
    uint32_t may = 0;

    for (uint32_t p = 0; p < n; p++)
        may += asim_remote_may_take_turns(labs[p]->fabric) != 0;
    for (uint32_t p = 0; may == n && seed % 4 && p < n; p++)
        asim_remote_take_turns(labs[p]->fabric);
    turns += may == n && seed % 4;
}

/* Returns whether the network could be cut. threads 0: one, and event by event. */
static int on_processes(uint64_t seed, const struct lab *one, uint32_t n, uint32_t threads)
{
    int per_event = !threads;
    struct lab *labs[MOST_PARTS] = {NULL};
    struct asim_partition lanes, part;
    struct asim_err err = {0};

    threads += !threads;
    CHECK(!asim_partition_make(&lanes, &one->topo, n * threads, 0, NULL));
    CHECK(!asim_partition_fold(&part, &lanes, &one->topo, threads, NULL));
    for (uint32_t p = 0; p < n; p++) {
        labs[p] = lossy_lab(seed);
        labs[p]->part_of = part.of;
        labs[p]->self = p;
        lab_prepare(labs[p], per_event);
        if (!asim_remote_open(labs[p]->fabric, &part, p, &err))
            CHECK(!asim_fabric_threads(labs[p]->fabric, threads, lanes.of, NULL));
        labs[p]->fabric->workers.parallel_threshold = 0;
    }
    if (!err.code && part.cuts) {
        for (uint32_t p = 0; p < n; p++)
            lab_start(labs[p]);
        take_turns(labs, n, seed);
        run_grid(labs, n);
        compare(one, labs, n, part.of);
    }
    for (uint32_t p = 0; p < n; p++)
        lab_close(labs[p]);
    asim_partition_fini(&lanes);
    n = !err.code && part.cuts;
    asim_partition_fini(&part);
    return (int)n;
}

static void whole(const char *slow)
{
    uint32_t cut = 0, strides = 0, bulk = 0;

    for (uint64_t seed = 1; seed <= (slow ? 2 * SEEDS : SEEDS) && check_failures < 20; seed++) {
        struct lab *one = lossy_lab(seed);

        lab_run(one, 0);
        if (seed % 16 == 1)
            strides += (uint32_t)on_threads(seed, one, 2 + seed / 16 % 2, 0);
        if (seed % 16 == 9)
            on_threads(seed, one, 2 + seed / 16 % 2, 1);
        if (seed % 4 < 2 && asim_topo_is_star(&one->topo, one->topo.hosts, 2))
            bulk += on_desks(seed, one, 2 + seed % 2);
        cut += (uint32_t)on_processes(seed, one, 2 + seed % 3, 1);
        if (seed % 4 == 0)
            on_processes(seed, one, 2 + seed / 4 % 3, 0);
        if (seed % 32 == 0)
            cut += (uint32_t)on_processes(seed, one, 2, 2);
        if (check_failures) {
            fprintf(stderr, "  so with seed %llu\n", (unsigned long long)seed);
            lab_close(one);
            return;
        }
        lab_close(one);
    }
    fprintf(stderr,
            "%u networks in several processes, in %u by sides, %u lanes with strides, %u bulk "
            "windows of shared switches\n",
            cut, turns, strides, bulk);
    CHECK(cut > 200 && turns > 50 && strides > 1 && bulk > 1000); /* else it says little */
}

int main(void)
{
    whole(getenv("ASIM_SLOW"));
    return CHECK_DONE();
}
