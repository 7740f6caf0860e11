/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What an observer of the packet network may hear: completed messages, pauses, rates, queues,
 * frames.
 */
#ifndef ASIM_NET_WATCH_H
#define ASIM_NET_WATCH_H

#include <stdint.h>
#include "asim/frame.h"

/* IPv4 address of a host, which ECMP hashes: 11.x.y.1, as the front end of ASTRA-sim's ns-3 backend
 * hands them out (rdma-network.md#quirks). Ids from 65,536 on run into the first octet, there as
 * well. */
static inline uint32_t asim_host_ip(uint32_t host)
{
    return 0x0b000001u + ((host / 256) << 16) + ((host % 256) << 8);
}

/* UDP port of all messages at their destination (rdma-network.md#queue-pairs). */
enum { ASIM_DPORT = 100 };

/* A port of a node, numbered from 1. */
struct asim_port_id {
    uint32_t node, port;
};

/* One completed message, as a row of fct.txt. */
struct asim_fct {
    uint64_t start, end, bytes, ideal, id; /* id: of the message */
    uint32_t src, dst;
    uint16_t sport;
    uint16_t generator; /* of a background flow: the number of its generator from 1; else 0 */
};

typedef void asim_frame_hook(void *self, enum asim_frame_event what, struct asim_port_id at,
                             const struct asim_frame *frame, uint64_t t);

/* Bytes queued at a switch port, and of these in queue 0. */
struct asim_queue_length {
    uint64_t bytes, control;
};

/* Which changes of a queue's length the hook reports. every_ns 0: each change. Else only changes
 * that a sample at first_ns + k x every_ns can show, of queues of `least` bytes or more without
 * queue 0. */
struct asim_queue_sampling {
    uint64_t every_ns, first_ns, least;
};

/* Hooks of an observer. Each may be NULL. */
struct asim_fabric_watch {
    void *self;
    void (*fct)(void *self, const struct asim_fct *row);
    int only_choices; /* messages whose path no hash has chosen may be left out of fct */
    /* A PFC frame took effect at node's port (1-based): pause 1 or 0. */
    void (*pfc)(void *self, uint64_t t, uint32_t node, uint32_t port, int pause);
    /* A flow's rate changed; the bytes queued at a switch port changed. Hot paths test these
     * pointers: leave them NULL unless a report needs them. */
    void (*rate)(void *self, uint64_t t, const struct asim_fct *flow, uint64_t bps);
    /* Set by asim_fabric_watch_queues. */
    void (*queue)(void *self, uint64_t t, struct asim_port_id at, struct asim_queue_length length);
    struct asim_queue_sampling sampling;
    asim_frame_hook *frame; /* set by asim_fabric_watch_frames */
    void *frame_self;
    struct {
        asim_frame_hook *hook;
        void *self;
    } frames[4]; /* all observers of frames */
    unsigned n_frames;
};

#endif
