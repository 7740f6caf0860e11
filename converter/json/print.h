/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Prints values as Python does, so that files can be compared byte for byte: json.dumps(indent=4)
 * for linked traces, and repr() for the strings in Chakra nodes (simulators parse process groups
 * out of that repr). Reals have the fewest digits that read back the same; integers stay as
 * written.
 */
#ifndef ASIM_CONVERTER_JSON_PRINT_H
#define ASIM_CONVERTER_JSON_PRINT_H

#include "json/value.h"

/* Prints the value with 4 blanks of indent per level, without indent on the first line; `level` is
 * the depth of that line. */
void asim_jprint_value(struct asim_jbuf *buf, const struct asim_jdoc *doc, const struct asim_jv *v,
                       unsigned level);
/* The name of a member, with its colon. */
void asim_jprint_key(struct asim_jbuf *buf, const struct asim_jdoc *doc, const struct asim_jv *v);
/* A JSON string of decoded bytes; everything except printable ASCII is escaped, also U+007F. */
void asim_jprint_string(struct asim_jbuf *buf, const char *text, size_t size);
/* The shortest form that reads back as value, with ".0" or an exponent, as in Python's repr. */
void asim_jprint_real(struct asim_jbuf *buf, double value);
void asim_jprint_int(struct asim_jbuf *buf, int64_t value);
/* Line feed and 4 * level blanks. */
void asim_jprint_line(struct asim_jbuf *buf, unsigned level);
/* Python's repr() of the value; scratch is working space. */
void asim_jprint_repr(struct asim_jbuf *buf, const struct asim_jdoc *doc, const struct asim_jv *v,
                      struct asim_jbuf *scratch);

/* Python's str.isprintable() of one character. */
int asim_jprint_is_printable(uint32_t c);

#endif
