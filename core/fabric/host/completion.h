/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Notifications: they are made as frames start, and delivered at the host they are for.
 */
#ifndef ASIM_FABRIC_HOST_COMPLETION_H
#define ASIM_FABRIC_HOST_COMPLETION_H

#include <stdint.h>

struct asim_fabric;
struct asim_frame;
struct asim_frame_hooks;
struct asim_notification;
struct asim_port_id;
struct asim_wire;
struct asim_worker;

/* Puts a notification among the timers of its host; between steps, or for the host that runs.
 * 0 or ASIM_ENOMEM. */
int asim_notification_deliver(struct asim_fabric *fabric,
                              const struct asim_notification *notification);
/* The final ACK of a message starts on its last link: notifies the destination. */
void asim_port_notify_final(struct asim_worker *worker, const struct asim_wire *wire,
                            const struct asim_frame *frame);
/* A frame ended at `t` in the node of `at`, which the frame watcher is told; the source of a
 * message receives a notification RTO later, the owner of a datagram is told now. */
void asim_loss_report(struct asim_worker *worker, const struct asim_frame *frame, uint64_t t,
                      struct asim_port_id at);
/* Both, for frames on links. */
extern const struct asim_frame_hooks asim_host_frame_hooks;

#endif
