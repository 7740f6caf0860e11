/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Machine files as trees of JSON, which keep the sources of their numbers.
 */
#ifndef ASIM_TOOLS_MACHINE_WRITE_H
#define ASIM_TOOLS_MACHINE_WRITE_H

#include <jansson.h>
#include "asim/err.h"

/* The file, or the machine of that name which the program carries. NULL with err set. The caller
 * ends it with json_decref. */
json_t *asim_machine_read_json(const char *name, struct asim_err *err);
/* The file appears whole or not at all. 0, ASIM_EIO or ASIM_ENOMEM. */
int asim_machine_write_json(const json_t *root, const char *path, struct asim_err *err);

#endif
