/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Grids of asim sweep (JSON), up to the check of all points.
 */
#include "fuzz/engine/target.h"
#include "tools/sweep/sweep.h"

static int read_grid(struct asim_sweep *sweep, const char *path, struct asim_err *err)
{
    int rc;

    sweep->target = &asim_sweep_targets[0];
    rc = asim_sweep_read(sweep, path, err);
    rc = rc ? rc : asim_sweep_make(sweep, err);
    return rc ? rc : asim_sweep_check(sweep, err);
}

TARGET(".json", struct asim_sweep, read_grid(&made, path, &err), asim_sweep_fini(&made))
