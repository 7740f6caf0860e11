/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Hashes of ECMP and NIC choice: MurmurHash3.
 */
#include "fabric/link/hash.h"
#include "fabric/ground/ground.h"
#include "net/watch.h"
#include "topo/topo.h"
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
