/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The packet network: hosts and switches are state machines with local time. They meet in the
 * receive rings of their links only (README.md). The clock is the caller's: ns-3, or
 * asim_fabric_run, calls asim_fabric_step.
 *
 * Times are ns since the start of the run. Nodes are numbered as in the topology; rank r lives on
 * host r.
 */
#ifndef ASIM_FABRIC_FABRIC_H
#define ASIM_FABRIC_FABRIC_H

#include <stddef.h>
#include <stdint.h>
#include "asim/datagram.h"
#include "asim/err.h"
#include "asim/packet.h"
#include "conf/conf.h"
#include "fabric/link/frame.h"
#include "net/packets.h"
#include "topo/route.h"
#include "topo/topo.h"

struct asim_fabric;
struct asim_thread_team;

/* Builds the network; *fabric is the caller's to close, NULL on failure. Linear in nodes and
 * links. */
int asim_fabric_open(struct asim_fabric **fabric, const struct asim_fabric_config *config,
                     struct asim_err *err);
/* Advances the nodes on n threads; thread of[v] modulo n advances node v and calls all hooks about
 * it. Call it before the first event. It does nothing for n = 1 and in per-event mode. */
int asim_fabric_threads(struct asim_fabric *fabric, uint32_t n, const uint32_t *of,
                        struct asim_err *err);
/* The threads there are, and whose each node is (NULL: of the one). */
const uint16_t *asim_fabric_worker_of(const struct asim_fabric *fabric, uint32_t *n);
/* The threads, for background tasks (thread_team.h); NULL where there is one. */
struct asim_thread_team *asim_fabric_thread_team(const struct asim_fabric *fabric);
/* Diagnoses settings that act differently from what a user may expect. 0 or ASIM_ENOMEM. */
int asim_fabric_diagnostics(const struct asim_fabric *fabric, const struct asim_diagnostics *notes,
                            struct asim_err *err);
/* The hooks, to be set or cleared before the start. */
struct asim_fabric_watch *asim_fabric_watcher(struct asim_fabric *fabric);
/* Smallest link delay: no node can act on another sooner. */
uint64_t asim_fabric_window(const struct asim_fabric *fabric);
/* Time of the earliest event anywhere, ASIM_NEVER if there is none. */
uint64_t asim_fabric_next(struct asim_fabric *fabric);
/* Whether no node has anything left to do; planned link events do not count. */
int asim_fabric_is_quiet(struct asim_fabric *fabric);
/* Advances every node over one window that begins at asim_fabric_next; returns the new next. On
 * failure *err is filled and ASIM_NEVER returned. */
uint64_t asim_fabric_step(struct asim_fabric *fabric, struct asim_err *err);
/* Steps until nothing is left or user.done(). */
int asim_fabric_run(struct asim_fabric *fabric, struct asim_err *err);

/* Calls hook for every frame from now on, at the frame's own time: the network changes to per-event
 * mode. 0, or ASIM_ENOMEM where four hooks watch already. */
int asim_fabric_watch_frames(struct asim_fabric *fabric, asim_frame_hook *hook, void *self);

/* The network changes to per-event mode. 0 or ASIM_ENOMEM. */
int asim_fabric_use_per_event(struct asim_fabric *fabric);

/* Messages may have traffic classes other than 0 from now on; before the start. The network changes
 * to per-event mode, because the fast paths of hosts, switches and the memo know one queue of data.
 * 0 or ASIM_ENOMEM. */
int asim_fabric_use_classes(struct asim_fabric *fabric);

/* asim/datagram.h (datagrams.c). */
int asim_fabric_datagrams_open(struct asim_fabric *fabric, asim_datagram_hook *hook, void *self,
                               struct asim_err *err);
int asim_fabric_datagram_send(struct asim_fabric *fabric, uint64_t now_ns,
                              const struct asim_datagram *datagram, struct asim_err *err);
uint32_t asim_fabric_datagram_max(const struct asim_fabric *fabric);
uint64_t asim_fabric_datagrams_under_way(const struct asim_fabric *fabric);
void asim_fabric_datagrams_close(struct asim_fabric *fabric);

/* Sets watch.queue; before the start. 0 or ASIM_ENOMEM. */
int asim_fabric_watch_queues(struct asim_fabric *fabric,
                             void (*hook)(void *self, uint64_t t, struct asim_port_id at,
                                          struct asim_queue_length length),
                             const struct asim_queue_sampling *sampling);

/* Exact fast-forward from now on (memo/memo.h), with the same results. Call it before the first
 * message and after hooks are set. It does nothing where the configuration excludes it: per-event
 * mode, losses, link events, PINT, packet spraying, hooks for rates, frames or every change
 * of queues. 0 or ASIM_ENOMEM. */
int asim_fabric_use_memo(struct asim_fabric *fabric);

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
void asim_fabric_close(struct asim_fabric *fabric);

#endif
