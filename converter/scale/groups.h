/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Communicator groups of the scaled set.
 */
#ifndef ASIM_CONVERTER_SCALE_GROUPS_H
#define ASIM_CONVERTER_SCALE_GROUPS_H

#include "scale/scale.h"

/* Collects the groups of the file and of METADATA nodes, with their numbers in the new set. */
int asim_scale_groups(struct asim_scale *scale, struct asim_err *err);
int asim_scale_write_groups(struct asim_scale *scale, struct asim_err *err);
const struct asim_scale_group *asim_scale_find(const struct asim_scale *scale, int64_t id);
/* 1 if a METADATA node defines process groups. */
int asim_scale_defines(const ChakraProtoMsg__Node *node);

#endif
