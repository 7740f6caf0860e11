/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Processes that a command starts and waits for.
 */
#ifndef ASIM_CLI_CHILD_H
#define ASIM_CLI_CHILD_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "asim/err.h"

enum { ASIM_CHILD_PATH = 2048, ASIM_CHILD_ORPHAN = 126 };

/* Runs words[0 … n) as a process; its output goes to the file `log` and, from its stderr, to ours.
 * Signals that end us are passed on to it, and are only noted from then on (cli/interrupt.h).
 * *code: its exit code, 128 + signal where one ended it. 0; or an error where it could not be
 * started, or ASIM_EINTR where it failed after a signal to us. */
int asim_child_run(const char *const *words, size_t n, const char *log, int *code,
                   struct asim_err *err);
/* In a child: SIGTERM once the parent ends, however it ends. */
void asim_child_follow(pid_t parent);
/* The path of this executable. 0, or ASIM_EIO. */
int asim_child_self(char path[ASIM_CHILD_PATH], struct asim_err *err);
/* The asim tool: this executable, or, in a program of another name, the one that the variable
 * ASIM_TOOL names; else `asim`, which asim_child_run looks for in PATH. 0, or ASIM_EIO. */
int asim_child_tool(char path[ASIM_CHILD_PATH], struct asim_err *err);

#endif
