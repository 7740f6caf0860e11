/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Reading a system file while memory runs out. jansson may report a syntax error where an
 * allocation of its own fails, so a second loop refuses those too and only looks for leaks.
 */
#include <jansson.h>
#include <stdio.h>
#include "files.h"
#include "asim/settings.h"
#include "conf/conf.h"
#include "nomem.h"

static int scenario(struct asim_err *err)
{
    struct asim_system sys;
    int rc = asim_system_read(&sys, replay_work, NULL, err);

    if (!rc)
        asim_system_fini(&sys);
    return rc;
}

static int defaults(struct asim_err *err)
{
    struct asim_system sys;
    int rc = asim_system_defaults(&sys, ASIM_LIKE_NCCL, err);

    if (!rc)
        asim_system_fini(&sys);
    return rc;
}

int main(void)
{
    file_of("{\"preferred-dataset-splits\": 4, \"all-reduce-implementation\": [\"ring\", \"ring\"],"
            "\"all-gather-implementation-custom\": [\"x\"], \"endpoint-delay\": 3}");
    nomem_run(scenario);
    nomem_run(defaults);
    json_set_alloc_funcs(__wrap_malloc, __wrap_free);
    nomem_counts = 1;
    for (long n = 0; n < 200; n++) {
        struct asim_err err = {0};

        left = n;
        CHECK(scenario(&err) == err.code);
        CHECK_U64(nomem_blocks, 0);
    }
    left = -1;
    remove(replay_work);
    return CHECK_DONE();
}
