/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Parents for orphans.
 */
#ifndef ASIM_CONVERTER_LINK_ASSIGN_PARENT_H
#define ASIM_CONVERTER_LINK_ASSIGN_PARENT_H

#include "link/host.h"

int asim_host_adopt(struct asim_host_trace *host, const struct asim_host_roots *roots);

#endif
