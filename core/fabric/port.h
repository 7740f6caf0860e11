/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Wires and ports, the joints between nodes: a wire (one direction of a link) holds its mailbox and
 * its timing; a port is the sending end of one wire and the receiving end of another. What a node
 * does at another is nothing but appending to the mailbox of an outgoing wire (link.c).
 *
 * Wires and tables are owned by the fabric, ports by their nodes; all of them live as long as the
 * network.
 */
#ifndef ASIM_FABRIC_PORT_H
#define ASIM_FABRIC_PORT_H

#include <stdint.h>
#include "fabric/frame.h"

struct asim_fabric;

/* Serialization time of every frame size at one rate. */
struct asim_rate_table {
    uint64_t bps;
    uint32_t *tx; /* [wire bytes], ticks */
};

struct asim_wire {
    struct asim_ring mail; /* frames on their way, ascending arrival */
    const uint32_t *tx;    /* [wire bytes], ticks */
    uint64_t delay;        /* ticks */
    /* Put on this wire since the start; the sum over wires is the count of packet-hops. */
    uint64_t frames, bytes;
    uint64_t got, got_bytes;     /* taken in at the far end */
    struct asim_wire_loss *loss; /* NULL where every frame arrives (loss.h) */
    uint32_t id;                 /* 2 x link + direction */
    uint32_t from, to;           /* nodes */
    uint32_t to_port;            /* 0-based at `to` */
};

struct asim_port {
    uint64_t busy_until, tx_start; /* of the frame being serialized, if busy */
    /* One link, two directions; in->from == out->to. */
    struct asim_wire *out, *in;
    uint64_t rate_bps;
    uint64_t start_seq, in_seq; /* node's count when the last frame was started, taken in */
    uint32_t start_age;         /* age of the event that started the frame (order.h) */
    uint8_t busy;
    uint8_t paused; /* bit per queue: set by PFC frames received here */
    uint8_t down;   /* its link is down: nothing starts */
};

/* Serialization time of `bytes` at bps: nearest ns, exact halves down (spec 6.1). */
uint64_t asim_tx_ns(uint64_t bytes, uint64_t bps);
/* The same to the nearest tick of the fabric. */
uint64_t asim_tx_ticks(const struct asim_fabric *fabric, uint64_t bytes, uint64_t bps);
/* Table for a rate, made on first use; NULL when out of memory. */
const uint32_t *asim_rate_table_get(struct asim_fabric *fabric, uint64_t bps);
/* Largest frame of this configuration. */
uint32_t asim_fabric_max_wire(const struct asim_fabric *fabric);
/* The event in which a node acts: its time, its own age, and the node's count of events. */
struct asim_moment {
    uint64_t t, age, seq;
};
/* Starts serializing *frame now; fills frame->t and puts it in the wire's mailbox. 1 if the frame
 * will not arrive: that is known here, since draws are keyed and link events planned. */
int asim_port_start(struct asim_fabric *fabric, struct asim_port *port, struct asim_frame *frame,
                    struct asim_moment now);
/* Order keys of the head of a mailbox, and of the end of a port's present transmission. */
uint64_t asim_wire_tie(const struct asim_wire *wire, const struct asim_frame *frame);
uint64_t asim_port_tie(const struct asim_port *port);

#endif
