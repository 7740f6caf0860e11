/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The state of a process that takes part in a run of several (distribution.h).
 */
#ifndef ASIM_SIM_DISTRIBUTED_STATE_H
#define ASIM_SIM_DISTRIBUTED_STATE_H

#include "base/serializer.h"
#include "sim/distributed/distribution.h"
#include "sim/distributed/stall.h"
#include "sim/distributed/totals.h"
#include "topo/partition.h"

struct asim_distribution { /* only where there are several processes */
    uint32_t self, n;
    struct asim_partition part; /* assignment of nodes to processes */
    /* [nodes] the thread of each node in its process, modulo the number of threads. NULL where
     * process 0 simulates the whole network. */
    uint32_t *thread;
    /* Length of a window: other processes may still send events of the last lag_ns before the
     * settled time. */
    uint64_t lag_ns;
    uint64_t last_ns;              /* end of the last window */
    struct asim_serializer events; /* events for process 0, not yet packed */
    struct asim_serializer buffer; /* the buffer of the last pack */
    int keeps;                     /* not in process 0: process 0 says that files are kept */
    /* In process 0: the results of the other processes. */
    struct asim_totals others;
    struct asim_stall stall;
    struct asim_pause_waits pauses;
    struct asim_traffic_use *traffic; /* of each generator, in other processes; NULL: none */
    struct asim_map joined;           /* (rank, group) -> number of collectives joined */
    ASIM_VEC(struct asim_open_coll) open;
    ASIM_VEC(struct asim_group) groups; /* groups that rows of the stall name */
    struct asim_link_use *links;        /* [2 x links]; `to` is UINT32_MAX where unknown */
    struct asim_host_use *hosts;        /* [host], of other processes; NULL: none has told */
};

#endif
