/* SPDX-License-Identifier: GPL-2.0-only
 *
 * NIC_TOTAL_PAUSE_TIME, which is a count (rdma-network.md#nic-pauses): a stand-in for a PCIe
 * bus that stops a NIC. On a data packet, and at most so many times a host, the NIC pauses the data
 * queue of its link, lets go 10 us later and is ready for the next 1000 us after that. The PFC
 * frames go out through the FIFO of ACKs, as in ASTRA-sim, where this is how they are made.
 */
#include "fabric/host/pcie.h"
#include "fabric/host/qp.h"

enum { PAUSED_NS = 10000, REST_NS = 1000000, RESTED = 1u << 31 };

/* Behind the ACKs that wait; ahead of data, as all of that FIFO. */
static void send(struct asim_fabric *fabric, struct asim_host *host, struct asim_nic *nic,
                 enum asim_frame_type type)
{
    struct asim_frame frame = {.wire = ASIM_PFC_WIRE,
                               .slot = fabric->set.net->priority_group,
                               .dst = nic->port.out->to,
                               .type = type};

    host->counts.pfc_generated++;
    if (!asim_ring_push(&nic->acks, &frame))
        host->worker->failed = ASIM_ENOMEM;
    asim_nic_kick(fabric, host, nic, host->now);
}

/* value: index of the NIC, with RESTED for the end of the rest. */
static void arm(struct asim_fabric *fabric, struct asim_host *host, uint64_t after_ns,
                uint32_t value)
{
    if (asim_host_timer(host, host->now + asim_to_ticks(fabric, after_ns),
                        (uint64_t)ASIM_TIMER_PCIE << 56 | value))
        host->worker->failed = ASIM_ENOMEM;
}

/* parity: the flag is cleared by the first packet even when no pause is left to be made. An
 * NVSwitch's end point has no such bus. */
void asim_pcie_pause(struct asim_fabric *fabric, struct asim_host *host, struct asim_nic *nic)
{
    if (host->pcie_busy || asim_topo_is_endpoint(fabric->set.topo, host->node))
        return;
    host->pcie_busy = 1;
    if (host->pcie_pauses >= fabric->set.net->nic_total_pause_count)
        return;
    host->pcie_pauses++;
    send(fabric, host, nic, ASIM_PAUSE);
    arm(fabric, host, PAUSED_NS, (uint32_t)(nic - host->nics));
}

void asim_pcie_timer(struct asim_fabric *fabric, struct asim_host *host, uint32_t payload)
{
    if (payload & RESTED) {
        host->pcie_busy = 0;
        return;
    }
    send(fabric, host, &host->nics[payload], ASIM_RESUME);
    arm(fabric, host, REST_NS, payload | RESTED);
}
