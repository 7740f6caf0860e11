/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Reads tables. Columns are found by their names, in any order and in the spellings of reports
 * (ops.csv, flows.csv). Receives occupy no slot of an NPU, so they and messages may overlap: they
 * become asynchronous events.
 */
#include <inttypes.h>
#include <string.h>
#include "base/text.h"
#include "timeline/input.h"
#include "timeline/lines.h"
#include "timeline/output.h"
#include "timeline/table.h"
#include "asim/trace.h"

enum { MAX_COLUMNS = 64 };

/* Returns the column whose header is one of the words; -1 = none. */
static int find(const char *header, const char *const *words, size_t n)
{
    int column = 0;
    for (const char *at = header; *at; column++) {
        size_t size = strcspn(at, ",");
        for (size_t i = 0; i < n; i++)
            if (strlen(words[i]) == size && !strncmp(words[i], at, size))
                return column;
        at += size;
        at += *at == ',';
    }
    return -1;
}

#define FIND(...)                                                                                  \
    find(t->text, (const char *const[]){__VA_ARGS__},                                              \
         sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

int asim_timeline_header(const struct asim_timeline *t, struct asim_timeline_columns *columns)
{
    columns->rank = FIND("rank", "npu", "sys", "src");
    columns->name = FIND("name", "node", "op_name");
    columns->start = FIND("start_ns", "start");
    columns->finish = FIND("finish_ns", "end_ns", "finish", "end");
    columns->id = FIND("id", "op", "node_id");
    columns->type = FIND("type", "node_type");
    columns->dst = FIND("dst");
    columns->bytes = FIND("bytes");
    return columns->rank >= 0 && columns->start >= 0 && columns->finish >= 0 &&
           (columns->name >= 0 || (columns->dst >= 0 && columns->bytes >= 0));
}

/* Cuts a row at its commas; a name in double quotes may contain commas. Returns the number of
 * cells. */
static int cut(char *text, char *cells[MAX_COLUMNS])
{
    int n = 0;
    while (n < MAX_COLUMNS) {
        char *end;
        if (*text == '"' && (end = strchr(text + 1, '"'))) {
            cells[n++] = text + 1;
            *end = 0;
            text = end + 1 + strcspn(end + 1, ",");
        } else {
            cells[n++] = text;
            text += strcspn(text, ",");
        }
        if (!*text)
            break;
        *text++ = 0;
    }
    return n;
}

/* asim_timeline_fail adds the line. */
static int cell_u64(struct asim_timeline *t, const char *cell, const char *what, uint64_t *value,
                    struct asim_err *err)
{
    char safe[40];
    if (!asim_text_u64(cell, value))
        return 0;
    return asim_timeline_fail(t, err, "found '%s' where %s is expected.",
                              asim_text_safe(safe, sizeof safe, cell), what);
}

/* A row without a name is a message. */
static int put_message(struct asim_timeline *t, struct asim_timeline_event *event, const char *dst,
                       const char *bytes, struct asim_err *err)
{
    char name[96];
    uint64_t to, size;
    int rc = cell_u64(t, dst, "a destination", &to, err);
    if (!rc)
        rc = cell_u64(t, bytes, "a number of bytes", &size, err);
    if (rc)
        return rc;
    snprintf(name, sizeof name, "%" PRIu64 " bytes to %" PRIu64, size, to);
    event->name = name;
    event->track = ASIM_TRACK_COMM;
    return asim_timeline_message(t, event, err);
}

/* A row may have more columns than are used, never fewer. */
int asim_timeline_row(struct asim_timeline *t, const struct asim_timeline_columns *columns,
                      struct asim_err *err)
{
    const int needed[] = {columns->rank,   columns->name, columns->start,
                          columns->finish, columns->id,   columns->type};
    struct asim_timeline_event event = {0};
    char *cells[MAX_COLUMNS];
    uint64_t finish;
    int n, rc;
    if (!*t->text)
        return 0;
    n = cut(t->text, cells);
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (needed[i] >= n)
            return asim_timeline_fail(t, err, "the row has %d columns, the header more.", n);
    rc = cell_u64(t, cells[columns->rank], "a rank", &event.npu, err);
    if (!rc)
        rc = cell_u64(t, cells[columns->start], "a start in ns", &event.start, err);
    if (!rc)
        rc = cell_u64(t, cells[columns->finish], "a finish in ns", &finish, err);
    if (!rc && columns->id >= 0)
        rc = cell_u64(t, cells[columns->id], "a node's id", &event.id, err);
    if (rc)
        return rc;
    if (finish < event.start)
        return asim_timeline_fail(t, err, "it finishes before it starts.");
    event.length = finish - event.start;
    if (columns->name < 0)
        return put_message(t, &event, cells[columns->dst], cells[columns->bytes], err);
    event.name = cells[columns->name];
    const char *type = columns->type >= 0 ? cells[columns->type] : NULL;
    event.track = asim_timeline_track(event.name, type);
    event.track = event.track ? event.track : ASIM_TRACK_OTHER;
    if (type && !strcmp(type, asim_op_type_name(ASIM_OP_COMM_RECV)))
        return asim_timeline_message(t, &event, err);
    return asim_timeline_event(t, &event, err);
}
