/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Messages of a program's own over the network of a world (packets or the flow level), with
 * completion callbacks: for programs that decide what to send while simulated time goes on, such as
 * a scheduler. The traces of the world must have no nodes; the world runs until nothing is left to
 * do. Reports count these messages like those of SEND ops.
 *
 *     asim_world_open, asim_messages_hook, asim_reports_open; asim_messages_wake or _send for what
 *     happens first; asim_world_run; asim_world_close
 *
 * Within a lookahead window hosts run ahead of each other, so a callback about a host may act for
 * this host only, and may read and change only what belongs to it. What another host should know
 * must come to it by a message. At the flow level all hosts have one clock, and a callback may act for
 * any. One thread and one process: more are an error.
 */
#ifndef ASIM_MESSAGES_H
#define ASIM_MESSAGES_H

#include "asim/asim.h"

ASIM_C_BEGIN

struct asim_own_message {
    uint32_t src, dst;     /* ranks */
    uint64_t bytes;        /* 1 or more */
    uint64_t cookie;       /* the program's */
    uint8_t traffic_class; /* as in asim/net.h; above 0 only with hooks.traffic_classes */
};

/* Each may be NULL. self is the first argument. */
struct asim_messages_hooks {
    size_t size; /* sizeof(struct asim_messages_hooks) where the caller is compiled */
    void *self;
    /* A wake of the rank is due. */
    void (*wake)(void *self, uint32_t rank);
    /* To the destination: the whole message is there. */
    void (*arrived)(void *self, const struct asim_own_message *message);
    /* 1: messages may have traffic classes 1 to 7. The network then runs event by event. */
    int traffic_classes;
};

/* Before the start of the world. Errors: formulas instead of a network, traffic classes at the flow
 * level, two ranks without a path, a trace with nodes, or several threads or processes. */
ASIM_API int asim_messages_hook(struct asim_world *world, const struct asim_messages_hooks *hooks,
                                struct asim_err *err);
/* The current time of a rank, ns; inside a callback, that of its rank. */
ASIM_API uint64_t asim_messages_now(const struct asim_world *world, uint32_t rank);
/* Calls wake(rank) delay_ns from now. 0 or ASIM_ENOMEM. */
ASIM_API int asim_messages_wake(struct asim_world *world, uint32_t rank, uint64_t delay_ns);
/* Sends at the current time of its source. 0, ASIM_ENOMEM, or ASIM_EINVAL where there is no such
 * rank, source and destination are the same, bytes are 0 or more than 2^44 - 1, or the traffic
 * class is above 7 or not used. */
ASIM_API int asim_messages_send(struct asim_world *world, const struct asim_own_message *message);

ASIM_C_END
#endif
