/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The physical network as a graph: nodes (hosts first; by convention rank r is node r) and
 * full-duplex links. asim_topo_read reads a file of ASTRA-sim or SimAI, asim_topo_make makes a
 * network by name. Port numbers are the ns-3 interface numbers of ASTRA-sim's ns-3 backend: 1-based
 * for each node, in the order of the links. Parallel links are legal and each gets its own ports.
 *
 *     asim_topo_init; asim_topo_read, asim_topo_make, or asim_topo_nodes + asim_topo_link for each
 *     link + asim_topo_finish; use the fields; asim_topo_fini
 *
 * A finished topology is const, and threads may share it. Functions that can fail return 0 or a
 * negative enum asim_code and fill err, which may be NULL.
 */
#ifndef ASIM_TOPOLOGY_H
#define ASIM_TOPOLOGY_H

#include <stddef.h>
#include <stdint.h>
#include "asim/err.h"
#include "asim/export.h"
#include "asim/ext/family.h"

ASIM_C_BEGIN

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
    char *machine;         /* name or file of the machine that it was made of, or NULL */
    uint32_t machine_nics; /* NICs of each host of that machine */
    /* The last `endpoints` hosts are endpoints of NVSwitches; the last `endpoints` links are their
     * virtual links. */
    uint32_t endpoints;
    uint32_t pcie; /* the last `pcie` switches are PCIe switches of hosts that run several ranks */
    /* Where ranks are placed: the number that users see of each node, endpoints left out, and the
     * inverse. NULL: the same numbers. */
    uint32_t *shown, *internal;
};

ASIM_API void asim_topo_init(struct asim_topo *topo);
/* Sets the number of nodes, all hosts. Call it once. */
ASIM_API int asim_topo_nodes(struct asim_topo *topo, uint32_t nodes, struct asim_err *err);
ASIM_API int asim_topo_link(struct asim_topo *topo, const struct asim_link *link,
                            struct asim_err *err);
/* Numbers the ports and checks the graph: ids in range, no link from a node to itself, rates above
 * zero, at least one host, hosts numbered before switches. */
ASIM_API int asim_topo_finish(struct asim_topo *topo, struct asim_err *err);
/* Calls found(self, a, b), a < b, for each link of a finished topology that joins the same two
 * nodes as an earlier link, ascending by a and by port of a, until found returns non-zero. Linear.
 * Returns 0 or ASIM_ENOMEM. */
ASIM_API int asim_topo_duplicate_links(const struct asim_topo *topo,
                                       int (*found)(void *self, uint32_t a, uint32_t b),
                                       void *self);
/* 0 if all hosts reach each other over switches, else an error that names one pair. Linear. */
ASIM_API int asim_topo_check_connected(const struct asim_topo *topo, uint32_t hosts,
                                       struct asim_err *err);
ASIM_API void asim_topo_fini(struct asim_topo *topo);

/* Family topo/format: row symbols asim_topo_format_<file>, table asim_topo_format_table. */
struct asim_topo_format {
    struct asim_member member;
    /* 1 if the text looks like this format. */
    int (*sniff)(const char *data, size_t size);
    /* src is at its beginning. The caller frees a topology whose reading failed. */
    int (*read)(struct asim_topo *topo, struct asim_src *src, struct asim_err *err);
    int (*write)(const struct asim_topo *topo, const char *path, struct asim_err *err);
};
ASIM_API extern const struct asim_member *const asim_topo_format_table[];
/* Reads a file of any known format and finishes the topology. */
ASIM_API int asim_topo_read(struct asim_topo *topo, const char *path, struct asim_err *err);

/* Family topo/maker: row symbols asim_topo_maker_<file>, table asim_topo_maker_table. */
struct asim_topo_maker {
    struct asim_member member;
    /* opt: the options struct of the member, filled. hosts: number of ranks that must fit (0 = the
     * options decide). The topology is finished. */
    int (*make)(struct asim_topo *topo, uint32_t hosts, const void *opt, struct asim_err *err);
};
ASIM_API extern const struct asim_member *const asim_topo_maker_table[];
/* 1 for "auto:NAME,key=value" and "machine:NAME,key=value", which asim_topo_make takes as *spec; a
 * NULL or a file gives 0. */
ASIM_API int asim_topo_is_made(const char *topology, const char **spec);
/* spec: "NAME" or "NAME,key=value,key=value". */
ASIM_API int asim_topo_make(struct asim_topo *topo, const char *spec, uint32_t hosts,
                            struct asim_err *err);

/* Finds a maker by name; case and punctuation do not matter, and short forms such as "hpn" exist.
 * Returns NULL and sets err if the name is unknown. */
ASIM_API const struct asim_topo_maker *asim_topo_maker_find(const char *name, struct asim_err *err);

/* Routes of a finished topology: equal-cost next hops on the paths with the fewest links, where
 * only switches forward. A backend over the topology gets them in asim_net_config (asim/net.h). */
struct asim_route;
/* Returns the interfaces (1-based) of `node`, host or switch, on shortest paths to host dst_host,
 * and their number in *n. The list lives as long as the routes. NULL and *n = 0: dst_host is
 * unreachable or is node itself, or memory ran out (asim_route_error). A look-up may fill a row on
 * first use: one thread at a time. */
ASIM_API const uint32_t *asim_route_ports(struct asim_route *route, uint32_t node,
                                          uint32_t dst_host, uint32_t *n);
/* 0, or the recorded failure of a search on first use. */
ASIM_API int asim_route_error(const struct asim_route *route, struct asim_err *err);

/* 0 if word is NULL or one word of letters, digits and "_+.-" that fits asim_topo.gpu_type. */
ASIM_API int asim_topo_check_gpu_type(const char *word, struct asim_err *err);
/* Writes the file name that SimAI's generator gives the topology of maker `name` with options opt,
 * or "" if the maker is none of its templates. Returns buf. */
ASIM_API const char *asim_topo_file_name(const char *name, const void *opt,
                                         const struct asim_topo *topo, char *buf, size_t size);

/* Rates and delays as topology files have them, without loss: "2880Gbps", "0.000025ms". */
/* All return buf; 40 bytes are enough. */
ASIM_API const char *asim_topo_show_rate(char *buf, size_t size, uint64_t rate_bps);
ASIM_API const char *asim_topo_show_delay(char *buf, size_t size, uint64_t delay_fs);
/* The shortest decimal number that reads back as value. */
ASIM_API const char *asim_topo_show_real(char *buf, size_t size, double value);

ASIM_C_END
#endif
