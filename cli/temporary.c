/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Makes folders for the time of a command; whoever asks removes them.
 */
#define _XOPEN_SOURCE 700
#include "cli/temporary.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int asim_temporary_folder(char path[ASIM_TEMPORARY_PATH], struct asim_err *err)
{
    const size_t most = ASIM_TEMPORARY_PATH - 256; /* leaves room for files in it */
    const char *root = getenv("TMPDIR");

    root = root && *root ? root : "/tmp";
    *path = '\0';
    if (strlen(root) > most)
        return asim_err_set(err, ASIM_EIO,
                            "TMPDIR has %zu bytes, and a folder for traces at most %zu; name a "
                            "shorter one.",
                            strlen(root), most);
    snprintf(path, ASIM_TEMPORARY_PATH, "%s/asim-XXXXXX", root);
    if (mkdtemp(path))
        return 0;
    *path = '\0';
    return asim_err_set(err, ASIM_EIO,
                        "cannot make a folder for traces in %s: %s. TMPDIR names another place.",
                        root, strerror(errno));
}
