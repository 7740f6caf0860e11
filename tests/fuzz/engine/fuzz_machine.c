/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Machine files, and what is predicted on them: no time is above the line rates or no number.
 */
#include <math.h>

#include "asim/machine.h"
#include "fuzz/engine/target.h"

static int predict(struct asim_machine *machine, const char *path, struct asim_err *err)
{
    int rc = asim_machine_read(machine, path, err);

    for (int op = 0; !rc && op <= ASIM_NCCL_HYPERCUBE; op++) {
        struct asim_nccl_job job = {.machine = machine,
                                    .nodes = 2,
                                    .gpus = machine->gpus,
                                    .op = op,
                                    .bytes = 1 << 20,
                                    .algo = 0,
                                    .proto = -1};
        struct asim_nccl_time time;
        struct asim_err refused = {0};

        if (!asim_nccl_predict(&time, &job, &refused) && !(isfinite(time.us) && time.us >= 0))
            abort();
    }
    return rc;
}

TARGET(".json", struct asim_machine, predict(&made, path, &err), asim_machine_fini(&made))
