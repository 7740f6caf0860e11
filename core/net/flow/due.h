/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Kinds of events of the flow level.
 */
#ifndef ASIM_NET_FLOW_DUE_H
#define ASIM_NET_FLOW_DUE_H

#include <stddef.h>
#include "net/queue.h"

/* The asim_fluid_TYPE whose event is `due`, its MEMBER. */
#define ASIM_FLUID_WITH(due, TYPE, MEMBER)                                                         \
    ((struct asim_fluid_##TYPE *)(void *)((char *)(due)-offsetof(struct asim_fluid_##TYPE, MEMBER)))

enum asim_fluid_due {
    ASIM_FLUID_WAKE = ASIM_DUE_OWN + 1,
    ASIM_FLUID_RELAY,   /* of a relay */
    ASIM_FLUID_THROUGH, /* the message is through */
    ASIM_FLUID_DRAIN,   /* the flow ends, unless its rate has changed since */
    ASIM_FLUID_ACKS,    /* ACKs begin, then end, to load their links */
    ASIM_FLUID_CONTROL, /* the controller of a flow hears an ACK, or its timer */
    ASIM_FLUID_REFRESH, /* a wait is where it went to */
    ASIM_FLUID_STIR,    /* a link of many flows is visited */
    ASIM_FLUID_FRONT,   /* the first packet of a burst comes to a link */
    ASIM_FLUID_END,     /* its end comes there */
    ASIM_FLUID_TRAFFIC, /* a flow of background traffic begins */
    ASIM_FLUID_REPEAT,  /* members of a phase that repeats are over */
    ASIM_FLUID_REPEAT_AGAIN, /* a member of one that does not starts */
    ASIM_FLUID_EVENT,   /* a link changes; then routes follow */
    ASIM_FLUID_ROUTES
};

#endif
