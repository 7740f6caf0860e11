/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The clock of the packet network, for other files of the fabric's root; fabric.h has its public
 * side.
 */
#ifndef ASIM_FABRIC_CLOCK_STEP_H
#define ASIM_FABRIC_CLOCK_STEP_H

#include "fabric/node.h"

/* As asim_fabric_next, in ticks. */
uint64_t asim_fabric_next_tick(struct asim_fabric *fabric);
/* Advances one half over a window of two delays that ends at `until`; the other half has reached
 * its middle. 0 or the failure's code. */
int asim_fabric_advance_half(struct asim_fabric *fabric, int half, uint64_t until,
                             struct asim_err *err);
/* Advances all nodes to `until`, window by window, without telling the user or ranks: the memo
 * simulates an episode again. */
void asim_fabric_advance_silently(struct asim_fabric *fabric, uint64_t until);

#endif
