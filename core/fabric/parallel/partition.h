/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Which thread or process advances which node. The graph is cut only where links are long, because
 * the smallest delay of a cut link is the time the parts may run on their own; a leaf switch stays
 * with its hosts, and what NVLinks join is never torn apart.
 */
#ifndef ASIM_FABRIC_PARALLEL_PARTITION_H
#define ASIM_FABRIC_PARALLEL_PARTITION_H

#include <stddef.h>
#include <stdint.h>
#include "asim/err.h"
#include "topo/topo.h"

/* Ports, below which the rounds of a shared switch cost more than they bring. */
enum { ASIM_MIN_SHARDED_PORTS = 16 };

struct asim_partition {
    uint32_t n;
    uint32_t *of;   /* [nodes] part of each node, below n */
    uint64_t *load; /* [n] expected work, in arbitrary units */
    /* The least time in which one part acts on another: the smallest delay of a link between parts,
     * or of a last link to a host, which is when another is told of a message's end. UINT64_MAX
     * where none is cut. */
    uint64_t window_fs;
    size_t cuts; /* links between parts */
};

/* Deals the nodes of a finished topology to n parts; team: they are all threads of one process,
 * which share stars (sharded_switch.h). Depends on nothing else. A network with fewer separable
 * groups than parts leaves the last parts empty (asim_partition_used). 0 or ASIM_ENOMEM; the caller
 * ends it with _fini, also after a failure. */
int asim_partition_make(struct asim_partition *part, const struct asim_topo *topo, uint32_t n,
                        int team, struct asim_err *err);
/* Every `of` neighbouring parts as one: processes of threads. The same for what it returns. */
int asim_partition_fold(struct asim_partition *part, const struct asim_partition *fine,
                        const struct asim_topo *topo, uint32_t of, struct asim_err *err);
/* Sets cuts and window_fs from `of`, which is all of *part that is looked at. */
void asim_partition_measure(struct asim_partition *part, const struct asim_topo *topo);
/* Parts that have any node. */
uint32_t asim_partition_used(const struct asim_partition *part);
/* Largest part's share of the work, times n: 1 is perfect. */
double asim_partition_balance(const struct asim_partition *part);
void asim_partition_fini(struct asim_partition *part);

#endif
