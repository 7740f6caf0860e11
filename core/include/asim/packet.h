/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The packet network of a world: step it with a clock of your own, watch its frames (asim/frame.h),
 * read its statistics, advance it together with other processes. All functions but
 * asim_packet_is_used need a world over the packet network.
 *
 *     asim_world_start
 *     while (asim_packet_next(world) != ASIM_NEVER && !asim_world_done(world))
 *         asim_packet_step(world, err);
 *     asim_world_finish
 *
 * Nodes are numbered as in the topology, hosts first; rank r lives on host r. Ports are numbered
 * from 1 in the order of the topology's links. Times are ns since the start of the run.
 */
#ifndef ASIM_PACKET_H
#define ASIM_PACKET_H

#include <stdint.h>
#include "asim/asim.h"
#include "asim/frame.h"
#include "asim/net.h"

ASIM_C_BEGIN

/* 1 where the packet network carries the messages of this world. */
ASIM_API int asim_packet_is_used(const struct asim_world *world);
/* The physical network as a graph (asim/topology.h); it lives as long as the world. */
ASIM_API const struct asim_topo *asim_world_topo(const struct asim_world *world);

/* --- stepping --------------------------------------------------------------------------------- */

/* The lookahead: the smallest link delay. No node can act on another one sooner. */
ASIM_API uint64_t asim_packet_lookahead(const struct asim_world *world);
/* When the next event is due, ASIM_NEVER if there is none. */
ASIM_API uint64_t asim_packet_next(struct asim_world *world);
/* Advances all nodes over one lookahead window that begins at asim_packet_next; in per-event mode,
 * one node by one event. Returns the new asim_packet_next; on failure ASIM_NEVER with *err filled,
 * which must not be NULL. */
ASIM_API uint64_t asim_packet_step(struct asim_world *world, struct asim_err *err);

/* --- links ------------------------------------------------------------------------------------ */

/* A planned event of one link, from LINK_DOWN or LINK_UP of the network configuration. */
struct asim_link_change {
    uint64_t time_ns;
    uint32_t link; /* index into the links of asim_world_topo */
    int is_up;
};
/* Writes at most `room` events in order of time and returns how many there are. An event that
 * repeats the state of its link changes nothing. */
ASIM_API size_t asim_packet_link_changes(const struct asim_world *world,
                                         struct asim_link_change *changes, size_t room);

/* --- statistics ------------------------------------------------------------------------------- */

/* Of this process. */
struct asim_packet_counters {
    uint64_t hops;                        /* packet-hops: frames put on a link */
    uint64_t hop_bytes;                   /* wire bytes of those */
    uint64_t messages;                    /* completed */
    uint64_t drops;                       /* frames that a switch could not admit or route */
    uint64_t marks, pauses;               /* ECN marks set, PAUSE frames sent */
    uint64_t windows;                     /* steps made */
    uint64_t last_ns;                     /* when the last frame was on its wire */
    uint64_t data_packets, retransmitted; /* data packets sent, and of these sent again */
    uint64_t lost;                        /* frames lost on links */
    uint64_t timeouts, aborted_messages;
    uint64_t nacks; /* sent by receivers */
};
/* Of this process; in process 0 of several, once the others have packed their ends, of all. Linear
 * in ranks, nodes and links. It ends what fast-forward does at the time, as asim_packet_link_use
 * does: seldom called, it costs nothing. */
ASIM_API void asim_packet_stats(const struct asim_world *world,
                                struct asim_packet_counters *counters);

/* One direction of a link. The queue is that of a switch's egress (marks), or of its ingress at the
 * same port (pauses sent, frames dropped). */
struct asim_link_use {
    uint32_t from, port, to; /* node, its port, node at the far end */
    uint64_t rate_bps, frames, bytes, peak_queue_bytes, marks, pauses, drops;
    uint64_t lost; /* frames lost on the link */
};
/* A host. It counts data packets sent, and of these sent again; packets received twice; NACKs it
 * has sent for packets missing; timeouts of its messages; messages it has given up; PFC frames
 * received, pauses and their ends. */
struct asim_host_use {
    uint64_t data_packets, retransmitted, duplicates, nacks, timeouts, aborted_messages;
    uint64_t pfc_received;
};
/* Directions: two for each link of the topology. Direction 2 l + d belongs to link l. */
ASIM_API uint32_t asim_packet_directions(const struct asim_world *world);
ASIM_API void asim_packet_link_use(const struct asim_world *world, uint32_t direction,
                                   struct asim_link_use *use);
/* Writes the classes of links that have carried something, as links.csv and --bandwidth name them:
 * at most `room`, in the order of the topology, *n of them. Also over the flow level. */
struct asim_link_class {
    char name[28];
};
ASIM_API int asim_packet_link_classes(const struct asim_world *world,
                                      struct asim_link_class *classes, size_t room, size_t *n,
                                      struct asim_err *err);

/* --- several processes ------------------------------------------------------------------------ */
/* Each process advances its part over windows of a common grid, [kW, (k+1)W). W is the smallest
 * time in which one process can act on another, or a little less. The buffers of window k
 * (asim_world_pack) must be unpacked before window k + 1 begins. */

/* 1 where a node lives in this process; always with one process. */
ASIM_API int asim_packet_is_here(const struct asim_world *world, uint32_t node);
/* W, at least 2 ns; 0 with one process. */
ASIM_API uint64_t asim_packet_common_lookahead(const struct asim_world *world);
/* 1 where hosts and switches may advance in turn, which halves the number of meetings. Ask after
 * the start; where all processes agree, all call the second function before the first event. Then
 * window k advances the hosts where k is even, else the switches, from (k-1)W to (k+1)W. */
ASIM_API int asim_packet_may_use_half_steps(const struct asim_world *world);
ASIM_API void asim_packet_use_half_steps(struct asim_world *world);
/* The end of the window in which the time now_ns lies: (k+1)W, or earlier where all processes look
 * for a livelock (NO_PROGRESS_LIMIT), which the buffers of that window need. Call it when the
 * buffers of the window before have been unpacked. */
ASIM_API uint64_t asim_packet_window_end(struct asim_world *world, uint64_t now_ns);
/* Where the next window begins after one that has ended at end_ns. next_ns: the earliest
 * asim_packet_next_common of all processes, or end_ns where a buffer was not empty. ASIM_NEVER:
 * nothing is left. Call it once after each window, when its buffers have been unpacked: all
 * processes may then skip time in which the network repeats. */
ASIM_API uint64_t asim_packet_window_begin(struct asim_world *world, uint64_t end_ns,
                                           uint64_t next_ns);
/* Where the first window begins in which this process has anything to do, ns; ASIM_NEVER: none. */
ASIM_API uint64_t asim_packet_next_common(struct asim_world *world);
/* Advances this process to until_ns, the end of the window, or without half-steps any time inside
 * it. */
ASIM_API int asim_packet_advance(struct asim_world *world, uint64_t until_ns, struct asim_err *err);

ASIM_C_END
#endif
