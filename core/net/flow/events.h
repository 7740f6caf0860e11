/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Links that change during the run (flow.md#events).
 */
#ifndef ASIM_NET_FLOW_EVENTS_H
#define ASIM_NET_FLOW_EVENTS_H

#include "net/flow/rings.h"

struct asim_net_events;

/* Copies the plan. */
int asim_fluid_plan_events(struct asim_net *net, const struct asim_net_events *plan,
                           struct asim_err *err);
void asim_fluid_events_close(struct asim_fluid *fluid);
/* Event `number` happens. */
void asim_fluid_event(struct asim_fluid *fluid, uint32_t number);
/* Routes follow the links that are up. */
void asim_fluid_reroute(struct asim_fluid *fluid);
/* Fails where a message waits for a link for ever. */
void asim_fluid_tell_cut(struct asim_fluid *fluid);

#endif
