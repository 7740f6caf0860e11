/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The packet network: hosts and switches as state machines with their own local time, joined by
 * links whose mailboxes are their only contact (README.md). Nothing here knows ns-3; ns-3,
 * or asim_fabric_run for tests, is the clock that calls asim_fabric_step.
 *
 * Times are ns since the start of the run. Nodes are numbered as in the topology; rank r lives on
 * host r.
 */
#ifndef ASIM_FABRIC_FABRIC_H
#define ASIM_FABRIC_FABRIC_H

#include <stddef.h>
#include <stdint.h>
#include "asim/err.h"
#include "asim/packet.h"
#include "conf/conf.h"
#include "fabric/link/frame.h"
#include "net/net.h"
#include "topo/route.h"
#include "topo/topo.h"

struct asim_fabric;
struct asim_thread_team;

/* Address of a host as the reference numbers them: hashed for ECMP, written to its logs. */
uint32_t asim_host_ip(uint32_t host);

/* One completed message, as a row of fct.txt. */
struct asim_fct {
    uint64_t start, end, bytes, ideal;
    uint32_t src, dst;
    uint16_t sport;
};

typedef void asim_frame_hook(void *self, enum asim_frame_event what, const uint32_t node_port[2],
                             const struct asim_frame *frame, uint64_t t);

/* every_ns 0: every change of a queue is told. Else only what samples at first_ns + k x every_ns
 * can show of lengths, queue 0 not counted, of `least` bytes or more. */
struct asim_queue_sampling {
    uint64_t every_ns, first_ns, least;
};

/* Whoever watches. Any hook may be NULL. */
struct asim_fabric_watch {
    void *self;
    void (*fct)(void *self, const struct asim_fct *row);
    /* A PFC frame took effect at node's port (1-based): pause 1 or 0. */
    void (*pfc)(void *self, uint64_t t, uint32_t node, uint32_t port, int pause);
    /* A flow's rate changed; a switch port's queued bytes changed. NULL unless somebody wants
     * them, because they are asked on hot paths. */
    void (*rate)(void *self, uint64_t t, const struct asim_fct *flow, uint64_t bps);
    /* all_control: bytes queued, and of these in queue 0. Set by asim_fabric_watch_queues. */
    void (*queue)(void *self, uint64_t t, const uint32_t node_port[2],
                  const uint64_t all_control[2]);
    struct asim_queue_sampling sampling;
    asim_frame_hook *frame; /* set by asim_fabric_watch_frames */
    void *frame_self;
    struct {
        asim_frame_hook *hook;
        void *self;
    } frames[4]; /* all who watch frames */
    unsigned n_frames;
};

struct asim_fabric_config {
    /* Borrowed, all three: they must live as long as the fabric. */
    const struct asim_topo *topo;
    struct asim_route *route;
    const struct asim_netconf *net;
    struct asim_net_user user;
    struct asim_fabric_watch watch;
    /* Of the ECN draws; runs with equal seeds are equal to the byte. */
    uint64_t seed;
    int per_event;    /* 1 = W = 0: one node and one instant a step, in time order */
    uint32_t without; /* fast paths turned off, enum asim_fast_path (net/fast_path.h) */
    /* Several processes: only nodes v with part_of[v] == self are built; then
     * asim_exchange_open. NULL: all. Borrowed. */
    const uint32_t *part_of;
    uint32_t self;
};

struct asim_fabric_stats {
    uint64_t hops;      /* frames put on a link: the reference's packet-hops */
    uint64_t hop_bytes; /* wire bytes of those */
    uint64_t messages;  /* completed */
    /* Frames a switch could not admit or route, ECN marks set, PAUSE frames sent. */
    uint64_t drops, marks, pauses;
    /* Steps made: windows, or single events at W = 0. A measure of the clock's overhead. */
    uint64_t windows;
    uint64_t memory_bytes; /* of nodes, ports and rings */
    uint64_t last_ns;      /* when the last frame was on its wire */
    /* Data packets: sent, of these again; frames lost on links (all kinds, with bytes); received
     * twice; received beyond a gap and not kept; timeouts; messages given up. */
    uint64_t data, again, lost, lost_bytes, duplicates, discarded, timeouts, given_up;
};

