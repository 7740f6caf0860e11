/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The parts of a network from window to window (part.h). They work while the memo of the whole
 * network (memo.h) has nothing to record or to replay: it goes first where the network is idle and
 * messages leave their parts.
 */
#ifndef ASIM_FABRIC_MEMO_REGION_PARTS_H
#define ASIM_FABRIC_MEMO_REGION_PARTS_H

#include "fabric/memo/memo.h"
#include "fabric/memo/region/part.h"

struct asim_domain;

/* The part that is idle, leads or follows, and that a message is for; NULL: none. */
struct asim_part *asim_parts_want(const struct asim_fabric *fabric, uint32_t src, uint32_t dst);
/* The messages that the memo of the whole network has deferred start, but for those inside idle
 * parts. */
void asim_parts_release(struct asim_fabric *fabric);
/* The episode of the whole network that begins is carried frame by frame: parts take the deferred
 * messages that stay inside them, others start. */
void asim_parts_take(struct asim_fabric *fabric, uint64_t until);
/* The next event is at t. Returns 1 if a look was due before, which may have made an earlier one.
 */
int asim_parts_look_before(struct asim_fabric *fabric, uint64_t t);
/* A window of all nodes begins, to end at `until`. */
void asim_parts_begin_window(struct asim_fabric *fabric, uint64_t until);
/* All has happened before `until`. */
void asim_parts_after_window(struct asim_fabric *fabric, uint64_t until);
/* The same for one part: in a window of its domain, which is over (part_domains.c), or for the
 * whole network. */
void asim_part_after_window(struct asim_fabric *fabric, struct asim_part *part, uint64_t until);
/* All domains have gone through a window with their parts. */
void asim_parts_after_domains(struct asim_fabric *fabric);
/* The memo of the whole network begins or ends to record, replay or defer. */
void asim_parts_suspend(struct asim_fabric *fabric, int is_suspended);
/* All parts are open from now on. */
void asim_parts_stop(struct asim_fabric *fabric, uint64_t until);

/* --- windows of the links between servers (part_domains.c) ---------------------------------- */
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
