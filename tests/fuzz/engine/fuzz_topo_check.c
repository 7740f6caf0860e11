/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Topology files: counts, measures and lint.
 */
#include "fuzz/engine/command.h"

COMMAND_TARGET(".txt", asim_topo_command_check, "check", "%s.txt")
