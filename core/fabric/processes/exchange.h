/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Packets between processes. Every process knows the whole graph and its routes, but has state for
 * its own nodes only. After each window of the common grid (grid.h) it packs one buffer for every
 * other process: frames on cut wires, notifications, the constants of a flow. The other process
 * must unpack the buffer before the next window begins. The caller carries the buffers; the fabric
 * knows no transport (ns3-module/model/asim-processes.cc uses MPI).
 */
#ifndef ASIM_FABRIC_PROCESSES_EXCHANGE_H
#define ASIM_FABRIC_PROCESSES_EXCHANGE_H

#include <stddef.h>
#include <stdint.h>
#include "asim/buffer.h"
#include "asim/err.h"

struct asim_fabric;
struct asim_partition;

/* Makes the fabric that of process `self` of part->n; before the first event. part is borrowed. 0,
 * or an error: memory, or a network that cannot be cut into so many parts. */
int asim_exchange_open(struct asim_fabric *fabric, const struct asim_partition *part, uint32_t self,
                       struct asim_err *err);
void asim_exchange_close(struct asim_fabric *fabric);
/* Whether a node lives in this process; always in one process. */
int asim_exchange_is_local(const struct asim_fabric *fabric, uint32_t node);
/* How many processes there are. */
uint32_t asim_exchange_size(const struct asim_fabric *fabric);
/* The lookahead of processes in whole ns, at least 2; 0 in one process. */
uint64_t asim_exchange_lookahead(const struct asim_fabric *fabric);

/* Packs what has come about for `peer` since the last call; valid until the next one. */
int asim_exchange_pack(struct asim_fabric *fabric, uint32_t peer, struct asim_buffer *buffer,
                       struct asim_err *err);
/* Takes a buffer of another process. Buffers of one process come in the order of packing.
 * (unpack.c) */
int asim_exchange_unpack(struct asim_fabric *fabric, const struct asim_buffer *buffer,
                         struct asim_err *err);

#endif
