/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Scenario files cut at every byte and with changed bytes: read, or refused with a sentence.
 */
#include "../../fuzz/replay.h"
#include "asim/scenario.h"

static int read_scenario(const char *path, struct asim_err *err)
{
    struct asim_scenario *scenario;
    int code = asim_scenario_read(&scenario, path, err);
    char text[8192];

    if (!code)
        CHECK(asim_scenario_show(scenario, text, sizeof text) > 0);
    asim_scenario_close(scenario);
    return code;
}

int main(void)
{
    CHECK(replay_folder("scenario", ".scenario.json", read_scenario) > 0);
    return CHECK_DONE();
}
