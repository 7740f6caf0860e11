/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Linked traces and host traces (JSON), as Chakra traces.
 */
#include "fuzz/engine/command.h"

COMMAND_TARGET(".in", asim_trace_command_convert, "convert", "--input=%s.in", "--output=%s.out.0.et",
               "--groups=%s.out.groups")
