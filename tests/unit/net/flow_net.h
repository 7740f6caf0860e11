/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A small network at the flow level, and when each of its messages was through.
 */
#ifndef ASIM_TESTS_FLOW_NET_H
#define ASIM_TESTS_FLOW_NET_H

#include "asim/net.h"
#include "asim/settings.h"
#include "asim/packet.h"
#include "conf/netconf.h"
#include "net/net.h"
#include "net/net_events.h"
#include "net/packets.h"
#include "topo/route.h"
#include "topo/topo.h"
#include "check.h"

#include <string.h>

extern const struct asim_net_backend asim_net_backend_flow;
static const struct asim_net_backend *const flow = &asim_net_backend_flow;

enum { MOST = 64, D = 41, A = 2, P = 500, PAYLOAD = 1000 }; /* 200 Gb/s, 500 ns */

/* When each message was through, by the order of the sends. */
struct run {
    struct asim_topo topo;
    struct asim_route *routes;
    struct asim_netconf conf;
    struct asim_settings settings;
    struct asim_net *net;
    uint64_t through[MOST];
    uint64_t sent;
    uint64_t answer; /* bytes that host 1 sends to host 0 once message 1 has come */
};

static inline void send(struct run *run, uint32_t src, uint32_t dst, uint64_t bytes);

static inline void on_wake(void *self, uint32_t rank)
{
    (void)self, (void)rank;
}

static inline void on_sent(void *self, const struct asim_msg *msg)
{
    (void)self, (void)msg;
}

static inline void on_arrived(void *self, const struct asim_msg *msg)
{
    struct run *run = self;

    run->through[msg->id] = flow->now(run->net, 0);
    if (msg->id == 1 && run->answer)
        send(run, 1, 0, run->answer);
}

static inline int on_done(void *self)
{
    (void)self;
    return 0;
}

static inline void on_settled(void *self, uint64_t time_ns)
{
    (void)self, (void)time_ns;
}

struct setup {
    const char *maker, *without;
    uint32_t qps;
    void *self;
    void (*wake)(void *self, uint32_t rank);
};

static inline void open_as(struct run *run, const struct setup *as)
{
    struct asim_err err = {0};
    struct asim_net_config config = {
        .user = {as->self, as->wake, on_sent, on_arrived, NULL, on_done, on_settled}};
    char parts[64];

    memset(run, 0, sizeof *run);
    snprintf(parts, sizeof parts, "%s", as->without ? as->without : "");
    CHECK_U64(asim_topo_make(&run->topo, as->maker, 0, &err), 0);
    CHECK_U64(asim_route_open(&run->routes, &run->topo, NULL, &err), 0);
    CHECK_U64(asim_netconf_defaults(&run->conf, &err), 0);
    run->conf.qps_per_connection = as->qps;
    run->settings.flow_without = as->without ? parts : NULL;
    config.ranks = run->topo.hosts;
    config.topo = &run->topo;
    config.routes = run->routes;
    config.netconf = &run->conf;
    config.settings = &run->settings;
    CHECK_U64(flow->open(&run->net, &config, &err), 0);
}

static inline void open(struct run *run, const char *maker, const char *without)
{
    open_as(run, &(struct setup){maker, without, 1, run, on_wake});
}

static inline void send(struct run *run, uint32_t src, uint32_t dst, uint64_t bytes)
{
    struct asim_msg msg = {
        .bytes = bytes, .src = src, .dst = dst, .id = run->sent++, .cookie = ASIM_NEVER};

    CHECK_U64(flow->send(run->net, &msg), 0);
}

static inline void go(struct run *run)
{
    struct asim_err err = {0};

    CHECK_U64(flow->run(run->net, &err), 0);
}

static inline void end(struct run *run)
{
    flow->close(run->net);
    asim_route_close(run->routes);
    asim_topo_fini(&run->topo);
    asim_netconf_fini(&run->conf);
}

#endif
