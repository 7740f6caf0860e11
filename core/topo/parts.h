/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A fabric of InfraGraph while its file is read: devices, instances, and the parts of instances,
 * which become nodes.
 */
#ifndef ASIM_TOPO_PARTS_H
#define ASIM_TOPO_PARTS_H

#include "base/io/infragraph.h"
#include "topo/build.h"

struct asim_parts_model { /* a device */
    struct asim_ig_device parts;
    const yaml_node_t *node;
    uint64_t *first; /* of each component, within an instance */
    uint64_t size;   /* parts of an instance */
    int has_xpu;
};

struct asim_parts_part {       /* of an instance */
    uint32_t node;             /* ASIM_PARTS_NONE: it has no links, or is a port of an xpu */
    uint32_t links;            /* inside its device */
    uint64_t port;             /* of a NIC: the xpu that its last link leads to, + 1; 0 = none */
    double gbytes, latency_ns; /* of that link */
};

struct asim_parts_reader {
    struct asim_ig ig;
    struct asim_topo *topo;
    struct asim_ig_parts devices, instances, links;
    struct asim_parts_model *model; /* of each device */
    size_t *in_order;               /* instances as the file has them */
    uint64_t *first;                /* part of each instance */
    struct asim_parts_part *part;
    uint64_t parts, pairs;
    uint32_t hosts, nodes;
    int is_linking;
    /* The device being joined. */
    const struct asim_parts_model *inside;
    uint64_t base;
};

#define ASIM_PARTS_NONE UINT32_MAX

/* The device of an instance, or NULL. */
struct asim_parts_model *asim_parts_model_of(struct asim_parts_reader *r,
                                             const struct asim_ig_part *instance);
/* A NIC with one link, to an xpu. */
int asim_parts_is_port(const struct asim_parts_part *part);
/* Numbers parts, once all edges have said how many there are. */
int asim_parts_number(struct asim_parts_reader *r);
/* Numbers nodes: counts them, and once the topology has nodes sets their types. Returns the xpus
 * of an instance, where all have the same number, else 0. */
uint32_t asim_parts_nodes(struct asim_parts_reader *r);

#endif
