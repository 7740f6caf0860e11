/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Chakra traces, repaired: computations removed, cycles broken, sizes put in.
 */
#include "fuzz/engine/command.h"

COMMAND_TARGET(".0.et", asim_trace_command_repair, "repair", "%s.0.et", "--output=%s.out.0.et",
               "--gpu-only", "--default-comm-size=64KiB")
