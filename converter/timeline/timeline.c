/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Lines in, events out. Process = NPU, thread = track; names of both are written as metadata
 * events when one first appears.
 */
#include "timeline/timeline.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "json/print.h"
#include "json/unpack.h"

enum { LINE_BYTES = 65536, PIECE_BYTES = 65536 };

int asim_timeline_fail(const struct asim_timeline *t, struct asim_err *err, const char *fmt, ...)
{
    struct asim_where at = {t->path, (unsigned)t->line, 0};
    char text[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return asim_err_at(err, ASIM_EINVAL, at, "%s", text);
}

/* Appends what is left of the line in this piece, 1 where that ends it. */
static int take_piece(struct asim_timeline *t, size_t *n)
{
    const char *from = t->piece + t->piece_at;
    size_t there = t->piece_n - t->piece_at, room = LINE_BYTES - 1 - *n;
    const char *end = memchr(from, '\n', there);
    size_t size = end ? (size_t)(end - from) : there;

    size = size < room ? size : room;
    memcpy(t->text + *n, from, size);
    *n += size;
    t->piece_at += size + (end && end == from + size);
    return end && end == from + size;
}

/* A line has a ceiling, so that a file without line ends cannot take all memory. */
int asim_timeline_line(struct asim_timeline *t, struct asim_err *err)
{
    size_t n = 0;
    int ended = 0;

    while (!ended && n + 1 < LINE_BYTES) {
        if (t->piece_at == t->piece_n) {
            int code = asim_unpack_read(t->unpack, t->piece, PIECE_BYTES, &t->piece_n, err);
            t->piece_at = 0;
            if (code)
                return code;
            if (!t->piece_n)
                break;
        }
        ended = take_piece(t, &n);
    }
    if (!n && !ended)
        return 0;
    t->line++;
    if (n + 1 == LINE_BYTES && !ended)
        return asim_timeline_fail(t, err, "the line is longer than %d bytes.", LINE_BYTES - 1);
    while (n && t->text[n - 1] == '\r')
        n--;
    t->text[n] = 0;
    return 1;
}

/* --- events --- */

static void put_int(struct asim_jbuf *buf, const char *key, uint64_t value)
{
    char text[80];
    snprintf(text, sizeof text, "%s%" PRIu64, key, value);
    asim_jbuf_text(buf, text);
}

static void put_real(struct asim_jbuf *buf, const char *key, double value)
{
    asim_jbuf_text(buf, key);
    asim_jprint_real(buf, value);
}

static void put_name(struct asim_jbuf *buf, const char *name)
{
    asim_jbuf_text(buf, ", \"name\": ");
    asim_jprint_string(buf, name, strlen(name));
}

static int flush(struct asim_timeline *t, struct asim_err *err)
{
    if (t->buf.failed)
        return asim_err_nomem(err, "writing a timeline");
    fwrite(t->buf.at, 1, t->buf.n, t->out);
    t->buf.n = 0;
    return 0;
}

/* Elements of the array are set apart by commas; in the compatible form on one line. */
static void begin(struct asim_timeline *t)
{
    if (t->written++)
        asim_jbuf_text(&t->buf, t->compat ? ", " : ",\n");
}

/* Names the process (track 0) or the thread, once. */
static int name_track(struct asim_timeline *t, uint64_t npu, int track)
{
    static const char *const names[ASIM_TRACKS] = {"",        "local memory",  "remote memory",
                                                   "compute", "communication", "other"};
    uint64_t *slot = asim_map_put(&t->tracks, npu, (uint64_t)track);
    char text[32];
    if (!slot)
        return ASIM_ENOMEM;
    if (*slot)
        return 0;
    *slot = 1;
    begin(t);
    put_int(&t->buf, "{\"ph\": \"M\", \"pid\": ", npu);
    put_int(&t->buf, ", \"tid\": ", (uint64_t)track);
    put_name(&t->buf, track ? "thread_name" : "process_name");
    snprintf(text, sizeof text, "NPU %" PRIu64, npu);
    asim_jbuf_text(&t->buf, ", \"args\": {\"name\": ");
    asim_jprint_string(&t->buf, track ? names[track] : text, strlen(track ? names[track] : text));
    asim_jbuf_text(&t->buf, "}}");
    return 0;
}

/* The divisions are in the published order: another order rounds differently in the last digit. */
static void put_compat(struct asim_timeline *t, const struct asim_timeline_event *event)
{
    double start = (double)event->start / t->mhz / 1000;
    double length = (double)event->length / (t->mhz * 1000);
    put_int(&t->buf, "{\"pid\": ", event->npu);
    put_int(&t->buf, ", \"tid\": ", (uint64_t)event->track);
    put_real(&t->buf, ", \"ts\": ", start);
    put_real(&t->buf, ", \"dur\": ", length);
    asim_jbuf_text(&t->buf, ", \"ph\": \"X\"");
    put_name(&t->buf, event->name);
    put_real(&t->buf, ", \"args\": {\"ms\": ", length);
    asim_jbuf_text(&t->buf, "}}");
}

/* Written as it comes: the format does not ask for an order of time. */
int asim_timeline_event(struct asim_timeline *t, const struct asim_timeline_event *event,
                        struct asim_err *err)
{
    t->events++;
    if (event->npu >= t->npus)
        t->npus = event->npu + 1;
    if (t->compat) {
        begin(t);
        put_compat(t, event);
        return flush(t, err);
    }
    if (name_track(t, event->npu, 0) || name_track(t, event->npu, event->track))
        return asim_err_nomem(err, "writing a timeline");
    begin(t);
    put_int(&t->buf, "{\"ph\": \"X\", \"pid\": ", event->npu);
    put_int(&t->buf, ", \"tid\": ", (uint64_t)event->track);
    put_real(&t->buf, ", \"ts\": ", (double)event->start / t->mhz);
    put_real(&t->buf, ", \"dur\": ", (double)event->length / t->mhz);
    put_name(&t->buf, event->name);
    put_int(&t->buf, ", \"args\": {\"node\": ", event->id);
    put_int(&t->buf, ", \"cycles\": ", event->length);
    asim_jbuf_text(&t->buf, "}}");
    return flush(t, err);
}

/* Begin and end of an asynchronous event: viewers give overlapping ones rows of their own. */
int asim_timeline_message(struct asim_timeline *t, const struct asim_timeline_event *event,
                          struct asim_err *err)
{
    t->events++;
    if (event->npu >= t->npus)
        t->npus = event->npu + 1;
    if (name_track(t, event->npu, 0))
        return asim_err_nomem(err, "writing a timeline");
    for (int end = 0; end < 2; end++) {
        begin(t);
        asim_jbuf_text(&t->buf, end ? "{\"ph\": \"e\"" : "{\"ph\": \"b\"");
        put_int(&t->buf, ", \"cat\": \"message\", \"id\": ", t->line);
        put_int(&t->buf, ", \"pid\": ", event->npu);
        put_int(&t->buf, ", \"tid\": ", (uint64_t)event->track);
        put_real(&t->buf,
                 ", \"ts\": ", (double)(event->start + (end ? event->length : 0)) / t->mhz);
        put_name(&t->buf, event->name);
        asim_jbuf_text(&t->buf, "}");
    }
    return flush(t, err);
}

/* --- the whole --- */

static int guess(const struct asim_timeline *t, struct asim_timeline_columns *columns)
{
    if (asim_timeline_header(t, columns))
        return ASIM_TIMELINE_TABLE;
    if (strspn(t->text, "0123456789abcdef") == 8 && t->text[8] == ' ')
        return ASIM_TIMELINE_FCT;
    return ASIM_TIMELINE_LOG;
}

/* The first line decides the form, and is a line of it too unless it is a header. */
static int read_lines(struct asim_timeline *t, struct asim_err *err)
{
    struct asim_timeline_columns columns;
    int more, rc = 0, is_first = 1;
    while (!rc && (more = asim_timeline_line(t, err)) != 0) {
        if (more < 0)
            return more;
        if (is_first && t->form == ASIM_TIMELINE_TABLE && !asim_timeline_header(t, &columns))
            return asim_timeline_fail(t, err,
                                      "the header does not name rank, name, start_ns and "
                                      "end_ns.");
        if (is_first && t->form == ASIM_TIMELINE_AUTO)
            t->form = guess(t, &columns);
        if (t->form == ASIM_TIMELINE_LOG)
            rc = asim_timeline_log(t, err);
        else if (t->form == ASIM_TIMELINE_FCT)
            rc = asim_timeline_fct(t, err);
        else if (!is_first)
            rc = asim_timeline_row(t, &columns, err);
        is_first = 0;
    }
    return rc;
}

/* A file with nothing to show is an error: most often the wrong file was given. */
static int write_all(struct asim_timeline *t, struct asim_err *err)
{
    int rc;
    fputs(t->compat ? "{\"meta_user\": \"aras\", \"traceEvents\": ["
                    : "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n",
          t->out);
    rc = read_lines(t, err);
    if (rc)
        return rc;
    t->unfinished = t->issued.n;
    if (!t->events)
        return asim_err_set(err, ASIM_EINVAL,
                            "%s has no line that ends an op or message: expected issue and "
                            "callback lines, an fct.txt, or a CSV with start_ns and end_ns.",
                            t->path);
    if (t->compat)
        fprintf(t->out, "], \"meta_cpu_count\": %" PRIu64 "}", t->num_npus ? t->num_npus : t->npus);
    else
        fprintf(t->out, "\n], \"npus\": %" PRIu64 "}\n", t->num_npus ? t->num_npus : t->npus);
    return 0;
}

int asim_timeline_run(struct asim_timeline *t, struct asim_err *err)
{
    int rc = asim_unpack_open(&t->unpack, t->path, err);

    if (rc)
        return rc;
    asim_map_init(&t->issued);
    asim_map_init(&t->tracks);
    t->text = malloc(LINE_BYTES);
    t->piece = malloc(PIECE_BYTES);
    rc = t->text && t->piece ? write_all(t, err) : asim_err_nomem(err, "reading a log");
    asim_unpack_close(t->unpack);
    free(t->piece);
    free(t->text);
    asim_map_fini(&t->issued);
    asim_map_fini(&t->tracks);
    asim_jbuf_fini(&t->buf);
    return rc;
}
