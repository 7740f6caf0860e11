/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Parts in windows of the links between servers. Each server goes through such a window by itself,
 * in windows of its own short links (clock/domains.h), and with it its part: after each of
 * these the part records, compares, ends or begins. So a server that leads costs the others no
 * short windows.
 *
 * A part follows a log that is still being written only if its leader has gone through the present
 * window: leaders go first, then servers in the order of their first events. A part that begins
 * before all others, but goes after them, leads a log of its own.
 *
 *     leads    ====|== frames to the end of the window ==|
 *     follows  ====|- replays, compares after each short window -|
 *
 * Each thread has logs of its own, for the parts of its servers.
 */
#ifndef ASIM_FABRIC_MEMO_REGION_PART_DOMAINS_H
#define ASIM_FABRIC_MEMO_REGION_PART_DOMAINS_H

#include "fabric/memo/region/part.h"

struct asim_domain;

/* Finds the part of each domain. Call it when the parts are known, and whenever domains change. */
void asim_part_domains_open(struct asim_fabric *fabric);
/* Whether the next window may be long although parts lead, follow or may begin: the network as a
 * whole does not become idle in it. */
int asim_part_domains_may(const struct asim_fabric *fabric);
/* A window from `from` to `until` is about to begin; it is over. */
void asim_part_domains_begin(struct asim_fabric *fabric, uint64_t from, uint64_t until);
void asim_part_domains_end(struct asim_fabric *fabric);

/* --- hooks of domain windows (clock/hooks.h) ------------------------------------------------- */
int asim_part_goes_first(const struct asim_fabric *fabric, const struct asim_domain *domain);
void asim_part_domain_begins(struct asim_fabric *fabric, const struct asim_domain *domain);
int asim_part_look(struct asim_fabric *fabric, const struct asim_domain *domain, uint64_t t);
uint64_t asim_part_inner_begins(struct asim_fabric *fabric, const struct asim_domain *domain,
                                uint64_t t, uint64_t end);
void asim_part_inner_over(struct asim_fabric *fabric, const struct asim_domain *domain,
                          uint64_t end);

#endif
