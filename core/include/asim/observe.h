/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Watch a run: operations, ranks, messages, pauses. An observer sees each event once, in order of
 * simulated time, when everything before it has happened. The order of events does not depend on
 * the number of threads or processes.
 */
#ifndef ASIM_OBSERVE_H
#define ASIM_OBSERVE_H

#include <stddef.h>
#include <stdint.h>
#include "asim/asim.h"

ASIM_C_BEGIN

/* A trace operation is issued, or has ended. */
struct asim_observed_op {
    uint64_t time_ns;
    uint32_t rank, index; /* index: its place in the trace of the rank, from 0 */
    uint64_t id;          /* the trace's; 0 at the end */
};

/* A rank has finished its last operation. Sums over its operations, ns. */
struct asim_observed_rank {
    uint64_t time_ns;
    uint32_t rank;
    uint64_t ops;
    uint64_t comm_ns, compute_ns; /* time with at least one such operation under way */
    uint64_t exposed_ns;          /* communication that no GPU compute hides */
};

/* The packet network has delivered a message and its acknowledgment. */
struct asim_observed_message {
    uint64_t time_ns, start_ns;
    uint64_t ideal_ns; /* how long it takes alone in the network */
    uint64_t bytes;
    uint32_t src, dst; /* nodes of the topology */
    uint16_t sport; /* UDP source port; without QPS_PER_CONNECTION unique for a flow of the pair */
};

/* The last member of a collective has ended it, or a receive has ended. In runs of one process. */
struct asim_observed_exchange {
    uint64_t start_ns, end_ns; /* from when all members have issued it */
    uint64_t bytes;            /* as the trace gives them */
    int type;                  /* enum asim_coll_type; -1: from a send to a receive */
    uint32_t n;
    /* The members in the order of their group, [n], or source and destination. Borrowed during the
     * call. */
    const uint32_t *ranks;
};

/* A PFC frame took effect: a port of the packet network pauses or resumes. */
struct asim_observed_pause {
    uint64_t time_ns;
    uint32_t node, port; /* port from 1 */
    int is_pause;        /* 0 = resume */
};

/* Each function may be NULL; self is its first argument. An event whose function is NULL is not
 * recorded and costs nothing. */
struct asim_observer {
    size_t size; /* sizeof(struct asim_observer) where the caller is compiled */
    void *self;
    void (*op_issued)(void *self, const struct asim_observed_op *op);
    void (*op_ended)(void *self, const struct asim_observed_op *op);
    void (*rank_finished)(void *self, const struct asim_observed_rank *rank);
    void (*message_done)(void *self, const struct asim_observed_message *message);
    void (*paused)(void *self, const struct asim_observed_pause *pause);
    /* Called once, at the end of the run or by asim_world_close: no event comes any more. failed: 1
     * where the run went wrong and its results should be dropped. An error becomes the run's. */
    int (*close)(void *self, int failed, struct asim_err *err);
    void (*exchange_done)(void *self, const struct asim_observed_exchange *exchange);
};

/* Adds an observer between asim_world_open and asim_world_start; *observer is copied. */
ASIM_API int asim_world_observe(struct asim_world *world, const struct asim_observer *observer,
                                struct asim_err *err);
/* Operations in the trace of a rank: the indices that an observer will see. 0 for a rank of another
 * process. */
ASIM_API uint64_t asim_world_rank_ops(const struct asim_world *world, uint32_t rank);
/* ASIM_EINVAL where path, by whatever name, is a file that the run reads: for programs that write
 * files of their own. */
ASIM_API int asim_world_check_output(const struct asim_world *world, const char *path,
                                     struct asim_err *err);
/* The network as an analytical backend would see it: a basic topology, a bandwidth and a latency
 * for each logical dimension. An approximation; only over the packet network. */
ASIM_API int asim_world_shape(const struct asim_world *world, struct asim_netshape *shape,
                              struct asim_err *err);

ASIM_C_END
#endif
