/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Makes a pod and a grid, their levels and bisection, while memory runs out at every allocation in
 * turn.
 */
#include <stdlib.h>
#include "topo/grid.h"
#include "topo/pod.h"
#include "topologies/levels.h"
#include "nomem.h"

static int measure(const struct asim_topo *topo, struct asim_err *err)
{
    struct asim_bisection b;
    uint8_t *level = asim_levels_of(topo);
    int rc = level ? asim_bisection_of(topo, 0, &b) : ASIM_ENOMEM;

    free(level);
    return rc ? asim_err_nomem(err, "measuring") : 0;
}

static int pod_scenario(struct asim_err *err)
{
    struct asim_pod_options opt = {.server = 4,
                                   .nvsw = 1,
                                   .leaf_ports = 2,
                                   .spines = 2,
                                   .nv_rate_bps = 1,
                                   .nic_rate_bps = 1,
                                   .spine_rate_bps = 1};
    struct asim_pod_shape shape = {"test", 1, 1, 1, 4, 16, 64};
    struct asim_topo topo;
    asim_topo_init(&topo);
    int rc = asim_pod_make(&topo, &shape, 0, &opt, err);
    if (!rc)
        rc = measure(&topo, err);
    asim_topo_fini(&topo);
    return rc;
}

static int grid_scenario(struct asim_err *err)
{
    struct asim_grid_options opt = {.ndims = 2, .rate_bps = 1};
    struct asim_topo topo;
    asim_topo_init(&topo);
    int rc = asim_grid_make(&topo, 12, (struct asim_grid_form){2, 1}, &opt, err);
    if (!rc)
        rc = measure(&topo, err);
    asim_topo_fini(&topo);
    return rc;
}

int main(void)
{
    nomem_run(pod_scenario);
    nomem_run(grid_scenario);
    return CHECK_DONE();
}
