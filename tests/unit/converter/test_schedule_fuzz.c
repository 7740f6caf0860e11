/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Replays tests/fuzz/schedule: each reader of schedules over its corpus, cut and changed.
 */
#include "../../fuzz/replay.h"
#include "schedule/msccl.h"
#include "schedule/schedule.h"

static int read_goal(const char *path, struct asim_err *err)
{
    struct asim_schedule schedule = {0};
    int rc = asim_schedule_read_goal(&schedule, path, err);

    asim_schedule_fini(&schedule);
    return rc;
}

static int read_flows(const char *path, struct asim_err *err)
{
    struct asim_schedule schedule = {0};
    int rc = asim_schedule_read_flows(&schedule, path, 0, err);

    asim_schedule_fini(&schedule);
    return rc;
}

static int read_msccl(const char *path, struct asim_err *err)
{
    struct asim_msccl msccl = {0};
    int rc = asim_msccl_read(&msccl, path, err);

    if (!rc)
        rc = asim_msccl_check(&msccl, err);
    asim_msccl_fini(&msccl);
    return rc;
}

int main(void)
{
    CHECK(replay_folder("schedule", ".goal", read_goal) > 0);
    CHECK(replay_folder("schedule", ".flows.txt", read_flows) > 0);
    CHECK(replay_folder("schedule", ".msccl.xml", read_msccl) > 0);
    CHECK(replay_folder("schedule", ".mscclpp.json", read_msccl) > 0);
    return CHECK_DONE();
}
