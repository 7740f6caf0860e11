/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Rates and delays as topology files write them: decimal Gbps and ms without trailing zeros and
 * without loss, so that a reader gets the same number (2880Gbps, 0.000025ms). The functions write
 * into the caller's buffer and allocate nothing, so they can be printf arguments.
 */
#ifndef ASIM_TOPO_SHOW_H
#define ASIM_TOPO_SHOW_H

#include <stddef.h>
#include <stdint.h>

/* All return buf; 40 bytes are enough. */
const char *asim_topo_show_rate(char *buf, size_t size, uint64_t rate_bps);
const char *asim_topo_show_delay(char *buf, size_t size, uint64_t delay_fs);
/* The shortest decimal number that reads back as value. */
const char *asim_topo_show_real(char *buf, size_t size, double value);

#endif
