/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Large pages for the first memory of a program: fewer page faults and TLB misses.
 */
#ifndef ASIM_CLI_HUGEPAGES_H
#define ASIM_CLI_HUGEPAGES_H

/* Gives the next 30 MiB of the program large pages. Unused memory of it costs nothing except the
 * rest of a page of 2 MiB. Does nothing on systems without large pages and under sanitizers. */
void asim_pages_large(void);

#endif
