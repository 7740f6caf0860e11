/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Writing values the way the Python tools do, so that files can be compared byte for byte:
 * json.dumps(indent=4) for linked traces, and repr() for the strings inside Chakra nodes (the
 * simulators parse process groups out of that repr). Reals print with the fewest digits that
 * read back the same, integers as they were written.
 */
#ifndef ASIM_CONVERTER_JSON_PRINT_H
#define ASIM_CONVERTER_JSON_PRINT_H

#include "json/value.h"

/* The value indented by 4 blanks per level, its first line not indented; `level` is the depth of
 * the line it starts on. */
void asim_jprint_value(struct asim_jbuf *buf, const struct asim_jdoc *doc, const struct asim_jv *v,
                       unsigned level);
/* The name of a member, with its colon. */
void asim_jprint_key(struct asim_jbuf *buf, const struct asim_jdoc *doc, const struct asim_jv *v);
/* A JSON string of decoded bytes, everything but printable ASCII escaped, U+007F too. */
void asim_jprint_string(struct asim_jbuf *buf, const char *text, size_t size);
/* The shortest form that reads back as value, with ".0" or an exponent, as Python's repr. */
void asim_jprint_real(struct asim_jbuf *buf, double value);
void asim_jprint_int(struct asim_jbuf *buf, int64_t value);
/* Line feed and 4 * level blanks. */
void asim_jprint_line(struct asim_jbuf *buf, unsigned level);
/* Python's str.isprintable() of one character. */
int asim_jprint_is_printable(uint32_t c);
/* Python's repr() of the value. scratch is used for decoding. */
void asim_jprint_repr(struct asim_jbuf *buf, const struct asim_jdoc *doc, const struct asim_jv *v,
                      struct asim_jbuf *scratch);

#endif
