/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The arrivals of a calm window (calm.c), dealt by the port they leave through and there in the
 * order of order.h. Ports of a calm window have nothing to do with each other, so a port is worked
 * through from one end of the window to the other while its state is at hand, and only what goes
 * the same way is compared: no calendar, no event.
 *
 * An entry is one word: ticks since the window began, ingress port, and the how-manieth frame of
 * that port's mailbox it is. Frames stay in their mailboxes until the window is through, so that
 * what came before an arrival on its link can be looked up when two are of one time and one cause.
 */
#ifndef ASIM_FABRIC_BATCH_H
#define ASIM_FABRIC_BATCH_H

#include "fabric/node.h"

/* Ticks have the rest, 32 bits. What does not fit is worked through the long way: a window of more
 * ticks, more ports, or a mailbox with more frames. */
enum { ASIM_PLACE_BITS = 16, ASIM_IN_BITS = 16, ASIM_TICK_SHIFT = ASIM_PLACE_BITS + ASIM_IN_BITS };

static inline uint32_t asim_batch_in(uint64_t entry)
{
    return (uint32_t)(entry >> ASIM_PLACE_BITS) & ((1u << ASIM_IN_BITS) - 1);
}

/* Where the frame lies, of the wire it came in by. */
static inline const struct asim_frame *asim_batch_frame(const struct asim_wire *wire,
                                                        uint64_t entry)
{
    uint32_t head = atomic_load_explicit(&wire->head, memory_order_relaxed);

    return &wire->in_at[(head + (uint32_t)entry % (1u << ASIM_PLACE_BITS)) & wire->in_mask];
}

/* Deals what comes in at the active ports from `begin` to before `until`, and says whether no
 * threshold of the shared buffer is reached even if nothing left. Where it says 0 nothing is dealt:
 * a pause or resume is among the frames, one has no way, or there is too much of something. Without
 * memory the lane fails. Costs some 40 instructions a frame. */
int asim_batch_deal(struct asim_fabric *fabric, struct asim_switch *sw, uint64_t begin,
                    uint64_t until);
/* The entries of a batch in order: at its own place, or where they lie until the next such call. */
uint64_t *asim_batch_order(struct asim_switch *sw, struct asim_batch *batch);
/* All has been sent or queued: mailboxes are emptied, and links and transmissions get the counts
 * that order.h compares, in the order in which their last events have come. */
void asim_batch_settle(struct asim_switch *sw);

#endif
