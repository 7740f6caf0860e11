/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The physical network as a graph: nodes (hosts first, by convention rank r is node r) and
 * full-duplex links. Port numbers are the ns-3 interface numbers of the reference: 1-based per
 * node, in the order of the links of the file. Parallel links are legal and each gets its ports.
 * Built once by a format reader or a maker, const afterwards.
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
    /* Each direction has this rate to itself; propagation delay in femtoseconds. */
    uint64_t rate_bps, delay_fs;
    double error_rate; /* packets lost, 0..1 */
};

struct asim_port_ref { /* one end of a link as its node sees it */
    /* Index into links; node at the other end; its interface number there, from 1. */
    uint32_t link, peer, peer_port;
};

struct asim_topo {
    char *source;                    /* where it came from, for messages */
    uint32_t nodes, hosts, switches; /* switches counts both kinds */
    uint8_t *node_type;                   /* [nodes], enum asim_node_type */
    struct asim_link *links;
    size_t n_links, cap_links;
    /* Ports of node v: ports[first_port[v] + i] is its interface i + 1. */
    uint32_t *first_port; /* [nodes + 1] */
    struct asim_port_ref *ports;
    uint32_t gpus_per_server; /* SimAI flavour; 0 = not stated */
    /* SimAI's word, "" where not stated. */
    char gpu_type[16];
    /* The last so many hosts are end points of NVSwitches, the last so many links lead to them. */
    uint32_t endpoints;
};

void asim_topo_init(struct asim_topo *topo);
/* Sets the number of nodes, all hosts; call once. */
int asim_topo_nodes(struct asim_topo *topo, uint32_t nodes, struct asim_err *err);
int asim_topo_link(struct asim_topo *topo, const struct asim_link *link, struct asim_err *err);
/* Numbers the ports and checks what every user of the graph relies on: ids in range, no link to
 * itself, rates above zero, at least one host, hosts numbered before switches. */
int asim_topo_finish(struct asim_topo *topo, struct asim_err *err);
/* Calls found(self, a, b) for each link of a finished topology that joins nodes joined by one
 * before it, a < b, in the order of a and of its ports, until it returns other than 0. Linear. 0 or
 * ENOMEM. */
int asim_topo_duplicate_links(const struct asim_topo *topo,
                              int (*found)(void *self, uint32_t a, uint32_t b), void *self);
/* 0 if every host reaches every other over switches; else names one pair that cannot. Linear. */
int asim_topo_check_connected(const struct asim_topo *topo, uint32_t hosts, struct asim_err *err);
void asim_topo_fini(struct asim_topo *topo);

/* Gives each NVSwitch of a finished topology a host that messages can begin and end at: the i-th
 * NVSwitch gets the i-th host behind those there are, and switches move up (endpoint.c). Before
 * routes are opened; twice is as once; nothing changes without NVSwitches. */
int asim_topo_endpoints(struct asim_topo *topo, struct asim_err *err);
/* The host that is NVSwitch v's end point; UINT32_MAX if v is none or has none. */
uint32_t asim_topo_endpoint_of(const struct asim_topo *topo, uint32_t v);
static inline int asim_topo_is_endpoint(const struct asim_topo *topo, uint32_t node)
{
    return node < topo->hosts && node >= topo->hosts - topo->endpoints;
}
static inline int asim_topo_is_virtual(const struct asim_topo *topo, size_t link)
{
    return link >= topo->n_links - topo->endpoints;
}
/* The number users know a node by, that of the topology as it was read; an end point goes by its
 * NVSwitch's. asim_topo_internal_id is the way back, for hosts and switches. */
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

/* Whether v is a switch of at least so many ports that joins hosts alone, each by one link. */
int asim_topo_is_star(const struct asim_topo *topo, uint32_t v, uint32_t ports);

/* Family topo/format: row symbols asim_topo_format_<file>, table asim_topo_format_table. */
struct asim_topo_format {
    struct asim_member member;
    /* 1 if the text looks like this flavour. */
    int (*sniff)(const char *data, size_t size);
    /* src stands at its beginning. A topology that failed half-way is the caller's to free. */
    int (*read)(struct asim_topo *topo, struct asim_src *src, struct asim_err *err);
    int (*write)(const struct asim_topo *topo, const char *path, struct asim_err *err);
};
extern const struct asim_member *const asim_topo_format_table[];
/* Reads any known flavour: sniffs, reads, finishes. */
int asim_topo_read(struct asim_topo *topo, const char *path, struct asim_err *err);

/* Family topo/maker: row symbols asim_topo_maker_<file>, table asim_topo_maker_table. */
struct asim_topo_maker {
    struct asim_member member;
    /* opt: the member's options struct, filled; hosts: how many ranks must fit (0 = as options
     * say). Returns a finished topo. */
    int (*make)(struct asim_topo *topo, uint32_t hosts, const void *opt, struct asim_err *err);
};
extern const struct asim_member *const asim_topo_maker_table[];
/* "NAME" or "NAME,key=value,key=value". */
int asim_topo_make(struct asim_topo *topo, const char *spec, uint32_t hosts, struct asim_err *err);

#endif
