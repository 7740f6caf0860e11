/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Builds a network, routes it and computes the greatest RTT while memory runs out.
 */
#include "topo/pair.h"
#include "nomem.h"
#include "asim/topology.h"
#include "topo/route.h"

struct asim_topo;

static int build(struct asim_topo *topo, struct asim_err *err)
{
    int rc = asim_topo_nodes(topo, 10, err);

    for (uint32_t s = 6; !rc && s < 10; s++)
        topo->node_type[s] = ASIM_SWITCH;
    for (uint32_t h = 0; !rc && h < 6; h++) {
        struct asim_link link = {.a = h, .b = 6 + h / 3, .rate_bps = 1, .delay_fs = h};

        rc = asim_topo_link(topo, &link, err);
    }
    for (uint32_t i = 0; !rc && i < 4; i++) {
        struct asim_link link = {.a = 6 + i % 2, .b = 8 + i / 2, .rate_bps = 1};

        rc = asim_topo_link(topo, &link, err);
    }
    return rc ? rc : asim_topo_finish(topo, err);
}

static int lazily, everything;

static int scenario(struct asim_err *err)
{
    struct asim_route *route = NULL;
    struct asim_pair pair;
    struct asim_topo topo;
    int rc;

    asim_topo_init(&topo);
    rc = build(&topo, err);
    if (!rc)
        rc = asim_route_open(&route, &topo, NULL, err);
    if (!rc && everything)
        rc = asim_route_fill_all(route, err);
    if (!rc && lazily)
        rc = asim_pair_get(&pair, route, (struct asim_host_pair){0, 5}, 1000, err);
    asim_route_close(route);
    asim_topo_fini(&topo);
    return rc;
}

int main(void)
{
    lazily = 1;
    nomem_run(scenario);
    everything = 1;
    nomem_run(scenario);
    return CHECK_DONE();
}
