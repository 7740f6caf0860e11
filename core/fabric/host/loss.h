/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What is lost and what is done about it. Loss is decided where a frame starts on a wire, because
 * everything it depends on is known there: the draw is keyed by (wire, frames on it so far), and
 * link events are planned. So a frame in a mailbox always arrives, and a completion notice that is
 * made for a final ACK is never wrong. Each lost frame of a message brings its source a notice one
 * retransmission timeout later, which is the timer of that packet: there are no timers while
 * nothing is lost, and no timeout of a packet that was merely slow.
 */
#ifndef ASIM_FABRIC_HOST_LOSS_H
#define ASIM_FABRIC_HOST_LOSS_H

#include <stddef.h>
#include <stdint.h>
#include "asim/err.h"
#include "fabric/link/frame.h"
#include "fabric/link/ranges.h"

struct asim_fabric;
struct asim_flow;
struct asim_host;
struct asim_worker;
struct asim_notification;
struct asim_wire;

struct asim_outage {
    uint64_t from, to; /* down from … up again; ASIM_NEVER = to the end */
};

struct asim_wire_loss {
    double rate; /* of frames, 0 … 1 */
    struct asim_outage *outages;
    size_t n_outages;
    uint64_t frames, bytes; /* lost so far */
};

/* What a host counts, in frames where not said otherwise. */
struct asim_host_counts {
    /* Data and ACKs (NACKs, too) sent, made and taken in; bytes received in order, and of messages
     * acknowledged as a whole: a cache line of what every frame counts in. */
    _Alignas(64) uint64_t data;
    uint64_t acks, acks_generated, data_received, acks_received, in_order, completed;
    uint64_t retransmits;                 /* repeats among the data sent */
    uint64_t acks_dropped;                /* that waited at a NIC whose link went down */
    uint64_t duplicates, discarded;       /* data known already; data beyond a gap not kept */
    uint64_t pfc_generated, pfc_received; /* pause and resume frames */
    uint64_t pfc_sent, pfc_dropped;
    uint64_t timeouts, aborted; /* given_up: messages */
};

/* Selective repeat: what the far end has beyond snd_una, and what is missing there. */
struct asim_sack {
    struct asim_ranges acked, retransmit;
    uint64_t seen_to; /* gaps below it have been put into `again` */
};

/* --- loss.c ----------------------------------------------------------------------------------- */
/* Error rates and outages of every wire. Only wires that may lose get a record. */
int asim_loss_open(struct asim_fabric *fabric, struct asim_err *err);
void asim_loss_close(struct asim_fabric *fabric);
/* 1 if the frame that starts on the wire at `start` and would arrive at frame->t is lost; it is
 * then counted, and its source will hear. Only where wire->loss is set. */
int asim_loss_drops(struct asim_worker *worker, const struct asim_wire *wire,
                    const struct asim_frame *frame, uint64_t start);
/* A frame of a message came to an end at `t` at node: its source will hear RTO later. node_port is
 * for the watcher. */
void asim_loss_report(struct asim_worker *worker, const struct asim_frame *frame, uint64_t t,
                      const uint32_t node_port[2]);

/* --- audit.c ---------------------------------------------------------------------------------- */
struct asim_fabric_stats;
void asim_audit_losses(const struct asim_fabric *fabric, struct asim_fabric_stats *stats);

/* --- recovery.c: the sender ------------------------------------------------------------------- */
/* What an ACK or NACK says of the bytes: moves snd_una, prepares repeats. */
void asim_recovery_ack(struct asim_worker *worker, struct asim_flow *flow,
                       const struct asim_frame *frame, uint64_t t);
/* Something to send again, whatever the window says. */
static inline int asim_recovery_pending(const struct asim_sack *sack)
{
    return sack && sack->retransmit.n;
}
/* First packet to be sent again: its offset; asim_recovery_pending must hold. */
uint64_t asim_recovery_pop(struct asim_worker *worker, struct asim_flow *flow);
/* A notice of loss is due at its source. */
void asim_recovery_lost(struct asim_fabric *fabric, struct asim_host *host,
                        const struct asim_notification *note);
/* A flow's slot is taken for a new message: forgets the gaps of the old one. */
void asim_recovery_reset(struct asim_sack *sack);
void asim_recovery_fini(struct asim_flow *flow);

/* --- linkstate.c ------------------------------------------------------------------------------ */
/* Plans LINK_DOWN and LINK_UP; asim_loss_open has run before. */
int asim_linkstate_open(struct asim_fabric *fabric, struct asim_err *err);
void asim_linkstate_close(struct asim_fabric *fabric);
/* Time of the next event, ASIM_NEVER if none is left. */
uint64_t asim_linkstate_next(const struct asim_fabric *fabric);
/* Applies all events of that time: no node may have gone past it, and all must have come to it. */
void asim_linkstate_apply(struct asim_fabric *fabric);

#endif
