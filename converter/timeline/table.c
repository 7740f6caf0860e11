/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Reads tables. Columns are found by their names, in any order and in the spellings of reports
 * (ops.csv, flows.csv). Receives occupy no slot of an NPU, so they and messages may overlap: they
 * become asynchronous events.
 */
#include <inttypes.h>
#include <string.h>
#include "base/text.h"
#include "timeline/timeline.h"
#include "asim/trace.h"
#include "cli/csv.h"

/* The index of each column; -1 = none. */
struct columns {
    int rank, name, start, finish, id, type;
    int dst, bytes; /* of messages, which have no name */
};

#define FIND(...)                                                                                  \
    asim_csv_find(csv, (const char *const[]){__VA_ARGS__},                                         \
                  sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

/* 1 if the header names all that is needed. */
static int find_columns(const struct asim_csv *csv, struct columns *columns)
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

/* Errors do not matter here: a line that is no header may be a line of a log. */
int asim_timeline_is_header(const char *line)
{
    struct asim_csv_text text = {line, strlen(line)};
    struct asim_csv csv;
    struct columns columns;
    int is;

    asim_csv_init(&csv, "", (struct asim_csv_source){&text, asim_csv_read_text});
    asim_csv_header(&csv, NULL);
    is = find_columns(&csv, &columns);
    asim_csv_close(&csv);
    return is;
}

static int cell_u64(const struct asim_csv *csv, int column, const char *what, uint64_t *value,
                    struct asim_err *err)
{
    const char *cell = asim_csv_cell(csv, (size_t)column);
    char safe[40];

    if (!asim_text_u64(cell, value))
        return 0;
    return asim_err_at(err, ASIM_EINVAL, asim_csv_where(csv, (size_t)column),
                       "found '%s' where %s is expected.", asim_text_safe(safe, sizeof safe, cell),
                       what);
}

static int cell_rank(const struct asim_csv *csv, int column, const char *what, uint64_t *value,
                     struct asim_err *err)
{
    int code = cell_u64(csv, column, what, value, err);

    return code || *value <= UINT32_MAX
               ? code
               : asim_err_at(err, ASIM_EINVAL, asim_csv_where(csv, (size_t)column),
                             "%" PRIu64 " is no rank; ranks are below 2^32.", *value);
}

/* A row without a name is a message. */
static int put_message(struct asim_timeline *t, struct asim_timeline_event *event,
                       const struct asim_csv *csv, const struct columns *columns,
                       struct asim_err *err)
{
    char name[96];
    uint64_t to, size;
    int rc = cell_rank(csv, columns->dst, "a destination", &to, err);
    if (!rc)
        rc = cell_u64(csv, columns->bytes, "a number of bytes", &size, err);
    if (rc)
        return rc;
    snprintf(name, sizeof name, "%" PRIu64 " bytes to %" PRIu64, size, to);
    event->name = name;
    event->track = ASIM_TRACK_COMM;
    return asim_timeline_message(t, event, err);
}

static int put_op(struct asim_timeline *t, struct asim_timeline_event *event,
                  const struct asim_csv *csv, const struct columns *columns, struct asim_err *err)
{
    const char *type = columns->type >= 0 ? asim_csv_cell(csv, (size_t)columns->type) : NULL;

    event->name = asim_csv_cell(csv, (size_t)columns->name);
    event->track = asim_timeline_track(event->name, type);
    event->track = event->track ? event->track : ASIM_TRACK_OTHER;
    if (type && !strcmp(type, asim_op_type_name(ASIM_OP_COMM_RECV)))
        return asim_timeline_message(t, event, err);
    return asim_timeline_event(t, event, err);
}

/* The reader of the table has checked that the row has all cells of the header. */
static int put_row(struct asim_timeline *t, const struct asim_csv *csv,
                   const struct columns *columns, struct asim_err *err)
{
    struct asim_timeline_event event = {0};
    uint64_t finish;
    int rc;

    if (!*asim_csv_cell(csv, (size_t)columns->finish)) { /* under way when the run ended */
        t->unfinished++;
        return 0;
    }
    rc = cell_rank(csv, columns->rank, "a rank", &event.npu, err);
    if (!rc)
        rc = cell_u64(csv, columns->start, "a start in ns", &event.start, err);
    if (!rc)
        rc = cell_u64(csv, columns->finish, "a finish in ns", &finish, err);
    if (!rc && columns->id >= 0)
        rc = cell_u64(csv, columns->id, "a node's id", &event.id, err);
    if (rc)
        return rc;
    if (finish < event.start)
        return asim_err_at(err, ASIM_EINVAL, asim_csv_where(csv, (size_t)columns->finish),
                           "it finishes before it starts.");
    t->line = csv->cell.at[0].line;
    event.length = finish - event.start;
    return columns->name < 0 ? put_message(t, &event, csv, columns, err)
                             : put_op(t, &event, csv, columns, err);
}

int asim_timeline_table(struct asim_timeline *t, struct asim_err *err)
{
    struct columns columns;
    struct asim_csv csv;
    int rc, more = 1;

    asim_csv_init(&csv, t->path, (struct asim_csv_source){t, asim_timeline_bytes});
    rc = asim_csv_header(&csv, err);
    if (!rc && !find_columns(&csv, &columns))
        rc = asim_err_at(err, ASIM_EINVAL, asim_csv_where(&csv, 0),
                         "the header does not name rank, name, start_ns and end_ns.");
    while (!rc && (more = asim_csv_row(&csv, err)) > 0)
        rc = put_row(t, &csv, &columns, err);
    asim_csv_close(&csv);
    return more < 0 ? more : rc;
}
