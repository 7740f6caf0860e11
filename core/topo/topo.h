/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The physical network as a graph: nodes (hosts first; by convention rank r is node r) and
 * full-duplex links. Port numbers are the ns-3 interface numbers of ASTRA-sim's ns-3 backend:
 * 1-based for each node, in the order of the links of the file. Parallel links are legal and each
 * gets its own ports. A format reader or a maker builds the graph once; then it is const.
 */
#ifndef ASIM_TOPO_TOPO_H
#define ASIM_TOPO_TOPO_H

#include <stddef.h>
#include <stdint.h>
#include "asim/err.h"
#include "asim/ext/family.h"

enum asim_node_type { ASIM_HOST = 0, ASIM_SWITCH = 1, ASIM_NVSWITCH = 2 };

struct asim_src;

struct asim_link {
    uint32_t a, b;           /* node ids */
    uint32_t port_a, port_b; /* 1-based at a and at b; filled by asim_topo_finish */
    /* Each direction has this rate to itself. Propagation delay in femtoseconds. */
    uint64_t rate_bps, delay_fs;
    double error_rate; /* probability of packet loss, 0..1 */
};

struct asim_port_ref { /* one end of a link, as its node sees it */
    /* Index into links; node at the other end; interface number of that node, from 1. */
    uint32_t link, peer, peer_port;
};

struct asim_topo {
    char *source;                    /* file or maker, for messages */
    uint32_t nodes, hosts, switches; /* switches counts NVSwitches, too */
    uint8_t *node_type;              /* [nodes], enum asim_node_type */
    struct asim_link *links;
    size_t n_links, cap_links;
    /* Ports of node v: ports[first_port[v] + i] is its interface i + 1. */
    uint32_t *first_port; /* [nodes + 1] */
    struct asim_port_ref *ports;
    uint32_t gpus_per_server; /* from a file in SimAI's format; 0 = not stated */
    /* From a file in SimAI's format, "" = not stated. */
    char gpu_type[16];
    /* The last `endpoints` hosts are endpoints of NVSwitches; the last `endpoints` links are their
     * virtual links. */
    uint32_t endpoints;
};

void asim_topo_init(struct asim_topo *topo);
/* Sets the number of nodes, all hosts. Call it once. */
int asim_topo_nodes(struct asim_topo *topo, uint32_t nodes, struct asim_err *err);
int asim_topo_link(struct asim_topo *topo, const struct asim_link *link, struct asim_err *err);
/* Numbers the ports and checks the graph: ids in range, no link from a node to itself, rates above
 * zero, at least one host, hosts numbered before switches. */
int asim_topo_finish(struct asim_topo *topo, struct asim_err *err);
/* Calls found(self, a, b), a < b, for each link of a finished topology that joins the same two
 * nodes as an earlier link, ascending by a and by port of a, until found returns non-zero. Linear.
 * Returns 0 or ASIM_ENOMEM. */
int asim_topo_duplicate_links(const struct asim_topo *topo,
                              int (*found)(void *self, uint32_t a, uint32_t b), void *self);
/* 0 if all hosts reach each other over switches, else an error that names one pair. Linear. */
int asim_topo_check_connected(const struct asim_topo *topo, uint32_t hosts, struct asim_err *err);
void asim_topo_fini(struct asim_topo *topo);

/* Gives each NVSwitch of a finished topology a host at which messages can begin and end: the i-th
 * NVSwitch gets host number hosts + i, and the ids of switches move up (endpoint.c). Call it before
 * routes are opened. A second call changes nothing. */
int asim_topo_endpoints(struct asim_topo *topo, struct asim_err *err);
/* The endpoint of NVSwitch v; UINT32_MAX if v is no NVSwitch or has no endpoint. */
uint32_t asim_topo_endpoint_of(const struct asim_topo *topo, uint32_t v);
static inline int asim_topo_is_endpoint(const struct asim_topo *topo, uint32_t node)
{
    return node < topo->hosts && node >= topo->hosts - topo->endpoints;
}
static inline int asim_topo_is_virtual(const struct asim_topo *topo, size_t link)
{
    return link >= topo->n_links - topo->endpoints;
}
/* The node number that users see: the number in the topology as it was read, and for an endpoint
 * the number of its NVSwitch. asim_topo_internal_id is the inverse for hosts and switches. */
static inline uint32_t asim_topo_external_id(const struct asim_topo *topo, uint32_t node)
{
    if (node < topo->hosts - topo->endpoints)
        return node;
    if (node < topo->hosts)
        node = topo->ports[topo->first_port[node]].peer;
    return node - topo->endpoints;
}
static inline uint32_t asim_topo_internal_id(const struct asim_topo *topo, uint32_t shown)
{
    return shown < topo->hosts - topo->endpoints ? shown : shown + topo->endpoints;
}

/* 1 if v is a switch with at least `ports` ports that all lead to different hosts. */
int asim_topo_is_star(const struct asim_topo *topo, uint32_t v, uint32_t ports);

/* Family topo/format: row symbols asim_topo_format_<file>, table asim_topo_format_table. */
struct asim_topo_format {
    struct asim_member member;
    /* 1 if the text looks like this format. */
    int (*sniff)(const char *data, size_t size);
    /* src is at its beginning. The caller frees a topology whose reading failed. */
    int (*read)(struct asim_topo *topo, struct asim_src *src, struct asim_err *err);
    int (*write)(const struct asim_topo *topo, const char *path, struct asim_err *err);
};
extern const struct asim_member *const asim_topo_format_table[];
/* Reads a file of any known format and finishes the topology. */
int asim_topo_read(struct asim_topo *topo, const char *path, struct asim_err *err);

/* Family topo/maker: row symbols asim_topo_maker_<file>, table asim_topo_maker_table. */
struct asim_topo_maker {
    struct asim_member member;
    /* opt: the options struct of the member, filled. hosts: number of ranks that must fit (0 = the
     * options decide). The topology is finished. */
    int (*make)(struct asim_topo *topo, uint32_t hosts, const void *opt, struct asim_err *err);
};
extern const struct asim_member *const asim_topo_maker_table[];
/* spec: "NAME" or "NAME,key=value,key=value". */
int asim_topo_make(struct asim_topo *topo, const char *spec, uint32_t hosts, struct asim_err *err);

#endif
