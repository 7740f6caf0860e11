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
 * Reads plain or gzip files line by line (tables row by row, cli/csv.h); memory holds the
 * issues without callback. Inputs share the processes of NPUs, and a callback may be in a later
 * input than its issue.
 *
 * Times are microseconds, as the format requires. chakra_timeline_visualizer writes milliseconds,
 * so that viewers show everything 1000 times too short; compat does the same.
 */
#ifndef ASIM_CONVERTER_TIMELINE_TIMELINE_H
#define ASIM_CONVERTER_TIMELINE_TIMELINE_H

#include "cli/csv.h"
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

enum { ASIM_TIMELINE_LINE_BYTES = 65536, ASIM_TIMELINE_PIECE_BYTES = 65536 };

/* Reads the next piece of the input if the last one is used up. */
int asim_timeline_fill(struct asim_timeline *t, struct asim_err *err);
/* Copies up to size bytes; *got = 0 at the end. self: a struct asim_timeline. */
int asim_timeline_bytes(void *self, char *to, size_t size, size_t *got, struct asim_err *err);
/* Reads the next line into t->text, without its end. Returns 1, 0 at the end, or a negative code.
 */
int asim_timeline_line(struct asim_timeline *t, struct asim_err *err);
/* Fails with "path:line: <sentence>" and ASIM_EINVAL. */
int asim_timeline_fail(const struct asim_timeline *t, struct asim_err *err, const char *fmt, ...)
    ASIM_PRINTF(3, 4);

/* 1 if a line of text (without its end) is a header that names the columns needed. */
int asim_timeline_is_header(const char *line);
/* Reads the rest of the file as a table. */
int asim_timeline_table(struct asim_timeline *t, struct asim_err *err);

/* Both handle the line in t->text. */
int asim_timeline_log(struct asim_timeline *t, struct asim_err *err);
int asim_timeline_fct(struct asim_timeline *t, struct asim_err *err);
/* Returns the track of a node by its Chakra name ("COMM_…"), else by its type ("4" or "COMP_NODE";
 * may be NULL), or 0 if both are unknown. */
int asim_timeline_track(const char *name, const char *type);

/* An op that ran on an NPU. */
struct asim_timeline_event {
    uint64_t npu, id;
    const char *name;
    int track;
    uint64_t start, length; /* cycles */
};

/* Writes an event. */
int asim_timeline_event(struct asim_timeline *t, const struct asim_timeline_event *event,
                        struct asim_err *err);
/* Writes a message, which may overlap with others of its NPU. */
int asim_timeline_message(struct asim_timeline *t, const struct asim_timeline_event *event,
                          struct asim_err *err);

#endif
