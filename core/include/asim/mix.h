/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The layout of mix.tr, the packet trace of ENABLE_TRACE (TRACE_OUTPUT_FILE). Little endian,
 * packed. A head: u32 n, n interfaces {u16 node, u8 interface, u64 bit/s}, u32 window. Then records
 * of 56 bytes:
 *
 *   0 u64 ns   8 u16 node  10 u8 interface  11 u8 queue  12 u32 queue bytes  16 u32 source address
 *   20 u32 destination  24 u16 bytes  26 u8 protocol  27 u8 event  28 u8 ECN  29 u8 node type
 *   32 data: u16 sport, dport, u32 seq, u64 ts, u16 priority, payload
 *      ACK and NACK: u16 sport, dport, flags, priority, u32 seq, pad, u64 ts
 *      PFC: u32 pause time, queue length, u8 queue
 */
#ifndef ASIM_MIX_H
#define ASIM_MIX_H

/* Bytes of an interface in the head, and of a record. */
enum { ASIM_MIX_SPEED = 11, ASIM_MIX_RECORD = 56 };
enum asim_mix_event { ASIM_MIX_RECEIVE, ASIM_MIX_ENQUEUE, ASIM_MIX_DEQUEUE, ASIM_MIX_DROP };

#endif
