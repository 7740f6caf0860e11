/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Decides the form of the input by its first line, reads it and writes events.
 */
#include "timeline/timeline.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/io/unpack.h"
#include "json/access.h"
#include "base/io/foreign.h"

/* The first line, which stays unread, decides the form. The first piece holds it: longer lines are
 * refused. */
static int guess(struct asim_timeline *t, struct asim_err *err)
{
    size_t n;
    int rc = asim_timeline_fill(t, err);

    if (rc)
        return rc;
    for (n = 0; t->piece_at + n < t->piece_n && n + 1 < ASIM_TIMELINE_LINE_BYTES; n++)
        if ((t->text[n] = t->piece[t->piece_at + n]) == '\n')
            break;
    t->text[n] = 0;
    if (t->form == ASIM_TIMELINE_AUTO && asim_timeline_is_header(t->text))
        t->form = ASIM_TIMELINE_TABLE;
    else if (t->form == ASIM_TIMELINE_AUTO && strspn(t->text, "0123456789abcdef") == 8 &&
             t->text[8] == ' ')
        t->form = ASIM_TIMELINE_FCT;
    else if (t->form == ASIM_TIMELINE_AUTO)
        t->form = ASIM_TIMELINE_LOG;
    return 0;
}

static int read_lines(struct asim_timeline *t, struct asim_err *err)
{
    int more, rc = 0;

    while (!rc && (more = asim_timeline_line(t, err)) != 0) {
        if (more < 0)
            return more;
        rc = t->form == ASIM_TIMELINE_LOG ? asim_timeline_log(t, err) : asim_timeline_fct(t, err);
    }
    return rc;
}

/* A file without events is an error: it is probably the wrong file. Issues alone do if a later file
 * has the callbacks. */
static int read_input(struct asim_timeline *t, int is_last, struct asim_err *err)
{
    uint64_t events = t->events, issued = t->issued.n;
    int rc = asim_unpack_open(&t->unpack, t->path, err);

    if (rc)
        return rc;
    t->form = t->wanted;
    t->piece_at = t->piece_n = 0;
    t->is_begun = 0;
    t->line = 0;
    rc = guess(t, err);
    if (!rc)
        rc = t->form == ASIM_TIMELINE_TABLE ? asim_timeline_table(t, err) : read_lines(t, err);
    asim_unpack_close(t->unpack);
    t->lines_before += t->line;
    if (rc || t->events != events || (!is_last && t->issued.n != issued))
        return rc;
    asim_err_set(err, ASIM_EINVAL,
                 "%s has no line that ends an op or message: expected issue and callback lines, an "
                 "fct.txt, or a CSV with start_ns and end_ns.",
                 t->path);
    return t->form == ASIM_TIMELINE_TABLE
               ? ASIM_EINVAL
               : asim_foreign_instead(ASIM_EINVAL, t->path, "packed by gzip", err);
}

static int write_all(struct asim_timeline *t, struct asim_err *err)
{
    fputs(t->compat ? "{\"meta_user\": \"aras\", \"traceEvents\": ["
                    : "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n",
          t->out);
    for (size_t i = 0; i < t->n_paths; i++) {
        int rc;

        t->path = t->paths[i];
        rc = read_input(t, i + 1 == t->n_paths, err);
        if (rc)
            return rc;
    }
    t->unfinished += t->issued.n;
    if (t->compat)
        fprintf(t->out, "], \"meta_cpu_count\": %" PRIu64 "}", t->num_npus ? t->num_npus : t->npus);
    else
        fprintf(t->out, "\n], \"npus\": %" PRIu64 "}\n", t->num_npus ? t->num_npus : t->npus);
    return 0;
}

int asim_timeline_run(struct asim_timeline *t, struct asim_err *err)
{
    int rc;

    asim_map_init(&t->issued);
    asim_map_init(&t->tracks);
    t->text = malloc(ASIM_TIMELINE_LINE_BYTES);
    t->piece = malloc(ASIM_TIMELINE_PIECE_BYTES);
    rc = t->text && t->piece ? write_all(t, err) : asim_err_nomem(err, "reading a log");
    ASIM_FREE(t->piece, t->text);
    asim_map_fini(&t->issued);
    asim_map_fini(&t->tracks);
    asim_jbuf_fini(&t->buf);
    return rc;
}
