/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Texts of inputs (names of ops, layers, files) written into output files: as a JSON string, a cell
 * of a CSV, text of XML or HTML. No name can end its field, its row or its element, or change how
 * the text around it shows. A byte that is not UTF-8 becomes U+FFFD.
 */
#ifndef ASIM_BASE_IO_QUOTE_H
#define ASIM_BASE_IO_QUOTE_H

#include "base/io/out.h"

/* With its quotes. Characters that do not show are escaped. */
void asim_quote_json(struct asim_out *out, const char *text);
/* A cell in quotes (RFC 4180). Controls become blanks, so that a row is one line; other characters
 * that do not show become U+FFFD. A text that begins with = + - or @ and is no number gets ' before
 * it, for spreadsheets run such a cell. */
void asim_quote_csv(struct asim_out *out, const char *text);
/* The same, with quotes only where the text has a comma, a quote, or a blank at its start or end.
 */
void asim_quote_csv_if_needed(struct asim_out *out, const char *text);
/* Text between tags. Characters that do not show become U+FFFD, except blanks and line ends. */
void asim_quote_xml(struct asim_out *out, const char *text);

#endif
