/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Sends the summary of a quiet command to /dev/null.
 */
#define _XOPEN_SOURCE 700
#include "cli/quiet.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* 1 if options name files or folders that are written, and none asks for standard output. */
static int writes_files(const struct asim_args *args)
{
    int writes = 0;

    for (size_t i = 0; i < args->n_seen; i++) {
        const struct asim_args_seen *seen = &args->seen[i];
        int is_file = (seen->row->flags & ASIM_F_WRITES) != 0;

        if (is_file ? !strcmp(seen->value, "-") : !strcmp(seen->row->key, "json"))
            return 0;
        writes |= is_file;
    }
    return writes;
}

int asim_quiet_begin(const struct asim_args *args)
{
    int sink = -1, kept;

    if (args->limits.quiet && writes_files(args))
        sink = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (sink < 0)
        return -1;
    fflush(stdout);
    kept = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    if (kept >= 0)
        dup2(sink, STDOUT_FILENO);
    close(sink);
    return kept;
}

void asim_quiet_end(int kept)
{
    if (kept < 0)
        return;
    fflush(stdout);
    dup2(kept, STDOUT_FILENO);
    close(kept);
}
