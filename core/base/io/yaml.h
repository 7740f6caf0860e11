/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A YAML file that is one document.
 */
#ifndef ASIM_BASE_IO_YAML_H
#define ASIM_BASE_IO_YAML_H

#include <yaml.h>
#include "asim/err.h"

/* Reads it; on success, 0, the caller's to yaml_document_delete. Refuses what stands behind the
 * document, which readers of YAML pass over: keys less indented than those before, say. */
int asim_yaml_read(yaml_document_t *document, const char *path, struct asim_err *err);

#endif
