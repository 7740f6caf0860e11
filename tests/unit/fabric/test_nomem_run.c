/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Memory running out at every allocation of a lossy run with a link flap: building the network,
 * planning link events, notices of losses, ranges of selective repeat, new routes, the state of an
 * egress scheduler. Each failure ends in a sentence, never in a crash or a wrong time; the sanitizer
 * build says if it left memory. The linker puts our malloc in place of libc's (tests/CMakeLists.txt,
 * --wrap).
 */
#include "nomem_malloc.h"
#include "testbench.h"
#include "conf/netconf.h"
#include <string.h>

static struct testbench *small_network(uint32_t cc, int scheduler)
{
    struct testbench *bench = bench_open(4, 3);

    for (uint32_t h = 0; h < 4; h++)
        for (uint32_t s = 0; s < 2; s++)
            bench_link(bench, h, 4 + s, (const uint64_t[2]){100, 500});
    for (uint32_t s = 0; s < 2; s++)
        bench_link(bench, 4 + s, 6, (const uint64_t[2]){100, 500});
    bench->net.error_rate = 0.02;
    bench->net.rto_fs = 20000000000u;
    bench->net.cc_mode = cc;
    bench->net.loss_recovery = ASIM_SELECTIVE_REPEAT;
    bench->net.egress_scheduler = scheduler;
    bench->net.link_down = calloc(2, sizeof *bench->net.link_down);
    bench->net.link_down[0] = (struct asim_link_down){4000, 0, 4, 0};
    bench->net.link_down[1] = (struct asim_link_down){9000, 0, 4, 1};
    bench->net.link_downs = 2;
    for (uint32_t i = 0; i < 24; i++)
        bench_send(bench, 0, (const uint32_t[2]){i % 4, (i + 1 + i / 4 % 3) % 4}, 20000);
    return bench;
}

static int run(struct testbench *bench, struct asim_err *err)
{
    struct asim_fabric_config config = {.topo = &bench->topo,
                                        .net = &bench->net,
                                        .user = {.self = bench,
                                                 .wake = bench_wake,
                                                 .sent = bench_sent,
                                                 .arrived = bench_arrived,
                                                 .done = bench_done,
                                                 .settled = bench_settled},
                                        .seed = 1};
    int code = asim_topo_finish(&bench->topo, err);

    if (!code)
        code = asim_route_open(&bench->route, &bench->topo, NULL, err);
    config.route = bench->route;
    if (!code)
        code = asim_fabric_open(&bench->fabric, &config, err);
    if (!code && bench->net.egress_scheduler && asim_fabric_use_classes(bench->fabric))
        code = asim_err_nomem(err, "preparing traffic classes");
    for (uint32_t i = 0; !code && i < bench->n; i++) {
        struct asim_msg msg = {.id = i,
                               .bytes = bench->msg[i].bytes,
                               .cookie = i,
                               .src = bench->msg[i].src,
                               .dst = bench->msg[i].dst};

        if (asim_packet_backend.send(bench_net(bench), &msg))
            code = asim_err_nomem(err, "sending");
    }
    return code ? code : asim_fabric_run(bench->fabric, err);
}

static void refuse_each(uint32_t cc, int scheduler)
{
    uint64_t good[24];
    long n = 0;

    do {
        struct testbench *bench = small_network(cc, scheduler);
        struct asim_err err = {0};
        int code;

        refused = 0;
        left = n ? n - 1 : -1;
        code = run(bench, &err);
        left = -1;
        if (code)
            CHECK(code == ASIM_ENOMEM && strstr(err.text, "memory") != NULL);
        for (uint32_t i = 0; !code && i < 24; i++) {
            if (!n)
                good[i] = bench->msg[i].sent;
            CHECK(bench->msg[i].n_arrived == 1 && bench->msg[i].sent == good[i]);
        }
        bench_close(bench);
        if (check_failures) {
            fprintf(stderr, "  at allocation %ld, code %d: %s\n", n, code, err.text);
            return;
        }
    } while ((refused || n == 0) && n++ < 100000);
    fprintf(stderr, "%ld allocations\n", n);
    CHECK(n > 50);
}

int main(void)
{
    refuse_each(12, ASIM_ROUND_ROBIN);
    refuse_each(3, ASIM_ROUND_ROBIN);
    refuse_each(0, ASIM_DEFICIT_ROUND_ROBIN);
    return CHECK_DONE();
}
