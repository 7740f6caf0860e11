/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Diagnostics about links: numbers that are seldom meant, and LINK_DOWN and LINK_UP without effect.
 */
#ifndef ASIM_FABRIC_OBSERVE_LINK_DIAGNOSTICS_H
#define ASIM_FABRIC_OBSERVE_LINK_DIAGNOSTICS_H

struct asim_diagnostics;
struct asim_fabric;

/* Before a run. */
void asim_links_diagnose(const struct asim_fabric *fabric, const struct asim_diagnostics *notes);
/* After a run: events that it did not reach. */
void asim_links_diagnose_end(const struct asim_fabric *fabric,
                             const struct asim_diagnostics *notes);

#endif
