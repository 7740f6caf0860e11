/* SPDX-License-Identifier: GPL-2.0-only
 *
 * NCCL's variables in the form of nccl.conf, and what is predicted with them.
 */
#include <math.h>

#include "asim/machine.h"
#include "fuzz/engine/target.h"

static int predict(struct asim_nccl_env *env, const char *path, struct asim_err *err)
{
    static struct asim_machine machine;
    int rc = machine.gpus ? 0 : asim_machine_read(&machine, "h100-ndr", err);

    rc = rc ? rc : asim_nccl_env_read(env, path, NULL, err);
    for (int op = 0; !rc && op < ASIM_NCCL_OPS; op++) {
        struct asim_nccl_job job = {.machine = &machine,
                                    .nodes = 1 + (op & 1),
                                    .gpus = machine.gpus,
                                    .op = op,
                                    .bytes = 1 << 20,
                                    .algo = 0,
                                    .proto = -1,
                                    .env = env};
        struct asim_nccl_time time;
        struct asim_err refused = {0};
        int code = asim_nccl_predict(&time, &job, &refused);

        target_judge(code, &refused);
        if (!code && !(isfinite(time.us) && time.us > 0))
            abort();
    }
    return rc;
}

TARGET(".conf", struct asim_nccl_env, predict(&made, path, &err), asim_nccl_env_fini(&made))
