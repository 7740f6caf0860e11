/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Notifications at the host they are for (completion.c).
 */
#ifndef ASIM_FABRIC_HOST_COMPLETION_H
#define ASIM_FABRIC_HOST_COMPLETION_H

struct asim_fabric;
struct asim_notification;

/* Puts a notification among the timers of its host; between steps, or for the host that runs.
 * 0 or ASIM_ENOMEM. */
int asim_notification_deliver(struct asim_fabric *fabric,
                              const struct asim_notification *notification);

#endif
