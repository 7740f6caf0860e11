/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Reading a config.txt while memory runs out.
 */
#include <stdio.h>
#include "conf/netconf.h"
#include "files.h"
#include "conf/conf.h"
#include "nomem.h"

static int scenario(struct asim_err *err)
{
    struct asim_netconf net;
    int rc = asim_netconf_read(&net, replay_work, NULL, err);

    if (!rc)
        asim_netconf_fini(&net);
    return rc;
}

int main(void)
{
    file_of("TOPOLOGY_FILE a.txt\nFLOW_FILE b.txt\nKMAX_MAP 1 25Gbps 4\nKMIN_MAP 1 25Gbps 1\n"
            "TRACE_FILE /c\nQLEN_MON_FILE d\nQLEN_MON_FILE e\nLINK_DOWN 5us 1 2\n");
    nomem_run(scenario);
    remove(replay_work);
    return CHECK_DONE();
}
