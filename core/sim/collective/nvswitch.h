/* SPDX-License-Identifier: GPL-2.0-only
 *
 * NVSwitches that take part in collectives. The tag of a message tells an NVSwitch how to handle
 * it. An NVSwitch reads no state of a rank, so it may run on another thread or in another process.
 */
#ifndef ASIM_SIM_COLLECTIVE_NVSWITCH_H
#define ASIM_SIM_COLLECTIVE_NVSWITCH_H

#include "sim/sim.h"

/* Bits of a tag for the slot and for the number of messages; the most GPUs and ports of an NVSwitch
 * that takes part. */
enum { ASIM_NVSWITCH_SLOT_BITS = 13, ASIM_NVSWITCH_COUNT_BITS = 9 };
enum { ASIM_NVSWITCH_MOST = (1 << ASIM_NVSWITCH_COUNT_BITS) - 1 };

/* The role of a message to an NVSwitch. An NVSwitch collects messages of the first three roles
 * until it has as many as the tag says. It sends the sum under the tag of ALL or HEAD, and passes
 * on DOWN under the tag of DOWN. */
enum asim_nvswitch_role {
    ASIM_NVSWITCH_ALL,  /* send the sum to all senders */
    ASIM_NVSWITCH_PART, /* send the sum to the sender of HEAD */
    ASIM_NVSWITCH_HEAD,
    ASIM_NVSWITCH_DOWN /* from the sender of HEAD; pass it on to all other senders */
};

/* The low 24 bits of a tag; slot: quarter, or channel and chunk. */
enum { ASIM_NVSWITCH_ROLE_SHIFT = ASIM_NVSWITCH_SLOT_BITS + ASIM_NVSWITCH_COUNT_BITS };
#define ASIM_NVSWITCH_SLOT_MASK ((1u << ASIM_NVSWITCH_SLOT_BITS) - 1)
#define ASIM_NVSWITCH_WORD_MASK ((4u << ASIM_NVSWITCH_ROLE_SHIFT) - 1)
static inline uint32_t asim_nvswitch_word(enum asim_nvswitch_role role, uint32_t count,
                                          uint32_t slot)
{
    return (uint32_t)role << ASIM_NVSWITCH_ROLE_SHIFT | count << ASIM_NVSWITCH_SLOT_BITS | slot;
}

/* Not 0 if the system configuration names an algorithm that can use NVSwitches as end points; 2 if
 * users of that name expect it. */
int asim_nvswitch_wanted(const struct asim_world *world);
/* Sets world->run.nvswitches, one for each end point, where all ranks have NVSwitches. Call it
 * after the topology and its end points are open. */
int asim_nvswitch_open(struct asim_world *world, struct asim_err *err);
void asim_nvswitch_close(struct asim_world *world);

/* 1 if all `local` members of each server of a ring can meet in an NVSwitch, judged by the whole
 * topology alone, so that all ranks get the same answer. */
int asim_nvswitch_serves(const struct asim_world *world, uint32_t local);
struct asim_op_graph;
/* 0, or the rank has failed: members of its server hang on different NVSwitches. */
int asim_nvswitch_check(struct asim_rank *rank, const struct asim_ring_of *ring,
                        const struct asim_op_graph *graph);
/* The end point for a slot of a rank's server: its NVSwitches in turn. */
uint32_t asim_nvswitch_host(const struct asim_world *world, uint32_t rank, uint32_t slot);
/* Bits 20 to 63 of the tags of a phase; first: the lowest member of the rank's server in the phase.
 */
uint64_t asim_nvswitch_tag(const struct asim_rank *rank, const struct asim_chunk *chunk,
                           uint32_t first);

/* A message has arrived, or a wake is due, at the end point of an NVSwitch. */
void asim_nvswitch_arrived(struct asim_world *world, const struct asim_msg *msg);
void asim_nvswitch_wake(struct asim_world *world, uint32_t host);

#endif
