/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A YAML file that is one document.
 */
#ifndef ASIM_BASE_IO_YAML_H
#define ASIM_BASE_IO_YAML_H

#include <yaml.h>
#include "asim/err.h"
#include "base/io/src.h"

/* Reads it; on success, 0, the caller's to yaml_document_delete. Refuses what stands behind the
 * document, which readers of YAML pass over: keys less indented than those before, say. */
int asim_yaml_read(yaml_document_t *document, const char *path, struct asim_err *err);
/* The same of a text that was read. */
int asim_yaml_read_src(yaml_document_t *document, const struct asim_src *src, struct asim_err *err);

/* The value of a key; NULL where `map` is no mapping or lacks it. */
const yaml_node_t *asim_yaml_get(yaml_document_t *document, const yaml_node_t *map,
                                 const char *key);
/* Element i of a list, or NULL. */
const yaml_node_t *asim_yaml_item(yaml_document_t *document, const yaml_node_t *list, size_t i);
/* The text of a scalar; "" for anything else. */
const char *asim_yaml_text(const yaml_node_t *node);
static inline unsigned asim_yaml_line(const yaml_node_t *node)
{
    return node ? (unsigned)node->start_mark.line + 1 : 1;
}

#endif
