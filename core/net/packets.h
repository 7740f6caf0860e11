/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The packet network as the spine sees it: its settings, its hooks, and a table of functions beside
 * the backend's (asim/net.h). core/fabric fills in the table; core/sim
 * calls nothing of core/fabric by name.
 */
#ifndef ASIM_NET_PACKETS_H
#define ASIM_NET_PACKETS_H

#include <stddef.h>
#include <stdint.h>
#include "asim/net.h"
#include "net/watch.h"

struct asim_buffer;
struct asim_diagnostics;
struct asim_fabric;
struct asim_host_use;
struct asim_link_use;
struct asim_memo_use;
struct asim_net_events;
struct asim_net_traffics;
struct asim_partition;
struct asim_traffic_use;

struct asim_fabric_config {
    /* Borrowed, all three: they must live as long as the fabric. */
    const struct asim_topo *topo;
    struct asim_route *route;
    const struct asim_netconf *net;
    const struct asim_net_events *events; /* planned; NULL: none. Borrowed too */
    /* Background traffic; NULL: none. Borrowed. ranks_done (of user.self) ends what has no end. */
    const struct asim_net_traffics *traffics;
    int (*ranks_done)(void *self);
    /* The rank of user.self was held (ASIM_NET_HOLD): its wakes come so much later. May be NULL. */
    void (*held)(void *self, uint32_t rank, uint64_t by_ns);
    struct asim_net_user user;
    struct asim_fabric_watch watch;
    /* Of the random draws: equal seeds give equal bytes. */
    uint64_t seed;
    int per_event;    /* 1: a step is one node at one instant, in order of time */
    uint32_t without; /* fast paths turned off, enum asim_way (net/ways.h) */
    /* So many events run in the order of ns-3's event list, from the start on
     * (fabric/clock/insertion_order.h). */
    uint64_t exact_events;
    /* Several processes: only nodes v with process_of[v] == self are built; then
     * asim_exchange_open. NULL: all. Borrowed. */
    const uint32_t *process_of;
    uint32_t self;
};

/* Sums of the counters of all hosts, with their names (fabric/host/host.h): data packets sent, of
 * these sent again; received twice; received beyond a gap and discarded; NACKs, timeouts, messages
 * aborted. */
#define ASIM_HOST_SUMS(X)                                                                          \
    X(data), X(retransmits), X(duplicates), X(discarded), X(nacks), X(timeouts), X(aborted)
/* Packet-hops, that is frames put on a link, and their bytes; completed messages; frames that a
 * switch could not admit or route, ECN marks, PAUSE frames sent; steps made: windows, or single
 * events in per-event mode; bytes of memory for nodes, ports and rings; frames of all kinds lost on
 * links, and their bytes; messages that began while 8 others of their NIC or more were under way,
 * and the last one went to the same host (0 with QPS_PER_CONNECTION); random numbers drawn, at
 * least 1 where there were any. */
#define ASIM_FABRIC_SUMS(X)                                                                        \
    X(hops), X(hop_bytes), X(messages), X(drops), X(marks), X(pauses), X(windows),                 \
        X(memory_bytes), X(lost), X(lost_bytes), X(crowded), X(draws), ASIM_HOST_SUMS(X)
#define ASIM_SUM_NAME(NAME) NAME
struct asim_fabric_stats {
    uint64_t ASIM_FABRIC_SUMS(ASIM_SUM_NAME);
    uint64_t last_ns;   /* when the last frame was on its wire */
    int contested;      /* a tie was seen whose order tie keys do not know */
    uint64_t listed_ns; /* ns-3's order held before this time; ASIM_NEVER: to the end */
};
/* The counters of a host in hosts.csv: heading, member of struct asim_host_use, counter. */
#define ASIM_HOST_COLUMNS(X)                                                                       \
    X(data_packets, data_packets, data)                                                            \
    X(retransmitted_packets, retransmitted, retransmits)                                           \
    X(duplicate_packets, duplicates, duplicates)                                                   \
    X(nacks_sent, nacks, nacks)                                                                    \
    X(timeouts, timeouts, timeouts)                                                                \
    X(aborted_messages, aborted_messages, aborted)                                                 \
    X(pfc_frames_received, pfc_received, pfc_received)

/* Why a message cannot continue although no event is left: the link of its NIC is down; its NIC is
 * paused; its send window is full and no ACK will come; all of it was sent and no ACK will come; an
 * earlier message of its queue pair was not sent (QPS_PER_CONNECTION). */
