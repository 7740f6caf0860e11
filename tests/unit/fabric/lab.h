/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A packet network on the bench: a topology laid by hand, messages started by hand at given
 * times, no collectives and no ns-3. Every message's time at both ends is kept.
 */
#ifndef ASIM_TESTS_LAB_H
#define ASIM_TESTS_LAB_H

#include "check.h"
#include <stdatomic.h>
#include <stdlib.h>
#include "fabric/node.h"

enum { LAB_MESSAGES = 512, LAB_PFC = 4096 };

struct lab_message {
    uint64_t at, bytes;
    uint32_t src, dst;
    uint64_t sent, arrived; /* when each end was told */
    uint32_t n_sent, n_arrived;
    int started;
};

struct lab {
    struct asim_topo topo;
    struct asim_route *route;
    struct asim_netconf net;
    struct asim_fabric *fabric;
    struct lab_message msg[LAB_MESSAGES];
    uint32_t n;
    uint64_t pfc[LAB_PFC][4]; /* time, node, port, pause */
    uint32_t n_pfc, n_fct;
    uint64_t settled, fct_ns;
    const uint32_t *part_of; /* this is process `self` of several, or NULL */
    uint32_t self;
    atomic_flag busy; /* callbacks come from several threads in some tests */
};

/* clang-format off: two plain lines */
static inline void lab_lock(struct lab *lab)
{
    while (atomic_flag_test_and_set(&lab->busy)) {
    }
}
static inline void lab_unlock(struct lab *lab)
{
    atomic_flag_clear(&lab->busy);
}
/* clang-format on */

static inline struct asim_net *lab_net(struct lab *lab)
{
    return (struct asim_net *)lab->fabric;
}

static inline void lab_start_due(struct lab *lab, uint32_t rank)
{
    uint64_t now = asim_packet_backend.now(lab_net(lab), rank);
    int code;

    for (uint32_t i = 0; i < lab->n; i++) {
        struct lab_message *m = &lab->msg[i];
        struct asim_msg msg = {
            .id = i, .bytes = m->bytes, .tag = i, .cookie = i, .src = m->src, .dst = m->dst};

        if (m->src != rank || m->at != now || m->started)
            continue;
        m->started = 1;
        code = asim_packet_backend.send(lab_net(lab), &msg);
        lab_lock(lab);
        CHECK(code == 0);
        lab_unlock(lab);
    }
}

static inline void lab_wake(void *self, uint32_t rank)
{
    lab_start_due(self, rank); /* of messages only this rank starts */
}

static inline void lab_sent(void *self, const struct asim_msg *msg)
{
    struct lab *lab = self;

    lab_lock(lab);
    CHECK(msg->cookie == msg->id);
    lab->msg[msg->id].n_sent++;
    lab->msg[msg->id].sent = asim_packet_backend.now(lab_net(lab), msg->src);
    lab_unlock(lab);
}

static inline void lab_arrived(void *self, const struct asim_msg *msg)
{
    struct lab *lab = self;

    lab_lock(lab);
    CHECK_U64(msg->bytes, lab->msg[msg->id].bytes);
    lab->msg[msg->id].n_arrived++;
    lab->msg[msg->id].arrived = asim_packet_backend.now(lab_net(lab), msg->dst);
    lab_unlock(lab);
}

static inline int lab_done(void *self)
{
    (void)self;
    return 0;
}

static inline void lab_settled(void *self, uint64_t t)
{
    struct lab *lab = self;

    CHECK(t > lab->settled); /* time never goes back */
    lab->settled = t;
}

static inline void lab_fct(void *self, const struct asim_fct *row)
{
    struct lab *lab = self;

    lab_lock(lab);
    lab->n_fct++;
    lab->fct_ns += row->end - row->start;
    lab_unlock(lab);
}

static inline void lab_pfc(void *self, uint64_t t, uint32_t node, uint32_t port, int pause)
{
    struct lab *lab = self;

    lab_lock(lab);
    if (lab->n_pfc < LAB_PFC)
        memcpy(lab->pfc[lab->n_pfc++], (uint64_t[4]){t, node, port, (uint64_t)pause},
               sizeof lab->pfc[0]);
    lab_unlock(lab);
}

