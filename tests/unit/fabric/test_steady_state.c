/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The two methods of the memo, each alone and together (core/fabric/memo/README.md): whether it
 * finds a period in periodic traffic, and none in aperiodic traffic, and whether all times and
 * counters equal those of a simulation frame by frame.
 */
#include "fabric/memo/memo.h"
#include "testbench_links.h"
#include "testbench_random.h"
#include "base/mem.h"
#include "net/ways.h"

/* LATE: the ages of wakes saturate (tie_key.h), so that all rounds look alike. */
enum { HOSTS = 6, LATE = 20000000, SWIFT = 100, RANDOM = 40 };

enum pattern {
    RING,    /* each host sends to the next */
    PAIRS,   /* each second host sends to the next, over a slower link than the next has */
    INCAST,  /* all hosts send to host 0 */
    PAUSED,  /* the same with a small buffer, so that the switch pauses them */
    TOLD,    /* the same, and somebody wants a row for each pause */
    REPEATED /* a short ring, again and again with pauses */
};

struct scenario {
    const char *name;
    enum pattern pattern;
    uint64_t bytes;
    uint32_t cc; /* CC_MODE; SWIFT */
    uint64_t kmin, kmax;
    uint32_t without;
    int skips, replays; /* expected; -1: either way */
};

static const struct scenario scenarios[] = {
    {"periodic", RING, 2000000, 12, 400000, 800000, 0, 1, -1},
    {"periodic, without memo", RING, 2000000, 12, 400000, 800000, ASIM_WAY_MEMO, 1, 0},
    {"periodic, off", RING, 2000000, 12, 400000, 800000, ASIM_WAY_STEADY_STATE, 0, -1},
    {"periodic, no marks", RING, 2000000, 1, 400000, 800000, 0, 1, -1},
    {"periodic, dctcp", RING, 200000000, 8, 400000, 800000, 0, 1, -1},
    {"periodic, timely", RING, 200000000, 7, 400000, 800000, 0, 1, -1},
    {"periodic, swift", PAIRS, 20000000, SWIFT, 400000, 800000, 0, 1, -1},
    {"hpcc below its target", PAIRS, 40000000, 3, 400000, 800000, 0, 1, 0},
    {"hpcc at its target", RING, 2000000, 3, 400000, 800000, 0, 0, 0},
    {"draws, pint", RING, 2000000, 10, 400000, 800000, 0, 0, 0},
    {"pauses", PAUSED, 20000000, 12, 1000, 1000, 0, 1, -1},
    {"pauses that somebody sees", TOLD, 20000000, 12, 1000, 1000, 0, -1, -1},
    {"marks at random", INCAST, 400000, 1, 2000, 800000, 0, 0, -1},
    {"marks at random, 12", INCAST, 400000, 12, 2000, 800000, 0, 0, -1},
    {"too short for a period", RING, 8000, 12, 400000, 800000, 0, 0, -1},
    {"repeated", REPEATED, 8000, 12, 400000, 800000, 0, -1, 1},
    {"repeated, without memo", REPEATED, 8000, 12, 400000, 800000, ASIM_WAY_MEMO, -1, 0},
    {"repeated, both off", REPEATED, 8000, 12, 400000, 800000,
     ASIM_WAY_MEMO | ASIM_WAY_STEADY_STATE, 0, 0},
};

static void send_all(struct testbench *bench, const struct scenario *s)
{
    uint32_t times = s->pattern == REPEATED ? 20 : 1;

    for (uint32_t r = 0; r < times; r++)
        for (uint32_t h = 0; h < HOSTS; h++) {
            uint32_t to = s->pattern >= INCAST && s->pattern <= TOLD ? 0 : (h + 1) % HOSTS;

            if (h != to && (s->pattern != PAIRS || h % 2 == 0))
                bench_send(bench, s->pattern == REPEATED ? LATE + r * 100000ull : 1000,
                           (const uint32_t[2]){h, to}, s->bytes);
        }
}

static void set_cc(struct testbench *bench, uint32_t cc)
{
    bench->net.cc_mode = cc == SWIFT ? 0 : cc;
    if (cc == SWIFT)
        bench->net.cc_name = strdup("swift");
}

static struct testbench *run(const struct scenario *s, int fast_forward)
{
    struct testbench *bench = bench_open(HOSTS, 1);

    for (uint32_t h = 0; h < HOSTS; h++)
        bench_link(bench, h, HOSTS,
                   (const uint64_t[2]){s->pattern == PAIRS && h % 2 == 0 ? 100 : 400, 500});
    set_cc(bench, s->cc);
    for (size_t i = 0; i < bench->net.kmin.n; i++) {
        bench->net.kmin.at[i].value = (double)s->kmin;
        bench->net.kmax.at[i].value = (double)s->kmax;
    }
    if (s->pattern == PAUSED || s->pattern == TOLD) {
        bench->net.buffer_bytes = 1 << 20;
        bench->net.has_win = 0;
    }
    send_all(bench, s);
    bench_prepare(bench, 0);
    if (s->pattern == PAUSED)
        bench->fabric->watch->pfc = NULL;
    bench->fabric->set.without = s->without;
    if (fast_forward)
        CHECK(asim_fabric_use_memo(bench->fabric) == 0);
    bench_go(bench);
    bench_check_conserved(bench);
    return bench;
}

