/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Telemetry without a run: frame sizes of each kind, what a switch writes into a record (INT with
 * its wraps, PINT), which record an ACK leads the sender back to, and that a copy of an earlier
 * sending finds no record.
 */
#include "testbench.h"
#include "fabric/host/telemetry.h"
#include "fabric/switch/stamp.h"

enum { DCQCN = 1, HPCC = 3, TIMELY = 7, PINT = 10, PAYLOAD = 1000 };

static void frame_sizes(void)
{
    static const struct {
        uint32_t cc, data, ack; /* bytes around the payload; of an ACK */
    } rows[] = {
        {DCQCN, 36, 48},
        {HPCC, 36 + 42, 76},
        {TIMELY, 36 + 8, 48},
        {PINT, 36 + 2, 48}, /* base 1.05: digests from 0 to 256 need two bytes */
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct testbench *bench = bench_star(2, (const uint64_t[2]){100, 500});

        bench->net.cc_mode = rows[i].cc;
        bench_prepare(bench, 0);
        CHECK_U64(bench->fabric->set.data_overhead, rows[i].data + bench->net.frame_extra_bytes);
        CHECK_U64(bench->fabric->set.ack_wire, rows[i].ack);
        bench_close(bench);
    }
}

/* A bench with a flow of `packets` from host 0 to host 1 in slot 0. */
static struct testbench *flow_bench(uint32_t cc, uint64_t packets, struct asim_flow **flow)
{
    struct testbench *bench = bench_star(2, (const uint64_t[2]){100, 500});
    struct asim_msg msg = {.id = 1, .bytes = packets * PAYLOAD, .src = 0, .dst = 1};
    uint32_t slot;

    bench->net.cc_mode = cc;
    bench_prepare(bench, 0);
    CHECK_U64(bench->net.payload_bytes, PAYLOAD);
    slot = (uint32_t)asim_flow_alloc(&bench->fabric->host[0], &msg, 10000);
    *flow = asim_flow_of(bench->fabric, 0, slot);
    asim_flow_open(bench->fabric, &bench->fabric->host[0], slot);
    return bench;
}

/* The flow's packet number n leaves the sender at `now`. */
static struct asim_frame begin(struct testbench *bench, struct asim_flow *flow, uint64_t n,
                               uint64_t now)
{
    struct asim_frame frame = {.src = 0,
                               .slot = (uint32_t)flow->generation << 24 | flow->slot,
                               .dst = 1,
                               .seq = n * PAYLOAD,
                               .wire = PAYLOAD + 78,
                               .type = ASIM_DATA};

    CHECK(asim_telemetry_begin(bench->fabric, flow, &frame, now) == 0);
    return frame;
}

static const struct asim_telemetry *record_of(struct testbench *bench,
                                              const struct asim_frame *frame)
{
    return asim_telemetry_by(bench->fabric, asim_rx_of(bench->fabric, 0, frame->slot), frame);
}

static void int_hops(void)
{
    static const struct {
        uint64_t sent, queued, now; /* bytes the port sent before, bytes queued, ns */
        uint32_t bytes, qlen, time; /* as the switch writes them: wrapped, in units */
    } rows[] = {
        {0, 0, 0, 0, 0, 0},
        {127, 79, 1, 0, 0, 1},
        {128, 80, 5, 1, 1, 5},
        {1000000, 81000, 77, 7812, 1012, 77},
        {128ull << 20, 80ull << 17, 1ull << 24, 0, 0, 0},                      /* all three wrap */
        {(128ull << 20) + 256, (80ull << 17) + 80, (1ull << 24) + 9, 2, 1, 9}, /* place 0 again */
    };
    struct asim_flow *flow;
    struct testbench *bench = flow_bench(HPCC, 10, &flow);
    struct asim_switch *sw = bench->fabric->sw;
    struct asim_frame frame = begin(bench, flow, 0, 3);
    const struct asim_telemetry *record = record_of(bench, &frame);

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct asim_int_hop *hop = &record->hop[i % ASIM_INT_HOPS];

        sw->ports[1].port.out->bytes = rows[i].sent + frame.wire; /* this frame is counted, too */
        sw->ports[1].bytes = rows[i].queued;
        asim_telemetry_write(bench->fabric, sw, 1, &frame, rows[i].now);
        CHECK_U64(record->hops, i + 1);
        CHECK_U64(hop->rate_bps, 100000000000u);
        CHECK_U64(hop->bytes, rows[i].bytes);
        CHECK_U64(hop->qlen, rows[i].qlen);
        CHECK_U64(hop->time, rows[i].time);
    }
    CHECK_U64(record->sent_at, 3);
    frame.type = ASIM_ACK; /* an ACK passes a switch unwritten */
    asim_telemetry_write(bench->fabric, sw, 0, &frame, 1);
    CHECK_U64(record->hops, sizeof rows / sizeof rows[0]);
    sw->ports[1].bytes = 0;
    bench_close(bench);
}

/* Which packet's record each kind of answer leads back to: seq and dst as the receiver fills them.
 */
