/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Memory running out at every allocation of a lossy run with a link flap: building the network,
 * planning link events, notices of losses, ranges of selective repeat, new routes. Each failure
 * ends in a sentence, never in a crash or a wrong time; the sanitizer build says if it left memory.
 * The linker puts our malloc in place of libc's (tests/CMakeLists.txt, --wrap).
 */
#include "nomem_malloc.h"
#include "lab.h"
#include <string.h>

static struct lab *bench(uint32_t cc)
{
    struct lab *lab = lab_open(4, 3);

    for (uint32_t h = 0; h < 4; h++)
        for (uint32_t s = 0; s < 2; s++)
            lab_link(lab, h, 4 + s, (const uint64_t[2]){100, 500});
    for (uint32_t s = 0; s < 2; s++)
        lab_link(lab, 4 + s, 6, (const uint64_t[2]){100, 500});
    lab->net.error_rate = 0.02;
    lab->net.rto_fs = 20000000000u;
    lab->net.cc_mode = cc;
    lab->net.loss_recovery = ASIM_SELECTIVE_REPEAT;
    lab->net.link_down = calloc(2, sizeof *lab->net.link_down);
    lab->net.link_down[0] = (struct asim_link_down){4000, 0, 4, 0};
    lab->net.link_down[1] = (struct asim_link_down){9000, 0, 4, 1};
    lab->net.link_downs = 2;
    for (uint32_t i = 0; i < 24; i++)
        lab_send(lab, 0, (const uint32_t[2]){i % 4, (i + 1 + i / 4 % 3) % 4}, 20000);
    return lab;
}

static int run(struct lab *lab, struct asim_err *err)
{
    struct asim_fabric_config config = {.topo = &lab->topo,
                                        .net = &lab->net,
                                        .user = {.self = lab,
                                                 .wake = lab_wake,
                                                 .sent = lab_sent,
                                                 .arrived = lab_arrived,
                                                 .done = lab_done,
                                                 .settled = lab_settled},
                                        .seed = 1};
    int code = asim_topo_finish(&lab->topo, err);

    if (!code)
        code = asim_route_open(&lab->route, &lab->topo, err);
    config.route = lab->route;
    if (!code)
        code = asim_fabric_open(&lab->fabric, &config, err);
    for (uint32_t i = 0; !code && i < lab->n; i++) {
        struct asim_msg msg = {.id = i,
                               .bytes = lab->msg[i].bytes,
                               .cookie = i,
                               .src = lab->msg[i].src,
                               .dst = lab->msg[i].dst};

        if (asim_packet_backend.send(lab_net(lab), &msg))
            code = asim_err_nomem(err, "sending");
    }
    return code ? code : asim_fabric_run(lab->fabric, err);
}

static void refuse_each(uint32_t cc)
{
    uint64_t good[24];
    long n = 0;

    do {
        struct lab *lab = bench(cc);
        struct asim_err err = {0};
        int code;

        refused = 0;
        left = n ? n - 1 : -1;
        code = run(lab, &err);
        left = -1;
        if (code)
            CHECK(code == ASIM_ENOMEM && strstr(err.text, "memory") != NULL);
        for (uint32_t i = 0; !code && i < 24; i++) {
            if (!n)
                good[i] = lab->msg[i].sent;
            CHECK(lab->msg[i].n_arrived == 1 && lab->msg[i].sent == good[i]);
        }
        lab_close(lab);
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
    refuse_each(12);
    refuse_each(3);
    return CHECK_DONE();
}