/* An empty bench with the published network settings. */
static inline struct lab *lab_open(uint32_t hosts, uint32_t switches)
{
    struct lab *lab = calloc(1, sizeof *lab);
    struct asim_err err = {0};

    if (!lab)
        abort();
    asim_topo_init(&lab->topo);
    CHECK(asim_topo_nodes(&lab->topo, hosts + switches, &err) == 0);
    for (uint32_t s = 0; s < switches; s++)
        lab->topo.node_type[hosts + s] = ASIM_SWITCH;
    CHECK(asim_netconf_defaults(&lab->net, &err) == 0);
    return lab;
}

static inline void lab_link(struct lab *lab, uint32_t a, uint32_t b, const uint64_t gbps_ns[2])
{
    struct asim_link link = {
        .a = a, .b = b, .rate_bps = gbps_ns[0] * 1000000000u, .delay_fs = gbps_ns[1] * 1000000u};
    struct asim_err err = {0};

    CHECK(asim_topo_link(&lab->topo, &link, &err) == 0);
}

static inline void lab_send(struct lab *lab, uint64_t at, const uint32_t src_dst[2], uint64_t bytes)
{
    if (lab->n < LAB_MESSAGES)
        lab->msg[lab->n++] =
            (struct lab_message){.at = at, .bytes = bytes, .src = src_dst[0], .dst = src_dst[1]};
}

/* Builds the network; nothing has happened in it. */
static inline void lab_prepare(struct lab *lab, int per_event)
{
    struct asim_err err = {0};
    struct asim_fabric_config config = {.topo = &lab->topo,
                                        .net = &lab->net,
                                        .user = {.self = lab,
                                                 .wake = lab_wake,
                                                 .sent = lab_sent,
                                                 .arrived = lab_arrived,
                                                 .done = lab_done,
                                                 .settled = lab_settled},
                                        .watch = {.self = lab, .fct = lab_fct, .pfc = lab_pfc},
                                        .seed = 1,
                                        .per_event = per_event,
                                        .part_of = lab->part_of,
                                        .self = lab->self};

    CHECK(asim_topo_finish(&lab->topo, &err) == 0);
    CHECK(asim_route_open(&lab->route, &lab->topo, &err) == 0);
    config.route = lab->route;
    CHECK(asim_fabric_open(&lab->fabric, &config, &err) == 0);
    if (err.code) {
        fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
}

/* Time 0 of this process's hosts. */
static inline void lab_start(struct lab *lab)
{
    for (uint32_t i = 0; i < lab->n; i++)
        if (lab->msg[i].at && asim_fabric_owns(lab->fabric, lab->msg[i].src))
            CHECK(asim_packet_backend.wake_after(lab_net(lab), lab->msg[i].src, lab->msg[i].at) ==
                  0);
    for (uint32_t h = 0; h < lab->topo.hosts; h++)
        if (asim_fabric_owns(lab->fabric, h))
            lab_start_due(lab, h);
}

/* Runs until nothing is left. */
static inline void lab_go(struct lab *lab)
{
    struct asim_err err = {0};

    lab_start(lab);
    CHECK(asim_fabric_run(lab->fabric, &err) == 0);
}

static inline void lab_run(struct lab *lab, int per_event)
{
    lab_prepare(lab, per_event);
    lab_go(lab);
}

static inline void lab_close(struct lab *lab)
{
    asim_fabric_close(lab->fabric);
    asim_route_close(lab->route);
    asim_topo_fini(&lab->topo);
    asim_netconf_fini(&lab->net);
    free(lab);
}

/* hosts around one switch. */
static inline struct lab *lab_star(uint32_t hosts, const uint64_t gbps_ns[2])
{
    struct lab *lab = lab_open(hosts, 1);

    for (uint32_t h = 0; h < hosts; h++)
        lab_link(lab, h, hosts, gbps_ns);
    return lab;
}

#include "lab_check.h"

#endif
