/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A text input read whole, and a cursor that walks it word by word and knows the line. Comments
 * run from a word that begins with '#' or "//" to the end of the line (so a//b is a word). Words
 * are cut in place and NUL-terminated, so they live as long as the src. NUL bytes in the file are
 * refused with the line they stand on.
 *
 * The text is held in one piece and words are cut in place, so a word is a plain string that lives
 * until the source is closed. Limit 1 GiB. Use for line- and word-oriented files; JSON and YAML
 * take the same text from memory and so share its limits and messages.
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
    unsigned word_line, word_column; /* of the last word taken; line 0 = nothing taken yet */
    size_t line_start;               /* offset of that line */
};

/* What parts words in a line. CR is one, which makes CRLF files read like others; not isspace,
 * which depends on the locale. */
static inline int asim_src_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}
/* Reads path ("-" is not special). Ceiling 1 GiB. Fails with a sentence that names the path. */
int asim_src_open(struct asim_src *src, const char *path, struct asim_err *err);
/* The same over bytes in memory, which are copied. */
int asim_src_open_bytes(struct asim_src *src, const char *name, const char *data, size_t size,
                        struct asim_err *err);
/* Next word of the file, or NULL at its end. */
char *asim_src_word(struct asim_src *src);
/* Next word of the line the last word (or the last asim_src_next_line) stands on, or NULL at the
 * end of that line. */
char *asim_src_word_in_line(struct asim_src *src);
/* Skips the rest of this line and any empty or comment lines; 0 at the end of the file, else 1.
 * The first call on a fresh src goes to the first line that has a word. */
int asim_src_next_line(struct asim_src *src);
/* The place of the last word taken. */
struct asim_where asim_src_where(const struct asim_src *src);
void asim_src_close(struct asim_src *src);

#endif
