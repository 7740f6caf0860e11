/* SPDX-License-Identifier: GPL-2.0-only
 *
 * On which servers the members of a communicator are. Where they lie unevenly or out of order, asim
 * does as NCCL: servers count in the order of their first members, a ring goes through all GPUs of
 * a server in their order before it leaves it, and there are as many channels as the smallest
 * server has members.
 */
#ifndef ASIM_SIM_COLLECTIVE_NCCL_SERVERS_H
#define ASIM_SIM_COLLECTIVE_NCCL_SERVERS_H

#include "asim/nccl.h"
#include "sim/sim.h"

/* Sets gpus_per_server of the spec, in the mean where servers differ and so `first`, which the
 * world owns; puts the ring's members in the order of the servers. gpus_per_server is 0 where the
 * word names an algorithm that needs as many members on each, in order. 0 or ASIM_ENOMEM. */
int asim_nccl_servers_find(struct asim_rank *rank, const struct asim_coll_choice *word,
                           struct asim_ring_of *ring, struct asim_nccl_spec *spec);
/* For the all-to-alls of a run that follows NCCL: members of each server, where each of them has
 * one at the same place in every other server, nearer to it than to the others of that server, so
 * that NCCL hands messages over inside servers (PXN). Else 0, and with sizes for each pair, which
 * only the sender knows; a note says so. */
uint32_t asim_nccl_servers_rails(struct asim_rank *rank, const struct asim_ring_of *ring,
                                 int is_sized);
void asim_nccl_servers_fini(struct asim_world *world);

#endif
