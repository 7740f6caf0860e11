/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The flow level on small networks whose times are known: closed forms of one message, shares of
 * links, queue pairs, load of ACKs.
 */
#include "flow_net.h"

#define CHECK_CLOSE(got, want, by) CHECK((got) + (by) >= (want) && (got) <= (want) + (by))

static uint64_t alone(const char *maker, uint64_t bytes)
{
    struct run run;

    open(&run, maker, NULL);
    send(&run, 0, 3, bytes);
    go(&run);
    end(&run);
    return run.through[0];
}

/* One message alone, over H links of equal rate: F1 and F2 of rdma-network.md#closed-forms. */
static void closed_forms(void)
{
    const struct {
        const char *maker;
        uint64_t hops;
    } nets[] = {{"switch,hosts=4", 2},
                {"leaf_spine,g=4,leaves=2,psn=1,apbw=200Gbps,bw=200Gbps", 4}};

    for (size_t i = 0; i < 2; i++) {
        uint64_t h = nets[i].hops, n = 30;

        CHECK_U64(alone(nets[i].maker, PAYLOAD), h * (D + A + 2 * P));
        CHECK_U64(alone(nets[i].maker, n * PAYLOAD), (n + h - 2) * D + D + h * A + 2 * h * P);
        CHECK_U64(alone(nets[i].maker, (n - 1) * PAYLOAD + 72), /* the last frame takes 4 ns */
                  (n + h - 2) * D + 4 + h * A + 2 * h * P);
    }
}

/* A packet whose slowest link is between switches: to what it takes there more than at its NIC. */
static void slow_inside(void)
{
    enum { FAST = 21, SLOW = 166, SLOW_ACK = 8 }; /* 400 and 50 Gb/s */
    uint64_t there = 2 * FAST + 2 * SLOW + 4 * P, back = 2 * 1 + 2 * SLOW_ACK + 4 * P;
    uint64_t ns = alone("leaf_spine,g=4,leaves=2,psn=1,bw=400Gbps,apbw=50Gbps", PAYLOAD);

    CHECK_CLOSE(ns, there + back, SLOW - FAST);
}

/* A message of 0 bytes sends one, as in packets; to oneself none. */
static void smallest(void)
{
    struct run run;

    open(&run, "switch,hosts=4", NULL);
    send(&run, 0, 1, 0);
    send(&run, 2, 2, 5000);
    go(&run);
    CHECK_U64(run.through[0], 2 * (1 + A + 2 * P));
    CHECK_U64(run.through[1], 0);
    end(&run);
}

/* k senders to one host share its link: each takes k times as long. */
static void incast(void)
{
    struct run run;
    uint64_t n = 1000, k = 5;

    open(&run, "switch,hosts=8", "ack-load");
    for (uint32_t i = 1; i <= k; i++)
        send(&run, i, 0, n * PAYLOAD);
    go(&run);
    for (uint32_t i = 0; i < k; i++)
        CHECK_CLOSE(run.through[i], k * n * D + D + 2 * A + 4 * P, k);
    end(&run);
}

/* Max-min: 0 -> 2 and 0 -> 3 halve the NIC of 0; 1 -> 3 gets what is left of the link to 3, one
 * half, and all of it when the first two have drained at the same time. */
static void shares(void)
{
    struct run run;
    uint64_t n = 1000;

    open(&run, "switch,hosts=4", "ack-load,queues");
    send(&run, 0, 2, n * PAYLOAD);
    send(&run, 0, 3, n * PAYLOAD);
    send(&run, 1, 3, 2 * n * PAYLOAD);
    go(&run);
    CHECK_U64(run.through[0], 2 * n * D + D + 2 * A + 4 * P);
    CHECK_U64(run.through[1], 2 * n * D + D + 2 * A + 4 * P);
    CHECK_U64(run.through[2], 3 * n * D + D + 2 * A + 4 * P);
    end(&run);
}

/* Of senders at 2 and at 4 links the nearer has the last link alone at first. Beyond the windows it
 * has the smaller share and ends last, so neither gains by that. */
static void distances(void)
{
    struct run run;

    for (uint64_t n = 40; n <= 1000; n += 960) { /* below both windows, beyond both */
        uint64_t gain = n == 40 ? 2 * (D + P) : 0, end_ns = 2 * n * D + D + 2 * A + 4 * P;

        open(&run, "leaf_spine,g=4,leaves=2,psn=1,apbw=200Gbps,bw=200Gbps", "ack-load");
        send(&run, 1, 0, n * PAYLOAD);
        send(&run, 3, 0, n * PAYLOAD);
        go(&run);
        CHECK_CLOSE(run.through[0], end_ns - gain, 1);
        CHECK(gain ? run.through[1] == end_ns + 2 * A + 2 * P : run.through[1] < end_ns);
        end(&run);
    }
}

