/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Logs, fct.txt and CSV tables of a run, as a timeline.
 */
#include "fuzz/engine/command.h"

COMMAND_TARGET(".in", asim_trace_command_timeline, "timeline", "--input=%s.in",
               "--output=%s.out.json")
