/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Background traffic (net/traffic_source.h): each host begins flows of its own at drawn times. They
 * are messages like any other for NICs, switches and congestion control; the ranks, the observers
 * of messages and the stall report do not see them.
 */
#ifndef ASIM_FABRIC_HOST_TRAFFIC_H
#define ASIM_FABRIC_HOST_TRAFFIC_H

#include <stdint.h>

struct asim_err;
struct asim_fabric;
struct asim_flow;
struct asim_frame;
struct asim_host;
struct asim_net_traffics;
struct asim_nic;
struct asim_port_id;
struct asim_traffic_use;

/* Nothing without generators. 0, ASIM_ENOMEM, or ASIM_EINVAL for one without an end in several
 * processes. asim_traffic_close takes the state of any failure. */
int asim_traffic_open(struct asim_fabric *fabric, const struct asim_net_traffics *traffics,
                      struct asim_err *err);
void asim_traffic_close(struct asim_fabric *fabric);
/* At time 0, between steps: arms the first flow of each host. */
void asim_traffic_begin(struct asim_fabric *fabric);
/* A host's timer: the flow of generator `index` is due. */
void asim_traffic_timer(struct asim_fabric *fabric, struct asim_host *host, uint32_t index);
/* The last byte of a background flow is acknowledged, or the flow is given up. */
void asim_traffic_finished(struct asim_fabric *fabric, struct asim_host *host,
                           const struct asim_flow *flow);
/* Whether a generator runs until the ranks have finished. */
int asim_traffic_is_endless(const struct asim_fabric *fabric);
/* All nodes have come to the time of a look: ends the traffic if the ranks have finished, or if
 * nothing is left that could make them go on. Returns whether it has ended. */
int asim_traffic_look(struct asim_fabric *fabric);
/* Background flows of a host that have finished. */
uint64_t asim_traffic_ended(const struct asim_fabric *fabric, uint32_t host);
/* The sum over the hosts of this process. */
void asim_fabric_traffic_use(const struct asim_fabric *fabric, uint32_t index,
                             struct asim_traffic_use *use);

/* --- datagrams ------------------------------------------------------------------------------ */
/* Sends a waiting datagram of an idle NIC: 1. 0 where none may go, or, with `in_turn`, where it is
 * the turn of data. Only where fabric->datagrams is set. */
int asim_nic_send_datagram(struct asim_fabric *fabric, struct asim_host *host, struct asim_nic *nic,
                           int in_turn);
/* A datagram has arrived. */
void asim_host_take_datagram(struct asim_fabric *fabric, struct asim_host *host,
                             struct asim_nic *nic, const struct asim_frame *frame);
/* A datagram was lost. */
void asim_datagram_lost(struct asim_fabric *fabric, const struct asim_frame *frame,
                        struct asim_port_id at);
/* The link of the NIC went down: loses what waits there. */
void asim_nic_lose_datagrams(struct asim_fabric *fabric, struct asim_host *host,
                             struct asim_nic *nic, uint64_t t);

#endif
