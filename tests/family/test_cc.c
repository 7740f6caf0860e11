/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The contract of every congestion control: all hooks are there, numbers are
 * unique and found, and whatever ACKs a flow gets, marked or not, in bursts or after long silence,
 * its rate stays between the configured floor and its line's. A flow that is never marked again
 * comes back near its line rate. The fields that it lists cover its state.
 */
#include "check.h"
#include <stdlib.h>
#include "cc/cc.h"
#include "cc/flow.h"
#include "conf/netconf.h"

enum { STEPS = 4000, PAYLOAD = 1000 };

struct run {
    const struct asim_cc *cc;
    struct asim_cc_flow flow;
    struct asim_netconf net;
    struct asim_cc_config config;
    uint64_t now, dice, acked;
};

static uint32_t draw(struct run *run, uint32_t below)
{
    run->dice = run->dice * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(run->dice >> 33) % below;
}

static void check_rate(const struct run *run)
{
    CHECK(run->flow.rate_bps >= run->flow.min_bps);
    CHECK(run->flow.rate_bps <= run->flow.line_bps);
}

static void fire_timers(struct run *run, uint64_t until)
{
    int fired = 0;

    while (run->flow.timer_at <= until && fired++ < 100000) {
        uint64_t at = run->flow.timer_at;

        run->flow.timer_at = UINT64_MAX;
        run->now = at > run->now ? at : run->now;
        run->cc->on_timer(&run->flow, run->now, &run->config);
        check_rate(run);
    }
    CHECK(fired < 100000);
    run->now = until;
}

/* One more packet goes and an ACK comes back. */
static void one_ack(struct run *run, int marked, uint64_t later)
{
    struct asim_cc_ack ack;

    fire_timers(run, run->now + later);
    run->flow.snd_next += PAYLOAD;
    run->acked += PAYLOAD;
    ack = (struct asim_cc_ack){.now = run->now, .seq = run->acked, .marked = marked};
    run->cc->on_ack(&run->flow, &ack, &run->config);
    check_rate(run);
}

static void open_run(struct run *run, const struct asim_cc *cc, uint64_t line_bps)
{
    struct asim_err err = {0};

    memset(run, 0, sizeof *run);
    CHECK(asim_netconf_defaults(&run->net, &err) == 0);
    run->config =
        (struct asim_cc_config){asim_netconf_cc_options(&run->net, cc), run->net.payload_bytes};
    run->cc = cc;
    run->dice = line_bps;
    run->flow = (struct asim_cc_flow){.rate_bps = line_bps,
                                      .line_bps = line_bps,
                                      .min_bps = run->net.min_rate_bps,
                                      .snd_next = 20 * PAYLOAD,
                                      .size = 1ull << 40,
                                      .window_bytes = 52000,
                                      .base_rtt_ns = 2080,
                                      .timer_at = UINT64_MAX,
                                      .state = calloc(1, cc->state_size + 1)};
    CHECK(run->flow.state != NULL);
    cc->open(&run->flow, &run->config);
    check_rate(run);
}

static void close_run(struct run *run)
{
    free(run->flow.state);
    asim_netconf_fini(&run->net);
}

static void stays_in_range(const struct asim_cc *cc, uint64_t line_bps)
{
    struct run run;

    open_run(&run, cc, line_bps);
    for (int i = 0; i < STEPS; i++)
        one_ack(&run, draw(&run, 4) == 0, draw(&run, 50) ? 20 + draw(&run, 100) : 2000000);
    for (int i = 0; i < STEPS; i++) /* marked all the time */
        one_ack(&run, 1, 41);
    close_run(&run);
}

static void recovers(const struct asim_cc *cc, uint64_t line_bps)
{
    struct run run;

    if (cc->needs) /* wants telemetry this test has none of */
        return;
    open_run(&run, cc, line_bps);
    for (int i = 0; i < 200; i++)
        one_ack(&run, 1, 41);
    for (int i = 0; i < 60000; i++)
        one_ack(&run, 0, 100000);
    CHECK(run.flow.rate_bps >= line_bps / 10 * 9);
    close_run(&run);
}

static void same_twice(const struct asim_cc *cc)
{
    uint64_t rate[2];

    for (int i = 0; i < 2; i++) {
        struct run run;

        open_run(&run, cc, 200000000000u);
        for (int k = 0; k < 500; k++)
            one_ack(&run, draw(&run, 3) == 0, 30 + draw(&run, 30));
        rate[i] = run.flow.rate_bps;
        close_run(&run);
    }
    CHECK_U64(rate[1], rate[0]);
}

static void check_numbers(const struct asim_cc *cc)
{
    struct asim_err err = {0};

    CHECK(cc->member.name && cc->member.about && cc->open && cc->on_ack && cc->on_timer);
    if (cc->number < 0)
        return;
    CHECK(asim_cc_number((uint32_t)cc->number, &err) == cc);
}

/* Gaps are alignment only: less than a word before a field that is a word or more. */
static void check_fields(const struct asim_cc *cc)
{
    size_t end = 0, rounds = 0, repeated = 0;

    for (const struct asim_cc_field *field = cc->fields; field && field->kind; field++) {
        CHECK(field->offset >= end && field->offset - end < sizeof(uint64_t));
        CHECK(field->size && field->size % sizeof(uint32_t) == 0);
        end = (size_t)field->offset + field->size;
        rounds += field->kind == ASIM_CC_ROUNDS;
        repeated += field->kind == ASIM_CC_REPEATED;
    }
    if (!cc->fields)
        return;
    CHECK(cc->state_size - end < sizeof(uint64_t));
    CHECK(rounds == (cc->repeat != NULL) && (repeated > 0) == (cc->repeat != NULL));
}

static void check_unknown(void)
{
    struct asim_err err = {0};

    CHECK(asim_cc_number(77, &err) == NULL);
    CHECK(strstr(err.text, "CC_MODE 77") && strstr(err.text, "12 none"));
    CHECK(asim_cc_number(0, NULL) == asim_cc_number(12, NULL));
}

int main(void)
{
    static const uint64_t lines[] = {25000000000u, 200000000000u, 2400000000000u};

    for (const struct asim_member *const *row = asim_cc_table; *row; row++) {
        const struct asim_cc *cc = (const struct asim_cc *)*row;

        check_numbers(cc);
        check_fields(cc);
        for (int i = 0; i < 3; i++) {
            stays_in_range(cc, lines[i]);
            recovers(cc, lines[i]);
        }
        same_twice(cc);
    }
    check_unknown();
    CHECK_U64(asim_cc_check(NULL), 0);
    return CHECK_DONE();
}
