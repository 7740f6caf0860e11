/* SPDX-License-Identifier: GPL-2.0-only
 *
 * One workload at packet level, at the flow level and over both analytical networks. The caller (ns-3 or `asim
 * packet`) does the packet-level run.
 *
 * Order of calls: open (with the packet world, before it starts), run the packet world, finish,
 * close. Call close after a failed open, too.
 */
#ifndef ASIM_CLI_COMPARE_H
#define ASIM_CLI_COMPARE_H

#include "asim/asim.h"

struct asim_compare;

/* Observes the packet-level world, and refuses inputs that the analytical runs would refuse.
 * settings is borrowed until _close; of the hooks only stop and note are used. */
int asim_compare_open(struct asim_compare **compare, struct asim_world *packet,
                      const struct asim_settings *settings, const struct asim_hooks *hooks,
                      struct asim_err *err);
/* Runs the others and prints the table on stdout; compare.csv goes to the settings'
 * out where there is one. The packet world must still be open. */
int asim_compare_finish(struct asim_compare *compare, struct asim_err *err);
void asim_compare_close(struct asim_compare *compare);

#endif
