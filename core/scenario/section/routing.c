/* SPDX-License-Identifier: GPL-2.0-only
 *
 * "routing": how fast routes follow links that go down and come up.
 */
#include "scenario/scenario.h"

#define ROW(...) ASIM_OPTION(struct asim_scenario_routing, __VA_ARGS__)
static const struct asim_option options[] = {
    ROW("reconverge", TIME, reconverge_fs,
        "time from a link's change until routes follow it, as \"50ms\"; until then frames to it "
        "are lost",
        .def = "0ns", .max = 1e15),
    {0}};

const struct asim_scenario_section asim_scenario_section_routing = {
    .member = {"routing", "how fast routes follow the links", options,
               sizeof(struct asim_scenario_routing)},
    .offset = offsetof(struct asim_scenario, routing),
};
