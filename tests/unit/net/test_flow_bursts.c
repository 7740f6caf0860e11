/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Messages below their windows beside background traffic (flow.md#bursts).
 */
#include "flow_net.h"
#include "net/net_traffic.h"

/* Beside background traffic, here of no host, messages below their windows go from queue to queue:
 * two at once to one host both wait for the other's packets; of one packet each, a NIC sends them
 * one after another, and they end so, at one host as at several. */
static void bursts(void)
{
    const struct asim_net_traffic none = {0};
    const struct asim_net_traffics traffics = {.at = &none, .n = 1};
    const uint64_t n = 20, rest = D + 2 * A + 4 * P;
    struct asim_err err = {0};
    struct run run;

    for (uint32_t senders = 1; senders <= 2; senders++) {
        open(&run, "switch,hosts=8", NULL);
        CHECK_U64(flow->extras->add_traffic(run.net, &traffics, &err), 0);
        for (uint32_t from = 1; from <= senders; from++)
            send(&run, from, 0, n * PAYLOAD);
        go(&run);
        CHECK_U64(run.through[0], senders * n * D + rest);
        CHECK_U64(run.through[senders - 1], senders * n * D + rest);
        end(&run);
    }
    for (uint32_t hosts = 1; hosts <= 4; hosts += 3) {
        open(&run, "switch,hosts=8", NULL);
        CHECK_U64(flow->extras->add_traffic(run.net, &traffics, &err), 0);
        for (uint32_t i = 0; i < 4; i++)
            send(&run, hosts == 1 ? 1 + i : 1, hosts == 1 ? 0 : 2 + i, PAYLOAD);
        go(&run);
        for (uint32_t i = 0; i < 4; i++)
            CHECK_U64(run.through[i], (i + 1) * D + rest);
        end(&run);
    }
}

int main(void)
{
    bursts();
    return CHECK_DONE();
}
