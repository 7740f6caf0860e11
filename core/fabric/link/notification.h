/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A notification: one node knows ahead of time that an event at another node will happen at t. The
 * switch that starts the final ACK of a message on the last link tells the destination that the
 * message is complete. The node where a frame is lost tells the source, one RTO later. Workers
 * collect notifications in their outbox; between windows host/completion.c delivers them.
 */
#ifndef ASIM_FABRIC_LINK_NOTIFICATION_H
#define ASIM_FABRIC_LINK_NOTIFICATION_H

#include <stdint.h>
#include "asim/msg.h"

struct asim_notification {
    uint64_t t, tie, seq;
    uint64_t number; /* its insertion number, where the network keeps them */
    struct asim_msg msg;
    uint64_t since, at, rto; /* of a loss: its time; the frame's sequence number; the timeout */
    uint32_t slot;           /* of the flow at msg.src, with generation */
    uint8_t lost;            /* 0: msg is complete; 1: a frame of it was lost */
    uint8_t type, flags;     /* of the lost frame */
};

#endif
