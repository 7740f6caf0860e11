/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What a run did, as spans on tracks: ops of each rank, the messages they sent, arrivals, rates,
 * queues and pauses of links. rows/timeline.c collects the spans; tracks.c gives them tracks;
 * perfetto.c and kineto.c write them.
 *
 * Spans of one track never overlap: where ops of one kind run side by side, each takes the lowest
 * track of that kind that is free.
 */
#ifndef ASIM_REPORT_TIMELINE_TIMELINE_H
#define ASIM_REPORT_TIMELINE_TIMELINE_H

#include <stddef.h>
#include <stdint.h>

#include "asim/err.h"
#include "base/io/out.h"
#include "base/map.h"
#include "base/mem.h"
#include "report/bins.h"
#include "report/timeline/link_rates.h"

struct asim_topo;

/* Kinds of tracks, in the order in which a viewer shows them. */
enum asim_track_kind {
    ASIM_TRACK_OF_COMPUTE,
    ASIM_TRACK_OF_CPU,
    ASIM_TRACK_OF_MEMORY,
    ASIM_TRACK_OF_COLLECTIVE, /* of one process group */
    ASIM_TRACK_OF_SEND,
    ASIM_TRACK_OF_RECEIVE,
    ASIM_TRACK_OF_MESSAGE,
    ASIM_TRACK_OF_ARRIVAL
};

/* An op. Times in ns. */
struct asim_timeline_op {
    uint64_t issue, ready, end; /* ready: all partners are there */
    uint64_t id, bytes, tag;
    uint64_t group, exchange, ordinal, members; /* of a collective, as in op_times.h */
    char *name;                                 /* owned */
    uint32_t rank, peer, row;
    int type, kind; /* enum asim_op_type; enum asim_coll_type or -1 */
    enum asim_track_kind track;
    int is_ended;
};

/* A message between ranks, from its start to its last ACK. */
struct asim_timeline_message {
    uint64_t start, end, arrival, id, bytes; /* arrival: UINT64_MAX = none */
    uint32_t src, dst, row;
    uint32_t sender; /* index of the op that sent it + 1; 0 = several could have */
};

/* A port of a switch or NIC was paused by PFC. */
struct asim_timeline_pause {
    uint64_t start, end;
    uint32_t port; /* of the topology */
};

/* Spans in a file; later ones are left out. */
enum { ASIM_TIMELINE_MOST = 1000000 };

struct asim_run_timeline {
    ASIM_VEC(struct asim_timeline_op) ops;
    ASIM_VEC(struct asim_timeline_message) messages;
    ASIM_VEC(struct asim_timeline_pause) pauses;
    struct asim_bins queues; /* key: port of the topology */
    struct asim_link_rates rates;
    const struct asim_topo *topo;
    uint32_t ranks; /* of the run */
    uint64_t end;   /* of the run, ns */
};

/* Sorts ops by rank, track and time, gives ops and messages their rows, and finds each message's
 * sender: the one op of the source under way when it began whose partner is the destination. 0 or
 * ASIM_ENOMEM. */
int asim_timeline_arrange(struct asim_run_timeline *timeline, struct asim_err *err);
/* "compute", "all ranks", "group 3", with " 2" for the second row. */
const char *asim_timeline_track_name(char *buf, size_t size, enum asim_track_kind kind,
                                     uint64_t group, uint32_t row);
/* TrackEvent packets, perfetto.proto. 0 or ASIM_ENOMEM. */
int asim_timeline_write_perfetto(const struct asim_run_timeline *timeline, struct asim_out *file,
                                 struct asim_err *err);
/* The ops of one rank in the JSON of PyTorch's profiler (Kineto), which trace analysis reads. */
void asim_timeline_write_kineto(const struct asim_run_timeline *timeline, uint32_t rank,
                                struct asim_out *file);

#endif
