/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Reads lines, decides their form by the first line, and writes events.
 */
#include "timeline/timeline.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "json/unpack.h"
#include "timeline/input.h"
#include "timeline/lines.h"
#include "timeline/table.h"
#include "json/access.h"

static int guess(const struct asim_timeline *t, struct asim_timeline_columns *columns)
{
    if (asim_timeline_header(t, columns))
        return ASIM_TIMELINE_TABLE;
    if (strspn(t->text, "0123456789abcdef") == 8 && t->text[8] == ' ')
        return ASIM_TIMELINE_FCT;
    return ASIM_TIMELINE_LOG;
}

/* The first line decides the form; unless it is a header, it is also data. */
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

/* A file without events is an error: it is probably the wrong file. */
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
    t->text = malloc(ASIM_TIMELINE_LINE_BYTES);
    t->piece = malloc(ASIM_TIMELINE_PIECE_BYTES);
    rc = t->text && t->piece ? write_all(t, err) : asim_err_nomem(err, "reading a log");
    asim_unpack_close(t->unpack);
    free(t->piece);
    free(t->text);
    asim_map_fini(&t->issued);
    asim_map_fini(&t->tracks);
    asim_jbuf_fini(&t->buf);
    return rc;
}
