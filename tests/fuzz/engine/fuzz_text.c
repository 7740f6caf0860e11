/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Layer files of ASTRA-sim 1.0, as Chakra traces of two ranks.
 */
#include "fuzz/engine/command.h"

COMMAND_TARGET(".in", asim_trace_command_text, "text", "--input=%s.in", "--output=%s.out",
               "--num-npus=2")
