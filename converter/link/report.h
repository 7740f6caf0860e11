/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The summary of linking.
 */
#ifndef ASIM_CONVERTER_LINK_REPORT_H
#define ASIM_CONVERTER_LINK_REPORT_H

#include "link/link.h"

/* Prints the summary. */
void asim_link_report(const struct asim_linking *link, uint32_t rank, FILE *file);

#endif
