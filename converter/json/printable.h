/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The characters that Python's repr() keeps.
 */
#ifndef ASIM_CONVERTER_JSON_PRINTABLE_H
#define ASIM_CONVERTER_JSON_PRINTABLE_H

#include "json/print.h"

/* Python's str.isprintable() of one character. */
int asim_jprint_is_printable(uint32_t c);

#endif
