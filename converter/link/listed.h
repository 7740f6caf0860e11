/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Chakra's list of launch calls, and the categories of events.
 */
#ifndef ASIM_CONVERTER_LINK_LISTED_H
#define ASIM_CONVERTER_LINK_LISTED_H

#include "link/kineto.h"

enum asim_kineto_what asim_kineto_classify(const struct asim_jdoc *doc, const struct asim_jv *cat,
                                           int *gpu_kind);
/* 1 if Chakra's tools take that runtime call as a launch. */
int asim_kineto_is_listed(const char *name);

#endif
