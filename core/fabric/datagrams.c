/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The door for datagrams of another simulator (rdma-network.md#datagrams): they enter between two
 * steps of per-event mode. host/datagram.c sends and takes them; switches treat them as any frame.
 */
#include "cc/cc.h"
#include "fabric/link/schedule.h"
#include "fabric/link/datagram.h"
#include "fabric/observe/observe.h"
#include "fabric/datagrams.h"
#include "fabric/host/host.h"
#include "fabric/switch/queue.h"
#include "asim/topology.h"
#include "conf/netconf_keys.h"

#include <stdlib.h>

/* PPP and whatever the configuration adds to each frame, as for data frames. */
enum { LINK_HEADER = 2, IPV4_HEADER = 20 };

int asim_fabric_datagrams_open(struct asim_fabric *fabric, asim_datagram_hook *hook, void *self,
                               struct asim_err *err)
{
    struct asim_datagrams *datagrams;

    if (fabric->process_hooks)
        return asim_err_set(err, ASIM_EINVAL,
                            "datagrams of other applications need a network in one process: start "
                            "the program without MPI.");
    if (fabric->datagrams)
        return asim_err_set(err, ASIM_EINVAL, "this run carries datagrams already.");
    fabric->datagrams = datagrams = calloc(1, sizeof *datagrams);
    if (!datagrams)
        return asim_err_nomem(err, "preparing datagrams");
    datagrams->hook = hook;
    datagrams->self = self;
    datagrams->nic =
        calloc((size_t)fabric->set.topo->first_port[fabric->set.hosts] + 1, sizeof *datagrams->nic);
    datagrams->counts = calloc((size_t)fabric->set.hosts + 1, sizeof *datagrams->counts);
    if (!datagrams->nic || !datagrams->counts || asim_fabric_use_per_event(fabric) ||
        asim_queues_use(fabric))
        return asim_err_nomem(err, "preparing datagrams");
    return 0;
}

void asim_fabric_datagrams_close(struct asim_fabric *fabric)
{
    struct asim_datagrams *datagrams = fabric->datagrams;

    if (!datagrams)
        return;
    for (uint32_t i = 0; datagrams->nic && i < fabric->set.topo->first_port[fabric->set.hosts]; i++)
        asim_ring_fini(&datagrams->nic[i].waiting);
    ASIM_FREE(datagrams->nic, datagrams->counts, datagrams);
}

uint32_t asim_fabric_datagram_max(const struct asim_fabric *fabric)
{
    return fabric->set.net->payload_bytes + ASIM_DATA_OVERHEAD - LINK_HEADER;
}

uint64_t asim_fabric_datagrams_under_way(const struct asim_fabric *fabric)
{
    return fabric->datagrams ? fabric->datagrams->under_way : 0;
}

static int check(const struct asim_fabric *fabric, const struct asim_datagram *datagram,
                 struct asim_err *err)
{
    if (!fabric->datagrams)
        return asim_err_set(err, ASIM_EINVAL, "this run carries no datagrams.");
    if (datagram->from >= fabric->set.hosts || datagram->to >= fabric->set.hosts ||
        datagram->from == datagram->to)
        return asim_err_set(
            err, ASIM_EINVAL,
            "a datagram goes from node %u to node %u; it needs two different hosts, "
            "which are 0 to %u.",
            datagram->from, datagram->to, fabric->set.hosts - 1);
    if (!datagram->port || datagram->port > fabric->host[datagram->from].n_nics)
        return asim_err_set(
            err, ASIM_EINVAL,
            "a datagram leaves through port %u of host %u, which has ports 1 to %u.",
            datagram->port, datagram->from, fabric->host[datagram->from].n_nics);
    if (datagram->bytes < IPV4_HEADER || datagram->bytes > asim_fabric_datagram_max(fabric))
        return asim_err_set(err, ASIM_EINVAL,
                            "a datagram has %u bytes; it may have %d to %u: an IPv4 header, and "
                            "the length of a full data frame (PACKET_PAYLOAD_SIZE).",
                            datagram->bytes, IPV4_HEADER, asim_fabric_datagram_max(fabric));
    if (datagram->queue >= ASIM_QUEUES)
        return asim_err_set(err, ASIM_EINVAL, "a datagram has priority %u; there are 0 to %u.",
                            datagram->queue, ASIM_QUEUES - 1);
    return 0;
}

/* The NIC's kick is a timer of the present time, scheduled last: all that is due at this time at
 * the host goes first. Where a ns is several ticks, the host may be inside the present ns. */
int asim_fabric_datagram_send(struct asim_fabric *fabric, uint64_t now_ns,
                              const struct asim_datagram *datagram, struct asim_err *err)
{
    int code = check(fabric, datagram, err);
    struct asim_host *host;
    struct asim_ring *waiting;
    struct asim_frame frame;
    uint64_t t;

    if (code)
        return code;
    host = &fabric->host[datagram->from];
    waiting =
        &fabric->datagrams->nic[fabric->set.topo->first_port[datagram->from] + datagram->port - 1]
             .waiting;
    t = asim_to_ticks(fabric, now_ns);
    t = t > host->now ? t : host->now;
    frame = (struct asim_frame){.src = datagram->to, .slot = datagram->token};
    frame.word1 =
        asim_frame_word1(datagram->sport | (uint64_t)datagram->dport << 16,
                         asim_class_queue(fabric, datagram->queue),
                         datagram->bytes + LINK_HEADER + fabric->set.net->frame_extra_bytes);
    frame.word2 = asim_frame_word2(datagram->from, ASIM_DATAGRAM, 0);
    if (!asim_ring_push(waiting, &frame) ||
        asim_event_heap_push(
            &host->timers,
            asim_host_entry(host, t, asim_tie_key(0, 0, ASIM_CLASS_TIMER),
                            (uint64_t)ASIM_TIMER_DATAGRAM << 56 | (datagram->port - 1))))
        return asim_err_nomem(err, "sending a datagram");
    fabric->datagrams->counts[datagram->from].accepted++;
    fabric->datagrams->under_way++;
    asim_node_schedule(fabric, datagram->from, t);
    return 0;
}
