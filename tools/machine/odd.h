/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What in a machine's numbers is legal and probably a mistake.
 */
#ifndef ASIM_TOOLS_MACHINE_ODD_H
#define ASIM_TOOLS_MACHINE_ODD_H

#include "asim/machine.h"
#include "base/diagnostics.h"

/* A sentence each. Returns how many there are. */
int asim_machine_odd(const struct asim_machine *machine, const struct asim_diagnostics *to);

#endif
