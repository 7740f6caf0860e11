/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Networks that carry the messages of a run. A network backend is a table of functions, struct
 * asim_net_backend. asim has three: packet level, analytical with congestion and analytical
 * without. A program can bring its own in struct asim_settings (asim/asim.h), with delays of its
 * own, as examples/embed/pipe.c, or over the topology of the run, as examples/embed/slowest_link.c.
 *
 * The world calls the backend's table; the backend calls struct asim_net_user (asim/msg.h) back.
 * Each call names a rank and runs at the current time of that rank. A backend with one clock for
 * all ranks returns the same now() for each. Times are ns since the start of the run.
 *
 * The order a backend must keep: wakes of one rank at one time fire in the order they were asked
 * for. A message is reported `sent` and `arrived` at the same time, to its source first.
 *
 * Threads: the world calls a backend of the caller's own from one thread, the one that runs the
 * world, and the backend must call back from that thread only.
 */
#ifndef ASIM_NET_H
#define ASIM_NET_H

#include <stddef.h>
#include <stdint.h>
#include "asim/err.h"
#include "asim/ext/family.h"
#include "asim/msg.h"

ASIM_C_BEGIN

enum { ASIM_DIMS = 16 }; /* dimensions of a logical topology or an analytical network, at most */

/* An analytical network: one basic topology for each logical dimension. Dimension 0 varies fastest
 * with the rank. */
enum asim_net_topology { ASIM_NET_RING, ASIM_NET_FULLY_CONNECTED, ASIM_NET_SWITCH };
struct asim_netdim {
    int topology;          /* enum asim_net_topology */
    uint32_t npus;         /* ranks along this dimension */
    double bandwidth_gbps; /* x 2^30 byte/s, per link and direction */
    double latency_ns;     /* per hop */
};
struct asim_netshape {
    struct asim_netdim at[ASIM_DIMS];
    size_t n;
};

/* "Ring", "FullyConnected", "Switch" */
ASIM_API const char *asim_net_topology_name(int topology);
/* Reads the network YAML of ASTRA-sim's analytical programs. */
ASIM_API int asim_netshape_read(struct asim_netshape *shape, const char *path,
                                struct asim_err *err);

/* Whether dimension d has a bandwidth or a latency that is legal and seldom meant; writes the
 * sentence about it to buf. */
ASIM_API int asim_netshape_is_doubtful(const struct asim_netshape *shape, size_t d, char *buf,
                                       size_t size);

enum asim_net_trait {
    /* A receive that is posted after its bytes arrived completes inside the call. Without this
     * trait it completes in an event of its own at the same time, and the backend needs
     * `defer_receive`. */
    ASIM_NET_LATE_RECEIVE_NOW = 1,
    /* A send matches a receive of its own size only, the k-th send of that size the k-th receive.
     * Without this trait the bytes of a tag are one stream. */
    ASIM_NET_MEET_BY_SIZE = 2,
    /* Messages cross the physical network of the settings. The world reads network configuration,
     * topology and placement as for the packet network, and asim_net_config has them. Without this
     * trait the settings give a shape at most. */
    ASIM_NET_OVER_TOPOLOGY = 4
};

struct asim_net;        /* the backend's own state */
struct asim_msg_train;  /* the backend's own: a message train, see train_open */
struct asim_net_extras; /* of the backends inside the library */

struct asim_topo;
struct asim_route;
struct asim_netconf;
struct asim_settings;

struct asim_net_config {
    const struct asim_netshape *shape; /* borrowed during open; NULL where the settings give none */
    uint32_t ranks;                    /* ranks 0 … ranks - 1 exist */
    struct asim_net_user user;
    /* settings->backend_data; of the library's own networks, their options during open. */
    void *data;
    /* With ASIM_NET_OVER_TOPOLOGY, else NULL. The world owns all three; they live until close().
     * topo: nodes and links (asim/topology.h). Rank r is host r; placement has renumbered the
     * hosts. With NVSWITCH_ENDPOINTS and NVLS, messages have hosts from `ranks` on as src or dst,
     * too; then wake_after() and now() take these as ranks. routes: next hops on shortest paths, by
     * asim_route_ports; the world refuses messages without a path before send(). netconf: the keys
     * of the network configuration, by asim_netconf_field (asim/netconf.h). */
    const struct asim_topo *topo;
    struct asim_route *routes;
    const struct asim_netconf *netconf;
    const struct asim_settings *settings; /* of the run, during open only */
};

/* Functions that return int return 0 or a negative enum asim_code. */
struct asim_net_backend {
    struct asim_member member; /* name and about, for messages */
    size_t size;               /* sizeof(struct asim_net_backend) where the caller was compiled */
    unsigned traits;           /* bits of enum asim_net_trait */
    /* Makes a network; *net is the world's to close. */
    int (*open)(struct asim_net **net, const struct asim_net_config *config, struct asim_err *err);
    /* The current time of a rank, ns; it never goes back. */
    uint64_t (*now)(const struct asim_net *net, uint32_t rank);
    /* Optional: where that time is stored, so that the world reads it without a call. Valid until
     * close. The hook may be NULL, and so may its result. */
    const uint64_t *(*clock)(const struct asim_net *net, uint32_t rank);
    /* Calls user->wake(rank) delay_ns from now(rank), after all that is already due then. */
    int (*wake_after)(struct asim_net *net, uint32_t rank, uint64_t delay_ns);
    /* Calls user->receive_due(rank, cookie) at now(rank), in an event of its own after all that is
     * due now. NULL where ASIM_NET_LATE_RECEIVE_NOW is set. */
    int (*defer_receive)(struct asim_net *net, uint32_t rank, uint64_t cookie);
    /* Starts to carry a copy of *msg at now(msg->src). */
    int (*send)(struct asim_net *net, const struct asim_msg *msg);
    /* Optional, all three or none: a train of messages that differ in their ids only, *first and
     * those that follow it. NULL when out of memory. */
    struct asim_msg_train *(*train_open)(struct asim_net *net, const struct asim_msg *first);
    /* Sends the next message of the train; a lack of memory ends run(). */
    void (*train_send)(struct asim_net *net, struct asim_msg_train *row);
    /* No more will be sent; messages under way still arrive. */
    void (*train_close)(struct asim_net *net, struct asim_msg_train *row);
    /* Runs until nothing is left to do or user->done() says 1. */
    int (*run)(struct asim_net *net, struct asim_err *err);
    /* Frees everything, messages under way included; calls nobody back. */
    void (*close)(struct asim_net *net);
    const struct asim_net_extras *extras; /* NULL */
};

/* How far the times of a network that approximates packets may be off. */
struct asim_packet_trust {
    double held_percent;                /* of the bytes, held up in queues of switches */
    double usual_percent, most_percent; /* nine of ten tests, and the worst one; with doubt 0 */
    const char *doubt;                  /* why an error is likely, or NULL */
};
/* As a sentence without its full stop, of at most size - 1 bytes. */
ASIM_API void asim_packet_trust_say(const struct asim_packet_trust *trust, char *buf, size_t size);

ASIM_C_END
#endif
