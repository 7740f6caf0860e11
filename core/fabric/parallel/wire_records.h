/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What a buffer between processes is made of: a row of records, each a kind and a struct as it lies
 * in memory, for all processes are one program. distributed.c writes them, receive.c reads them.
 */
#ifndef ASIM_FABRIC_PARALLEL_WIRE_RECORDS_H
#define ASIM_FABRIC_PARALLEL_WIRE_RECORDS_H

#include "fabric/node.h"

enum asim_record_kind {
    ASIM_REC_FLOW,
    ASIM_REC_FRAMES,
    ASIM_REC_SEEN,
    ASIM_REC_NOTICE, /* struct asim_notification */
    ASIM_REC_CREDIT
};

struct asim_flow_record {
    struct asim_msg msg;
    uint64_t size, base_rtt_ns;
    uint32_t slot;
    uint16_t sport;
    uint8_t generation;
};

struct asim_frames_record {
    uint32_t wire, n; /* n frames follow */
};

struct asim_seen_record {
    struct asim_telemetry seen;
    uint32_t src, slot, cap;
};

struct asim_credit_record {
    uint32_t src, slot, frames;
};

#endif
