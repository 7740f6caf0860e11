/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The probe of a host and of a switch: its ports and its first flow.
 */
#include "fabric/memo/state/probe.h"

#include "fabric/memo/state/feedback.h"
#include "fabric/ground/ground.h"
#include "fabric/host/host.h"
#include "fabric/host/qplist.h"
#include "fabric/link/frame.h"
#include "fabric/link/link.h"
#include "fabric/switch/switch.h"

static uint64_t probe_port(const struct asim_port *port, uint64_t t)
{
    const struct asim_frame *head = asim_link_ring_head(port->in);
    uint64_t busy = port->busy && port->busy_until >= t ? port->busy_until - t + 1 : 0;

    return busy * 31 + (head ? head->t - t + 1 : 0);
}

static uint64_t probe_host(const struct asim_fabric *fabric, const struct asim_host *host,
                           uint64_t t)
{
    uint64_t word = 0;

    for (uint32_t i = 0; i < host->n_nics; i++) {
        const struct asim_nic *nic = &host->nics[i];
        uint32_t q = fabric->set.cc->fields ? asim_qplist_next(&nic->qps, 0) : ASIM_QP_NONE;

        word = word * 31 + ((uint64_t)nic->acks.n << 32);
        word = word * 31 + probe_port(&nic->port, t);
        if (q != ASIM_QP_NONE && asim_qplist_at(&nic->qps, q)->cc.state)
            word += asim_feedback_probe(fabric, asim_qplist_at(&nic->qps, q));
    }
    return word;
}

uint64_t asim_probe(const struct asim_fabric *fabric, uint32_t node, uint64_t t)
{
    const struct asim_switch *sw;
    uint64_t word = 0;

    if (node < fabric->set.hosts)
        return probe_host(fabric, &fabric->host[node], t);
    sw = &fabric->sw[node - fabric->set.hosts];
    for (uint32_t p = 0; p < sw->n_ports; p++)
        word = word * 31 + probe_port(&sw->ports[p].port, t);
    return word;
}
