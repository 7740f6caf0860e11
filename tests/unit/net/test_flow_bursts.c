/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Messages below their windows beside background traffic (flow.md#bursts).
 */
#include "flow_net.h"
#include "net/net_traffic.h"

/* Beside background traffic of no host. */
static void open_on(struct run *run, const char *topology)
{
    static const struct asim_net_traffic none = {0};
    static const struct asim_net_traffics traffics = {.at = &none, .n = 1};
    struct asim_err err = {0};

    open(run, topology, NULL);
    CHECK_U64(flow->extras->add_traffic(run->net, &traffics, &err), 0);
}

static void open_beside(struct run *run)
{
    open_on(run, "switch,hosts=8");
}

/* Messages below their windows go from queue to queue: two at once to one host both wait for the
 * other's packets; of one packet each, a NIC sends them one after another, and they end so, at one
 * host as at several. */
static void bursts(void)
{
    const uint64_t n = 20, rest = D + 2 * A + 4 * P;
    struct run run;

    for (uint32_t senders = 1; senders <= 2; senders++) {
        open_beside(&run);
        for (uint32_t from = 1; from <= senders; from++)
            send(&run, from, 0, n * PAYLOAD);
        go(&run);
        CHECK_U64(run.through[0], senders * n * D + rest);
        CHECK_U64(run.through[senders - 1], senders * n * D + rest);
        end(&run);
    }
    for (uint32_t hosts = 1; hosts <= 4; hosts += 3) {
        open_beside(&run);
        for (uint32_t i = 0; i < 4; i++)
            send(&run, hosts == 1 ? 1 + i : 1, hosts == 1 ? 0 : 2 + i, PAYLOAD);
        go(&run);
        for (uint32_t i = 0; i < 4; i++)
            CHECK_U64(run.through[i], (i + 1) * D + rest);
        end(&run);
    }
}

static int is_within(uint64_t ns, uint64_t of_ns, uint64_t by_ns)
{
    return ns + by_ns >= of_ns && ns <= of_ns + by_ns;
}

/* A message of many windows goes in pieces, and takes as long as without background traffic: its
 * window covers the round trip. Of two to one host, each gets half of the link. */
static void trains(void)
{
    const uint64_t n = 5000, rest = D + 2 * A + 4 * P;
    struct run run;

    for (uint32_t senders = 1; senders <= 2; senders++) {
        open_beside(&run);
        for (uint32_t from = 1; from <= senders; from++)
            send(&run, from, 0, n * PAYLOAD);
        go(&run);
        for (uint32_t i = 0; i < senders; i++)
            CHECK(is_within(run.through[i], senders * n * D + rest, n * D / 500));
        end(&run);
    }
}

/* Where a window has few packets, a piece has one, and its ACK comes no later than that of a packet
 * of a stream. */
static void trains_of_packets(void)
{
    const char *topology = "switch,hosts=8,bw=19500Mbps";
    const uint64_t n = 500;
    struct run run, beside;

    open(&run, topology, NULL);
    send(&run, 1, 0, n * PAYLOAD);
    go(&run);
    open_on(&beside, topology);
    send(&beside, 1, 0, n * PAYLOAD);
    go(&beside);
    CHECK(is_within(beside.through[0], run.through[0], run.through[0] / 500));
    end(&run);
    end(&beside);
}

/* The last ACK of a message waits in a queue that is not there yet when its last packet has come:
 * that of two bursts to its sender, which the switch has sent 2 n packets after their first came.
 */
static void late_ack(void)
{
    const uint64_t n = 40, few = 2, far = D + P, first = few * D + D + 2 * P;
    struct run run;

    open_beside(&run);
    send(&run, 1, 0, few * PAYLOAD);
    send(&run, 2, 1, n * PAYLOAD);
    send(&run, 3, 1, n * PAYLOAD);
    go(&run);
    CHECK(first < far + n * D); /* its last packet comes while these do */
    CHECK(is_within(run.through[0], far + 2 * (first + A + P - far) + A + P, 2 * D));
    end(&run);
}

int main(void)
{
    bursts();
    trains();
    trains_of_packets();
    late_ack();
    return CHECK_DONE();
}
