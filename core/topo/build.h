/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Common parts of the makers: node types and links. grid.h and pod.h have two layouts that several
 * makers configure. A maker file has its option table and its fixed numbers.
 *
 * Node ids: hosts, then NVSwitches, then switches level by level from the hosts up. The order of
 * the links is the order of the port numbers, as in SimAI's generator.
 */
#ifndef ASIM_TOPO_BUILD_H
#define ASIM_TOPO_BUILD_H

#include "topo/topo.h"

/* A link takes about 64 bytes during construction: 2^26 links take 4 GiB. */
#define ASIM_BUILD_MAX_LINKS ((uint64_t)1 << 26)
#define ASIM_BUILD_MAX_NODES ((uint64_t)1 << 24)

struct asim_link_spec {
    uint64_t rate_bps, delay_fs;
    double error_rate;
};

struct asim_build_size { /* 64 bits, so that a product can be refused before it overflows */
    uint64_t hosts, nvswitches, switches, links;
};

/* Refuses sizes above the limits, then makes the nodes and sets their types. */
int asim_build_nodes(struct asim_topo *topo, const struct asim_build_size *size,
                     struct asim_err *err);
int asim_build_link(struct asim_topo *topo, uint32_t a, uint32_t b,
                    const struct asim_link_spec *wire, struct asim_err *err);
/* Computes the number of hosts: `given` (0 = not given) must hold the `asked` ranks (0 = not
 * asked); without either it is `usual`. */
int asim_build_hosts(uint32_t given, uint32_t asked, uint32_t usual, uint32_t *hosts,
                     struct asim_err *err);

#endif
