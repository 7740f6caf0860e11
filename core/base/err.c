/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The error value of asim/err.h. Nothing here allocates, so an error can always be reported, also
 * after memory ran out. A sentence longer than the fixed buffer is cut and ends in "...": a cut
 * sentence still names the place, because that stands in fields of its own.
 *
 * First error wins: set on a filled struct does nothing, so a stage that fails because another did
 * need not look before it speaks. Text and place are copied; nothing has to be freed, and the
 * struct can be copied like a number. Cost: one vsnprintf, on failure only.
 */
#include "asim/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Copies with a visible mark where it had to cut; size > 3. */
static void copy_cut(char *to, size_t size, const char *from)
{
    size_t n = strlen(from);
    if (n < size) {
        memcpy(to, from, n + 1);
        return;
    }
    memcpy(to, from, size - 4);
    memcpy(to + size - 4, "...", 4);
}

/* A format that fails (vsnprintf < 0: a wide character the locale cannot show) still leaves its
 * own text, which names the case. code is set last, it is what marks the struct as filled. */
static void fill(struct asim_err *err, int code, const char *fmt, va_list args)
{
    int n = vsnprintf(err->text, sizeof err->text, fmt, args);
    if (n < 0)
        copy_cut(err->text, sizeof err->text, fmt);
    else if ((size_t)n >= sizeof err->text)
        memcpy(err->text + sizeof err->text - 4, "...", 4);
    err->code = code;
}

/* Does nothing on a filled struct: the first error is the cause, later ones are its echoes. */
int asim_err_set(struct asim_err *err, int code, const char *fmt, ...)
{
    if (!err || err->code)
        return code;
    va_list args;
    va_start(args, fmt);
    err->line = err->column = 0;
    err->source[0] = '\0';
    fill(err, code, fmt, args);
    va_end(args);
    return code;
}

int asim_err_at(struct asim_err *err, int code, struct asim_where at, const char *fmt, ...)
{
    if (!err || err->code)
        return code;
    va_list args;
    va_start(args, fmt);
    err->line = at.line;
    err->column = at.column;
    copy_cut(err->source, sizeof err->source, at.source ? at.source : "");
    fill(err, code, fmt, args);
    va_end(args);
    return code;
}

/* "doing" completes the sentence "out of memory while …". */
int asim_err_nomem(struct asim_err *err, const char *doing)
{
    return asim_err_set(err, ASIM_ENOMEM, "out of memory while %s", doing);
}

/* The form editors and compilers use, so that terminals make the place clickable. */
const char *asim_err_show(const struct asim_err *err, char *buf, size_t size)
{
    char line[32] = "", column[32] = "";
    if (err->line)
        snprintf(line, sizeof line, "%s%u", err->source[0] ? ":" : "line ", err->line);
    if (err->line && err->column)
        snprintf(column, sizeof column, ":%u", err->column);
    const char *colon = err->source[0] || err->line ? ": " : "";
    if (size)
        snprintf(buf, size, "%s%s%s%s%s", err->source, line, column, colon, err->text);
    return buf;
}
