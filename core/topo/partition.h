/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The partitioner assigns each node of a topology to a part: a thread or a process. It cuts long
 * links only, because the smallest delay of a cut link is the lookahead of the parts. A leaf switch
 * stays with its hosts, and NVLinks are never cut.
 */
#ifndef ASIM_TOPO_PARTITION_H
#define ASIM_TOPO_PARTITION_H

#include <stddef.h>
#include <stdint.h>
#include "asim/err.h"

struct asim_topo;

/* Ports below which sharding a switch costs more than it brings. */
enum { ASIM_MIN_SHARDED_PORTS = 16 };

struct asim_partition {
    uint32_t n;
    uint32_t *of;   /* [nodes] part of each node, below n */
    uint64_t *load; /* [n] expected work, in arbitrary units */
    /* The lookahead: the least time in which one part acts on another. This is the smallest delay
     * of a cut link, or of a last link to a host, since the destination learns of a message's
     * end that long before. UINT64_MAX where no link is cut. */
    uint64_t lookahead_fs;
    size_t cut_links;
};

/* Partitions a finished topology into n parts. shards_switches: the parts are threads of one
 * process, which share switches that join hosts only (sharded_switch.h). The result depends on
 * nothing else. A network with fewer separable groups than parts leaves the last parts empty
 * (asim_partition_used). 0 or ASIM_ENOMEM; call _fini afterwards, also after a failure. */
int asim_partition_make(struct asim_partition *part, const struct asim_topo *topo, uint32_t n,
                        int shards_switches, struct asim_err *err);
/* Merges every `factor` neighbouring parts into one: processes of several threads. As above. */
int asim_partition_merge(struct asim_partition *part, const struct asim_partition *fine,
                         const struct asim_topo *topo, uint32_t factor, struct asim_err *err);
/* Sets cut_links and lookahead_fs from `of`; reads nothing else of *part. */
void asim_partition_measure(struct asim_partition *part, const struct asim_topo *topo);
/* Parts that have any node. */
uint32_t asim_partition_used(const struct asim_partition *part);
/* The largest part's share of the work, times n: 1 is perfect. */
double asim_partition_balance(const struct asim_partition *part);
void asim_partition_fini(struct asim_partition *part);

#endif