static void records_of_answers(void)
{
    static const struct {
        enum asim_frame_type type;
        uint64_t seq;
        uint32_t dst;
        uint64_t packet;
    } rows[] = {
        {ASIM_DATA, 3000, 1, 3},
        {ASIM_ACK, 4000, 0, 3},  /* acknowledges packet 3 as the last one in order */
        {ASIM_ACK, 3500, 0, 3},  /* a short last packet */
        {ASIM_NACK, 3000, 0, 3}, /* asks for packet 3 */
        {ASIM_NACK, 3000, 1, 3}, /* 1 + distance to the packet out of order */
        {ASIM_ACK, 3000, 5, 7},
    };
    struct asim_flow *flow;
    struct testbench *bench = flow_bench(TIMELY, 200, &flow);

    for (uint64_t n = 0; n < 200; n++) /* the list of records grows several times meanwhile */
        begin(bench, flow, n, 100 + n);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct asim_frame frame = {.src = 0,
                                   .slot = (uint32_t)flow->generation << 24 | flow->slot,
                                   .seq = rows[i].seq,
                                   .dst = rows[i].dst,
                                   .type = rows[i].type};
        const struct asim_telemetry *record = record_of(bench, &frame);

        CHECK(record != NULL);
        CHECK_U64(record ? record->seq : 0, rows[i].packet * PAYLOAD);
        CHECK_U64(record ? record->sent_at : 0, 100 + rows[i].packet);
    }
    bench_close(bench);
}

static void earlier_sendings(void)
{
    struct asim_flow *flow;
    struct testbench *bench = flow_bench(HPCC, 10, &flow);
    struct asim_frame first = begin(bench, flow, 2, 10), again = begin(bench, flow, 2, 20), last;

    CHECK_U64(first.tries, 0);
    CHECK_U64(again.tries, 1);
    CHECK(!record_of(bench, &first));
    CHECK_U64(record_of(bench, &again)->sent_at, 20);
    asim_telemetry_write(bench->fabric, bench->fabric->sw, 1, &first, 30); /* writes nowhere */
    CHECK_U64(record_of(bench, &again)->hops, 0);
    last = again;
    for (uint32_t i = 0; i < 20; i++)
        last = begin(bench, flow, 2, 40 + i);
    CHECK_U64(last.tries, ASIM_NO_RECORD); /* sent too often to be told apart */
    CHECK(!record_of(bench, &last));
    bench_close(bench);
}

/* Records of frames from another process: the latest sending of the latest packet stays. */
static void remote_records(void)
{
    static const struct {
        uint64_t seq;
        uint32_t tries;
        uint64_t sent_at;
        uint64_t want_seq, want_sent_at; /* what the place then holds */
    } rows[] = {
        {1000, 0, 5, 1000, 5},     {1000, 1, 7, 1000, 7},    {1000, 0, 9, 1000, 7},
        {17000, 0, 11, 17000, 11}, {1000, 2, 12, 17000, 11}, /* 16 places: packets 1 and 17 share
                                                                one */
    };
    struct asim_flow *flow;
    struct testbench *bench = flow_bench(HPCC, 40, &flow);
    struct asim_rx *rx = asim_rx_of(bench->fabric, 0, flow->slot);

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct asim_telemetry record = {
            .seq = rows[i].seq, .tries = rows[i].tries, .sent_at = rows[i].sent_at};

        CHECK(asim_telemetry_take(bench->fabric, rx, &record, 16) == 0);
        CHECK_U64(rx->seen_cap, 16);
        CHECK_U64(rx->seen[1].seq, rows[i].want_seq);
        CHECK_U64(rx->seen[1].sent_at, rows[i].want_sent_at);
    }
    bench_close(bench);
}

/* With an idle port and no time passed the digest is log_1.05(512 x utilisation), rounded up or
 * down at random; a record keeps the highest digest of its path. */
static void pint_digests(void)
{
    static const struct {
        double utilisation;
        uint32_t least, most;
    } rows[] = {{0.5, 113, 114}, {1, 127, 128}, {0.25, 127, 128}, {2, 142, 143}};
    struct asim_flow *flow;
    struct testbench *bench = flow_bench(PINT, 10, &flow);
    struct asim_switch_port *port = &bench->fabric->sw->ports[1];
    struct asim_frame frame = begin(bench, flow, 0, 0);
    const struct asim_telemetry *record = record_of(bench, &frame);

    bench->fabric->set.max_rtt = 4000;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        port->sent_t = 50;
        port->sent_bytes = 0;
        port->pint_u = rows[i].utilisation;
        asim_telemetry_write(bench->fabric, bench->fabric->sw, 1, &frame, 50);
        CHECK(record->digest >= rows[i].least && record->digest <= rows[i].most);
        CHECK_U64(port->draws, i + 1);
        CHECK_U64(port->sent_t, 50);
        CHECK_U64(port->sent_bytes, frame.wire);
    }
    bench_close(bench);
}

int main(void)
{
    frame_sizes();
    int_hops();
    records_of_answers();
    earlier_sendings();
    remote_records();
    pint_digests();
    return CHECK_DONE();
}
