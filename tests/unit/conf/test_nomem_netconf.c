/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Reading a config.txt while memory runs out.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "files.h"
#include "base/mem.h"
#include "base/io/src.h"
#include "base/text.h"
#include "conf/netconf.h"
#include "nomem.h"

#include "../../../core/base/option.c"
#include "../../../core/base/option_fields.c"
#include "../../../core/conf/kind.c"
#include "../../../core/conf/netconf.c"
#include "../../../core/conf/netconf_read.c"
#include "../../../core/conf/netconf_warnings.c"

static int scenario(struct asim_err *err)
{
    struct asim_netconf net;
    int rc = asim_netconf_read(&net, replay_work, NULL, err);

    /* asim_grow is the library's and takes memory this test does not count; it is given back by
     * asim_netconf_fini, so the file below has no LINK_DOWN. */
    if (!rc)
        asim_netconf_fini(&net);
    return rc;
}

int main(void)
{
    file_of("TOPOLOGY_FILE a.txt\nFLOW_FILE b.txt\nKMAX_MAP 1 25Gbps 4\nKMIN_MAP 1 25Gbps 1\n"
            "TRACE_FILE /c\nQLEN_MON_FILE d\nQLEN_MON_FILE e\n");
    nomem_run(scenario);
    remove(replay_work);
    return CHECK_DONE();
}
