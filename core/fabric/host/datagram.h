/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Datagrams at a host (datagram.c). A run without datagrams tests one pointer.
 */
#ifndef ASIM_FABRIC_HOST_DATAGRAM_H
#define ASIM_FABRIC_HOST_DATAGRAM_H

#include <stdint.h>

struct asim_fabric;
struct asim_frame;
struct asim_host;
struct asim_nic;

/* Sends a waiting datagram of an idle NIC: 1. 0 where none may go, or, with `in_turn`, where it is
 * the turn of data. Only where fabric->datagrams is set. */
int asim_nic_send_datagram(struct asim_fabric *fabric, struct asim_host *host, struct asim_nic *nic,
                           int in_turn);
/* A datagram has arrived. */
void asim_host_take_datagram(struct asim_fabric *fabric, struct asim_host *host,
                             struct asim_nic *nic, const struct asim_frame *frame);
/* The link of the NIC went down: loses what waits there. */
void asim_nic_lose_datagrams(struct asim_fabric *fabric, struct asim_host *host,
                             struct asim_nic *nic, uint64_t t);

#endif