static void expect(const struct scenario *s, const char *what, int want, uint64_t saved)
{
    if (want < 0 || want == (saved > 0))
        return;
    fprintf(stderr, "%s: %s %llu packet-hops\n", s->name, what, (unsigned long long)saved);
    CHECK(0);
}

/* Returns the packet-hops. */
static uint64_t expect_same(const struct testbench *a, const struct testbench *b)
{
    struct asim_fabric_stats x, y;

    asim_fabric_stats(a->fabric, &x);
    asim_fabric_stats(b->fabric, &y);
    CHECK_U64(y.hops, x.hops);
    CHECK_U64(y.marks, x.marks);
    CHECK_U64(y.pauses, x.pauses);
    for (uint32_t w = 0; w < a->topo.n_links * 2; w++)
        bench_check_link(a, b, w);
    for (uint32_t i = 0; i < a->n; i++) {
        CHECK_U64(b->msg[i].sent, a->msg[i].sent);
        CHECK_U64(b->msg[i].arrived, a->msg[i].arrived);
    }
    return x.hops;
}

static void one(const struct scenario *s)
{
    struct testbench *a = run(s, 0), *b = run(s, 1);
    struct asim_fabric_stats stats;
    uint64_t hops = expect_same(a, b);

    CHECK((b->fabric->memo != NULL) == (s->cc != 10));
    if (b->fabric->memo) {
        expect(s, "skipped", s->skips, b->fabric->memo->steady.saved);
        expect(s, "replayed", s->replays, b->fabric->memo->saved);
        /* A long message costs its beginning and its end only. */
        CHECK(s->skips != 1 || b->fabric->memo->steady.saved > hops / 2);
        CHECK(s->pattern != TOLD || b->fabric->memo->steady.saved < hops / 2);
        asim_fabric_stats(b->fabric, &stats);
        CHECK(s->pattern != PAUSED || stats.pauses > 1000);
    }
    bench_close(a);
    bench_close(b);
}

/* Long messages between few hosts around one switch or two, some of them at one time, under any
 * congestion control. */
static struct testbench *random_run(uint64_t seed, uint32_t cc, int fast_forward)
{
    static const uint64_t kmin[] = {20000, 400000};
    uint64_t state = seed * 0x9e3779b97f4a7c15u;
    uint32_t switches = 1 + draw(&state, 2), n = 1 + draw(&state, HOSTS);
    struct testbench *bench = bench_open(HOSTS, switches);
    uint64_t gbps = rates[draw(&state, 4)], least = kmin[draw(&state, 2)];
    uint32_t pairs = draw(&state, 2); /* as the pattern PAIRS */

    for (uint32_t h = 0; h < HOSTS; h++)
        bench_link(bench, h, HOSTS + h % switches,
                   (const uint64_t[2]){pairs && h % 2             ? 4 * gbps
                                       : pairs || draw(&state, 4) ? gbps
                                                                  : rates[draw(&state, 4)],
                                       draw(&state, 4) ? 500 : delays[draw(&state, 4)]});
    if (switches > 1)
        bench_link(bench, HOSTS, HOSTS + 1, (const uint64_t[2]){2 * gbps, 500});
    while (n--) {
        uint32_t from = draw(&state, HOSTS), to = (from + 1 + draw(&state, HOSTS - 1)) % HOSTS;

        if (pairs && (from % 2 || to % 2 == 0))
            continue;
        bench_send(bench, 1000 + draw(&state, 3) * 777, (const uint32_t[2]){from, to},
                   100000 + draw(&state, 16000000));
    }
    set_cc(bench, cc);
    if (draw(&state, 3) == 0)
        bench->net.buffer_bytes = 1 << 20;
    bench->net.has_win = draw(&state, 3) != 0;
    bench->net.var_win = draw(&state, 2) != 0;
    for (size_t i = 0; i < bench->net.kmin.n; i++) {
        bench->net.kmin.at[i].value = (double)least;
        bench->net.kmax.at[i].value = (double)least * (draw(&state, 2) ? 1 : 2);
    }
    bench_prepare(bench, 0);
    bench->fabric->watch->pfc = NULL;
    if (fast_forward)
        CHECK(asim_fabric_use_memo(bench->fabric) == 0);
    bench_go(bench);
    return bench;
}

static void random_periods(uint32_t cc)
{
    uint32_t skips = 0;

    for (uint64_t seed = 1; seed <= RANDOM; seed++) {
        if (!check_sums() && !check_takes(seed)) /* few seeds of a control skip, so take all */
            continue;
        struct testbench *a = random_run(seed, cc, 0), *b = random_run(seed, cc, 1);
        int before = check_failures;

        expect_same(a, b);
        skips += b->fabric->memo->steady.saved > 0;
        if (check_failures != before)
            fprintf(stderr, "CC_MODE %u, seed %llu\n", cc, (unsigned long long)seed);
        bench_close(a);
        bench_close(b);
    }
    printf("CC_MODE %u: %u of %u random cases skip periods\n", cc, skips, (unsigned)RANDOM);
    CHECK(!check_sums() || skips > 0);
}

int main(void)
{
    static const uint32_t controls[] = {12, 1, 3, 7, 8, SWIFT};

    for (size_t i = 0; i < sizeof controls / sizeof controls[0]; i++)
        random_periods(controls[i]);

    for (size_t i = 0; i < sizeof scenarios / sizeof scenarios[0]; i++)
        one(&scenarios[i]);
    return CHECK_DONE();
}
