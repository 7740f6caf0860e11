/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The contract of all transports: each value of LOSS_RECOVERY has one row; whatever is lost, every
 * message arrives once, the counters add up, and windows and single events agree to the ns.
 */
#include "fabric/host/transport/transport.h"
#include "fabric/testbench.h"
#include "asim/ext/option.h"
#include "asim/netconf.h"
#include "conf/netconf.h"
#include "fabric/link/tie_key.h"
#include "fabric/memo/region/part.h"

enum { HOSTS = 8, MESSAGES = 64, WAYS = 2 };

/* Two leaves, two spines; each host sends to its neighbour and to the other leaf. */
static struct testbench *run(int kind, int balance, int per_event)
{
    struct testbench *bench = bench_open(HOSTS, 4);

    for (uint32_t h = 0; h < HOSTS; h++)
        bench_link(bench, h, HOSTS + h / 4, (const uint64_t[2]){100, 500});
    for (uint32_t i = 0; i < 4; i++)
        bench_link(bench, HOSTS + i / 2, HOSTS + 2 + i % 2, (const uint64_t[2]){200, 500});
    bench->net.error_rate = 0.01;
    bench->net.loss_recovery = kind;
    bench->net.load_balance = balance;
    bench->net.rto_fs = 20000000000u;
    for (uint32_t i = 0; i < MESSAGES; i++)
        bench_send(bench, 1 + i / HOSTS * 5000,
                   (const uint32_t[2]){i % HOSTS, (i + (i & 8 ? 4 : 1)) % HOSTS}, 40000 + i);
    bench_run(bench, per_event);
    return bench;
}

static void check_losses(const struct asim_transport *row, int balance)
{
    struct testbench *bench[WAYS];
    struct asim_fabric_stats stats;

    for (int way = 0; way < WAYS; way++) {
        bench[way] = run(row->kind, balance, way);
        asim_fabric_stats(bench[way]->fabric, &stats);
        CHECK(bench[way]->fabric->set.transport == row);
        CHECK(stats.lost > 0 && stats.retransmits > 0);
        bench_check_conserved(bench[way]);
    }
    for (uint32_t i = 0; i < MESSAGES; i++)
        CHECK_U64(bench[1]->msg[i].sent, bench[0]->msg[i].sent);
    for (int way = 0; way < WAYS; way++)
        bench_close(bench[way]);
}

int main(void)
{
    const struct asim_option *key = asim_netconf_key("LOSS_RECOVERY");
    struct asim_err err = {0};

    CHECK(asim_family_check(asim_transport_table, "transport", &err) == 0);
    for (int i = 0; asim_transport_table[i]; i++) {
        const struct asim_transport *row = (const struct asim_transport *)asim_transport_table[i];
        struct asim_netconf net;

        CHECK(asim_netconf_defaults(&net, &err) == 0);
        CHECK(asim_netconf_set(&net, (const char *const[2]){key->key, row->member.name}, &err) ==
              0);
        CHECK_U64((uint64_t)net.loss_recovery, (uint64_t)row->kind);
        asim_netconf_fini(&net);
        check_losses(row, ASIM_PER_FLOW);
        check_losses(row, ASIM_SPRAY);
    }
    return CHECK_DONE();
}
