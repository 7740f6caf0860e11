/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Algorithms of MSCCL (XML) and plans of MSCCL++ (JSON), read and checked.
 */
#include "fuzz/engine/target.h"
#include "schedule/msccl.h"

static int read_plan(struct asim_msccl *msccl, const char *path, struct asim_err *err)
{
    int rc = asim_msccl_read(msccl, path, err);

    return rc ? rc : asim_msccl_check(msccl, err);
}

TARGET(".xml", struct asim_msccl, read_plan(&made, path, &err), asim_msccl_fini(&made))
