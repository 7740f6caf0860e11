/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Reads the input, plain or gzip, as bytes or as lines, and reports errors with their line.
 */
#include "timeline/timeline.h"

#include <stdarg.h>
#include <string.h>
#include "base/io/unpack.h"
#include "cli/interrupt.h"

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

/* Appends the rest of the line in this piece; 1 if the line ends in it. */
static int take_piece(struct asim_timeline *t, size_t *n)
{
    const char *from = t->piece + t->piece_at;
    size_t there = t->piece_n - t->piece_at, room = ASIM_TIMELINE_LINE_BYTES - 1 - *n;
    const char *end = memchr(from, '\n', there);
    size_t size = end ? (size_t)(end - from) : there;

    size = size < room ? size : room;
    memcpy(t->text + *n, from, size);
    *n += size;
    t->piece_at += size + (end && end == from + size);
    return end && end == from + size;
}

/* Skips a byte order mark at the beginning of the file. */
int asim_timeline_fill(struct asim_timeline *t, struct asim_err *err)
{
    int code;

    if (t->piece_at < t->piece_n)
        return 0;
    if (asim_interrupted())
        return asim_err_set(err, ASIM_EINTR, "interrupted.");
    code = asim_unpack_read(t->unpack, t->piece, ASIM_TIMELINE_PIECE_BYTES, &t->piece_n, err);
    t->piece_at = 0;
    if (!code && !t->is_begun && t->piece_n >= 3 && !memcmp(t->piece, "\xEF\xBB\xBF", 3))
        t->piece_at = 3;
    t->is_begun = 1;
    return code;
}

int asim_timeline_bytes(void *self, char *to, size_t size, size_t *got, struct asim_err *err)
{
    struct asim_timeline *t = self;
    int code = asim_timeline_fill(t, err);

    *got = t->piece_n - t->piece_at < size ? t->piece_n - t->piece_at : size;
    memcpy(to, t->piece + t->piece_at, *got);
    t->piece_at += *got;
    return code;
}

/* The length of a line is limited, so that a file without line ends cannot take all memory. */
int asim_timeline_line(struct asim_timeline *t, struct asim_err *err)
{
    size_t n = 0;
    int ended = 0;

    while (!ended && n + 1 < ASIM_TIMELINE_LINE_BYTES) {
        if (t->piece_at == t->piece_n) {
            int code = asim_timeline_fill(t, err);
            if (code)
                return code;
            if (t->piece_at == t->piece_n)
                break;
        }
        ended = take_piece(t, &n);
    }
    if (!n && !ended)
        return 0;
    t->line++;
    if (n + 1 == ASIM_TIMELINE_LINE_BYTES && !ended)
        return asim_timeline_fail(t, err, "the line is longer than %d bytes.",
                                  ASIM_TIMELINE_LINE_BYTES - 1);
    while (n && t->text[n - 1] == '\r')
        n--;
    t->text[n] = 0;
    return 1;
}