/* Builds the network; *fabric is the caller's to close, NULL on failure. Linear in nodes and
 * links. */
int asim_fabric_open(struct asim_fabric **fabric, const struct asim_fabric_config *config,
                     struct asim_err *err);
/* Advances the nodes on n threads, of[v] modulo n being node v's; before the first event. n = 1, or
 * W = 0: nothing happens. Callbacks about a host, and hooks about a node, then come from its
 * thread. */
int asim_fabric_threads(struct asim_fabric *fabric, uint32_t n, const uint32_t *of,
                        struct asim_err *err);
/* The threads there are, and whose each node is (NULL: of the one). */
const uint16_t *asim_fabric_worker_of(const struct asim_fabric *fabric, uint32_t *n);
/* They, for what they may do beside (thread_team.h); NULL where there is one. */
struct asim_thread_team *asim_fabric_thread_team(const struct asim_fabric *fabric);
/* Notes on settings that act differently from what they look like. 0 or ENOMEM. */
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

/* Calls hook for every frame from now on, at the frame's own time: switches to W = 0. 0, or
 * ASIM_ENOMEM where four are watching already. */
int asim_fabric_watch_frames(struct asim_fabric *fabric, asim_frame_hook *hook, void *self);

/* Sets watch.queue; before the start. 0 or ASIM_ENOMEM. */
int asim_fabric_watch_queues(struct asim_fabric *fabric,
                             void (*hook)(void *self, uint64_t t, const uint32_t node_port[2],
                                          const uint64_t all_control[2]),
                             const struct asim_queue_sampling *sampling);

/* Exact fast-forward from now on (memo/memo.h), with the same results. Call it before the first
 * message and after hooks are set. It does nothing where the configuration excludes it: per-event
 * mode, losses, link events, INT and PINT, packet spraying, hooks for rates, frames or every change
 * of queues. 0 or ASIM_ENOMEM. */
int asim_fabric_use_memo(struct asim_fabric *fabric);

/* Sums over all nodes and wires: for the end of a run, not for every step. */
void asim_fabric_stats(const struct asim_fabric *fabric, struct asim_fabric_stats *stats);
/* wire: 2 x link + direction. */
void asim_fabric_link_use(const struct asim_fabric *fabric, uint32_t wire,
                          struct asim_link_use *use);
/* Whether all adds up: on each wire and in each node what came in is what went out, was lost, was
 * dropped or is there; nothing received is missing from what was sent; a switch without frames has
 * an empty buffer; every byte of a completed message was received in order once. 0, or ASIM_EBUG
 * with the first contradiction. Linear in the network. */
int asim_fabric_audit(const struct asim_fabric *fabric, struct asim_err *err);
/* What keeps a message from going on where nothing is under way any more: the link of its NIC is
 * down; the NIC is paused; its window is full of what nobody acknowledges; all was sent, likewise.
 */
enum asim_blocked_reason {
    ASIM_BLOCKED_LINK,
    ASIM_BLOCKED_PAUSE,
    ASIM_BLOCKED_WINDOW,
    ASIM_BLOCKED_ACK,
    ASIM_BLOCKED_REASONS
};
/* A message that has begun and is not complete. */
struct asim_unfinished {
    uint64_t id, bytes, acked;
    uint32_t src, dst, timeouts;
    int aborted;
    enum asim_blocked_reason blocked_reason; /* else */
};
/* Fills at most n of them, the first by source and id; returns how many there are. */
size_t asim_fabric_unfinished(const struct asim_fabric *fabric, struct asim_unfinished *list,
                              size_t n);
/* Bytes still buffered in switches: 0 after a run that ended by itself. */
uint64_t asim_fabric_buffered(const struct asim_fabric *fabric);
void asim_fabric_close(struct asim_fabric *fabric);

/* The fabric as a network backend for the spine: `net` arguments are the fabric itself. */
extern const struct asim_net_backend asim_packet_backend;

#endif
