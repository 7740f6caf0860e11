/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Writes a machine file.
 */
#ifndef ASIM_TOOLS_MACHINE_WRITE_H
#define ASIM_TOOLS_MACHINE_WRITE_H

#include <jansson.h>
#include "asim/err.h"

/* The file appears whole or not at all. 0, ASIM_EIO or ASIM_ENOMEM. */
int asim_machine_write_json(const json_t *root, const char *path, struct asim_err *err);

#endif
