/* SPDX-License-Identifier: GPL-2.0-only
 *
 * NIC_TOTAL_PAUSE_TIME, which is a count (rdma-network.md#nic-pauses): a stand-in for a PCIe bus
 * that stops a NIC. When a data packet arrives, and at most that many times for each host, the NIC
 * pauses the data queue of its link, resumes it 10 us later, and pauses no more for the next 1000
 * us. The PFC frames go through the FIFO of ACKs, as in ASTRA-sim.
 */
#include "conf/netconf_keys.h"
#include "fabric/host/hold.h"
#include "fabric/host/qp.h"
#include "topo/topo.h"

enum { PAUSED_NS = 10000, IDLE_NS = 1000000 };
#define END_OF_IDLE (1u << 31)

/* Behind the ACKs in the FIFO, and like all of that FIFO ahead of data. */
static void send(struct asim_fabric *fabric, struct asim_host *host, struct asim_nic *nic,
                 enum asim_frame_type type)
{
    struct asim_frame frame = {.wire = ASIM_PFC_WIRE,
                               .slot = fabric->set.data_queue,
                               .dst = nic->port.out->to,
                               .type = type};

    host->counts.pfc_generated++;
    if (!asim_ring_push(&nic->acks, &frame))
        host->worker->failed = ASIM_ENOMEM;
    asim_nic_kick(fabric, host, nic, host->now);
}

/* value: index of the NIC, with END_OF_IDLE for the end of the time without pauses. */
static void arm(struct asim_fabric *fabric, struct asim_host *host, uint64_t after_ns,
                uint32_t value)
{
    if (asim_host_timer(host, host->now + asim_to_ticks(fabric, after_ns),
                        (uint64_t)ASIM_TIMER_PCIE << 56 | value))
        host->worker->failed = ASIM_ENOMEM;
}

/* parity: the first packet sets pcie_busy even when no pause is left. An NVSwitch end point has no
 * PCIe bus. */
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
    if (payload & END_OF_IDLE) {
        host->pcie_busy = 0;
        return;
    }
    send(fabric, host, &host->nics[payload], ASIM_RESUME);
    arm(fabric, host, IDLE_NS, payload | END_OF_IDLE);
}
