/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The order in which one rank runs the rows of a SimAI workload (simai.md#execution), as items: a
 * compute, a collective, a delay or a transfer between pipeline stages, and the item it waits for.
 * An item packs into 64 bits, so a position stands for the item and nothing is stored.
 */
#ifndef ASIM_TRACE_SIMAI_ITERATOR_H
#define ASIM_TRACE_SIMAI_ITERATOR_H

#include "trace/simai/workload.h"

enum { ASIM_SIMAI_ID_BITS = 31 };
uint64_t asim_simai_pack(const struct asim_simai_item *item);
struct asim_simai_item asim_simai_unpack(uint64_t position);

#endif
