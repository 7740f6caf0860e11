/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What happened when, as trace-event JSON that chrome://tracing and Perfetto show. Read from
 *   log   lines "issue,x=NPU,x=CYCLE,x=NODE,x=NAME[,x=TYPE]" and "callback,…", whatever stands
 *         before them: the input of chakra_timeline_visualizer, and ASTRA-sim's own debug lines;
 *   fct   a run's file of message completions (fct.txt);
 *   table a CSV whose header has rank, name, start_ns and end_ns, and maybe op and type (a run's
 *         ops.csv), or src, dst, bytes, start_ns and end_ns (flows.csv).
 * Plain or gzip, line by line: memory is what has been issued and not called back.
 *
 * Times are microseconds, as the format wants. The published tool writes milliseconds there, so
 * viewers show everything 1000 times too short; compat does the same.
 */
#ifndef ASIM_CONVERTER_TIMELINE_TIMELINE_H
#define ASIM_CONVERTER_TIMELINE_TIMELINE_H

#include <stdio.h>
#include "base/map.h"
#include "json/value.h"

struct asim_unpack;

enum asim_timeline_form {
    ASIM_TIMELINE_AUTO,
    ASIM_TIMELINE_LOG,
    ASIM_TIMELINE_FCT,
    ASIM_TIMELINE_TABLE
};

enum asim_timeline_track { /* tid of the event; the published numbers, and one more */
                           ASIM_TRACK_LOCAL = 1,
                           ASIM_TRACK_REMOTE,
                           ASIM_TRACK_COMP,
                           ASIM_TRACK_COMM,
                           ASIM_TRACK_OTHER,
                           ASIM_TRACKS
};

struct asim_timeline {
    /* set by the caller */
    const char *path;
    enum asim_timeline_form form;
    int compat;
    double mhz;        /* cycles of the log in a microsecond */
    uint64_t num_npus; /* 0 = as many as appear */
    FILE *out;
    /* results */
    uint64_t events, unfinished;
    /* private */
    struct asim_unpack *unpack;
    char *piece; /* of the file: piece_at of piece_n bytes have been taken */
    size_t piece_at, piece_n;
    uint64_t line, npus, written; /* written: elements of the array */
    char *text;                   /* of the line */
    struct asim_map issued;       /* (npu, node) → cycle + 1 */
    struct asim_map tracks;       /* (npu, track) → 1: named already */
    struct asim_jbuf buf;
};

int asim_timeline_run(struct asim_timeline *t, struct asim_err *err);

#endif
