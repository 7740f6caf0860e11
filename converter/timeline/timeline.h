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

/* --- parts --- */

/* One thing that ran on an NPU. */
struct asim_timeline_event {
    uint64_t npu, id;
    const char *name;
    int track;
    uint64_t start, length; /* cycles */
};

/* 1 = a line in t->text, without its end; 0 = no more; negative = failure. */
int asim_timeline_line(struct asim_timeline *t, struct asim_err *err);
/* "path:line: <sentence>" as ASIM_EINVAL. */
int asim_timeline_fail(const struct asim_timeline *t, struct asim_err *err, const char *fmt, ...)
    ASIM_PRINTF(3, 4);
int asim_timeline_event(struct asim_timeline *t, const struct asim_timeline_event *event,
                        struct asim_err *err);
/* A message: may overlap with others of its NPU. */
int asim_timeline_message(struct asim_timeline *t, const struct asim_timeline_event *event,
                          struct asim_err *err);
/* Takes the line at hand. */
int asim_timeline_log(struct asim_timeline *t, struct asim_err *err);
int asim_timeline_fct(struct asim_timeline *t, struct asim_err *err);

/* Columns of a table: which one holds what; -1 = none. */
struct asim_timeline_columns {
    int rank, name, start, finish, id, type;
    int dst, bytes; /* of messages, which have no name */
};
/* Understands the header line at hand: 1 if it is one. */
int asim_timeline_header(const struct asim_timeline *t, struct asim_timeline_columns *columns);
int asim_timeline_row(struct asim_timeline *t, const struct asim_timeline_columns *columns,
                      struct asim_err *err);
/* Track of a node by its Chakra name ("COMM_…"), else by its type ("4" or "COMP_NODE"; may be
 * NULL); 0 = cannot be told. */
int asim_timeline_track(const char *name, const char *type);

#endif
