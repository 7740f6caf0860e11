/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Chakra traces: what a simulation of them needs.
 */
#include "fuzz/engine/command.h"

COMMAND_TARGET(".0.et", asim_trace_command_check, "check", "%s")
