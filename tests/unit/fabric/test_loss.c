/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What only losses bring about, frame by frame: a repeated packet of a message that is through
 * meets the slot's next message, an ACK overtakes a go-back-N (rdma-network.md#loss-recovery), and
 * a link too slow for the table of serialization times.
 */
#include "testbench.h"
#include "fabric/host/qp.h"
#include "fabric/host/receiver.h"
#include "asim/topology.h"
#include "cc/cc.h"
#include <string.h>

/* A bench of two hosts whose first message is over, so that slot 0 of host 0 is free again. */
static struct testbench *used_bench(void)
{
    struct testbench *bench = bench_star(2, (const uint64_t[2]){200, 500});

    bench_send(bench, 1, (const uint32_t[2]){0, 1}, 1000);
    bench_run(bench, 0);
    bench_check_conserved(bench);
    return bench;
}

static struct asim_flow *open_second(struct testbench *bench, uint32_t *slot, uint64_t bytes)
{
    struct asim_host *host = &bench->fabric->host[0];
    struct asim_msg msg = {.id = 1, .bytes = bytes, .src = 0, .dst = 1};
    struct asim_flow *flow;

    *slot = (uint32_t)asim_flow_alloc(host, &msg, 10000);
    flow = asim_flow_of(bench->fabric, 0, *slot);
    asim_flow_open(bench->fabric, host, *slot);
    CHECK(asim_nic_add(host, flow->nic, *slot) == 0);
    return flow;
}

static void late_duplicate(void)
{
    struct testbench *bench = used_bench();
    struct asim_host *to = &bench->fabric->host[1];
    uint32_t slot;
    struct asim_flow *flow = open_second(bench, &slot, 5000);
    struct asim_rx *rx = asim_rx_of(bench->fabric, 0, slot);
    struct asim_frame frame = {.src = 0, .dst = 1, .wire = 1036, .type = ASIM_DATA};

    CHECK(slot == 0 && flow->generation == 2);
    frame.slot = 2u << 24 | slot;
    asim_receiver_data(bench->fabric, to, &frame);
    CHECK_U64(rx->next, 1000);
    frame.slot = 1u << 24 | slot; /* of the first message */
    asim_receiver_data(bench->fabric, to, &frame);
    CHECK_U64(rx->next, 1000);
    CHECK_U64(rx->begun_generation, 2);
    CHECK_U64(to->nics[0].acks.n, 0); /* nor is it answered: the first ACK is on its way */
    bench_close(bench);
}

static void overtaking_ack(void)
{
    struct testbench *bench = used_bench();
    struct asim_host *host = &bench->fabric->host[0];
    uint32_t slot;
    struct asim_flow *flow = open_second(bench, &slot, 5000);
    struct asim_frame ack = {.src = 0, .dst = 0, .wire = ASIM_ACK_WIRE, .type = ASIM_ACK};

    ack.slot = (uint32_t)flow->generation << 24 | slot;
    ack.seq = 3000; /* sent before a NACK took snd_next back to 0 */
    flow->cc.snd_next = 0;
    asim_sender_ack(bench->fabric, host, &ack);
    CHECK_U64(flow->snd_una, 3000);
    CHECK_U64(flow->cc.snd_next, 4000); /* and the next packet is on its way */
    CHECK(host->nics[flow->nic].port.busy);
    bench_close(bench);
}

static void slow_link(void)
{
    struct testbench *bench = bench_open(2, 0);
    struct asim_link link = {.a = 0, .b = 1, .rate_bps = 100, .delay_fs = 1};
    struct asim_fabric_config config = {.topo = &bench->topo, .net = &bench->net};
    struct asim_err err = {0};

    CHECK(asim_topo_link(&bench->topo, &link, &err) == 0);
    CHECK(asim_topo_finish(&bench->topo, &err) == 0);
    CHECK(asim_route_open(&bench->route, &bench->topo, NULL, &err) == 0);
    config.route = bench->route;
    CHECK(asim_fabric_open(&bench->fabric, &config, &err) == ASIM_EINVAL);
    CHECK(strstr(err.text, "too slow"));
    bench_close(bench);
}

int main(void)
{
    late_duplicate();
    overtaking_ack();
    slow_link();
    return CHECK_DONE();
}
