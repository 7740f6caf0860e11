/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Egress ports that sleep (memo/repeat.h) in a bulk window of their switch: frames to them are
 * taken from the rings and go no further. The order in which links were served last is the last
 * tie-break (link/tie_key.h), so it includes links whose frames nobody reads, and starts of
 * transmissions of sleeping ports, as they were in the last window in which they were simulated.
 */
#ifndef ASIM_FABRIC_SWITCH_BULK_SLEEPING_H
#define ASIM_FABRIC_SWITCH_BULK_SLEEPING_H

#include "fabric/node.h"

static inline int asim_port_set_has(const uint64_t *set, uint32_t p)
{
    return (int)(set[p / 64] >> p % 64 & 1);
}

static inline void asim_port_set_put(uint64_t *set, uint32_t p, int yes)
{
    set[p / 64] = (set[p / 64] & ~(1ull << p % 64)) | (uint64_t)(yes != 0) << p % 64;
}

/* Whether egress port `out` sleeps. */
static inline int asim_port_sleeps(const struct asim_switch *sw, uint32_t out)
{
    return sw->sleeping && asim_port_set_has(sw->sleeping->ports, out);
}

/* Whether the arrivals at ingress port `in` are in a list, with times from the window's begin, and
 * not in its ring. */
static inline int asim_port_is_unread(const struct asim_switch *sw, uint32_t in)
{
    return sw->sleeping && asim_port_set_has(sw->sleeping->unread, in);
}

/* Adds what sleeping ports would have to the last arrivals and starts of this window, and to its
 * bytes. */
void asim_sleeping_add(struct asim_switch_shard *shard);

#endif
