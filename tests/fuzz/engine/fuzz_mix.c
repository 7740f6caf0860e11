/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Packet traces, as text.
 */
#include "fuzz/engine/command.h"

COMMAND_TARGET(".in", asim_command_mix, "mix", "--links=1", "%s.in")
