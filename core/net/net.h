/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The boundary between the spine and whatever carries messages: the only one with traffic both
 * ways. The spine calls the backend's table; the backend calls struct asim_net_user back. Every
 * call names a rank and runs in that rank's own time, because a packet backend advances hosts
 * separately inside a safe window (fabric/README.md): now(rank) is what that rank may see.
 *
 * Order contract: wakes of one rank at one time come in the order they were asked for; a message
 * is reported `sent` to its source and `arrived` to its destination at the same time, source
 * first where both live in one event.
 */
#ifndef ASIM_NET_NET_H
#define ASIM_NET_NET_H

#include <stddef.h>
#include <stdint.h>
#include "asim/err.h"
#include "asim/ext/family.h"

#define ASIM_NEVER UINT64_MAX

/* A time truncated to whole ns, not below 0. What no run comes to (146 years), and no number, is
 * ASIM_NS_MOST, of which three can be added up. The signed conversion is one instruction, the
 * unsigned one is not. */
#define ASIM_NS_MOST (UINT64_MAX / 4)
static inline uint64_t asim_ns_whole(double ns)
{
    return ns < (double)ASIM_NS_MOST ? (uint64_t)(int64_t)ns : ASIM_NS_MOST;
}

/* One transfer on the network. The id is (source rank << 32 | sequence at that rank). */
struct asim_msg {
    /* bytes of payload; the tag is only compared. */
    uint64_t bytes, tag;
    uint32_t src, dst;
    uint64_t id;
    /* The sender's own, handed back with sent(); ASIM_NEVER = sent() may be left out. */
    uint64_t cookie;
};

/* Word by word, by way of volatile: messages are filled in just before they are copied, and a load
 * that is wider than the last stores to its place waits until these, and all before them, have left
 * the processor. */
static inline void asim_msg_copy(struct asim_msg *to, const volatile struct asim_msg *from)
{
    to->bytes = from->bytes;
    to->tag = from->tag;
    to->src = from->src;
    to->dst = from->dst;
    to->id = from->id;
    to->cookie = from->cookie;
}

struct asim_net_user {
    void *self;
    /* The wake asked for is due. */
    void (*wake)(void *self, uint32_t rank);
    /* The source is told that its message is through (delivered or acknowledged). */
    void (*sent)(void *self, const struct asim_msg *msg);
    /* The destination is told that the whole message is there. */
    void (*arrived)(void *self, const struct asim_msg *msg);
    /* What backend->late was asked for is due. */
    void (*late)(void *self, uint32_t rank, uint64_t cookie);
    /* 1 when the run should end: every rank finished, an error latched, or Ctrl-C. Asked between
     * events (analytical) or windows (packet). */
    int (*done)(void *self);
    /* Everything before `time` has happened everywhere: buffered report rows may be written. */
    void (*settled)(void *self, uint64_t time_ns);
};

enum asim_net_trait {
    /* A receive posted after the bytes arrived completes inside the call (packet backends); else
     * in an event of its own at the same time (the analytical reference). */
    ASIM_NET_LATE_RECEIVE_NOW = 1,
    /* A send meets a receive of its own size only, the k-th of them the k-th (spec 6.3); else the
     * bytes of a tag are one stream. */
    ASIM_NET_MEET_BY_SIZE = 2
};

struct asim_due_queue;
struct asim_net; /* the backend's own state */
struct asim_row; /* the backend's own, see row_open */
struct asim_netshape;

struct asim_net_config {
    const struct asim_netshape *shape; /* product of its dimensions = ranks; copied */
    /* Ranks 0 … ranks - 1 exist. */
    uint32_t ranks;
    struct asim_net_user user;
};

struct asim_net_backend {
    struct asim_member member;
    unsigned traits;
    /* Opens an analytical network; NULL for the packet network, which has more to be told. */
    int (*open)(struct asim_net **net, const struct asim_net_config *config, struct asim_err *err);
    uint64_t (*now)(const struct asim_net *net, uint32_t rank);
    /* Where that rank's now stands, for those who ask often; NULL where it stands nowhere as it is.
     * The hook may be NULL, too. Holds until the network is closed. */
    const uint64_t *(*clock)(const struct asim_net *net, uint32_t rank);
    /* Calls user->wake(rank) delay_ns from that rank's now, after what is already due then. */
    int (*wake_after)(struct asim_net *net, uint32_t rank, uint64_t delay_ns);
    /* The one queue and clock of all ranks (net/queue.h), where there is one: the user may read its
     * now, and add dues of kind ASIM_DUE_OWN that stand inside something of his (rank set), which
     * is his again when user->wake is called. NULL where each rank has a time of its own. */
    struct asim_due_queue *(*queue)(struct asim_net *net);
    /* Calls user->late(rank, cookie) now, in an event of its own behind all that is due now. Only
     * where ASIM_NET_LATE_RECEIVE_NOW is not set. */
    int (*late)(struct asim_net *net, uint32_t rank, uint64_t cookie);
    /* Starts carrying a copy of *msg from its source, whose time it is. */
    int (*send)(struct asim_net *net, const struct asim_msg *msg);
    /* A row of messages that differ in their ids only: *first and the next ones. What is the same
     * for all is worked out once, and nothing is copied. NULL when out of memory. The three hooks
     * are NULL where there is no such thing. */
    struct asim_row *(*row_open)(struct asim_net *net, const struct asim_msg *first);
    /* Sends the next of the row; out of memory ends run(). */
    void (*row_send)(struct asim_net *net, struct asim_row *row);
    /* No more will be sent; those under way arrive. */
    void (*row_close)(struct asim_net *net, struct asim_row *row);
    /* Runs until nothing is left or user->done(). 0 or negative with err. */
    int (*run)(struct asim_net *net, struct asim_err *err);
    /* Ends everything, messages under way included; nobody is called back. */
    void (*close)(struct asim_net *net);
};

/* Family net/backend (analytical models); the packet network's row is asim_packet_backend in
 * fabric/, because it is driven from outside by ns-3. */
extern const struct asim_member *const asim_net_backend_table[];

#endif
