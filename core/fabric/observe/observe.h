/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What one can see of the network: hooks, counters, paths of flows, warnings, and the checks of the
 * books.
 */
#ifndef ASIM_FABRIC_OBSERVE_OBSERVE_H
#define ASIM_FABRIC_OBSERVE_OBSERVE_H

#include <stddef.h>

#include "net/watch.h"

struct asim_diagnostics;
struct asim_fabric;
struct asim_fabric_stats;
struct asim_hop;
struct asim_host_use;
struct asim_link_use;
struct asim_pause_waits;
struct asim_unfinished;

/* Calls hook for every frame from now on, at the frame's own time: the network changes to per-event
 * mode. 0, or ASIM_ENOMEM where four hooks watch already. */
int asim_fabric_watch_frames(struct asim_fabric *fabric, asim_frame_hook *hook, void *self);

/* The network changes to per-event mode. 0 or ASIM_ENOMEM. */
int asim_fabric_use_per_event(struct asim_fabric *fabric);

/* Messages may have traffic classes other than 0 from now on; before the start. The network changes
 * to per-event mode, because the fast paths of hosts, switches and the memo know one queue of data.
 * 0 or ASIM_ENOMEM. */
int asim_fabric_use_classes(struct asim_fabric *fabric);

/* Sets watch.queue; before the start. 0 or ASIM_ENOMEM. */
int asim_fabric_watch_queues(struct asim_fabric *fabric,
                             void (*hook)(void *self, uint64_t t, struct asim_port_id at,
                                          struct asim_queue_length length),
                             const struct asim_queue_sampling *sampling);

/* Diagnoses settings that act differently from what a user may expect. 0 or ASIM_ENOMEM. */
int asim_fabric_diagnostics(const struct asim_fabric *fabric, const struct asim_diagnostics *notes,
                            struct asim_err *err);
/* The hooks, to be set or cleared before the start. */
struct asim_fabric_watch *asim_fabric_watcher(struct asim_fabric *fabric);
/* Sums over all nodes and wires: for the end of a run, not for every step. */
void asim_fabric_stats(const struct asim_fabric *fabric, struct asim_fabric_stats *stats);
/* wire: 2 x link + direction. */
void asim_fabric_link_use(const struct asim_fabric *fabric, uint32_t wire,
                          struct asim_link_use *use);
/* Of a host of this process. */
void asim_fabric_host_use(const struct asim_fabric *fabric, uint32_t host,
                          struct asim_host_use *use);
/* The hops of the data of a flow (src, dst, sport) as routes and ECMP choose them, from the NIC on.
 * Writes at most `room` and returns how many there are: 0 where packets are sprayed and where
 * events are planned, because no path holds for the whole flow, and where the path is cut off. Not
 * while nodes advance on other threads. (path.c) */
uint32_t asim_fabric_path(const struct asim_fabric *fabric, const struct asim_fct *flow,
                          struct asim_hop *hops, uint32_t room);
/* Checks the books: on each wire and in each node, frames in equal frames out, lost, dropped or
 * present; a switch without frames has an empty buffer; each byte of a completed message was
 * received in order once. 0, or ASIM_EBUG with the first contradiction. Linear in the network. */
int asim_fabric_audit(const struct asim_fabric *fabric, struct asim_err *err);
/* Fills at most n of them, the first by source and id; returns how many there are. */
size_t asim_fabric_unfinished(const struct asim_fabric *fabric, struct asim_unfinished *list,
                              size_t n);
/* Appends which switch ports wait for which pauses, by switch and egress port; waits->at is the
 * caller's to free. 0 or ASIM_ENOMEM. (pause_waits.c) */
int asim_fabric_pause_waits(const struct asim_fabric *fabric, struct asim_pause_waits *waits);
/* Bytes still buffered in switches: 0 after a run that ended by itself. */
uint64_t asim_fabric_buffered(const struct asim_fabric *fabric);
#endif
