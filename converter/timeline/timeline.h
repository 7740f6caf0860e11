/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Writes trace-event JSON, which chrome://tracing and Perfetto show, from one or several inputs,
 * each one of
 *   log   lines "issue,x=NPU,x=CYCLE,x=NODE,x=NAME[,x=TYPE]" and "callback,…" after any prefix: the
 *         input of chakra_timeline_visualizer, and ASTRA-sim's debug lines;
 *   fct   a run's file of message completions (fct.txt);
 *   table a CSV with the columns rank, name, start_ns, end_ns and perhaps op and type (a run's
 *         ops.csv), or src, dst, bytes, start_ns and end_ns (flows.csv).
 *
 * Reads plain or gzip files line by line (tables row by row, base/io/csv.h); memory holds the
 * issues without callback. Inputs share the processes of NPUs, and a callback may be in a later
 * input than its issue.
 *
 * Times are microseconds, as the format requires. chakra_timeline_visualizer writes milliseconds,
 * so that viewers show everything 1000 times too short; compat does the same.
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

enum asim_timeline_track { /* tid of the event; the numbers of chakra_timeline_visualizer, and one
                              more */
                           ASIM_TRACK_LOCAL = 1,
                           ASIM_TRACK_REMOTE,
                           ASIM_TRACK_COMP,
                           ASIM_TRACK_COMM,
                           ASIM_TRACK_OTHER,
                           ASIM_TRACKS
};

struct asim_timeline {
    /* set by the caller */
    const char *const *paths; /* [n_paths], borrowed */
    size_t n_paths;
    enum asim_timeline_form wanted; /* of every input; AUTO: each by its first line */
    int compat;
    double mhz;        /* cycles of the log per microsecond */
    uint64_t num_npus; /* 0 = as many as occur */
    FILE *out;
    /* results */
    uint64_t events, unfinished;
    /* private */
    const char *path; /* the current input */
    enum asim_timeline_form form;
    uint64_t lines_before; /* of all inputs before it */
    struct asim_unpack *unpack;
    char *piece; /* piece of the file: piece_at of piece_n bytes are used */
    size_t piece_at, piece_n;
    int is_begun;                 /* the first piece has been read */
    uint64_t line, npus, written; /* written: elements of the array */
    char *text;                   /* the current line */
    struct asim_map issued;       /* (npu, node) → cycle + 1 */
    struct asim_map tracks;       /* (npu, track) → 1: has a name already */
    struct asim_jbuf buf;
};

int asim_timeline_run(struct asim_timeline *t, struct asim_err *err);

#endif
