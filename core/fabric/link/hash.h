/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Hashes for ECMP and NIC choice.
 */
#ifndef ASIM_FABRIC_LINK_HASH_H
#define ASIM_FABRIC_LINK_HASH_H

#include <stddef.h>
#include <stdint.h>

struct asim_fabric;

/* The hosts and UDP ports of a packet. */
struct asim_tuple {
    uint32_t src, dst;
    uint16_t sport, dport;
};
/* Hash of a tuple, which selects a NIC, and with the number of a switch as its seed a port there.
 */
uint32_t asim_tuple_hash(const struct asim_fabric *fabric, const struct asim_tuple *tuple,
                         uint32_t seed);
/* The same in two steps; the first step is equal for all messages of a pair. */
uint32_t asim_tuple_begin(const struct asim_fabric *fabric, uint32_t src, uint32_t dst,
                          uint32_t seed);
uint32_t asim_tuple_end(uint32_t begun, uint16_t sport, uint16_t dport);

#endif
