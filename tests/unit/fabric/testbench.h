/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A packet network on the bench: a topology laid by hand, messages started by hand at given
 * times, no collectives and no ns-3. Every message's time at both ends is kept.
 */
#ifndef ASIM_TESTS_TESTBENCH_H
#define ASIM_TESTS_TESTBENCH_H

#include "check.h"
#include <stdatomic.h>
#include <stdlib.h>
#include "conf/netconf.h"
#include "asim/packet.h"
#include "topo/route.h"
#include "topo/topo.h"
#include "fabric/clock/step.h"
#include "fabric/clock/workers.h"
#include "fabric/fabric.h"
#include "fabric/host/host.h"
#include "net/net_events.h"
#include "fabric/observe/observe.h"
#include "fabric/switch/switch.h"
#include "net/net_traffic.h"

enum { BENCH_MESSAGES = 512, BENCH_PFC = 4096, BENCH_EVENTS = 256 };

struct bench_message {
    uint64_t at, bytes;
    uint32_t src, dst;
    uint64_t sent, arrived; /* when each end was told */
    uint32_t n_sent, n_arrived;
    uint8_t started, traffic_class;
};

struct testbench {
    struct asim_topo topo;
    struct asim_route *route;
    struct asim_netconf net;
    struct asim_fabric *fabric;
    struct bench_message msg[BENCH_MESSAGES];
    uint32_t n;
    uint64_t pfc[BENCH_PFC][4]; /* time, node, port, pause */
    uint32_t n_pfc, n_fct;
    uint64_t settled, fct_ns;
    struct asim_net_event event[BENCH_EVENTS];
    struct asim_net_events events; /* of these */
    struct asim_net_traffic traffic[4];
    struct asim_net_traffics traffics; /* of these */
    uint32_t traffic_hosts[64], traffic_groups[64];
    const uint32_t *part_of; /* this is process `self` of several, or NULL */
    uint32_t self;
    atomic_flag busy; /* callbacks come from several threads in some tests */
};

/* clang-format off: two plain lines */
static inline void bench_lock(struct testbench *bench)
{
    while (atomic_flag_test_and_set(&bench->busy)) {
    }
}
static inline void bench_unlock(struct testbench *bench)
{
    atomic_flag_clear(&bench->busy);
}
/* clang-format on */

static inline struct asim_net *bench_net(struct testbench *bench)
{
    return (struct asim_net *)bench->fabric;
}

static inline void bench_start_due(struct testbench *bench, uint32_t rank)
{
    uint64_t now = asim_packet_backend.now(bench_net(bench), rank);
    int code;

    for (uint32_t i = 0; i < bench->n; i++) {
        struct bench_message *m = &bench->msg[i];
        struct asim_msg msg = {
            .id = i, .bytes = m->bytes, .tag = i, .cookie = i, .src = m->src, .dst = m->dst};

        if (m->src != rank || m->at != now || m->started)
            continue;
        m->started = 1;
        msg.traffic_class = m->traffic_class;
        code = asim_packet_backend.send(bench_net(bench), &msg);
        bench_lock(bench);
        CHECK(code == 0);
        bench_unlock(bench);
    }
}

static inline void bench_wake(void *self, uint32_t rank)
{
    bench_start_due(self, rank); /* of messages only this rank starts */
}

static inline void bench_sent(void *self, const struct asim_msg *msg)
{
    struct testbench *bench = self;

    bench_lock(bench);
    CHECK(msg->cookie == msg->id);
    bench->msg[msg->id].n_sent++;
    bench->msg[msg->id].sent = asim_packet_backend.now(bench_net(bench), msg->src);
    bench_unlock(bench);
}

static inline void bench_arrived(void *self, const struct asim_msg *msg)
{
    struct testbench *bench = self;

    bench_lock(bench);
    CHECK_U64(msg->bytes, bench->msg[msg->id].bytes);
    bench->msg[msg->id].n_arrived++;
    bench->msg[msg->id].arrived = asim_packet_backend.now(bench_net(bench), msg->dst);
    bench_unlock(bench);
}

static inline int bench_done(void *self)
{
    (void)self;
    return 0;
}

static inline void bench_held(void *self, uint32_t rank, uint64_t by_ns)
{
    struct testbench *bench = self;

    for (uint32_t i = 0; i < bench->n; i++)
        if (bench->msg[i].src == rank && !bench->msg[i].started)
            bench->msg[i].at += by_ns;
}

static inline int bench_ranks_done(void *self)
{
    const struct testbench *bench = self;

    for (uint32_t i = 0; i < bench->n; i++)
        if (!bench->msg[i].n_arrived || !bench->msg[i].n_sent)
            return 0;
    return 1;
}

static inline void bench_settled(void *self, uint64_t t)
{
    struct testbench *bench = self;

    CHECK(t > bench->settled); /* time never goes back */
    bench->settled = t;
}

static inline void bench_fct(void *self, const struct asim_fct *row)
{
    struct testbench *bench = self;

    bench_lock(bench);
    bench->n_fct++;
    bench->fct_ns += row->end - row->start;
    bench_unlock(bench);
}

