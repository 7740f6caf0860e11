/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Process groups of PyTorch.
 */
#ifndef ASIM_CONVERTER_CONVERT_PGROUPS_H
#define ASIM_CONVERTER_CONVERT_PGROUPS_H

#include "convert/comm.h"
#include "json/access.h"

/* Adds the groups of a JSON array [{"pg_name": "0", "ranks": [0, 1]}, …]; a name that exists keeps
 * its group. Ignores elements of another form. Returns 0 or ASIM_ENOMEM. */
int asim_pgroups_add(struct asim_pgroups *groups, const struct asim_jdoc *doc,
                     const struct asim_jv *array, struct asim_names *names);
/* Adds the group that a call or its kernel names, where its fields tell the ranks and no group has
 * the name. Returns 0 or ASIM_ENOMEM. */
int asim_pgroups_of_call(struct asim_pgroups *groups, const struct asim_jdoc *doc,
                         const struct asim_comm *comm);
/* Marks groups whose ranks a call tells otherwise than the list, or twice. */
int asim_pgroups_compare(struct asim_pgroups *groups, struct asim_pgroups *called);
/* The group of that name, or NULL. */
const struct asim_pgroup *asim_pgroups_find(const struct asim_pgroups *groups, uint32_t name);
/* PyTorch counts the groups of a rank, so two ranks may give one name to different ranks. Such a
 * group gets its ranks as a part of its name, in the `n` comms too. Returns 0 or ASIM_ENOMEM. */
int asim_pgroups_part(struct asim_pgroups *groups, struct asim_names *names,
                      const struct asim_pgroups *known, const struct asim_names *known_names,
                      struct asim_comm *comms, size_t n);
/* [{"pg_name": NUMBER, "ranks": […]}, …] of the groups of some ranks that no op lists under their
 * number; 0 if there are none. */
int asim_pgroups_print(struct asim_jbuf *buf, const struct asim_pgroups *groups,
                       const struct asim_names *names);
/* The simulator's number of a group: the name if it is a decimal number, else a number from 2^20 on
 * that depends on the name only. */
int64_t asim_pgroup_number(const char *name);
int asim_pgroup_is_number(const char *name);
/* Adds the groups that `into` lacks. Returns 0 or ASIM_ENOMEM. */
int asim_pgroups_merge(struct asim_pgroups *into, struct asim_names *into_names,
                       const struct asim_pgroups *from, const struct asim_names *from_names);
/* Writes {"1": [0, 1], …}, as ASTRA-sim's --comm-group-configuration reads it. Groups of all ranks
 * and group 0 need no entry: simulators take them for all ranks. */
int asim_pgroups_write(const struct asim_pgroups *groups, const struct asim_names *names,
                       const char *path, struct asim_err *err);
void asim_pgroups_fini(struct asim_pgroups *groups);

#endif
