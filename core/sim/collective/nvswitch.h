/* SPDX-License-Identifier: GPL-2.0-only
 *
 * NVSwitches that take part in collectives: what nvswitch.c does, and how a message says what is
 * to be done with it. An NVSwitch knows nothing but the messages that reach it, so that it needs no
 * state of a rank: it may run on another thread or in another process.
 */
#ifndef ASIM_SIM_COLLECTIVE_NVSWITCH_H
#define ASIM_SIM_COLLECTIVE_NVSWITCH_H

#include "sim/sim.h"

/* GPUs and ports an NVSwitch may have to take part: the tag's fields for them have 9 bits. */
enum { ASIM_NVSWITCH_MOST = 511 };

/* What a message to an NVSwitch is. The first three are collected until as many have come as the
 * tag says; what goes out has the tag by which those who get it sent, DOWN's that of the head. */
enum asim_nvswitch_role {
    ASIM_NVSWITCH_ALL,  /* the sum goes to everybody who sent */
    ASIM_NVSWITCH_PART, /* the sum goes to the one who sent HEAD */
    ASIM_NVSWITCH_HEAD,
    ASIM_NVSWITCH_DOWN /* from that one again, for all the others */
};

/* The low 20 bits of a tag; slot: channel or quarter, below ASIM_NVSWITCH_MOST. */
static inline uint32_t asim_nvswitch_word(enum asim_nvswitch_role role, uint32_t count,
                                          uint32_t slot)
{
    return (uint32_t)role << 18 | count << 9 | slot;
}

/* 1 if the system configuration names an algorithm that can use NVSwitches as end points. */
int asim_nvswitch_wanted(const struct asim_world *world);
/* After topology and end points; nothing where there are none. world->run.nvswitches: one for each.
 */
int asim_nvswitch_open(struct asim_world *world, struct asim_err *err);
void asim_nvswitch_close(struct asim_world *world);

/* 1 if all `local` members of each server of a ring can meet in an NVSwitch as far as the topology
 * as a whole tells, which is the same for everybody. */
int asim_nvswitch_serves(const struct asim_world *world, uint32_t local);
/* 0, or the rank has failed: this rank's server in the ring hangs on different NVSwitches. */
int asim_nvswitch_check(struct asim_rank *rank, const struct asim_ring_of *ring, uint32_t local);
/* The end point for a slot: a server's NVSwitches in turn. */
uint32_t asim_nvswitch_host(const struct asim_rank *rank, uint32_t slot);
/* Bits 20 to 63 of the tags of a phase; first: the lowest member of the rank's server in it. */
uint64_t asim_nvswitch_tag(const struct asim_rank *rank, const struct asim_chunk *chunk,
                           uint32_t first);

/* A message is there, or a wake is due, at a host that is an NVSwitch's end point. */
void asim_nvswitch_arrived(struct asim_world *world, const struct asim_msg *msg);
void asim_nvswitch_wake(struct asim_world *world, uint32_t host);

#endif
