/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A network whose nodes are dealt to several processes. Each process knows the whole graph and
 * routes but has state for its own nodes only. It advances them over windows of a grid common to
 * all, [kW, (k+1)W), W being the smallest time in which a process can act on another; what a window
 * made for another process (frames on cut wires, notices, what is known of a flow) is packed into
 * one buffer, and must be unpacked there before window k + 1 begins. Who carries the buffers is not
 * the fabric's business (ns3-module/model/asim-processes.cc).
 */
#ifndef ASIM_FABRIC_PARALLEL_DISTRIBUTED_H
#define ASIM_FABRIC_PARALLEL_DISTRIBUTED_H

#include <stddef.h>
#include <stdint.h>
#include "asim/buffer.h"
#include "asim/err.h"

struct asim_fabric;
struct asim_partition;

/* Of process `self` of part->n; before the first event. part is borrowed. 0, or an error: memory,
 * or a network whose processes cannot run apart. W = 0 inside a process is its own affair: nodes
 * of others hear of its events at the same ends of windows as ever. */
int asim_distributed_open(struct asim_fabric *fabric, const struct asim_partition *part,
                          uint32_t self, struct asim_err *err);
void asim_distributed_close(struct asim_fabric *fabric);
/* Whether a node lives in this process; also where there is one only. */
int asim_distributed_is_local(const struct asim_fabric *fabric, uint32_t node);
/* W in whole ns, at least 2; 0 in one process. */
uint64_t asim_distributed_lookahead(const struct asim_fabric *fabric);
/* Whether the sides of the network (half_steps.h) may take turns. Depends on settings, and on
 * whether frames are watched here. */
int asim_distributed_may_use_half_steps(const struct asim_fabric *fabric);
/* From here on they do, which is for all processes or none: window k is the hosts' side's where k
 * is even, else the other's, and brings it from (k-1)W to (k+1)W. Before the first event. */
void asim_distributed_use_half_steps(struct asim_fabric *fabric);
/* Where the first window begins in which this process has anything to do, as far as it knows, ns;
 * ASIM_NEVER: none. */
uint64_t asim_distributed_next(struct asim_fabric *fabric);
/* The window that ends at until_ns, a multiple of W, or where sides take no turns a part of it; all
 * buffers for the windows up to it have been unpacked. 0 or the failure's code. */
int asim_distributed_advance(struct asim_fabric *fabric, uint64_t until_ns, struct asim_err *err);
/* What has come about for `peer` since it was asked last; valid until it is asked again. */
int asim_distributed_pack(struct asim_fabric *fabric, uint32_t peer, struct asim_buffer *buffer,
                          struct asim_err *err);
/* A buffer of another process. Buffers of one process come in the order they were packed in. */
int asim_distributed_unpack(struct asim_fabric *fabric, const struct asim_buffer *buffer,
                            struct asim_err *err);

#endif
