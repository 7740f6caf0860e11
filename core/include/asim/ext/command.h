/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Sub-commands of the asim tool. Four tables: tools/command/<file>.c (asim_command_<file>,
 * "asim <name>"), converter/command/ (asim_trace_command_<file>, "asim trace <name>"),
 * topologies/command/ (asim_topo_command_<file>, "asim topo <name>") and tools/scenario/command/
 * (asim_scenario_command_<file>, "asim scenario <name>").
 */
#ifndef ASIM_EXT_COMMAND_H
#define ASIM_EXT_COMMAND_H

#include "asim/ext/family.h"

struct asim_args_job;

/* The part of the list of commands in which one stands. */
enum asim_topic { ASIM_TOPIC_RUN, ASIM_TOPIC_COMPARE, ASIM_TOPIC_INPUT, ASIM_TOPIC_OTHER };

struct asim_command {
    struct asim_member member; /* name as typed; about for the list of commands */
    /* argv[0] is the command's name. Prints results on stdout, one error sentence and progress on
     * stderr. Returns the exit code: 0 good, 1 bad input or failure, 2 wrong usage, 130 Ctrl-C.
     * "--help" prints every option and returns 0. */
    int (*run)(int argc, char **argv);
    /* Published names that call this command when the tool is started under them (symbolic
     * links), NULL-terminated: "chakra_trace_link". NULL = none. */
    const char *const *called_as;
    /* In place of run: one function over the member's options (cli/args.h). */
    const struct asim_args_job *job;
    enum asim_topic topic; /* of commands without a group's word */
};

extern const struct asim_member *const asim_command_table[];
extern const struct asim_member *const asim_trace_command_table[];
extern const struct asim_member *const asim_topo_command_table[];
extern const struct asim_member *const asim_scenario_command_table[];

#endif