enum asim_blocked_reason {
    ASIM_BLOCKED_LINK,
    ASIM_BLOCKED_PAUSE,
    ASIM_BLOCKED_WINDOW,
    ASIM_BLOCKED_ACK,
    ASIM_BLOCKED_QP,
    ASIM_BLOCKED_REASONS
};
/* A message that has begun and is not complete. */
struct asim_unfinished {
    uint64_t id, bytes, acked, window; /* window: 0 = no limit */
    uint64_t start_ns, ideal_ns;       /* as in fct.txt */
    uint32_t src, dst, timeouts;
    uint16_t sport;
    int aborted;
    int cut_off;                             /* links are down, and no path is left */
    enum asim_blocked_reason blocked_reason; /* where it is not aborted */
};

/* Why the network has ended the run: in this time all messages together gained so few bytes, while
 * so many packets were sent again. */
struct asim_no_progress {
    uint64_t from_ns, to_ns, gained, retransmits;
};

/* A hop of a flow's data: it leaves the node by `port`, which its hash took among n ports of equal
 * cost, the first of which is `first`. Ports are 1-based. */
struct asim_hop {
    uint32_t node, first, n, port;
};

/* Frames wait at a switch for the port that the far end `by`, a port of another switch, has paused;
 * they have come in at port `at`, which pauses its own far end for that reason. */
struct asim_pause_wait {
    struct asim_port_id at, by;
};
struct asim_pause_waits {
    struct asim_pause_wait *at; /* malloc'ed */
    size_t n, cap;
};

/* The functions of the packet network. fabric/fabric.h and fabric/processes/exchange.h say what
 * each does; fabric pointers are what open() made. */
struct asim_packet_network {
    int (*open)(struct asim_fabric **fabric, const struct asim_fabric_config *config,
                struct asim_err *err);
    int (*diagnose)(const struct asim_fabric *fabric, const struct asim_diagnostics *diagnostics,
                    struct asim_err *err);
    void (*diagnose_end)(const struct asim_fabric *fabric,
                         const struct asim_diagnostics *diagnostics);
    /* NULL: frames are carried one by one. Returns 0 where nothing was carried. */
    int (*trust)(const struct asim_fabric *fabric, struct asim_packet_trust *trust);
    struct asim_fabric_watch *(*hooks)(struct asim_fabric *fabric);
    int (*watch_queues)(struct asim_fabric *fabric,
                        void (*hook)(void *self, uint64_t t, struct asim_port_id at,
                                     struct asim_queue_length length),
                        const struct asim_queue_sampling *sampling);
    int (*watch_frames)(struct asim_fabric *fabric, asim_frame_hook *hook, void *self);
    void (*decode_headers)(const struct asim_fabric *fabric, const struct asim_frame *frame,
                           struct asim_port_id at, struct asim_decoded_headers *headers);
    uint64_t (*queued)(const struct asim_fabric *fabric, struct asim_port_id at, uint32_t queue);
    int (*use_memo)(struct asim_fabric *fabric);
    int (*use_classes)(struct asim_fabric *fabric);
    void (*memo_use)(const struct asim_fabric *fabric, struct asim_memo_use *use);
    int (*is_quiet)(struct asim_fabric *fabric);
    void (*stats)(const struct asim_fabric *fabric, struct asim_fabric_stats *stats);
    void (*link_use)(const struct asim_fabric *fabric, uint32_t wire, struct asim_link_use *use);
    void (*host_use)(const struct asim_fabric *fabric, uint32_t host, struct asim_host_use *use);
    /* Of one generator of background traffic, in this process. */
    void (*traffic_use)(const struct asim_fabric *fabric, uint32_t index,
                        struct asim_traffic_use *use);
    uint32_t (*path)(const struct asim_fabric *fabric, const struct asim_fct *flow,
                     struct asim_hop *hops, uint32_t room);
    int (*audit)(const struct asim_fabric *fabric, struct asim_err *err);
    size_t (*unfinished)(const struct asim_fabric *fabric, struct asim_unfinished *list, size_t n);
    int (*no_progress)(const struct asim_fabric *fabric, struct asim_no_progress *found);
    int (*pause_waits)(const struct asim_fabric *fabric, struct asim_pause_waits *waits);
    /* Threads. */
    int (*use_threads)(struct asim_fabric *fabric, uint32_t n, const uint32_t *of,
                       struct asim_err *err);
    const uint16_t *(*worker_of)(const struct asim_fabric *fabric, uint32_t *n);
    /* Several processes. */
    int (*join)(struct asim_fabric *fabric, const struct asim_partition *part, uint32_t self,
                struct asim_err *err);
    uint64_t (*common_lookahead)(const struct asim_fabric *fabric);
    int (*pack)(struct asim_fabric *fabric, uint32_t peer, struct asim_buffer *buffer,
                struct asim_err *err);
    int (*unpack)(struct asim_fabric *fabric, const struct asim_buffer *buffer,
                  struct asim_err *err);
};

/* The backend of core/fabric; its extras->packets is not NULL. */
extern const struct asim_net_backend asim_packet_backend;

#endif
