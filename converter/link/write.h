/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Writes the linked trace.
 */
#ifndef ASIM_CONVERTER_LINK_WRITE_H
#define ASIM_CONVERTER_LINK_WRITE_H

#include "link/link.h"

int asim_link_write(struct asim_linking *link, struct asim_err *err);

#endif