/* Host 0 sends to four; two others fill the queue of one of these, and end first. What that queue
 * gives then, host 0 has not sent yet: its last message ends when its NIC has sent all four. */
static void unsent(void)
{
    struct run run;
    uint64_t n = 1000, last = 0;

    open(&run, "switch,hosts=8", "ack-load");
    for (uint32_t to = 1; to <= 4; to++)
        send(&run, 0, to, n * PAYLOAD);
    send(&run, 5, 1, n * PAYLOAD);
    send(&run, 6, 1, n * PAYLOAD);
    go(&run);
    for (int i = 0; i < 4; i++)
        last = run.through[i] > last ? run.through[i] : last;
    CHECK_U64(last, 4 * n * D + D + 2 * A + 4 * P);
    end(&run);
}

/* Three NICs send a packet of each of three messages in turn. In one order the packets of the last
 * messages, two behind at their NICs, come to host 5 together and leave one after another; each NIC
 * in an order of its own, they come one by one. Messages of one packet have what it waits, those of
 * several are within two packets. */
static void turns(void)
{
    struct run run;
    enum { MANY = 60 };
    uint64_t n = 10, even = 3 * n * D + D + 2 * A + 4 * P;

    open(&run, "switch,hosts=8", "ack-load");
    for (uint32_t i = 0; i < 9; i++)
        send(&run, i / 3, 3 + i % 3, n * PAYLOAD);
    go(&run);
    for (uint32_t src = 0; src < 3; src++) {
        CHECK_CLOSE(run.through[3 * src], even + src * D - 2 * D, 2 * D);
        CHECK_CLOSE(run.through[3 * src + 2], even + src * D, 2 * D);
    }
    end(&run);
    open(&run, "switch,hosts=8", "ack-load");
    for (uint32_t i = 0; i < 9; i++)
        send(&run, i / 3, 3 + (i / 3 + i) % 3, n * PAYLOAD);
    go(&run);
    for (uint32_t i = 0; i < 9; i++)
        CHECK_CLOSE(run.through[i], even - 2 * D + i % 3 * D, 2 * D);
    end(&run);
    open(&run, "switch,hosts=8", "ack-load");
    for (uint32_t i = 0; i < 9; i++)
        send(&run, i / 3, 3 + i % 3, PAYLOAD);
    go(&run);
    for (uint32_t i = 0; i < 9; i++)
        CHECK_U64(run.through[i], 2 * (D + A + 2 * P) + (i / 3 + i % 3) * D);
    end(&run);
    /* A NIC that sends for longer than a round trip. */
    open(&run, "switch,hosts=64", "ack-load");
    for (uint32_t i = 0; i < MANY; i++)
        send(&run, 0, 1 + i, PAYLOAD);
    go(&run);
    CHECK_U64(run.through[0], 2 * (D + A + 2 * P));
    CHECK_CLOSE(run.through[MANY - 1], 2 * (D + A + 2 * P) + (MANY - 1) * D, MANY);
    end(&run);
}

/* The ACKs of 0 -> 1 wait at the link to 0 behind data of five others, so its window holds it back;
 * alone it would take n * D and some round trips. */
static void waits_of_acks(void)
{
    struct run run;
    uint64_t n = 1000, alone = n * D + D + 2 * A + 4 * P;
    const char *without[] = {"ack-load", "ack-load,ack-wait"};

    for (size_t i = 0; i < 2; i++) {
        open(&run, "switch,hosts=8", without[i]);
        send(&run, 0, 1, n * PAYLOAD);
        for (uint32_t k = 2; k <= 6; k++)
            send(&run, k, 0, n * PAYLOAD);
        go(&run);
        CHECK(i ? run.through[0] == alone : run.through[0] > 3 * alone);
        end(&run);
    }
}

/* ACKs of 0 -> 1 wait half a frame on each link while the answer is there: three packets, the
 * window, take 118 ns, a round trip, and 41 ns more then, in place of 123 ns. */
static void answer(void)
{
    struct run run;
    uint64_t n = 2000, rtt = 2 * (D + 8) + 2 * (A + 8), beside, want = n / 2 / 3 * (rtt + D);

    open(&run, "switch,hosts=4,delay=8ns", "ack-load");
    run.answer = n * PAYLOAD / 2;
    send(&run, 0, 1, n * PAYLOAD);
    send(&run, 2, 3, n * PAYLOAD / 4);
    go(&run);
    beside = run.through[2] - run.through[1];
    CHECK(beside > want - want / 100 && beside < want + want / 100);
    want = n * D + beside - beside * 3 * D / (rtt + D);
    CHECK(run.through[0] > want - want / 100 && run.through[0] < want + want / 100);
    end(&run);
}

