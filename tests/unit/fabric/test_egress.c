/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Deficit round robin in closed form (rdma-network.md#scheduling): the shares of two traffic
 * classes are their weights, to a quantum; what one does not use the other gets; weights change
 * nothing where there is one class.
 */
#include "testbench.h"
#include "cc/cc.h"

enum { GBPS = 100, DELAY_NS = 500, PAYLOAD = 1000, N = 240 };

/* Hosts 1 and 2 send so many packets of classes 3 and 5 to host 0, whose port is the bottleneck. */
static struct testbench *run(int scheduler, const uint32_t packets[2], const uint32_t weight[2])
{
    struct testbench *bench = bench_star(3, (const uint64_t[2]){GBPS, DELAY_NS});

    bench->net.has_win = 0;
    bench->net.enable_qcn = 0;
    bench->net.egress_scheduler = scheduler;
    bench->net.queue_weight[3] = weight[0];
    bench->net.queue_weight[5] = weight[1];
    for (uint32_t i = 0; i < 2; i++) {
        bench_send(bench, 0, (const uint32_t[2]){1 + i, 0}, packets[i] * PAYLOAD);
        bench->msg[i].traffic_class = i ? 5 : 3;
    }
    bench_prepare(bench, 0);
    CHECK(!asim_fabric_use_classes(bench->fabric));
    bench_go(bench);
    bench_check_conserved(bench);
    return bench;
}

/* The time of a message whose last packet is the n-th that the port before host 0 sends: the first
 * one leaves the hosts at 0 and the switch a frame and a delay later. */
static uint64_t ends_as(uint32_t n)
{
    uint64_t frame = asim_tx_ns(PAYLOAD + ASIM_DATA_OVERHEAD, GBPS * 1000000000ull);
    uint64_t ack = asim_tx_ns(ASIM_ACK_WIRE, GBPS * 1000000000ull);

    return (n + 1) * frame + 2 * ack + 4 * DELAY_NS;
}

/* Both ends of a round are a quantum of each queue apart at most. */
static void check_end(const struct testbench *bench, uint32_t i, uint32_t n, uint32_t quanta)
{
    uint64_t frame = asim_tx_ns(PAYLOAD + ASIM_DATA_OVERHEAD, GBPS * 1000000000ull);
    uint64_t t = bench->msg[i].arrived, want = ends_as(n);

    CHECK(t + quanta * frame >= want && t <= want + quanta * frame);
}

static void shares(uint32_t a, uint32_t b)
{
    const uint32_t weight[2] = {a, b}, in_proportion[2] = {a * N, b * N}, equal[2] = {N, N};
    struct testbench *both = run(ASIM_DEFICIT_ROUND_ROBIN, in_proportion, weight);
    struct testbench *one = run(ASIM_DEFICIT_ROUND_ROBIN, equal, weight);
    uint32_t first = a < b;

    for (uint32_t i = 0; i < 2; i++)
        check_end(both, i, (a + b) * N, a + b);
    /* The heavier one ends when it has had its share; the other then has the whole port. */
    check_end(one, first, N * (a + b) / (a > b ? a : b), a + b);
    check_end(one, !first, 2 * N, 1);
    bench_close(both);
    bench_close(one);
}

/* Equal weights and frames: packet by packet in turn, as round robin. */
static void equal_weights(void)
{
    const uint32_t packets[2] = {N, N / 2}, one[2] = {1, 1};
    struct testbench *a = run(ASIM_ROUND_ROBIN, packets, one);
    struct testbench *b = run(ASIM_DEFICIT_ROUND_ROBIN, packets, one);

    for (uint32_t i = 0; i < 2; i++)
        CHECK_U64(b->msg[i].arrived, a->msg[i].arrived);
    bench_close(a);
    bench_close(b);
}

/* Without classes no row acts: the same in windows, with fast paths and all. */
static void one_class(void)
{
    struct testbench *of[4];

    for (int way = 0; way < 4; way++) {
        struct testbench *bench = of[way] = bench_star(8, (const uint64_t[2]){GBPS, DELAY_NS});

        bench->net.egress_scheduler = way % 2 ? ASIM_DEFICIT_ROUND_ROBIN : ASIM_ROUND_ROBIN;
        bench->net.queue_weight[3] = 7;
        for (uint32_t i = 0; i < 128; i++)
            bench_send(bench, 1 + i / 16 * 3000, (const uint32_t[2]){i % 8, (i * 5 + 1) % 8},
                       30000 + i);
        bench_run(bench, way / 2);
        bench_check_conserved(bench);
        for (uint32_t i = 0; i < 128; i++)
            CHECK_U64(bench->msg[i].arrived, of[0]->msg[i].arrived);
    }
    for (int way = 0; way < 4; way++)
        bench_close(of[way]);
}

int main(void)
{
    shares(1, 1);
    shares(3, 1);
    shares(1, 4);
    shares(5, 2);
    equal_weights();
    one_class();
    return CHECK_DONE();
}
