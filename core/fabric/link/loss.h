/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Frames that a wire loses, and the notification that the source receives. The loss of a frame is
 * decided when the frame starts on its wire, because all inputs are known there: the random draw
 * is keyed by (wire, number of frames on it so far), and link events are planned. So a frame in a
 * receive ring always arrives, and the completion notification of a final ACK is never wrong. The
 * source of a lost frame receives a notification one retransmission timeout later, which stands
 * for that packet's timer: no timers run while nothing is lost, and a slow packet never times out.
 */
#ifndef ASIM_FABRIC_LINK_LOSS_H
#define ASIM_FABRIC_LINK_LOSS_H

#include <stddef.h>
#include <stdint.h>
#include "asim/err.h"

struct asim_fabric;

/* The link is down from … up again; to is ASIM_NEVER where it stays down. */
struct asim_outage {
    uint64_t from, to;
};

struct asim_wire_loss {
    double rate, own_rate;       /* of frames, 0 … 1; own: without events */
    struct asim_outage *outages; /* in order of time */
    size_t n_outages, over;      /* over: the first of them end before any frame to come */
    uint64_t frames, bytes;      /* lost so far */
};

/* Sets error rates and outages of all wires. Only a wire that may lose frames gets a record. */
int asim_loss_open(struct asim_fabric *fabric, struct asim_err *err);
void asim_loss_close(struct asim_fabric *fabric);

#endif
