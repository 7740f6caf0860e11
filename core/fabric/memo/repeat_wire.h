/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What a wire carries in each window (repeat.h).
 */
#ifndef ASIM_FABRIC_MEMO_REPEAT_WIRE_H
#define ASIM_FABRIC_MEMO_REPEAT_WIRE_H

#include "fabric/memo/repeat.h"

/* Window 0 is about to begin. */
void asim_repeat_wire_reset(struct asim_repeats *repeats, const struct asim_wire *wire);
/* The window is over, and the wire's sender was awake. Compares what it sent with the window
 * before, and keeps it. Leaves in the ring what an awake reader gets. Returns 0 if it differs: then
 * the ring has all frames on the way. */
int asim_repeat_wire_compare(struct asim_fabric *fabric, struct asim_wire *wire);
/* The sender of a wire falls asleep with this window; or wakes. */
void asim_repeat_wire_leave(struct asim_repeats *repeats, const struct asim_wire *wire);
void asim_repeat_wire_send(struct asim_repeats *repeats, struct asim_wire *wire);
/* All that read the wire fall asleep with this window; or one wakes: the ring has all frames on the
 * way again. */
void asim_repeat_wire_empty(struct asim_fabric *fabric, struct asim_wire *wire);
void asim_repeat_wire_fill(struct asim_fabric *fabric, struct asim_wire *wire);
/* The sender sleeps, and a reader is awake: puts the frames of the window that is over into the
 * ring. */
void asim_repeat_wire_expand(struct asim_fabric *fabric, struct asim_wire *wire);

static inline struct asim_repeat_wire *asim_repeat_wire_of(const struct asim_repeats *repeats,
                                                           const struct asim_wire *wire)
{
    return &repeats->wire[wire->id];
}

/* The growth of the sequence numbers of such frames in a window; ASIM_NEVER: there are none. */
static inline uint64_t asim_repeat_step_of(const struct asim_repeat_wire *own, uint64_t flow,
                                           uint32_t type)
{
    for (uint32_t i = 0; i < own->n_steps; i++)
        if (own->step[i].flow == flow && own->step[i].type == type)
            return own->step[i].by;
    return ASIM_NEVER;
}

/* Whether what is on the wire at the begin of `window` was on it a window ago. */
static inline int asim_repeat_wire_is_steady(const struct asim_repeat_wire *own, uint64_t window)
{
    uint64_t slept = own->sender_since == ASIM_NEVER ? 0 : window - own->sender_since;

    return own->same + slept >= own->depth;
}

#endif
