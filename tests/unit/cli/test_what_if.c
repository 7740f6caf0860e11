/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What what_if.csv holds of a run that is stopped while it is repeated: the reason, not the first
 * repetition's own words.
 */
#include "check.h"
#include "asim/asim.h"
#include "cli/what_if.h"

static int stop_now(void *self)
{
    return *(int *)self;
}

int main(void)
{
    char workload[4096], out[] = "out", line[400] = "";
    const char *root = getenv("ASIM_ROOT");
    int is_over = 0;
    struct asim_settings settings;
    struct asim_hooks hooks = {.self = &is_over, .stop = stop_now};
    struct asim_world *world;
    struct asim_err err = {0};
    FILE *file;

    snprintf(workload, sizeof workload, "%.3900s/examples/workloads/all_to_all_32r_1MiB/all_to_all",
             root ? root : ".");
    CHECK(!asim_settings_init(&settings, sizeof settings, &err));
    settings.workload = workload;
    settings.out = out;
    CHECK(!asim_world_open(&world, &settings, &hooks, &err));
    CHECK(!asim_reports_open(world, out, &err));
    CHECK(!asim_world_run(world, &err));
    is_over = 1;
    CHECK(!asim_what_if(world, &settings, &hooks, &err));
    asim_world_close(world);
    file = fopen("out/what_if.csv", "r");
    CHECK(file && fgets(line, sizeof line, file) && fgets(line, sizeof line, file));
    CHECK(!strncmp(line, "none,it was interrupted before the run was repeated,,", 53));
    if (file)
        fclose(file);
    return CHECK_DONE();
}
