/* SPDX-License-Identifier: GPL-2.0-only
 *
 * One workload at packet level and over both analytical networks. The packet-level run is the
 * caller's (ns-3 or `asim packet`): open a comparison over its world before it starts, and finish
 * it when it has ended.
 *
 * Order of calls: open (with the packet world, before it starts), run the packet world, finish,
 * close. close is due after a failed open, too.
 */
#ifndef ASIM_TOOLS_COMPARE_H
#define ASIM_TOOLS_COMPARE_H

#include "asim/asim.h"

struct asim_compare;

/* Watches the packet-level world, and refuses what the analytical runs could not begin with.
 * settings stay the caller's until _close; hooks: for stop only. */
int asim_compare_open(struct asim_compare **compare, struct asim_world *packet,
                      const struct asim_settings *settings, const struct asim_hooks *hooks,
                      struct asim_err *err);
/* Runs the analytical networks and prints the table on stdout; compare.csv goes to the settings'
 * out where there is one. The packet world must still be open. */
int asim_compare_finish(struct asim_compare *compare, struct asim_err *err);
void asim_compare_close(struct asim_compare *compare);

#endif
