/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Owners of GPU operations, and new numbers.
 */
#ifndef ASIM_CONVERTER_LINK_GROUP_H
#define ASIM_CONVERTER_LINK_GROUP_H

#include "link/link.h"

int asim_link_number(struct asim_linking *link, struct asim_err *err);

#endif
