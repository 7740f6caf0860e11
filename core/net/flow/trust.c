/* SPDX-License-Identifier: GPL-2.0-only
 *
 * How far the flow level is to be trusted (flow.md#expected-error): the share of the bytes that
 * queues of switches held up, and of those whose windows would fill these queues up to marks.
 */
#include "base/diagnostics.h"
#include "net/flow/flow.h"

/* The link of a switch that held up a flow more than its NIC did. */
static const struct asim_fluid_link *holder_of(const struct asim_fluid *fluid,
                                               const struct asim_fluid_flow *flow)
{
    const struct asim_fluid_path *path = flow->path;
    const struct asim_fluid_link *nic = &fluid->link[path->link[0]], *holder = NULL;
    const double clearly = 0.99;

    for (uint32_t i = 1; i < path->n; i++) {
        const struct asim_fluid_link *link = &fluid->link[path->link[i]];

        if (link->flows.n > 1 && link->level < clearly * nic->level &&
            (!holder || link->level < holder->level))
            holder = link;
    }
    return holder && clearly * holder->level <= flow->rate ? holder : NULL;
}

/* Called before the drained flow leaves its links. */
void asim_fluid_judge(struct asim_fluid *fluid, const struct asim_fluid_flow *flow)
{
    const struct asim_fluid_link *holder = holder_of(fluid, flow);
    double bytes = (double)flow->shape.bytes, held;

    fluid->trust.bytes += bytes;
    if (flow->is_beside)
        fluid->trust.beside_bytes += bytes;
    if (!holder)
        return;
    held = (double)fluid->payload * flow->conn->window;
    held = (holder->flows.n - 1) * (held > 0 && held < bytes ? held : bytes);
    fluid->trust.queued_bytes += bytes;
    if (held > holder->kmin_bytes)
        fluid->trust.marked_bytes += bytes;
}

static double share(double part, double of)
{
    return of > 0 ? part / of : 0;
}

/* What makes a run doubtful, the worst first; NULL: nothing. The limit was chosen on the cases of
 * tests/flow with seeds below 500. */
static const char *doubt_of(const struct asim_fluid *fluid)
{
    const double few = 0.05;
    const struct asim_fluid_trust *trust = &fluid->trust;

    if (fluid->has_control && share(trust->marked_bytes, trust->bytes) > few)
        return "these queues would mark packets, and the flow level knows no congestion control: "
               "packets may take several times as long";
    if (share(trust->beside_bytes, trust->bytes) > few)
        return "messages between the same hosts shared NICs and ways packet by packet, whose "
               "order decides: --qps-per-connection=1 sends them one after another, as NCCL does";
    if (share(trust->queued_bytes, trust->bytes) > few)
        return "packets of full windows share these queues less evenly: job times differed by up "
               "to 17 % in tests";
    return NULL;
}

void asim_fluid_tell_trust(const struct asim_fabric *network,
                           const struct asim_diagnostics *diagnostics)
{
    const struct asim_fluid *fluid = (const struct asim_fluid *)(const void *)network;
    const char *doubt = doubt_of(fluid);
    double percent = 100 * share(fluid->trust.queued_bytes, fluid->trust.bytes);

    if (!fluid->trust.bytes)
        return;
    if (doubt)
        asim_diagnose(diagnostics,
                      "the flow level: %.1f %% of the bytes were held up in queues of switches; "
                      "expect an error: %s",
                      percent, doubt);
    else
        asim_diagnose(diagnostics,
                      "the flow level: %.1f %% of the bytes were held up in queues of switches; "
                      "in tests job times of such runs were within 3 %% of packets",
                      percent);
}