/* One queue pair sends its messages one after another without a gap. */
static void queue_pair(void)
{
    struct run run;
    uint64_t n = 500;

    open(&run, "switch,hosts=4", "ack-load");
    for (int i = 0; i < 3; i++)
        send(&run, 0, 1, n * PAYLOAD);
    go(&run);
    for (uint64_t i = 0; i < 3; i++)
        CHECK_U64(run.through[i], (i + 1) * n * D + D + 2 * A + 4 * P);
    end(&run);
}

/* F3: two hosts exchange messages; what ACKs take is within 0.1 % of the closed form, which
 * does not know how long the first ones wait for frames. */
static void exchange(void)
{
    struct run run;
    uint64_t n = 2000, acks = n - (2 * D + 2 * P + D + A - 1) / (D + A);
    uint64_t want = n * D + acks * A + D + 2 * A + 4 * P;

    open(&run, "switch,hosts=4", NULL);
    send(&run, 0, 1, n * PAYLOAD);
    send(&run, 1, 0, n * PAYLOAD);
    go(&run);
    CHECK_U64(run.through[0], run.through[1]);
    CHECK(run.through[0] > want - want / 1000 && run.through[0] < want + want / 1000);
    end(&run);
}

/* What links have carried: data with headers there, ACKs back. */
static void links(void)
{
    const struct asim_packet_network *reports = flow->extras->packets;
    struct asim_link_use use;
    struct run run;
    uint64_t n = 10;

    open(&run, "switch,hosts=2", NULL);
    send(&run, 0, 1, n * PAYLOAD);
    go(&run);
    for (uint32_t wire = 0; wire < 4; wire++) {
        reports->link_use((const struct asim_fabric *)(const void *)run.net, wire, &use);
        CHECK_U64(use.frames, n);
        CHECK_U64(use.bytes, use.from == 0 || use.to == 1 ? n * (PAYLOAD + 36) : n * 48);
    }
    end(&run);
}

/* The link of a NIC changes while its message is under way, from 10 to 20 us: nothing passes while
 * it is down, and what was on it is sent again once the receiver has asked for it; half as much
 * passes at half its rate (frames of 83 ns). */
static void changes(void)
{
    enum { FROM = 10000, TO = 20000, SLOW = 83 };
    const struct asim_net_event down[] = {{.at_ns = FROM, .kind = ASIM_NET_LINK_DOWN},
                                          {.at_ns = TO, .kind = ASIM_NET_LINK_UP}};
    const struct asim_net_event slow[] = {
        {.at_ns = FROM, .kind = ASIM_NET_LINK_RATE, .rate_bps = 100000000000},
        {.at_ns = TO, .kind = ASIM_NET_LINK_RATE}};
    uint64_t n = 1000, alone = n * D + D + 2 * A + 4 * P;

    for (int i = 0; i < 2; i++) {
        const struct asim_net_events plan = {.at = i ? slow : down, .n = 2};
        uint64_t again = D + P + 2 * (D + P) + 2 * (A + P);
        uint64_t lost = TO - FROM + (i ? 0 : again) - (i ? (TO - FROM) * D / SLOW : 0);
        struct asim_err err = {0};
        struct run run;

        open(&run, "switch,hosts=4", NULL);
        CHECK_U64(flow->extras->plan(run.net, &plan, &err), 0);
        send(&run, 0, 1, n * PAYLOAD);
        go(&run);
        CHECK(run.through[0] >= alone + lost - 1 && run.through[0] <= alone + lost + 1);
        end(&run);
    }
}

/* The NIC changes once both messages are through. The end that the second had while it shared the
 * NIC is still an event to come then, and the message is no longer on its path. */
static void change_behind(void)
{
    const struct asim_net_event slow[] = {
        {.at_ns = 60000, .kind = ASIM_NET_LINK_RATE, .rate_bps = 100000000000},
        {.at_ns = 70000, .kind = ASIM_NET_LINK_RATE}};
    const struct asim_net_events plan = {.at = slow, .n = 2};
    uint64_t n = 100, last = 11 * n * D + 3 * D + 4 * A + 8 * P;
    struct asim_err err = {0};
    struct run run;

    open_as(&run, &(struct setup){"leaf_spine,g=4,leaves=2,psn=2,apbw=200Gbps,bw=200Gbps", NULL, 0,
                                  &run, on_wake});
    CHECK_U64(flow->extras->plan(run.net, &plan, &err), 0);
    send(&run, 0, 2, n * PAYLOAD);
    send(&run, 0, 3, 10 * n * PAYLOAD);
    go(&run);
    CHECK_CLOSE(run.through[1], last, last / 50);
    end(&run);
}

/* Messages with a queue pair each get new paths when a link changes that none of them uses: they
 * take as long as without. Host 1 sends to four, and host 2 to one of these; as the first ends, the
 * others are looked at again, and what holds one of them back does not hold the others. */
