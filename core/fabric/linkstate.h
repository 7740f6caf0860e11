/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Planned link events, LINK_DOWN and LINK_UP (linkstate.c).
 */
#ifndef ASIM_FABRIC_LINKSTATE_H
#define ASIM_FABRIC_LINKSTATE_H

#include "asim/packet.h"
#include "fabric/node.h"

/* One link changes at t, in ticks. */
struct asim_link_event {
    uint64_t t;
    uint32_t link;
    int up;
};

struct asim_linkstate {
    struct asim_link_event *at; /* by time, then as given */
    size_t n, cap, next;
    uint8_t *down;            /* [links] */
    struct asim_route *route; /* over the links that are up; NULL before the first event */
};

/* Plans LINK_DOWN and LINK_UP; asim_loss_open has run before. */
int asim_linkstate_open(struct asim_fabric *fabric, struct asim_err *err);
void asim_linkstate_close(struct asim_fabric *fabric);
/* Time of the next event, ASIM_NEVER if none is left. */
static inline uint64_t asim_linkstate_next(const struct asim_fabric *fabric)
{
    const struct asim_linkstate *links = fabric->link_events;

    return links && links->next < links->n ? links->at[links->next].t : ASIM_NEVER;
}
/* Copies at most `room` planned events, in order of time. Returns how many there are. */
size_t asim_linkstate_changes(const struct asim_fabric *fabric, struct asim_link_change *changes,
                              size_t room);
/* Time of the last event that was applied; 0: none. */
static inline uint64_t asim_linkstate_last(const struct asim_fabric *fabric)
{
    const struct asim_linkstate *links = fabric->link_events;

    return links && links->next ? links->at[links->next - 1].t : 0;
}
/* Applies all events of that time: no node may have gone past it, and all must have come to it. */
void asim_linkstate_apply(struct asim_fabric *fabric);

#endif
