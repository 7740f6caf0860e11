/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Where ASTRA-sim ends: more than 1,024 ports on a switch, host ids above 65,535, source ports
 * that wrap round; any queue for data and strict order of the eight; pauses a NIC makes itself;
 * several NICs and planes per host.
 */
#include "fabric/switch/queue.h"
#include "fabric/switch/mmu.h"
#include "testbench.h"
#include "base/map.h"

enum { MANY = 70000 };

static void many_hosts(void)
{
    struct testbench *bench = bench_star(MANY, (const uint64_t[2]){400, 500});
    struct testbench *few = bench_star(2, (const uint64_t[2]){400, 500});

    bench_send(bench, 1, (const uint32_t[2]){0, MANY - 1}, 30000);
    bench_send(bench, 1, (const uint32_t[2]){65536, 69000}, 30000);
    bench_send(few, 1, (const uint32_t[2]){0, 1}, 30000);
    bench_run(bench, 0);
    bench_run(few, 0);
    bench_check_conserved(bench);
    CHECK_U64(bench->msg[0].sent, few->msg[0].sent);
    CHECK_U64(bench->msg[1].sent, few->msg[0].sent);
    CHECK(asim_host_ip(65536) != asim_host_ip(0) && asim_host_ip(65536) != asim_host_ip(256));
    bench_close(bench);
    bench_close(few);
}

static uint16_t last_sport;

static void keep_sport(void *self, const struct asim_fct *row)
{
    bench_fct(self, row);
    last_sport = row->sport;
}

/* 65,536 messages from one host to another use every source port; flows do not mind. */
static void sport_wraps(void)
{
    struct testbench *bench = bench_star(2, (const uint64_t[2]){400, 500});
    uint64_t *sent;

    for (uint32_t i = 0; i < 40; i++)
        bench_send(bench, 1 + i / 2, (const uint32_t[2]){0, 1}, 3000);
    bench_prepare(bench, 0);
    sent = asim_map_put(bench->fabric->host[0].sports, 0, 1);
    *sent = 65536 - 10000 - 20;
    asim_fabric_watcher(bench->fabric)->fct = keep_sport;
    bench_go(bench);
    bench_check_conserved(bench);
    CHECK_U64(last_sport, 19);
    bench_close(bench);
}

/* A loaded switch behaves the same whatever queue its data has. */
static void any_priority_group(void)
{
    uint64_t first[2] = {0, 0};

    for (uint32_t pg = 1; pg < ASIM_QUEUES; pg++) {
        struct testbench *bench = bench_star(8, (const uint64_t[2]){400, 500});

        bench->net.priority_group = pg;
        bench->net.has_win = 0;
        bench->net.buffer_bytes = 1 << 20;
        for (uint32_t i = 1; i < 8; i++)
            bench_send(bench, 1, (const uint32_t[2]){i, 0}, 400000);
        bench_run(bench, 0);
        bench_check_conserved(bench);
        if (pg == 1) {
            first[0] = bench->msg[6].sent;
            first[1] = bench->n_pfc;
            CHECK(bench->n_pfc > 10);
        }
        CHECK_U64(bench->msg[6].sent, first[0]);
        CHECK_U64(bench->n_pfc, first[1]);
        bench_close(bench);
    }
}

static uint32_t order[32];
static uint32_t n_order;

static void keep_order(void *self, enum asim_frame_event what, struct asim_port_id at,
                       const struct asim_frame *frame, uint64_t t)
{
    (void)self, (void)t;
    if (what == ASIM_FRAME_RX && at.node == 1 && n_order < 32)
        order[n_order++] = frame->type == ASIM_DATA ? 3 : frame->slot;
}

/* Two frames wait in each of queues 1 to 7, one in queue 0, when a data frame sets the port off. */
static void eight_queues(void)
{
    static const uint32_t expected[] = {0, 1, 2, 3, 4, 5, 6, 7, 1, 2, 3, 4, 5, 6, 7, 3};
    struct testbench *bench = bench_star(2, (const uint64_t[2]){400, 500});
    struct asim_switch *sw;

    bench_send(bench, 1, (const uint32_t[2]){0, 1}, 500);
    bench_prepare(bench, 0);
    asim_fabric_watch_frames(bench->fabric, keep_order, bench);
    sw = bench->fabric->sw;
    for (uint32_t i = 0; i < 15; i++) {
        struct asim_frame frame = {
            .wire = ASIM_PFC_WIRE, .slot = expected[i], .type = ASIM_RESUME, .dst = 1};

        if (frame.slot)
            asim_mmu_enter(sw, (struct asim_transit){0, 1, frame.slot}, frame.wire);
        CHECK(asim_queue_push(sw, (struct asim_transit){0, 1, frame.slot}, &frame) == 0);
        sw->pfc_generated++;
    }
    bench_go(bench);
    CHECK_U64(n_order, 16);
    for (uint32_t i = 0; i < n_order && i < 16; i++)
        CHECK_U64(order[i], expected[i]);
    bench_check_conserved(bench);
    bench_close(bench);
}

/* Each host pauses its link twice: 10 us, and again 1 ms later. */
static void nic_pauses(void)
{
    struct testbench *bench = bench_star(2, (const uint64_t[2]){100, 500});
    struct asim_err err = {0};

    bench->net.nic_total_pause_count = 2;
    bench_send(bench, 1, (const uint32_t[2]){0, 1}, 30000000);
    bench_run(bench, 0);
    CHECK_U64(bench->n_pfc, 4);
    CHECK_U64(bench->pfc[0][3], 1);
    CHECK_U64(bench->pfc[1][3], 0);
    CHECK_U64(bench->pfc[1][0] - bench->pfc[0][0], 10000);
    CHECK(bench->pfc[2][0] - bench->pfc[1][0] >= 1000000);
    CHECK(asim_fabric_audit(bench->fabric, &err) == 0);
    bench_check_conserved(bench);
    bench_close(bench);
}

/* Four planes: NIC p of each host on switch p. Messages spread over planes, and stay in theirs. */
static void planes(void)
{
    struct testbench *bench = bench_open(4, 4);
    uint64_t least = UINT64_MAX;

    for (uint32_t h = 0; h < 4; h++)
        for (uint32_t p = 0; p < 4; p++)
            bench_link(bench, h, 4 + p, (const uint64_t[2]){100, 500});
    for (uint32_t i = 0; i < 240; i++)
        bench_send(bench, 1, (const uint32_t[2]){i % 4, (i % 4 + 1 + i / 4 % 3) % 4}, 50000);
    bench_run(bench, 0);
    bench_check_conserved(bench);
    for (uint32_t p = 0; p < 4; p++)
        if (bench->fabric->host[0].nics[p].port.out->frames < least)
            least = bench->fabric->host[0].nics[p].port.out->frames;
    CHECK(least > 500); /* of 3,000 data packets and as many ACKs */
    bench_close(bench);
}

int main(void)
{
    many_hosts();
    sport_wraps();
    any_priority_group();
    eight_queues();
    nic_pauses();
    planes();
    return CHECK_DONE();
}
