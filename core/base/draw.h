/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Random draws: a counter-based generator (splitmix64 rounds) whose key names the place of the draw
 * and its number there, never the time. So draws do not depend on a global order, and a flow added
 * elsewhere does not change which frame is marked here.
 */
#ifndef ASIM_BASE_DRAW_H
#define ASIM_BASE_DRAW_H

#include "base/map.h"

/* Uniform in [0, 1), a function of its arguments alone. `a` names the place (switch and port), `b`
 * counts the draws there. The same draw gives the same number in any order and on any thread; a
 * double holds its 53 bits. ASTRA-sim draws from a global sequence, so agreement with it is
 * statistical only (rdma-network.md#ecn-marking). */
static inline double asim_draw(uint64_t seed, uint64_t a, uint64_t b)
{
    uint64_t x = asim_mix64(asim_mix64(seed + 0x9e3779b97f4a7c15ull) ^ (a + 0x9e3779b97f4a7c15ull));

    return (double)(asim_mix64(x + b * 0x9e3779b97f4a7c15ull) >> 11) * 0x1p-53;
}

#endif
