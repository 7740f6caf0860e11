/* SPDX-License-Identifier: GPL-2.0-only
 *
 * --quiet of commands without a rule of their own: where the results go to files, stdout only tells
 * of them, and goes nowhere.
 */
#ifndef ASIM_CLI_QUIET_H
#define ASIM_CLI_QUIET_H

#include "cli/args.h"

/* Returns stdout as it was, for asim_quiet_end; or -1 where it stays. */
int asim_quiet_begin(const struct asim_args *args);
void asim_quiet_end(int kept);

#endif
