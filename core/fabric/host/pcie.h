/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A NIC that pauses its link now and then (pcie.c, rdma-network.md#nic-pauses).
 */
#ifndef ASIM_FABRIC_HOST_PCIE_H
#define ASIM_FABRIC_HOST_PCIE_H

#include <stdint.h>

struct asim_fabric;
struct asim_host;
struct asim_nic;

/* A data packet arrived at the NIC: starts a pause if one is due. */
void asim_pcie_pause(struct asim_fabric *fabric, struct asim_host *host, struct asim_nic *nic);
/* The end of a pause, or of the time until the next one. */
void asim_pcie_timer(struct asim_fabric *fabric, struct asim_host *host, uint32_t payload);

#endif
