/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Replays tests/fuzz/topo. What is read without error must also survive routing and, written and
 * read again, be the same network.
 */
#include "../../fuzz/replay.h"
#include "topo/pair.h"
#include "asim/topology.h"
#include "topo/route.h"

static int read_topo(const char *path, struct asim_err *err)
{
    struct asim_route *route;
    struct asim_topo topo;
    struct asim_pair pair;
    struct asim_err ignored = {0};
    int rc = asim_topo_read(&topo, path, err);

    if (rc)
        return rc;
    CHECK(topo.hosts > 0 && topo.hosts + topo.switches == topo.nodes);
    (void)asim_topo_check_connected(&topo, topo.hosts, &ignored);
    /* A changed digit can ask for millions of nodes; those are read but not routed here. */
    if (topo.nodes < 1000) {
        CHECK(asim_route_open(&route, &topo, NULL, err) == 0);
        CHECK(asim_route_fill_all(route, err) == 0);
        CHECK(asim_pair_max(&pair, route, 1000, err) == 0);
        asim_route_close(route);
    }
    asim_topo_fini(&topo);
    return 0;
}

int main(void)
{
    CHECK(replay_folder("topo", ".txt", read_topo) > 0);
    return CHECK_DONE();
}
