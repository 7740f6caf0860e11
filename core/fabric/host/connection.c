/* SPDX-License-Identifier: GPL-2.0-only
 *
 * QPS_PER_CONNECTION: messages from a rank to another share so many queue pairs, and those of one
 * queue pair are sent one after another (rdma-network.md#queue-pairs). Each message keeps a flow of
 * its own. A queue pair is told by its destination and its source port. A message that waits has a
 * window of 0 bytes. It waits no longer once all bytes of the message before it were sent for the
 * first time, or that message was given up.
 *
 * Flows stand in their NIC's list in the order of creation, so the last one of a queue pair tells
 * whether another one has to wait.
 *
 * Costs: a message that begins, and one that was sent, look for their queue pair among the flows of
 * the NIC.
 */
#include "fabric/host/qp.h"
#include "fabric/host/traffic.h"
#include "net/traffic_id.h"

/* Background traffic has other connections, and waits for none. */
static int is_traffic(const struct asim_host *host, const struct asim_flow *flow)
{
    return asim_msg_is_traffic(&asim_rx_at(host, flow->slot)->msg);
}

static int are_of_one_qp(const struct asim_flow *a, const struct asim_flow *b)
{
    return a->dst == b->dst && a->sport == b->sport;
}

/* The last message of the flow's queue pair, or of any (NULL), that a rank began; or NULL. */
static const struct asim_flow *last_of(const struct asim_host *host, const struct asim_qplist *list,
                                       const struct asim_flow *of)
{
    for (uint32_t q = list->end; (q = asim_qplist_before(list, q)) != ASIM_QP_NONE;) {
        const struct asim_flow *flow = asim_qplist_at(list, q);

        if ((!of || are_of_one_qp(flow, of)) && !flow->aborted && !is_traffic(host, flow))
            return flow;
    }
    return NULL;
}

void asim_connection_join(const struct asim_host *host, const struct asim_nic *nic,
                          struct asim_flow *flow)
{
    const struct asim_flow *last = NULL;

    if (nic->qps.n && !is_traffic(host, flow))
        last = last_of(host, &nic->qps, flow);
    if (last && last->snd_high < last->cc.size)
        flow->window = 0;
    else if (!flow->window) /* it waited at another NIC */
        asim_flow_rewindow(host->worker->fabric, flow);
}

int asim_connection_is_crowded(const struct asim_host *host, const struct asim_nic *nic,
                               const struct asim_flow *flow)
{
    const struct asim_flow *last = NULL;

    if (nic->qps.n - nic->qps.n_finished >= ASIM_CROWD && !is_traffic(host, flow))
        last = last_of(host, &nic->qps, NULL);
    return last && last->dst == flow->dst;
}

void asim_connection_next(const struct asim_fabric *fabric, struct asim_nic *nic,
                          const struct asim_flow *flow)
{
    struct asim_qplist *list = &nic->qps;

    for (uint32_t q = flow->place; (q = asim_qplist_next(list, q + 1)) != ASIM_QP_NONE;) {
        struct asim_flow *next = asim_qplist_at(list, q);

        if (!are_of_one_qp(next, flow) || next->window)
            continue;
        asim_flow_rewindow(fabric, next);
        asim_qplist_mark_ready(list, q);
        return;
    }
}
