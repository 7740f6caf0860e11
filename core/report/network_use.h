/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Where the bytes of a run went, as the last keys of summary.json (doc/reports.md): links by tier,
 * oversubscription, the busiest links, and how ECMP spread the flows.
 */
#ifndef ASIM_REPORT_NETWORK_USE_H
#define ASIM_REPORT_NETWORK_USE_H

#include "base/io/out.h"
#include "report/ways.h"

struct asim_world;

/* Writes ",\n  \"tiers\": ..." up to before the closing brace of the object. A run over the packet
 * network. 0 or ASIM_ENOMEM. */
int asim_network_use_put(struct asim_out *file, const struct asim_world *world,
                         struct asim_ways *ways, struct asim_err *err);

#endif
