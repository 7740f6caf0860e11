/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Waits for the GPU.
 */
#ifndef ASIM_CONVERTER_LINK_SYNC_H
#define ASIM_CONVERTER_LINK_SYNC_H

#include "link/link.h"

int asim_link_sync(struct asim_linking *link, struct asim_err *err);

#endif
