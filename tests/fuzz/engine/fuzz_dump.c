/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Chakra traces, as JSON.
 */
#include "fuzz/engine/command.h"

COMMAND_TARGET(".0.et", asim_trace_command_dump, "dump", "%s.0.et")
