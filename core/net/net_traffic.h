/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Background traffic: messages between hosts that no rank sends. Whoever opens a network hands it
 * the generators; fabric/host/traffic.c and flow/background.c run them.
 */
#ifndef ASIM_NET_NET_TRAFFIC_H
#define ASIM_NET_NET_TRAFFIC_H

#include <stddef.h>
#include <stdint.h>
#include "asim/ext/family.h"

/* A share of all flows have at most so many bytes. */
struct asim_size_share {
    double bytes, share;
};

/* Family net/flow_sizes: row symbols asim_flow_sizes_<file>, table asim_flow_sizes_table. A
 * distribution is given by points of its cumulative shares, of bytes and shares that never fall;
 * the last share is 1. Sizes are uniform between two points. */
struct asim_flow_sizes {
    struct asim_member member;
    const struct asim_size_share *at;
    size_t n;
};
extern const struct asim_member *const asim_flow_sizes_table[];

double asim_flow_sizes_mean(const struct asim_flow_sizes *sizes);
/* The size below which the share u of all flows lies, at least 1 byte; u in [0, 1). */
uint64_t asim_flow_sizes_at(const struct asim_flow_sizes *sizes, double u);

enum asim_traffic_pattern {
    ASIM_TRAFFIC_UNIFORM, /* from each host to any other one */
    ASIM_TRAFFIC_ACROSS,  /* from each host to one of another group */
    ASIM_TRAFFIC_INCAST   /* from `fan_in` hosts at one time to one */
};

/* One generator. Flows begin as a Poisson process of each host, or of all incasts. Draws are keyed
 * by seed, host and number, so they depend on nothing else. */
struct asim_net_traffic {
    enum asim_traffic_pattern pattern;
    const uint32_t *hosts, *group; /* [n] that take part; of ACROSS: the group of each, else NULL */
    uint32_t n;                    /* at least 2 */
    const struct asim_flow_sizes *sizes; /* NULL: all have `bytes` */
    uint64_t bytes;
    double gap_ns;        /* mean time between flows of a host, or between incasts */
    double on_ns, off_ns; /* means of exponential times in which a host begins flows, and none;
                             off_ns 0: always. gap_ns is the mean over both */
    uint32_t fan_in;
    uint64_t from_ns, until_ns; /* until_ns ASIM_NEVER: until the ranks have finished */
    uint64_t seed;
};

enum { ASIM_TRAFFIC_MOST = 64 };
/* Borrowed by the network until it closes; at most ASIM_TRAFFIC_MOST. */
struct asim_net_traffics {
    const struct asim_net_traffic *at;
    size_t n;
};

/* Classes of flows by size: up to 100 kB, up to 1 MB, larger. */
enum { ASIM_TRAFFIC_CLASSES = 3, ASIM_TRAFFIC_BINS = 96 };
/* What a generator has done. Slowdown: the time of a flow over that on idle links; bin b counts
 * flows from 2^(b/8) on. */
struct asim_traffic_use {
    uint64_t started, started_bytes, finished, finished_bytes, given_up;
    uint64_t slowdown[ASIM_TRAFFIC_CLASSES][ASIM_TRAFFIC_BINS];
};
/* Adds what other hosts have done. */
void asim_traffic_use_add(struct asim_traffic_use *into, const struct asim_traffic_use *from);
/* The slowdown below which the share q of the flows of a class lies (ASIM_TRAFFIC_CLASSES: of all),
 * to an eighth of a power of two; 0: there are none. */
double asim_traffic_quantile(const struct asim_traffic_use *use, uint32_t size_class, double q);

#endif
