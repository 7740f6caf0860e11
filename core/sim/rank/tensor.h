/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The tensors in a rank's local memory, for tensor.c and the report that writes them.
 *
 * One struct per rank, only with track-local-mem. ops/issue.c calls _start and _end with every op;
 * the report reads the lists at the end.
 */
#ifndef ASIM_SIM_RANK_TENSOR_H
#define ASIM_SIM_RANK_TENSOR_H

#include "sim/rank/event.h"
#include "sim/sim.h"

#define ASIM_TENSOR_NO_WRITER                                                                      \
    UINT64_MAX /* writer of a tensor that was read before it was written */

struct asim_tensor {
    char *name;
    uint64_t bytes, writer; /* op id */
    uint64_t write_start, write_end;
    uint64_t read_end; /* of the last read, if `read` */
    int written, read;
};

struct asim_read {
    uint32_t tensor, op; /* op: index */
    uint64_t op_id, start, end;
};

struct asim_tensors {
    ASIM_VEC(struct asim_tensor) list; /* in order of first appearance */
    ASIM_VEC(struct asim_read) reads;  /* in order of start */
    struct asim_map names;             /* hash of the name -> index + 1, chained by probing */
    int no_tensor_list;                /* an op listed no tensors */
    struct asim_map open;              /* op -> first read << 32 | reads; (1, op): writes */
};

/* Bytes that come or go at a time, ns. */
struct asim_tensor_change {
    uint64_t t, bytes;
    int comes;
};
/* Every change of the held bytes, in ascending time; free() it. NULL when out of memory. */
struct asim_tensor_change *asim_tensors_changes(const struct asim_tensors *tensors, size_t *n);

/* _start and _end: with every op, where the rank has tensors. */
int asim_tensors_setup(struct asim_world *world, struct asim_err *err);
void asim_tensors_start(struct asim_rank *rank, uint32_t index, const struct asim_op *op);
void asim_tensors_end(struct asim_rank *rank, uint32_t index);
/* asim_event_rank with peak_bytes, which costs a sort of all tensors of the rank. */
void asim_event_rank_peak(const struct asim_world *world, const struct asim_event *event,
                          struct asim_rank_facts *facts);
void asim_tensors_fini(struct asim_rank *rank);

#endif
