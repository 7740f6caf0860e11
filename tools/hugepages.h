/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Memory in large pages: fewer of them to be found, and to be had from the system one by one.
 */
#ifndef ASIM_TOOLS_HUGEPAGES_H
#define ASIM_TOOLS_HUGEPAGES_H

/* A program's first 30 MiB, from here on. What of it is not used takes no memory, but for the rest
 * of a page of 2 MiB. Does nothing where the system has none, and under sanitizers. */
void asim_pages_large(void);

#endif
