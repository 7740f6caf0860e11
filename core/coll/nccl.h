/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A collective as NCCL-like point-to-point flows, the way SimAI's MockNccl makes them
 * (simai.md#collectives): channels, rings that cross servers once, PXN, NVLS with the NVSwitch as
 * an end point; and, which its code has but never chooses, trees. Only arithmetic: a list of flows
 * with what each waits for.
 */
#ifndef ASIM_COLL_NCCL_H
#define ASIM_COLL_NCCL_H

#include "asim/nccl.h"
#include "base/mem.h"
#include "coll/coll.h"

/* Algorithm and protocol only, no flows: nothing to fini. Fails where members do not lie evenly on
 * servers, or the algorithm cannot do the type. */
int asim_nccl_choose(struct asim_nccl *nccl, const struct asim_nccl_spec *spec,
                     struct asim_err *err);
/* Makes the spec one of servers with a GPU each. */
void asim_nccl_make_flat(struct asim_nccl_spec *spec);
/* Payload of every flow of the chosen algorithm; 0 where a piece would be empty. */
uint64_t asim_nccl_piece(const struct asim_nccl *nccl);
/* The same on the wire: with the protocol's flags. */
uint64_t asim_nccl_wire(int proto, uint64_t bytes);
/* Chunks of each channel of a tree or chain, which follow each other through it. */
uint32_t asim_nccl_chunks(const struct asim_nccl *nccl);
/* How many flows a ring, or an all-to-all, has: they grow with the square of the members. */
uint64_t asim_nccl_ring_flows(const struct asim_nccl *nccl);
/* Rings as plans (nccl_plan.c), with PXN or without; windows are the GPUs of a server. */
int asim_nccl_plan(struct asim_plan *plan, int pxn, struct asim_err *err);
void asim_nccl_plan_step(const struct asim_plan *plan, int pxn, uint64_t k,
                         struct asim_coll_step *step);
uint64_t asim_nccl_plan_arrival(const struct asim_plan *plan, uint64_t i);

/* 1 if rings hand pieces over to another GPU before they cross (PXN). */
int asim_nccl_hands_over(const struct asim_nccl *nccl);

/* --- for the builders (nccl_ring.c, nccl_tree.c) --------------------------------------------- */
#define ASIM_NCCL_NONE UINT32_MAX
/* Appends a flow that waits for `parent` (or NONE); returns its index, or NONE when out of memory
 * or above the ceiling. */
uint32_t asim_nccl_add(struct asim_nccl *nccl, const struct asim_nccl_flow *flow, uint32_t parent);
/* One more flow that the last one added waits for. 0 or ASIM_ENOMEM. */
int asim_nccl_wait(struct asim_nccl *nccl, uint32_t parent);
int asim_nccl_ring(struct asim_nccl *nccl);
/* Broadcast and reduce: chunks follow each other along the rings, from the root or to it. */
int asim_nccl_chain(struct asim_nccl *nccl);
int asim_nccl_is_chain(const struct asim_nccl_spec *spec);
int asim_nccl_tree(struct asim_nccl *nccl);
int asim_nccl_nvls(struct asim_nccl *nccl);
int asim_nccl_direct(struct asim_nccl *nccl);
/* How a ring goes through servers. */
struct asim_nccl_layout {
    uint32_t local, servers;
    int mesh;
    const uint32_t *first; /* struct asim_nccl_spec */
};
struct asim_nccl_layout asim_nccl_layout(const struct asim_nccl *nccl);
/* The server of a member; its first member; how many it has. */
uint32_t asim_nccl_server(struct asim_nccl_layout at, uint32_t p);
uint32_t asim_nccl_first(struct asim_nccl_layout at, uint32_t server);
uint32_t asim_nccl_size(struct asim_nccl_layout at, uint32_t server);
/* The i-th member of a server in channel c's order, from 0. */
uint32_t asim_nccl_place(struct asim_nccl_layout at, uint32_t server, uint32_t channel, uint32_t i);
/* Where a member sends in a step of channel c's ring: on in the server's order, then to the next
 * server. */
uint32_t asim_nccl_next(struct asim_nccl_layout at, uint32_t channel, uint32_t step, uint32_t p);

#endif
