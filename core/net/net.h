/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The boundary between the spine and the backends that carry messages: the only one with calls both
 * ways. asim/net.h has the public tables of both sides. This header adds the parts that only the
 * spine and the library's own backends use.
 *
 * A packet backend advances hosts separately inside a window (fabric/README.md), so now(rank) is
 * the time that rank may see.
 */
#ifndef ASIM_NET_NET_H
#define ASIM_NET_NET_H

#include "asim/net.h"

/* A time truncated to whole ns, not below 0. Values beyond 146 years and NaN become ASIM_NS_MOST;
 * three of these add up without overflow. The signed conversion is one instruction, the unsigned
 * one is not. */
#define ASIM_NS_MOST (UINT64_MAX / 4)
static inline uint64_t asim_ns_whole(double ns)
{
    return ns < (double)ASIM_NS_MOST ? (uint64_t)(int64_t)ns : ASIM_NS_MOST;
}

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
    to->traffic_class = from->traffic_class;
}

struct asim_due_queue;
struct asim_net_events;
struct asim_net_traffics;
struct asim_packet_network;

/* What a network of the library can do beyond asim/net.h: further bits of asim_net_backend.traits.
 * A bit stands for its functions in struct asim_packet_network. Code above net asks for the bit
 * that it needs (asim_world_has in sim/sim.h), not for a network by name. */
enum asim_net_capability {
    ASIM_NET_FRAMES = 1 << 8,      /* messages are frames: counted, watched, of limited length */
    ASIM_NET_QUEUES = 1 << 9,      /* lengths of the queues of switch ports */
    ASIM_NET_PAUSES = 1 << 10,     /* PFC: pauses as they happen, and who waits for whom */
    ASIM_NET_LINKS = 1 << 11,      /* use of each link */
    ASIM_NET_HOSTS = 1 << 12,      /* use of each host's NICs */
    ASIM_NET_FLOWS = 1 << 13,      /* completed messages, their rates and paths */
    ASIM_NET_BACKGROUND = 1 << 14, /* background traffic */
    ASIM_NET_REPLAYS = 1 << 15,    /* fast-forward, and what it has saved */
    ASIM_NET_STALLS = 1 << 16,     /* messages that cannot continue, and why */
    ASIM_NET_THREADS = 1 << 17,    /* several threads, and work of theirs while they wait */
    ASIM_NET_PROCESSES = 1 << 18,  /* several processes */
    ASIM_NET_PACKETS = ASIM_NET_OVER_TOPOLOGY | ((1 << 19) - ASIM_NET_FRAMES) /* all */
};

/* One member's part in a ring that the network carries by itself: `steps` messages to msg.dst, the
 * first when relay_start is called, each other one when the message before it has come from `from`
 * and has been dealt with. */
struct asim_net_relay {
    struct asim_msg msg;           /* the first; the others have the ids behind it */
    uint32_t from, steps, present; /* present: messages of the phase that had come before */
    /* Of the ring: members; the first one, and the one that it sends to. */
    uint32_t n, first, second;
    uint64_t delay_ns; /* the least time that a message is dealt with */
    /* Messages are dealt with side by side, and it is over when its own have come, too. */
    int is_nccl;
    void *self;
    /* How long message `number` is dealt with; *until: the first that may take another time. */
    uint64_t (*deal_ns)(void *self, uint32_t number, uint32_t *until);
    /* The last message has been dealt with; the relay is gone. */
    void (*over)(void *self);
};
struct asim_relay; /* the backend's own */

/* One member's part in a phase of `n` members that are all alike: each sends messages of `bytes`
 * bytes to each of `others`, and gets as many, from these (NVLS) or from the member before (a ring
 * inside a server). A phase of the same kind whose members start at the same distances takes the
 * same time again, where nobody else comes to its links. */
enum { ASIM_NET_REPEAT_OTHERS = 8, ASIM_NET_REPEAT_KIND = 3 };
struct asim_repeat; /* the backend's own, of all members */
struct asim_net_repeat {
    uint64_t tag, tag_mask;              /* tells its messages from those of others */
    uint64_t kind[ASIM_NET_REPEAT_KIND]; /* what of the members' doing decides how long it takes */
    uint64_t bytes;
    uint32_t at; /* an end point that phases of the same tag have for themselves */
    uint32_t n, src, n_others, others[ASIM_NET_REPEAT_OTHERS];
    uint32_t each;      /* messages to each of the others */
    uint8_t is_ring;    /* the only other one is the next member */
    uint8_t is_carried; /* by messages in any case, which set out in the same order of this ns */
    void *self;
    /* The member is to carry out the phase by messages, and to call repeat_over at its end unless
     * `repeat` is NULL. Or it is over for the member, which may have to begin after all, until its
     * end if so, else until release. */
    void (*begin)(void *self, struct asim_repeat *repeat);
    void (*over)(void *self);
    void (*release)(void *self);
};

/* Functions of the library's own backends beyond asim/net.h. Each may be NULL. */
struct asim_net_extras {
    /* All four or none; relay_has: whether this network has relays. Messages of a relay, to and
     * from it, do not pass asim_net_user; what comes after its last message does. NULL when out of
     * memory. */
    int (*relay_has)(struct asim_net *net);
    struct asim_relay *(*relay_open)(struct asim_net *net, const struct asim_net_relay *relay);
    void (*relay_start)(struct asim_net *net, struct asim_relay *relay);
    /* Messages that have come. */
    uint32_t (*relay_come)(const struct asim_relay *relay);
    /* All three or none; repeat_start: 0 or ASIM_ENOMEM. */
    int (*repeat_has)(struct asim_net *net);
    int (*repeat_start)(struct asim_net *net, const struct asim_net_repeat *repeat);
    void (*repeat_over)(struct asim_net *net, struct asim_repeat *repeat, uint32_t src);
    /* What changes in the network, and when, beside LINK_DOWN of its configuration; called once,
     * before run. Refuses kinds that it does not know. NULL: knows none. */
    int (*plan)(struct asim_net *net, const struct asim_net_events *plan, struct asim_err *err);
    /* Background traffic, borrowed; called once, before run. NULL: takes none. */
    int (*add_traffic)(struct asim_net *net, const struct asim_net_traffics *traffics,
                       struct asim_err *err);
    /* The one queue and clock of all ranks (net/queue.h), if the backend has one. The spine may
     * read its now_ns, and may add events of kind ASIM_DUE_OWN, with `rank` set, that its own
     * structs contain. The queue is done with such an event when it calls user->wake. */
    struct asim_due_queue *(*queue)(struct asim_net *net);
    /* Functions that only a packet network has (net/packets.h). */
    const struct asim_packet_network *packets;
};

/* Family net/backend (analytical models); the packet network's row is asim_packet_backend in
 * fabric/, because it is driven from outside by ns-3. */
extern const struct asim_member *const asim_net_backend_table[];

#endif
