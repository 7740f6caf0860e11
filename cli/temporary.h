/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Folders for the time of a command.
 */
#ifndef ASIM_CLI_TEMPORARY_H
#define ASIM_CLI_TEMPORARY_H

#include <stddef.h>
#include "asim/err.h"

enum { ASIM_TEMPORARY_PATH = 2048 };

/* Makes and locks a new folder <parent>/.asim-XXXXXX, after it has removed those that killed
 * processes have left there. Returns the descriptor with the lock, which may stay open to the end
 * of the process, or -1 with errno. */
int asim_temporary_in(const char *parent, char *path, size_t size);
/* Makes a new folder in $TMPDIR (else /tmp), with an absolute or relative path as there; path is ""
 * on failure. ASIM_EIO with the reason, also for a TMPDIR too long for names of files in it. */
int asim_temporary_folder(char path[ASIM_TEMPORARY_PATH], struct asim_err *err);

#endif