static void change_elsewhere(void)
{
    const struct asim_net_event slow[] = {
        {.at_ns = 5000, .kind = ASIM_NET_LINK_RATE, .of = 9, .rate_bps = 100000000000},
        {.at_ns = 8000, .kind = ASIM_NET_LINK_RATE, .of = 9}};
    const struct asim_net_events plan = {.at = slow, .n = 2};
    struct asim_err err = {0};
    struct run run[2];

    for (int i = 0; i < 2; i++) {
        open_as(&run[i], &(struct setup){"leaf_spine,g=10,leaves=2,psn=4,apbw=200Gbps,bw=200Gbps",
                                         NULL, 0, &run[i], on_wake});
        if (i)
            CHECK_U64(flow->extras->plan(run[i].net, &plan, &err), 0);
        send(&run[i], 2, 8, 1000 * PAYLOAD);
        for (uint32_t to = 5; to < 9; to++)
            send(&run[i], 1, to, (to == 5 ? 200 : 1000) * PAYLOAD);
        go(&run[i]);
        end(&run[i]);
    }
    for (uint32_t m = 0; m < 5; m++)
        CHECK_U64(run[1].through[m], run[0].through[m]);
}

/* Messages of one queue pair, each drained before its ACKs come back: those ACKs leave less of the
 * NIC to the messages of the other direction, as ACKs of a long message. */
static void train(void)
{
    struct run run;
    uint64_t n = 20, messages = 30;

    open(&run, "switch,hosts=4", NULL);
    for (uint64_t i = 0; i < messages; i++)
        send(&run, 0, 1, n * PAYLOAD);
    for (uint64_t i = 0; i < messages; i++)
        send(&run, 1, 0, n * PAYLOAD);
    go(&run);
    CHECK(run.through[messages - 1] > (n * messages - 2 * P / D) * (D + A));
    end(&run);
}

/* Two phases of a ring of servers over leaves, as of a reduce-scatter and an all-gather behind it.
 */
struct ring {
    struct run run;
    struct member {
        struct ring *ring;
        struct asim_relay *relay;
        uint32_t rank, phase;
    } member[MOST];
    uint32_t dealt, over;
};
enum { RING = 32, LEAF = 8, GPUS = 8, STEPS = 40 };

static uint64_t on_deal(void *self, uint32_t number, uint32_t *until)
{
    struct member *member = self;

    *until = number + 1;
    member->ring->dealt++;
    return 10;
}

static void on_over(void *self);

static void open_phase(struct member *member)
{
    uint32_t i = member->rank;
    const struct asim_net_relay spec = {
        .msg = {.bytes = 100 * PAYLOAD,
                .src = i * GPUS,
                .dst = (i + 1) % RING * GPUS,
                .tag = member->phase,
                .id = (member->phase * RING + i) * STEPS,
                .cookie = ASIM_NEVER,
                .is_uniform = 1},
        .from = (i + RING - 1) % RING * GPUS,
        .steps = STEPS,
        .n = RING,
        .first = 0,
        .second = GPUS,
        .self = member,
        .deal_ns = on_deal,
        .over = on_over,
    };

    member->relay = flow->extras->relay_open(member->ring->run.net, &spec);
    CHECK(member->relay != NULL);
}

static void on_start(void *self, uint32_t rank)
{
    struct ring *ring = self;

    flow->extras->relay_start(ring->run.net, ring->member[rank].relay);
}

static void on_over(void *self)
{
    struct member *member = self;

    member->ring->over++;
    if (member->phase++)
        return;
    open_phase(member);
    on_start(member->ring, member->rank);
}

/* Members of one leaf are carried for all, which begin apart: what is dealt with is told of these
 * alone, but for a step or two that the others begin before all have started. */
static void lockstep(void)
{
    struct ring ring = {.over = 0};

    open_as(&ring.run,
            &(struct setup){"Spectrum-X,g=256,npa=8,psn=16,app=32", NULL, 1, &ring, on_start});
    for (uint32_t i = 0; i < RING; i++) {
        ring.member[i] = (struct member){.ring = &ring, .rank = i};
        open_phase(&ring.member[i]);
        CHECK_U64(flow->wake_after(ring.run.net, i, 7 * (uint64_t)(i % LEAF)), 0);
    }
    go(&ring.run);
    CHECK_U64(ring.over, 2 * RING);
    CHECK(ring.dealt <= 2 * LEAF * STEPS + 2 * RING);
    end(&ring.run);
}

int main(void)
{
    closed_forms();
    slow_inside();
    smallest();
    incast();
    shares();
    distances();
    unsent();
    turns();
    waits_of_acks();
    answer();
    queue_pair();
    exchange();
    links();
    changes();
    change_behind();
    change_elsewhere();
    train();
    lockstep();
    return CHECK_DONE();
}
