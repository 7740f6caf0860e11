/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Hashes and random draws. ECMP and NIC choice use MurmurHash3. Random decisions use a
 * counter-based generator whose key names the place of the draw and its number there, never the
 * time. So draws do not depend on a global order, and a flow added elsewhere does not change which
 * frame is marked here.
 */
#include "fabric/link/hash.h"
#include "fabric/ground/ground.h"
#include "net/watch.h"
#include "topo/topo.h"
#include "base/map.h"
#include "base/murmur3.h"
#include "base/text.h"

static uint32_t ip_of(const struct asim_fabric *fabric, uint32_t host)
{
    return asim_host_ip(asim_topo_external_id(fabric->set.topo, host));
}

uint32_t asim_tuple_begin(const struct asim_fabric *fabric, uint32_t src, uint32_t dst,
                          uint32_t seed)
{
    return asim_murmur3_mix(asim_murmur3_mix(seed, ip_of(fabric, src)), ip_of(fabric, dst));
}

uint32_t asim_tuple_end(uint32_t begun, uint16_t sport, uint16_t dport)
{
    return asim_murmur3_finish(asim_murmur3_mix(begun, sport | (uint32_t)dport << 16), 12);
}

uint32_t asim_tuple_hash(const struct asim_fabric *fabric, const struct asim_tuple *tuple,
                         uint32_t seed)
{
    return asim_tuple_end(asim_tuple_begin(fabric, tuple->src, tuple->dst, seed), tuple->sport,
                          tuple->dport);
}

/* `a` names the place (switch and port), `b` counts the draws there. The same draw gives the same
 * number in any order and on any thread; a double holds its 53 bits. ASTRA-sim draws from a global
 * sequence, so agreement with it is statistical only (rdma-network.md#ecn-marking). */
double asim_draw(uint64_t seed, uint64_t a, uint64_t b)
{
    uint64_t x = asim_mix64(asim_mix64(seed + 0x9e3779b97f4a7c15ull) ^ (a + 0x9e3779b97f4a7c15ull));

    return (double)(asim_mix64(x + b * 0x9e3779b97f4a7c15ull) >> 11) * 0x1p-53;
}
