/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A look at one node that rejects most comparisons of snapshots (snapshot.h).
 */
#ifndef ASIM_FABRIC_MEMO_STATE_PROBE_H
#define ASIM_FABRIC_MEMO_STATE_PROBE_H

#include <stdint.h>

struct asim_fabric;

/* A word that mostly differs if two states of a node do, with times relative to t (ticks); 0: the
 * node has no frame. */
uint64_t asim_probe(const struct asim_fabric *fabric, uint32_t node, uint64_t t);

#endif
