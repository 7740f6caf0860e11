/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Writes a host node.
 */
#ifndef ASIM_CONVERTER_LINK_HOSTPRINT_H
#define ASIM_CONVERTER_LINK_HOSTPRINT_H

#include "link/host.h"

void asim_host_print(struct asim_jbuf *buf, const struct asim_jdoc *doc,
                     const struct asim_host_head *head);

#endif
