/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Traces of the jobs of a scenario that have a generator line.
 */
#ifndef ASIM_TOOLS_SCENARIO_TRACES_H
#define ASIM_TOOLS_SCENARIO_TRACES_H

#include "cli/app.h"

/* Runs the generator of each job that has one, as `asim trace …`, into
 * folder/<job>/trace.<rank>.et; its log is folder/<job>/log.txt. *made: the number of these jobs.
 * force: traces that are there are replaced. */
int asim_scenario_traces_make(const char *scenario, const char *folder, int force, size_t *made,
                              struct asim_err *err);

/* Hooks of struct asim_app: make_traces, drop_traces. With --out the folder is OUT/traces and
 * stays; else it is a temporary one. */
char *asim_scenario_traces_for(struct asim_app *app);
void asim_scenario_traces_drop(const char *folder);

/* For a command that opens worlds itself: the folder of the traces, made into a temporary folder
 * where jobs have a generator, and left at NULL where none has. Close it also after a failure. */
struct asim_scenario_traces {
    char *folder;
    int is_temporary;
};
int asim_scenario_traces_open(struct asim_scenario_traces *traces, const char *scenario,
                              struct asim_err *err);
void asim_scenario_traces_close(struct asim_scenario_traces *traces);

#endif
