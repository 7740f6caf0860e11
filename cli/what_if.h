/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What would have made a run faster: it is repeated at the flow level, a run over formulas over the
 * same, with one thing changed at a time.
 */
#ifndef ASIM_CLI_WHAT_IF_H
#define ASIM_CLI_WHAT_IF_H

#include "asim/asim.h"

/* Writes what_if.csv into settings->out, a row a change. world: has ended and is still open.
 * Each repetition has twenty million events of the flow level at most, some 2 to 20 s; what does
 * not end by then has no time in its row. hooks: for stop. Where the run cannot be repeated, the
 * file has the reason alone. 0, or an error in writing. */
int asim_what_if(struct asim_world *world, const struct asim_settings *settings,
                 const struct asim_hooks *hooks, struct asim_err *err);

#endif
