/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A text file read whole, and a cursor that goes through it word by word and knows the line. A
 * comment runs from a word that begins with '#' or "//" to the end of the line (a//b is a word). A
 * NUL byte in the file is an error with its line.
 *
 * Words are cut in place: a word is a string that lives until the source is closed. Limit 1 GiB.
 * The readers of JSON and YAML take the text from memory and share limits and messages.
 */
#ifndef ASIM_BASE_IO_SRC_H
#define ASIM_BASE_IO_SRC_H

#include <stddef.h>
#include "asim/err.h"

struct asim_src {
    char *name; /* as the user wrote it */
    char *data; /* size bytes and a NUL */
    size_t size, at;
    unsigned line;                   /* of the next byte */
    unsigned word_line, word_column; /* of the last word; line 0 = no word yet */
    size_t line_start;               /* offset of that line */
};

/* Blanks between words. CR is one, so CRLF files work; isspace depends on the locale. */
static inline int asim_src_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}
/* Reads path ("-" is a file name). The error names the path. */
int asim_src_open(struct asim_src *src, const char *path, struct asim_err *err);
/* The same from memory; data is copied. */
int asim_src_open_bytes(struct asim_src *src, const char *name, const char *data, size_t size,
                        struct asim_err *err);
/* The next word of the file, or NULL at its end. */
char *asim_src_word(struct asim_src *src);
/* The next word on the line of the last word (or of the last asim_src_next_line), or NULL at the
 * end of that line. */
char *asim_src_word_in_line(struct asim_src *src);
/* Skips the rest of the line and empty or comment lines; 0 at the end of the file, else 1. The
 * first call goes to the first line with a word. */
int asim_src_next_line(struct asim_src *src);
/* The position of the last word. */
struct asim_where asim_src_where(const struct asim_src *src);
void asim_src_close(struct asim_src *src);

#endif
