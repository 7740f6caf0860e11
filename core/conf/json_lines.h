/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The lines of the values of a JSON text. jansson keeps no positions, so this goes once more
 * through a text that jansson has accepted, beside the tree that jansson made of it.
 */
#ifndef ASIM_CONF_JSON_LINES_H
#define ASIM_CONF_JSON_LINES_H

#include <jansson.h>
#include "asim/err.h"
#include "base/map.h"

struct asim_json_lines {
    struct asim_map map; /* (object or array, index of its element) -> line */
};

/* path: what asim_json_open has read root from. A file that has changed since gives wrong lines and
 * no failure. 0, ASIM_EIO or ASIM_ENOMEM; asim_json_lines_close in any case. */
int asim_json_lines_open(struct asim_json_lines *lines, json_t *root, const char *path,
                         struct asim_err *err);
/* The line of the index-th key of an object, in the order of json_object_foreach, or of the
 * index-th element of an array; 0 where it is not known. */
unsigned asim_json_line(const struct asim_json_lines *lines, const json_t *of, size_t index);
/* The line of the key of an object; 0 where it has no such key. */
unsigned asim_json_line_of(const struct asim_json_lines *lines, json_t *object, const char *key);
void asim_json_lines_close(struct asim_json_lines *lines);

#endif
