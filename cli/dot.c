/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Runs graphviz. Started without a shell, so that no file name can mean anything else. graphviz
 * writes a file of its own beside the picture, which is renamed when it is whole.
 */
#include "cli/dot.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/io/out.h"

extern char **environ;

static int run_dot(const char *text, const char *picture, const char *type, struct asim_err *err)
{
    char flag[16], dash_o[] = "-o", name[] = "dot";
    char *argv[] = {name, flag, dash_o, (char *)picture, (char *)text, NULL};
    pid_t pid;
    int status = 0, rc;
    snprintf(flag, sizeof flag, "-T%s", type);
    rc = posix_spawnp(&pid, "dot", NULL, NULL, argv, environ);
    while (!rc && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (rc == ENOENT || (!rc && WIFEXITED(status) && WEXITSTATUS(status) == 127))
        return asim_err_set(err, ASIM_EIO,
                            "graphviz's program 'dot' is not installed (Debian package graphviz), "
                            "so no picture was made; the graph is in %s.",
                            text);
    if (rc || !WIFEXITED(status) || WEXITSTATUS(status))
        return asim_err_set(err, ASIM_EIO, "graphviz's 'dot' failed on %s: %s.", text,
                            rc ? strerror(rc) : "see its message above");
    return 0;
}

/* A picture that is no regular file (/dev/null) is written in place. */
int asim_dot_render(const char *text, const char *picture, const char *type, struct asim_err *err)
{
    struct stat st;
    char *partial;
    int code;

    if (!stat(picture, &st) && !S_ISREG(st.st_mode))
        return run_dot(text, picture, type, err);
    partial = asim_out_reserve(picture, ".partial");
    code = partial ? run_dot(text, partial, type, err)
                   : asim_err_set(err, ASIM_EIO, "cannot write %s: %s.", picture, strerror(errno));
    if (!code && rename(partial, picture))
        code = asim_err_set(err, ASIM_EIO, "cannot write %s: %s.", picture, strerror(errno));
    if (code && partial)
        unlink(partial);
    free(partial);
    return code;
}
