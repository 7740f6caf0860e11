/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Reading a system file while memory runs out. Where jansson itself gets none it may report a
 * syntax error that is not there, so its own allocations are tried apart, for crashes and leaks.
 */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "files.h"
#include "base/text.h"
#include "conf/json.h"
#include "nomem.h"

#include "../../../core/conf/json.c"
#include "../../../core/conf/kind.c"
#include "../../../core/conf/system.c"
#include "../../../core/conf/system_finalize.c"

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
    int rc = asim_system_defaults(&sys, err);

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
    json_set_alloc_funcs(nomem_malloc, nomem_free);
    for (long n = 0; n < 200; n++) {
        struct asim_err err = {0};

        nomem_left = n;
        CHECK(scenario(&err) == err.code);
        CHECK_U64(nomem_blocks, 0);
    }
    remove(replay_work);
    return CHECK_DONE();
}
