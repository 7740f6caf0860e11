/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Errors as values. A function that can fail returns 0 or a negative enum asim_code and fills
 * the struct asim_err its caller passed as last parameter (which may be NULL). The first error
 * wins: a later asim_err_set on a filled struct changes nothing, so callers add no noise on the
 * way up. The text is one full sentence: what was found, what was expected, what to do.
 */
#ifndef ASIM_ERR_H
#define ASIM_ERR_H

#include <stddef.h>
#include "asim/export.h"

enum asim_code {
    ASIM_OK = 0,
    ASIM_EINVAL = -1, /* bad input: file, option, topology, trace */
    ASIM_ENOMEM = -2, /* out of memory, or a stated ceiling reached */
    ASIM_EIO = -3,    /* the operating system refused a read or a write */
    ASIM_ESTALL = -4, /* the run cannot go on: somebody waits for ever */
    ASIM_EINTR = -5,  /* the user interrupted; partial results are usable */
    ASIM_EBUG = -6,   /* our own state contradicts itself: please report */
    ASIM_EUSAGE = -7  /* an option is missing, or options do not go together: exit code 2 */
};

struct asim_err {
    int code;         /* 0 = no error yet */
    unsigned line;    /* 1-based, 0 = not about a line */
    unsigned column;  /* 1-based, 0 = not about a column */
    char source[512]; /* file or option the error is about, "" = none */
    char text[2048];
};

/* A place in an input. source is borrowed. */
struct asim_where {
    const char *source;
    unsigned line, column;
};

#ifdef __GNUC__
#define ASIM_PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define ASIM_PRINTF(f, a)
#endif

ASIM_C_BEGIN

/* Both return code, so `return asim_err_set(err, ASIM_EINVAL, "…")` is the idiom. */
ASIM_API int asim_err_set(struct asim_err *err, int code, const char *fmt, ...) ASIM_PRINTF(3, 4);
ASIM_API int asim_err_at(struct asim_err *err, int code, struct asim_where at, const char *fmt, ...)
    ASIM_PRINTF(4, 5);

/* "out of memory while <doing>" */
ASIM_API int asim_err_nomem(struct asim_err *err, const char *doing);

/* Writes "source:line:column: text" (the parts that exist) into buf; returns buf. */
ASIM_API const char *asim_err_show(const struct asim_err *err, char *buf, size_t size);

ASIM_C_END
#endif
