/* SPDX-License-Identifier: GPL-2.0-only
 *
 * All commands of the tool.
 */
#ifndef TESTS_UNIT_TOOLS_EVERY_COMMAND_H
#define TESTS_UNIT_TOOLS_EVERY_COMMAND_H

#include <stdio.h>
#include "asim/ext/command.h"

/* Calls see with the name of each command, such as "trace scale". */
static inline void every_command(void (*see)(const char *name, const struct asim_command *command))
{
    const struct {
        const char *before;
        const struct asim_member *const *table;
    } families[] = {{"", asim_command_table},
                    {"trace ", asim_trace_command_table},
                    {"topo ", asim_topo_command_table},
                    {"scenario ", asim_scenario_command_table}};

    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        for (const struct asim_member *const *at = families[i].table; *at; at++) {
            char name[64];

            snprintf(name, sizeof name, "%s%s", families[i].before, (*at)->name);
            see(name, (const struct asim_command *)*at);
        }
}

#endif
