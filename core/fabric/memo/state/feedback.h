/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Congestion control in a period: the state that a member lists (cc/cc.h), and the telemetry of
 * packets under way. Sequence numbers count from the message's first unacknowledged byte, times
 * from the present one, and INT counters from those of the port. Random control (PINT) has no
 * periods.
 */
#ifndef ASIM_FABRIC_MEMO_STATE_FEEDBACK_H
#define ASIM_FABRIC_MEMO_STATE_FEEDBACK_H

#include <stddef.h>
#include <stdint.h>

struct asim_fabric;
struct asim_flow;
struct asim_port;

/* Most words that asim_feedback_put writes; 0: an ACK without a mark changes nothing. */
size_t asim_feedback_size(const struct asim_fabric *fabric, const struct asim_flow *flow);
/* Of these about so many for each packet under way. */
size_t asim_feedback_packet_size(const struct asim_fabric *fabric);
/* Writes the state of an open flow at time t (ticks) to `at`. Returns the end; NULL: a packet under
 * way has no telemetry. */
uint64_t *asim_feedback_put(const struct asim_fabric *fabric, const struct asim_flow *flow,
                            uint64_t t, uint64_t *at);
/* A word that mostly differs if two states of an open flow do. */
uint64_t asim_feedback_probe(const struct asim_fabric *fabric, const struct asim_flow *flow);
/* The part of a port's byte counter that INT does not show. */
uint64_t asim_feedback_port(const struct asim_fabric *fabric, const struct asim_port *port);
/* The count of rounds of a member that has `repeat`. */
uint64_t asim_feedback_rounds(const struct asim_fabric *fabric, const struct asim_flow *flow);

/* Turns INT counters and times of a flow into distances from those of their ports and from t
 * (ticks), and distances back. Without INT it does nothing. */
void asim_feedback_flip(struct asim_fabric *fabric, struct asim_flow *flow, uint64_t t);
/* Skips flow->skip_bytes, a multiple of the payload, `ticks` and `rounds`, before the flow itself
 * does. */
void asim_feedback_skip(struct asim_fabric *fabric, struct asim_flow *flow, uint64_t ticks,
                        uint64_t rounds);

#endif
