/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The proof of the fast path (core/fabric/README.md): advancing nodes over safe windows gives, to
 * the byte, what advancing one node at one instant gives. Random star, leaf-spine and parallel-link
 * networks with different rates and delays, random messages with several flows a host, with and
 * without windows, with buffers small enough to pause; every message must come exactly once and no
 * byte may stay behind.
 */
#include "testbench_links.h"
#include "testbench_random.h"

static struct testbench *run(uint64_t seed, int per_event)
{
    struct testbench *bench = random_bench(seed);

    bench_run(bench, per_event);
    return bench;
}

static int by_time(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(uint64_t[4]));
}

/* Also what the two ways of a switch (switch/advance.c, bulk.c) count each for themselves. */
static void compare_links(const struct testbench *a, const struct testbench *b)
{
    for (uint32_t w = 0; w < a->topo.n_links * 2; w++)
        bench_check_link(a, b, w);
}

static void compare(struct testbench *a, struct testbench *b)
{
    struct asim_fabric_stats x, y;

    asim_fabric_stats(a->fabric, &x);
    asim_fabric_stats(b->fabric, &y);
    CHECK_U64(y.hops, x.hops);
    CHECK_U64(y.hop_bytes, x.hop_bytes);
    CHECK_U64(y.pauses, x.pauses);
    CHECK_U64(y.marks, x.marks);
    CHECK_U64(y.drops, x.drops);
    CHECK_U64(y.messages, x.messages);
    CHECK_U64(b->fct_ns, a->fct_ns);
    compare_links(a, b);
    for (uint32_t i = 0; i < a->n && check_failures < 10; i++) {
        CHECK_U64(b->msg[i].sent, a->msg[i].sent);
        CHECK_U64(b->msg[i].arrived, a->msg[i].arrived);
    }
    /* Inside a window nodes are told one after the other: compare as sets. */
    qsort(a->pfc, a->n_pfc, sizeof a->pfc[0], by_time);
    qsort(b->pfc, b->n_pfc, sizeof b->pfc[0], by_time);
    CHECK_U64(b->n_pfc, a->n_pfc);
    if (a->n_pfc < BENCH_PFC)
        CHECK(memcmp(a->pfc, b->pfc, sizeof a->pfc[0] * a->n_pfc) == 0);
}

struct seen {
    uint64_t pauses, marks, lossy, windows[2];
};

static void both_ways(uint64_t seed, struct seen *seen)
{
    int before = check_failures;
    struct testbench *windows = run(seed, 0), *events = run(seed, 1);
    struct asim_fabric_stats stats;

    compare(windows, events);
    asim_fabric_stats(windows->fabric, &stats);
    if (stats.drops) { /* headroom of very short links is too small: defect 12 of the spec */
        seen->lossy++;
        CHECK_U64(asim_fabric_buffered(windows->fabric), 0);
    } else {
        bench_check_conserved(windows);
        bench_check_conserved(events);
    }
    seen->pauses += stats.pauses;
    seen->marks += stats.marks;
    seen->windows[0] += stats.windows;
    asim_fabric_stats(events->fabric, &stats);
    seen->windows[1] += stats.windows;
    if (check_failures > before)
        fprintf(stderr, "  so with seed %llu\n", (unsigned long long)seed);
    bench_close(windows);
    bench_close(events);
}

static void count_frame(void *self, enum asim_frame_event what, struct asim_port_id at,
                        const struct asim_frame *frame, uint64_t t)
{
    uint64_t *seen = self;

    CHECK(what != ASIM_FRAME_DROP && at.port > 0 && frame->wire >= ASIM_PFC_WIRE);
    CHECK(t >= seen[0]); /* whoever watches frames gets them at their own times */
    seen[0] = t;
    seen[1] += what == ASIM_FRAME_TX;
    seen[2] += what == ASIM_FRAME_RX;
}

/* A watcher switches to single events in the middle of a run. */
static void watched(void)
{
    struct testbench *bench = bench_star(3, (const uint64_t[2]){200, 500});
    uint64_t seen[3] = {0};
    struct asim_fabric_stats stats;
    struct asim_err err = {0};

    bench_send(bench, 0, (const uint32_t[2]){0, 1}, 5000);
    bench_send(bench, 0, (const uint32_t[2]){2, 1}, 5000);
    bench_run(bench, 0);
    bench_check_conserved(bench);
    asim_fabric_watch_frames(bench->fabric, count_frame, seen);
    bench_send(bench, 0, (const uint32_t[2]){1, 0}, 3000);
    CHECK(asim_packet_backend.send(
              bench_net(bench),
              &(struct asim_msg){.id = 2, .bytes = 3000, .cookie = 2, .src = 1, .dst = 0}) == 0);
    CHECK(asim_fabric_run(bench->fabric, &err) == 0);
    CHECK_U64(seen[1], 12); /* 3 packets and 3 ACKs, two links each */
    CHECK_U64(seen[2], 12);
    asim_fabric_stats(bench->fabric, &stats);
    CHECK_U64(stats.hops, 20 * 2 + 12);
    bench_close(bench);
}

int main(void)
{
    struct seen seen = {0};

    for (uint64_t seed = 1; seed <= SEEDS && check_failures < 20; seed++)
        both_ways(seed, &seen);
    fprintf(stderr, "%llu pauses, %llu marks, %llu windows, %llu single events\n",
            (unsigned long long)seen.pauses, (unsigned long long)seen.marks,
            (unsigned long long)seen.windows[0], (unsigned long long)seen.windows[1]);
    CHECK(seen.pauses > 100 && seen.marks > 100); /* else the above says little */
    CHECK(seen.lossy < 10);
    CHECK(seen.windows[0] < seen.windows[1]);
    watched();
    return CHECK_DONE();
}
