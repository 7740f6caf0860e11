/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Planned events of the packet network: what changes in links, switches and hosts, and when.
 * Whoever opens a network hands it the list; fabric/events/ applies it.
 */
#ifndef ASIM_NET_NET_EVENTS_H
#define ASIM_NET_NET_EVENTS_H

#include <stddef.h>
#include <stdint.h>

enum asim_net_event_kind {
    ASIM_NET_LINK_DOWN, /* the link is down until as many LINK_UP have come */
    ASIM_NET_LINK_UP,
    ASIM_NET_LINK_RATE, /* rate_bps of both directions; 0: the topology's again */
    ASIM_NET_LINK_LOSS, /* loses the share `loss` of frames beside its own error rate; 0: no more */
    ASIM_NET_ECN,       /* kmin, kmax (bytes), pmax of the ports of a switch */
    ASIM_NET_PFC,       /* on 0: a switch sends no PAUSE frames from now on, and ends its pauses */
    ASIM_NET_NICS_FIXED, /* on 1: queue pairs of a host stay at their NICs, whose links may be down
                          */
    ASIM_NET_HOLD,       /* the ranks of a host stand still: they send and compute nothing, ... */
    ASIM_NET_RELEASE,    /* ... and go on */
    /* The network plans these itself. */
    ASIM_NET_ROUTES,  /* routes follow the links that are up */
    ASIM_NET_TRAFFIC, /* background traffic begins */
    ASIM_NET_EVENT_KINDS
};

/* For `of`: all switches. */
#define ASIM_NET_ALL UINT32_MAX

struct asim_net_event {
    uint64_t at_ns;
    enum asim_net_event_kind kind;
    uint32_t of; /* index of a link in the topology, or a node; ASIM_NET_ALL */
    int on;
    uint64_t rate_bps, kmin, kmax;
    double loss, pmax;
};

/* In any order; of several events at one time the later in the list counts. Borrowed by the network
 * until it closes. */
struct asim_net_events {
    const struct asim_net_event *at;
    size_t n;
    uint64_t reconverge_ns; /* from a link's change until routes follow it */
};

struct asim_net_event_list {
    struct asim_net_event *at; /* malloc'ed */
    size_t n, cap;
};
struct asim_err;
struct asim_netconf;
struct asim_topo;
/* Appends the events of LINK_DOWN and LINK_UP. 0, ASIM_ENOMEM, or ASIM_EINVAL for nodes without a
 * link between them. */
int asim_net_events_of(struct asim_net_event_list *list, const struct asim_netconf *net,
                       const struct asim_topo *topo, struct asim_err *err);

#endif
