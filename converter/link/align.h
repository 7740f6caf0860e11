/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Matches without ids.
 */
#ifndef ASIM_CONVERTER_LINK_ALIGN_H
#define ASIM_CONVERTER_LINK_ALIGN_H

#include "link/link.h"

/* For device traces without Record function ids (PyTorch before 2.1): matches ops thread by thread
 * by their sequence of names. names: for each host node a number of link->kin.names. */
int asim_link_align(struct asim_linking *link, const uint32_t *names, struct asim_err *err);

#endif
