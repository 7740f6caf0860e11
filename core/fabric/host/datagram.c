/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Datagrams at a host: a FIFO at each NIC, beside its queue pairs. Answers go first, as before
 * data; datagrams and data alternate frame by frame where both may go, as two equal classes of a
 * round robin.
 */
#include "fabric/host/traffic.h"

#include "fabric/host/completion.h"
#include "fabric/host/host.h"
#include "fabric/link/datagram.h"
#include "fabric/link/transmit.h"

static struct asim_datagram_nic *fifo_of(const struct asim_fabric *fabric,
                                         const struct asim_host *host, const struct asim_nic *nic)
{
    return &fabric->datagrams->nic[fabric->first_port[host->node] + (uint32_t)(nic - host->nics)];
}

static struct asim_port_id id_of(const struct asim_host *host, const struct asim_nic *nic)
{
    return (struct asim_port_id){host->node, (uint32_t)(nic - host->nics) + 1};
}

int asim_nic_send_datagram(struct asim_fabric *fabric, struct asim_host *host, struct asim_nic *nic,
                           int in_turn)
{
    struct asim_datagram_nic *fifo = fifo_of(fabric, host, nic);
    const struct asim_frame *frame;
    struct asim_frame *place;
    int is_data_next = in_turn && fifo->was_last;

    fifo->was_last = 0;
    if (is_data_next || !fifo->waiting.n)
        return 0;
    frame = asim_ring_head(&fifo->waiting);
    if (nic->port.paused >> frame->tries & 1)
        return 0;
    place =
        asim_port_begin(host->worker, &nic->port, (uint32_t)frame->wire, asim_host_event_key(host));
    if (!place)
        return 1;
    asim_frame_copy(place, frame, nic->port.start_recency);
    asim_ring_drop(&fifo->waiting);
    fifo->was_last = 1;
    fabric->datagrams->counts[host->node].sent++;
    asim_datagram_tell(fabric->datagrams, place, ASIM_DATAGRAM_STARTED, id_of(host, nic));
    asim_port_commit(host->worker, &nic->port, place);
    return 1;
}

void asim_host_take_datagram(struct asim_fabric *fabric, struct asim_host *host,
                             struct asim_nic *nic, const struct asim_frame *frame)
{
    fabric->datagrams->counts[host->node].received++;
    asim_datagram_tell(fabric->datagrams, frame, ASIM_DATAGRAM_ARRIVED, id_of(host, nic));
}

void asim_datagram_lost(struct asim_fabric *fabric, const struct asim_frame *frame,
                        struct asim_port_id at)
{
    asim_datagram_tell(fabric->datagrams, frame, ASIM_DATAGRAM_LOST, at);
}

void asim_nic_lose_datagrams(struct asim_fabric *fabric, struct asim_host *host,
                             struct asim_nic *nic, uint64_t t)
{
    struct asim_ring *waiting = &fifo_of(fabric, host, nic)->waiting;

    for (; waiting->n; asim_ring_drop(waiting)) {
        fabric->datagrams->counts[host->node].dropped++;
        asim_datagram_tell(fabric->datagrams, asim_ring_head(waiting), ASIM_DATAGRAM_STARTED,
                           id_of(host, nic));
        asim_loss_report(host->worker, asim_ring_head(waiting), t, id_of(host, nic));
    }
}
