/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Writes trace events. A process is an NPU and a thread is a track; metadata events name both when
 * they first appear.
 */
#include "timeline/timeline.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "json/print.h"
#include "json/access.h"

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

/* Commas separate the elements; the compatible form has them on one line. */
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

/* The order of the divisions is that of chakra_timeline_visualizer: another order rounds
 * differently in the last digit. */
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

/* The format requires no order of time. */
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

/* Writes start and end of an asynchronous event: viewers give overlapping ones separate rows. */
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
        put_int(&t->buf, ", \"cat\": \"message\", \"id\": ", t->lines_before + t->line);
        put_int(&t->buf, ", \"pid\": ", event->npu);
        put_int(&t->buf, ", \"tid\": ", (uint64_t)event->track);
        put_real(&t->buf,
                 ", \"ts\": ", (double)(event->start + (end ? event->length : 0)) / t->mhz);
        put_name(&t->buf, event->name);
        asim_jbuf_text(&t->buf, "}");
    }
    return flush(t, err);
}
