/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The two methods of the memo, each alone and together (core/fabric/memo/README.md): whether it
 * finds a period in periodic traffic, and none in aperiodic traffic, and whether all times and
 * counters equal those of a simulation frame by frame.
 */
#include "fabric/memo/memo.h"
#include "testbench_links.h"

/* LATE: the ages of wakes saturate (tie_key.h), so that all rounds look alike. */
enum { HOSTS = 6, LATE = 20000000 };

enum pattern {
    RING,    /* each host sends to the next */
    INCAST,  /* all hosts send to host 0 */
    REPEATED /* a short ring, again and again with pauses */
};

struct scenario {
    const char *name;
    enum pattern pattern;
    uint64_t bytes;
    uint32_t cc; /* CC_MODE */
    uint64_t kmin, kmax;
    uint32_t without;
    int skips, replays; /* expected; -1: either way */
};

static const struct scenario scenarios[] = {
    {"periodic", RING, 2000000, 12, 400000, 800000, 0, 1, -1},
    {"periodic, without memo", RING, 2000000, 12, 400000, 800000, ASIM_FAST_MEMO, 1, 0},
    {"periodic, off", RING, 2000000, 12, 400000, 800000, ASIM_FAST_STEADY_STATE, 0, -1},
    {"periodic, no marks", RING, 2000000, 1, 400000, 800000, 0, 1, -1},
    {"marks at random", INCAST, 400000, 1, 2000, 800000, 0, 0, -1},
    {"marks at random, 12", INCAST, 400000, 12, 2000, 800000, 0, 0, -1},
    {"too short for a period", RING, 8000, 12, 400000, 800000, 0, 0, -1},
    {"repeated", REPEATED, 8000, 12, 400000, 800000, 0, -1, 1},
    {"repeated, without memo", REPEATED, 8000, 12, 400000, 800000, ASIM_FAST_MEMO, -1, 0},
    {"repeated, both off", REPEATED, 8000, 12, 400000, 800000,
     ASIM_FAST_MEMO | ASIM_FAST_STEADY_STATE, 0, 0},
};

static void send_all(struct testbench *bench, const struct scenario *s)
{
    uint32_t times = s->pattern == REPEATED ? 20 : 1;

    for (uint32_t r = 0; r < times; r++)
        for (uint32_t h = 0; h < HOSTS; h++) {
            uint32_t to = s->pattern == INCAST ? 0 : (h + 1) % HOSTS;

            if (h != to)
                bench_send(bench, s->pattern == REPEATED ? LATE + r * 100000ull : 1000,
                           (const uint32_t[2]){h, to}, s->bytes);
        }
}

static struct testbench *run(const struct scenario *s, int fast_forward)
{
    struct testbench *bench = bench_star(HOSTS, (const uint64_t[2]){400, 500});

    bench->net.cc_mode = s->cc;
    for (size_t i = 0; i < bench->net.kmin.n; i++) {
        bench->net.kmin.at[i].value = (double)s->kmin;
        bench->net.kmax.at[i].value = (double)s->kmax;
    }
    send_all(bench, s);
    bench_prepare(bench, 0);
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

static void one(const struct scenario *s)
{
    struct testbench *a = run(s, 0), *b = run(s, 1);
    struct asim_fabric_stats x, y;

    asim_fabric_stats(a->fabric, &x);
    asim_fabric_stats(b->fabric, &y);
    CHECK_U64(y.hops, x.hops);
    CHECK_U64(y.marks, x.marks);
    for (uint32_t w = 0; w < a->topo.n_links * 2; w++)
        bench_check_link(a, b, w);
    for (uint32_t i = 0; i < a->n; i++) {
        CHECK_U64(b->msg[i].sent, a->msg[i].sent);
        CHECK_U64(b->msg[i].arrived, a->msg[i].arrived);
    }
    CHECK(b->fabric->memo != NULL);
    if (b->fabric->memo) {
        expect(s, "skipped", s->skips, b->fabric->memo->steady.saved);
        expect(s, "replayed", s->replays, b->fabric->memo->saved);
        /* A long message costs its beginning and its end only. */
        CHECK(s->skips != 1 || b->fabric->memo->steady.saved > x.hops / 2);
    }
    bench_close(a);
    bench_close(b);
}

int main(void)
{
    for (size_t i = 0; i < sizeof scenarios / sizeof scenarios[0]; i++)
        one(&scenarios[i]);
    return CHECK_DONE();
}
