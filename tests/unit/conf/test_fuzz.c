/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Replays tests/fuzz/conf: each reader of settings over its corpus, cut and changed.
 */
#include "conf/netconf.h"
#include "../../fuzz/replay.h"
#include "conf/conf.h"
#include "asim/net.h"

static int read_system(const char *path, struct asim_err *err)
{
    struct asim_system sys;
    int rc = asim_system_read(&sys, path, NULL, err);

    if (!rc)
        asim_system_fini(&sys);
    return rc;
}

static int read_netconf(const char *path, struct asim_err *err)
{
    struct asim_netconf net;
    int rc = asim_netconf_read(&net, path, NULL, err);

    if (!rc)
        asim_netconf_fini(&net);
    return rc;
}

static int read_groups(const char *path, struct asim_err *err)
{
    struct asim_groups groups;
    int rc = asim_groups_read(&groups, path, 8, 0, err);

    if (!rc)
        asim_groups_fini(&groups);
    return rc;
}

static int read_logical(const char *path, struct asim_err *err)
{
    struct asim_dims dims;

    return asim_logical_read(&dims, path, err);
}

static int read_memory(const char *path, struct asim_err *err)
{
    struct asim_memory mem;

    return asim_memory_read(&mem, path, NULL, err);
}

static int read_shape(const char *path, struct asim_err *err)
{
    struct asim_netshape shape;

    return asim_netshape_read(&shape, path, err);
}

int main(void)
{
    CHECK(replay_folder("conf", ".system.json", read_system) > 0);
    CHECK(replay_folder("conf", ".groups.json", read_groups) > 0);
    CHECK(replay_folder("conf", ".logical.json", read_logical) > 0);
    CHECK(replay_folder("conf", ".memory.json", read_memory) > 0);
    CHECK(replay_folder("conf", ".config.txt", read_netconf) > 0);
    CHECK(replay_folder("conf", ".network.yml", read_shape) > 0);
    return CHECK_DONE();
}
