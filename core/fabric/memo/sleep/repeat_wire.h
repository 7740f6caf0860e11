/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What a wire carries in each window (repeat.h).
 */
#ifndef ASIM_FABRIC_MEMO_SLEEP_REPEAT_WIRE_H
#define ASIM_FABRIC_MEMO_SLEEP_REPEAT_WIRE_H

#include "fabric/memo/sleep/repeat.h"

/* Window 0 is about to begin. */
void asim_repeat_wire_reset(struct asim_repeats *repeats, const struct asim_wire *wire);
/* The window is over, and the wire's sender was awake. Compares what it sent with the window
 * before, and keeps it. Leaves in the ring what an awake reader gets. Returns 0 if it differs: then
 * the ring has all frames on the way. */
int asim_repeat_wire_compare(struct asim_fabric *fabric, struct asim_wire *wire);
/* Whether a sender that does what it did in the last window may fall asleep: it sent nothing that
 * happens once. */
int asim_repeat_wire_may_leave(const struct asim_fabric *fabric, const struct asim_wire *wire);
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

/* The index of such frames among n steps; n: there are none. */
static inline uint32_t asim_repeat_step_index(const struct asim_repeat_step *step, uint32_t n,
                                              uint64_t flow, uint32_t type)
{
    uint32_t i = 0;

    while (i < n && (step[i].flow != flow || step[i].type != type))
        i++;
    return i;
}

static inline struct asim_repeat_step *asim_repeat_step_find(struct asim_repeat_wire *own,
                                                             uint64_t flow, uint32_t type)
{
    uint32_t i = asim_repeat_step_index(own->step, own->n_steps, flow, type);

    return i < own->n_steps ? &own->step[i] : NULL;
}

static inline struct asim_repeat_wire *asim_repeat_wire_of(const struct asim_repeats *repeats,
                                                           const struct asim_wire *wire)
{
    return &repeats->wire[wire->id];
}

/* The growth of the sequence numbers of such frames in a window; ASIM_NEVER: there are none. */
static inline uint64_t asim_repeat_step_of(struct asim_repeat_wire *own, uint64_t flow,
                                           uint32_t type)
{
    const struct asim_repeat_step *step = asim_repeat_step_find(own, flow, type);

    return step ? step->by : ASIM_NEVER;
}

/* Whether what arrives in `window` arrived in the window before, too. */
static inline int asim_repeat_wire_is_steady(const struct asim_repeats *repeats,
                                             const struct asim_repeat_wire *own, uint64_t window)
{
    return own->deviated < asim_repeat_time(repeats, window);
}

/* Sets the growth of such frames where it is not known. Returns 0 if it is another one. */
static inline int asim_repeat_step_agrees(struct asim_repeat_step *step, uint64_t by)
{
    if (step->by == ASIM_NEVER)
        step->by = by;
    return by != ASIM_NEVER && step->by == by;
}

#endif
