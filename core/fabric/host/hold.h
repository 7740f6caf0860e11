/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A host whose ranks stand still while their job restarts (rdma-network.md#host-crashes). While it
 * is held its ranks see nothing and their queue pairs send nothing; frames that arrive are taken
 * and acknowledged, and background traffic goes on. After the release all that concerns the ranks
 * happens as much later as the hold has lasted.
 */
#ifndef ASIM_FABRIC_HOST_HOLD_H
#define ASIM_FABRIC_HOST_HOLD_H

#include <stdint.h>

struct asim_event_entry;
struct asim_fabric;
struct asim_host;
struct asim_nic;

/* Between windows, at t. */
void asim_host_hold(struct asim_host *host, uint64_t t);
void asim_host_release(struct asim_fabric *fabric, struct asim_host *host, uint64_t t);
/* Keeps a timer of a held host until the release, if it concerns its ranks: 1. */
int asim_host_defer(const struct asim_fabric *fabric, struct asim_host *host,
                    const struct asim_event_entry *entry);

/* --- pcie.c --------------------------------------------------------------------------------- */
/* A data packet arrived at the NIC: starts a pause if one is due. */
void asim_pcie_pause(struct asim_fabric *fabric, struct asim_host *host, struct asim_nic *nic);
/* The end of a pause, or of the time until the next one. */
void asim_pcie_timer(struct asim_fabric *fabric, struct asim_host *host, uint32_t payload);

#endif
