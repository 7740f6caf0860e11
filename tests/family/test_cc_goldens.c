/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Recorded ACKs: one sequence of 600 ACKs, given to every congestion control, and the rate of the
 * flow after each hundred. The sequence is a link of 100 Gbit/s that is idle, then congested
 * (marks, delay of 600 us, a queue of 400 kB in the telemetry), then idle again, twice. A second
 * sequence has a delay that grows from 4 to 16 us, across every algorithm's target, with a mark in
 * each tenth ACK of the second half. A rate that differs means that the algorithm has changed: with
 * a reason, the numbers change with it (run with an argument to print them).
 */
#include "check.h"
#include <inttypes.h>
#include <stdlib.h>
#include "cc/cc.h"
#include "cc/flow.h"
#include "conf/netconf.h"

enum { ACKS = 600, EVERY = 100, POINTS = ACKS / EVERY, PAYLOAD = 1000 };

enum sequence { BURSTS, RAMP, SEQUENCES };

static const struct golden {
    const char *name;
    uint64_t rate[SEQUENCES][POINTS]; /* bit/s */
} goldens[] = {
    {"dcqcn",
     {{100000000000u, 100000000u, 100000000u, 100000000u, 100000000u, 100000000u},
      {100000000000u, 100000000000u, 100000000000u, 987522171u, 134009154u, 100000000u}}},
    {"dctcp",
     {{100000000000u, 3463751946u, 8463751946u, 334681846u, 4334681846u, 9334681846u},
      {100000000000u, 100000000000u, 100000000000u, 8171907917u, 1563420142u, 962724591u}}},
    {"hpcc",
     {{100000000000u, 100000000u, 100000000000u, 100000000u, 100000000000u, 100000000000u},
      {100000000000u, 100000000000u, 100000000000u, 100000000000u, 93656771794u, 44889392545u}}},
    {"hpcc_pint",
     {{100000000000u, 186337163u, 3906690979u, 150000000u, 1330894422u, 7548160588u},
      {100000000000u, 100000000000u, 100000000000u, 100000000000u, 100000000000u, 100000000000u}}},
    {"none",
     {{100000000000u, 100000000000u, 100000000000u, 100000000000u, 100000000000u, 100000000000u},
      {100000000000u, 100000000000u, 100000000000u, 100000000000u, 100000000000u, 100000000000u}}},
    {"swift",
     {{51961u, 25980u, 29582u, 29582u, 32790u, 35711u}, {45553u, 1390u, 63u, 10u, 10u, 10u}}},
    {"timely",
     {{100000000000u, 47661771987u, 47911771987u, 22835599519u, 23035599519u, 23485599519u},
      {100000000000u, 100000000000u, 100000000000u, 100000000000u, 100000000000u, 100000000000u}}},
};

struct run {
    const struct asim_cc *cc;
    struct asim_cc_flow flow;
    struct asim_netconf net;
    struct asim_cc_config config;
    struct asim_telemetry seen;
    uint64_t now, sent;
};

static void open_run(struct run *run, const struct asim_cc *cc)
{
    *run = (struct run){.cc = cc, .now = 10000000};
    CHECK(asim_netconf_defaults(&run->net, NULL) == 0);
    run->config =
        (struct asim_cc_config){asim_netconf_cc_options(&run->net, cc), run->net.payload_bytes};
    run->flow = (struct asim_cc_flow){.rate_bps = 100000000000u,
                                      .line_bps = 100000000000u,
                                      .min_bps = run->net.min_rate_bps,
                                      .size = 1000000000u,
                                      .window_bytes = 50000,
                                      .base_rtt_ns = 4000,
                                      .timer_at = UINT64_MAX,
                                      .seed = 1,
                                      .state = cc->state_size ? calloc(1, cc->state_size) : NULL};
    cc->open(&run->flow, &run->config);
}

static void fire_timers(struct run *run, uint64_t until)
{
    for (int i = 0; run->flow.timer_at <= until && i < 100000; i++) {
        uint64_t at = run->flow.timer_at;

        run->flow.timer_at = UINT64_MAX;
        run->cc->on_timer(&run->flow, at, &run->config);
    }
}

/* A packet every 2 us. Bursts: ACKs 100 to 199 and 300 to 399 tell of congestion. */
static void one_ack(struct run *run, enum sequence sequence, int i)
{
    int busy = sequence == BURSTS && (i / 100 == 1 || i / 100 == 3);
    struct asim_cc_ack ack = {.seq = (uint64_t)(i + 1) * PAYLOAD,
                              .marked = sequence == BURSTS ? busy && i % 2
                                                           : i >= ACKS / 2 && i % 10 == 0};

    fire_timers(run, run->now + 2000);
    run->now += 2000;
    run->flow.snd_next = ack.seq + 20 * PAYLOAD;
    run->sent += busy ? 25000 : 5000; /* by the port, with other flows */
    run->seen.hops = 1;
    run->seen.sent_at = run->now - (busy                 ? 604000
                                    : sequence == BURSTS ? 4100
                                                         : 4000 + 20 * (uint64_t)i);
    run->seen.digest = busy ? 150 : 120;
    run->seen.hop[0] = (struct asim_int_hop){.rate_bps = 100000000000u,
                                             .time = run->now & 0xffffff,
                                             .bytes = run->sent / 128 & 0xfffff,
                                             .qlen = busy               ? 5000
                                                     : sequence == RAMP ? (uint32_t)i
                                                                        : 0};
    ack.now = run->now;
    ack.seen = run->cc->needs ? &run->seen : NULL;
    run->cc->on_ack(&run->flow, &ack, &run->config);
}

static void replay(const struct asim_cc *cc, enum sequence sequence, uint64_t rate[POINTS])
{
    struct run run;

    open_run(&run, cc);
    for (int i = 0; i < ACKS; i++) {
        one_ack(&run, sequence, i);
        if (i % EVERY == EVERY - 1) /* Swift steers by its window, at line rate */
            rate[i / EVERY] = cc->own_window ? run.flow.window_bytes : run.flow.rate_bps;
    }
    free(run.flow.state);
    asim_netconf_fini(&run.net);
}

static const struct golden *find(const char *name)
{
    for (size_t g = 0; g < sizeof goldens / sizeof *goldens; g++)
        if (!strcmp(goldens[g].name, name))
            return &goldens[g];
    return NULL;
}

static void print(const char *end, enum sequence sequence, const uint64_t rate[POINTS])
{
    printf("%s{", sequence == BURSTS ? "" : ", ");
    for (int p = 0; p < POINTS; p++)
        printf("%s%" PRIu64 "u", p ? ", " : "", rate[p]);
    printf("}%s", sequence == BURSTS ? "" : end);
}

int main(int argc, char **argv)
{
    (void)argv;
    for (const struct asim_member *const *row = asim_cc_table; *row; row++) {
        const struct golden *golden = find((*row)->name);

        if (!golden)
            printf("no recorded rates: %s\n", (*row)->name);
        if (argc > 1)
            printf("    {\"%s\", {", (*row)->name);
        for (int s = 0; s < SEQUENCES; s++) {
            uint64_t rate[POINTS];

            replay((const struct asim_cc *)*row, s, rate);
            if (argc > 1)
                print("}},\n", s, rate);
            for (int p = 0; golden && argc == 1 && p < POINTS; p++)
                CHECK_U64(rate[p], golden->rate[s][p]);
        }
    }
    for (size_t g = 0; g < sizeof goldens / sizeof *goldens; g++)
        CHECK(asim_cc_choose(goldens[g].name, 0, NULL) != NULL);
    return CHECK_DONE();
}
