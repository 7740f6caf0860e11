/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Frames that a wire loses (rdma-network.md#link-errors), and the notification to the source.
 * ASTRA-sim draws once for each received frame, from one stream that all links share, also at rate
 * 0, and forgets lost frames. asim draws only where a link has a rate; the draw is keyed by the
 * direction of the link and the number of frames on it, so any order of nodes gives the same draws.
 * As in ASTRA-sim, a link without a rate of its own has ERROR_RATE_PER_LINK, and PFC frames and
 * ACKs are lost, too. Neither watchers nor counters of the receiving node see a lost frame.
 *
 * The decision falls at the start of the frame and not at its arrival, because the receiving node
 * may be windows away. The sending node alone knows the decision and needs no message for it.
 */
#include "conf/netconf_keys.h"
#include "fabric/link/loss.h"
#include "base/draw.h"
#include "topo/topo.h"
#include "fabric/link/transmit.h"
#include "net/net_events.h"
#include "net/watch.h"

#include <math.h>
#include <stdlib.h>

/* Distinct from the draws of switches, whose key begins with a node id. */
#define LOSS_DRAWS (1ull << 63)

/* The topology file's rate goes before the configuration's. parity: a link whose own rate is 0 gets
 * the default rate, so no single link can be exempted from it. The link to an NVSwitch end point is
 * virtual and loses nothing. */
static double rate_of(const struct asim_fabric *fabric, size_t l)
{
    const struct asim_link *link = &fabric->set.topo->links[l];

    if (asim_topo_is_virtual(fabric->set.topo, l))
        return 0;
    return link->error_rate > 0 ? link->error_rate : fabric->set.net->error_rate;
}

/* If no frame can be lost, nothing is allocated and frames are not tested: wire->loss stays NULL.
 */
int asim_loss_open(struct asim_fabric *fabric, struct asim_err *err)
{
    const struct asim_topo *topo = fabric->set.topo;
    int any = fabric->set.net->link_downs > 0 || (fabric->set.planned && fabric->set.planned->n);

    fabric->set.rto = asim_fs_to_ticks(fabric, fabric->set.net->rto_fs);
    if (fabric->set.net->rto_fs && fabric->set.rto <= fabric->set.lookahead)
        fabric->set.rto =
            fabric->set.lookahead + 1; /* no node may act on another inside a window */
    for (size_t l = 0; l < topo->n_links && !any; l++)
        any = rate_of(fabric, l) > 0;
    if (!any)
        return 0;
    fabric->losses = calloc(topo->n_links * 2 + 1, sizeof *fabric->losses);
    if (!fabric->losses)
        return asim_err_nomem(err, "preparing lossy links");
    for (size_t w = 0; w < topo->n_links * 2; w++) {
        fabric->losses[w].rate = fabric->losses[w].own_rate = rate_of(fabric, w / 2);
        if (fabric->losses[w].rate > 0)
            fabric->wires[w].loss = &fabric->losses[w];
    }
    return 0;
}

/* The two wires of a link share their outages, which the even wire owns. */
void asim_loss_close(struct asim_fabric *fabric)
{
    for (size_t w = 0; fabric->losses && w < fabric->set.topo->n_links * 2; w += 2)
        free(fabric->losses[w].outages);
    free(fabric->losses);
}

/* Whether the link is down at any time from the frame's start to its arrival, both included. Frames
 * of a wire start in order of time, so outages that are over are not looked at again. */
static int meets_outage(struct asim_wire_loss *loss, uint64_t start, uint64_t arrival)
{
    while (loss->over < loss->n_outages && start >= loss->outages[loss->over].to)
        loss->over++;
    return loss->over < loss->n_outages && arrival >= loss->outages[loss->over].from;
}

/* Draws for every frame of a wire with a rate, even if an outage loses the frame. */
int asim_loss_drops(struct asim_worker *worker, const struct asim_wire *wire,
                    const struct asim_frame *frame, uint64_t start)
{
    struct asim_wire_loss *loss = wire->loss;
    const struct asim_port_id at = {wire->to, wire->to_port + 1};

    if (!meets_outage(loss, start, frame->t) &&
        (loss->rate <= 0 ||
         asim_draw(worker->fabric->set.seed, LOSS_DRAWS | wire->id, wire->frames) >= loss->rate))
        return 0;
    loss->frames++;
    loss->bytes += frame->wire;
    worker->fabric->frame_hooks->lost(worker, frame, start, at);
    return 1;
}
