/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Traffic classes: a message takes the queues of its class in switches and NICs, its ACKs too; the
 * class of PRIORITY_GROUP is the default; a network that does not use classes refuses them.
 */
#include "testbench_links.h"
#include "fabric/observe/frame_headers.h"
#include "cc/cc.h"

enum { GBPS = 100, DELAY_NS = 500, PAYLOAD = 1000, SMALL = 1000 };

/* How many frames of each priority hosts and switches have put on links. */
static void count_priority(void *self, enum asim_frame_event what, struct asim_port_id at,
                           const struct asim_frame *frame, uint64_t t)
{
    struct testbench *bench = self;
    struct asim_decoded_headers headers;

    (void)t;
    if (what != ASIM_FRAME_TX || frame->type >= ASIM_PAUSE)
        return;
    asim_fabric_decode_headers(bench->fabric, frame, at, &headers);
    bench->pfc[0][0] += headers.priority == 3;
    bench->pfc[0][1] += headers.priority == 5;
}

/* Hosts 1 and 2 send 200 packets each to host 0; then host 3 sends one packet, of class `small`,
 * into the queue of some 100 packets before host 0. */
static struct testbench *run(uint8_t large, uint8_t small, int counts)
{
    struct testbench *bench = bench_star(4, (const uint64_t[2]){GBPS, DELAY_NS});

    bench->net.has_win = 0;
    bench->net.payload_bytes = PAYLOAD;
    bench_send(bench, 0, (const uint32_t[2]){1, 0}, 200 * PAYLOAD);
    bench_send(bench, 0, (const uint32_t[2]){2, 0}, 200 * PAYLOAD);
    bench_send(bench, 9000, (const uint32_t[2]){3, 0}, SMALL);
    bench->msg[0].traffic_class = bench->msg[1].traffic_class = large;
    bench->msg[2].traffic_class = small;
    bench_prepare(bench, 0);
    CHECK(!asim_fabric_use_classes(bench->fabric));
    CHECK(bench->fabric->schedule.per_event);
    if (counts)
        CHECK(!asim_fabric_watch_frames(bench->fabric, count_priority, bench));
    bench_start(bench);
    bench_go(bench);
    bench_check_conserved(bench);
    return bench;
}

/* A queue of its own: the packet passes all but the frame under way and that of the other queue
 * whose turn it is; its ACK likewise. */
static void overtakes(void)
{
    const uint64_t frame = asim_tx_ns(PAYLOAD + ASIM_DATA_OVERHEAD, GBPS * 1000000000ull);
    const uint64_t ack = asim_tx_ns(ASIM_ACK_WIRE, GBPS * 1000000000ull);
    struct testbench *alone = run(0, 0, 0), *apart = run(0, 5, 1);
    uint64_t idle = 9000 + 2 * (frame + DELAY_NS) + 2 * (ack + DELAY_NS);

    CHECK(apart->msg[2].arrived >= idle && apart->msg[2].arrived <= idle + 2 * frame);
    CHECK(alone->msg[2].arrived >= idle + 80 * frame);
    CHECK_U64(apart->pfc[0][0], 400 * 4); /* data and ACKs, two hops each */
    CHECK_U64(apart->pfc[0][1], 4);
    bench_close(alone);
    bench_close(apart);
}

/* PRIORITY_GROUP is 3: the same frames at the same times. */
static void default_class(void)
{
    struct testbench *none = run(0, 0, 0), *named = run(3, 3, 0);

    for (uint32_t i = 0; i < 3; i++) {
        CHECK_U64(named->msg[i].sent, none->msg[i].sent);
        CHECK_U64(named->msg[i].arrived, none->msg[i].arrived);
    }
    for (uint32_t wire = 0; wire < 8; wire++)
        bench_check_link(none, named, wire);
    bench_close(none);
    bench_close(named);
}

/* A NIC holds back the flows of a paused priority only. */
static void paused_class(void)
{
    struct testbench *bench = bench_star(3, (const uint64_t[2]){GBPS, DELAY_NS});

    bench_send(bench, 0, (const uint32_t[2]){1, 0}, 10 * PAYLOAD);
    bench_send(bench, 0, (const uint32_t[2]){1, 2}, 10 * PAYLOAD);
    bench->msg[1].traffic_class = 5;
    bench_prepare(bench, 0);
    CHECK(!asim_fabric_use_classes(bench->fabric));
    bench->fabric->host[1].nics[0].port.paused = 1 << 3;
    bench_start(bench);
    bench_go(bench);
    CHECK_U64(bench->msg[0].n_arrived, 0);
    CHECK_U64(bench->msg[1].n_arrived, 1);
    bench_close(bench);
}

static void refuses(void)
{
    struct testbench *bench = bench_star(2, (const uint64_t[2]){GBPS, DELAY_NS});
    struct asim_msg msg = {.bytes = 1, .src = 0, .dst = 1, .traffic_class = 1};

    bench_prepare(bench, 0);
    CHECK(asim_packet_backend.send(bench_net(bench), &msg) == ASIM_EINVAL);
    CHECK(!asim_fabric_use_classes(bench->fabric));
    msg.traffic_class = ASIM_QUEUES;
    CHECK(asim_packet_backend.send(bench_net(bench), &msg) == ASIM_EINVAL);
    bench_close(bench);
}

int main(void)
{
    overtakes();
    default_class();
    paused_class();
    refuses();
    return CHECK_DONE();
}