static inline void bench_pfc(void *self, uint64_t t, uint32_t node, uint32_t port, int pause)
{
    struct testbench *bench = self;

    bench_lock(bench);
    if (bench->n_pfc < BENCH_PFC)
        memcpy(bench->pfc[bench->n_pfc++], (uint64_t[4]){t, node, port, (uint64_t)pause},
               sizeof bench->pfc[0]);
    bench_unlock(bench);
}

/* An empty bench with the published network settings. */
static inline struct testbench *bench_open(uint32_t hosts, uint32_t switches)
{
    struct testbench *bench = calloc(1, sizeof *bench);
    struct asim_err err = {0};

    if (!bench)
        abort();
    asim_topo_init(&bench->topo);
    CHECK(asim_topo_nodes(&bench->topo, hosts + switches, &err) == 0);
    for (uint32_t s = 0; s < switches; s++)
        bench->topo.node_type[hosts + s] = ASIM_SWITCH;
    CHECK(asim_netconf_defaults(&bench->net, &err) == 0);
    return bench;
}

static inline void bench_link(struct testbench *bench, uint32_t a, uint32_t b,
                              const uint64_t gbps_ns[2])
{
    struct asim_link link = {
        .a = a, .b = b, .rate_bps = gbps_ns[0] * 1000000000u, .delay_fs = gbps_ns[1] * 1000000u};
    struct asim_err err = {0};

    CHECK(asim_topo_link(&bench->topo, &link, &err) == 0);
}

static inline void bench_send(struct testbench *bench, uint64_t at, const uint32_t src_dst[2],
                              uint64_t bytes)
{
    if (bench->n < BENCH_MESSAGES)
        bench->msg[bench->n++] =
            (struct bench_message){.at = at, .bytes = bytes, .src = src_dst[0], .dst = src_dst[1]};
}

static inline void bench_event(struct testbench *bench, struct asim_net_event what)
{
    bench->events.at = bench->event;
    if (bench->events.n < BENCH_EVENTS)
        bench->event[bench->events.n++] = what;
}

/* Between all hosts, of which each second one is in one group. */
static inline void bench_traffic(struct testbench *bench, struct asim_net_traffic what)
{
    while (bench->topo.node_type[what.n] == ASIM_HOST && what.n < 64) {
        bench->traffic_hosts[what.n] = what.n;
        bench->traffic_groups[what.n] = what.n % 2;
        what.n++;
    }
    what.hosts = bench->traffic_hosts;
    what.group = bench->traffic_groups;
    bench->traffics.at = bench->traffic;
    bench->traffic[bench->traffics.n++] = what;
}

/* Builds the network; nothing has happened in it. */
static inline void bench_prepare(struct testbench *bench, int per_event)
{
    struct asim_err err = {0};
    struct asim_fabric_config config = {
        .topo = &bench->topo,
        .net = &bench->net,
        .events = &bench->events,
        .traffics = &bench->traffics,
        .ranks_done = bench_ranks_done,
        .held = bench_held,
        .user = {.self = bench,
                 .wake = bench_wake,
                 .sent = bench_sent,
                 .arrived = bench_arrived,
                 .done = bench_done,
                 .settled = bench_settled},
        .watch = {.self = bench, .fct = bench_fct, .pfc = bench_pfc},
        .seed = 1,
        .per_event = per_event,
        .process_of = bench->part_of,
        .self = bench->self};

    CHECK(asim_topo_finish(&bench->topo, &err) == 0);
    CHECK(asim_route_open(&bench->route, &bench->topo, NULL, &err) == 0);
    config.route = bench->route;
    CHECK(asim_fabric_open(&bench->fabric, &config, &err) == 0);
    if (err.code) {
        fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
}

/* Time 0 of this process's hosts. */
static inline void bench_start(struct testbench *bench)
{
    for (uint32_t i = 0; i < bench->n; i++)
        if (bench->msg[i].at && asim_fabric_owns(bench->fabric, bench->msg[i].src))
            CHECK(asim_packet_backend.wake_after(bench_net(bench), bench->msg[i].src,
                                                 bench->msg[i].at) == 0);
    for (uint32_t h = 0; h < bench->topo.hosts; h++)
        if (asim_fabric_owns(bench->fabric, h))
            bench_start_due(bench, h);
}

/* Runs until nothing is left. */
static inline void bench_go(struct testbench *bench)
{
    struct asim_err err = {0};

    bench_start(bench);
    CHECK(asim_fabric_run(bench->fabric, &err) == 0);
}

static inline void bench_run(struct testbench *bench, int per_event)
{
    bench_prepare(bench, per_event);
    bench_go(bench);
}

static inline void bench_close(struct testbench *bench)
{
    asim_fabric_close(bench->fabric);
    asim_route_close(bench->route);
    asim_topo_fini(&bench->topo);
    asim_netconf_fini(&bench->net);
    free(bench);
}

#include "testbench_check.h"

#endif
