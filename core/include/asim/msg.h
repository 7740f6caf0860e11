/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A message between two ranks, and what a network that carries messages calls (asim/net.h).
 */
#ifndef ASIM_MSG_H
#define ASIM_MSG_H

#include <stdint.h>

/* A time that no event has. */
#define ASIM_NEVER UINT64_MAX

/* One message between two ranks. */
struct asim_msg {
    uint64_t bytes;    /* payload */
    uint64_t tag;      /* the world compares it; a backend only carries it */
    uint32_t src, dst; /* ranks */
    uint64_t id;       /* src << 32 | number of the message at that rank */
    uint64_t cookie;   /* the world's own; ASIM_NEVER = sent() may be left out */
    /* 1 … 7: the priority of IEEE 802.1Qbb whose queues it takes; 0: the network's own choice, in
     * the packet network PRIORITY_GROUP. A backend without queues ignores it. */
    uint8_t traffic_class;
    /* 1: of a phase whose steps are all alike, as in a ring. The flow level carries such messages
     * as fluids, others from queue to queue (doc/model/flow.md#bursts). */
    uint8_t is_uniform;
};

/* The world's side: what a backend calls. The backend copies this struct when it opens. */
struct asim_net_user {
    void *self;
    /* A wake that backend->wake_after was asked for is due. */
    void (*wake)(void *self, uint32_t rank);
    /* To the source: the message is through (delivered or acknowledged). */
    void (*sent)(void *self, const struct asim_msg *msg);
    /* To the destination: the whole message is there. */
    void (*arrived)(void *self, const struct asim_msg *msg);
    /* A deferred receive that backend->defer_receive was asked for is due. */
    void (*receive_due)(void *self, uint32_t rank, uint64_t cookie);
    /* 1 when the run should end: every rank finished, an error, or the stop hook. run() asks
     * between events. */
    int (*done)(void *self);
    /* Everything before time_ns has happened on all ranks: buffered report rows may be written.
     * A backend calls it now and then; a run is right without. */
    void (*settled)(void *self, uint64_t time_ns);
};

#endif
