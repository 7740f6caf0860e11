/* SPDX-License-Identifier: GPL-2.0-only
 *
 * JSON objects as settings, on jansson. A file is read whole, parsed strictly (duplicate keys,
 * trailing text and non-finite numbers are refused with line and column) and its top level must be
 * an object. jansson keeps no positions of values: asim_json_place looks for the key again.
 *
 * A reader calls asim_json_open, loops over the keys, each a row of an option table or handled by
 * hand, copies the values it keeps, and ends with json_decref.
 */
#ifndef ASIM_CONF_JSON_H
#define ASIM_CONF_JSON_H

#include <jansson.h>
#include "asim/err.h"
#include "asim/ext/option.h"

/* The caller frees *root with json_decref. */
int asim_json_open(json_t **root, const char *path, struct asim_err *err);
/* "a string", "an array", ... for messages. */
const char *asim_json_type_name(const json_t *value);
/* Fills the field of row from a scalar: numbers for numeric rows (true and false too for
 * ASIM_T_BOOL), strings for words. */
int asim_json_option(const struct asim_option *row, void *base, const json_t *value,
                     const char *path, struct asim_err *err);
/* A number or a truth value as text for the option parser. Returns buf; 64 bytes are enough. */
const char *asim_json_scalar_text(char *buf, size_t size, const json_t *value);
/* Adds the line of the key to an error, unless the error has one or path is no file. Returns err's
 * code. */
int asim_json_place(struct asim_err *err, const char *path, const char *key);
/* A whole number from an integer, a real without fraction, or a string of digits. */
int asim_json_u64(uint64_t *out, const json_t *value);

#endif
