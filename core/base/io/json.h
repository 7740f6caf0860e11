/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The one reader of JSON for settings and tables: duplicate keys, trailing text and numbers that
 * are not finite are refused with line and column. (Traces are read by converter/json.)
 */
#ifndef ASIM_BASE_IO_JSON_H
#define ASIM_BASE_IO_JSON_H

#include <jansson.h>
#include "asim/err.h"

/* A file, or the text itself where it begins with {. Any value at the top. The caller frees *root
 * with json_decref. */
int asim_json_read(json_t **root, const char *path, struct asim_err *err);
/* A text that errors call `name`, `before` lines behind its start. used: NULL, or more may follow
 * the value, and *used is where it ends. */
int asim_json_text(json_t **root, const char *name, const char *text, size_t size, size_t *used,
                   unsigned before, struct asim_err *err);

#endif
