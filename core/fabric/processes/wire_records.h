/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The records of a buffer between processes: each a kind and a struct as it lies in memory, because
 * all processes run the same program. exchange.c writes them, unpack.c reads them.
 */
#ifndef ASIM_FABRIC_PROCESSES_WIRE_RECORDS_H
#define ASIM_FABRIC_PROCESSES_WIRE_RECORDS_H

#include "asim/msg.h"
#include "cc/cc.h"
#include "cc/flow.h"

enum asim_record_kind {
    ASIM_RECORD_FLOW,
    ASIM_RECORD_FRAMES,
    ASIM_RECORD_TELEMETRY,
    ASIM_RECORD_NOTIFICATION, /* struct asim_notification */
    ASIM_RECORD_RELEASE,
    ASIM_RECORD_SUMS, /* struct asim_livelock_sums */
    ASIM_RECORD_VOTE  /* struct asim_period_vote */
};

/* The constants of a message, ahead of its first frame. */
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

/* What switches have written into a packet. */
struct asim_telemetry_record {
    struct asim_telemetry seen;
    uint32_t src, slot, cap;
};

/* Frames of a flow that exist no longer. */
struct asim_release_record {
    uint32_t src, slot, frames;
};

#endif
