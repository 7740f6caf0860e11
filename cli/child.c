/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Processes that a command starts and waits for. The child's stdout goes straight to the log; its
 * stderr comes through a pipe, so that it reaches both the log and the user; its status line goes
 * to the terminal only.
 */
#include "cli/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "cli/interrupt.h"
#include "cli/status.h"

int asim_child_self(char path[ASIM_CHILD_PATH], struct asim_err *err)
{
    ssize_t n = readlink("/proc/self/exe", path, ASIM_CHILD_PATH - 1);

    if (n <= 0)
        return asim_err_set(err, ASIM_EIO, "cannot find this program in /proc/self/exe: %s.",
                            strerror(errno));
    path[n] = '\0';
    return 0;
}

int asim_child_tool(char path[ASIM_CHILD_PATH], struct asim_err *err)
{
    const char *given = getenv("ASIM_TOOL"), *name;
    int code = asim_child_self(path, err);

    if (code)
        return code;
    name = strrchr(path, '/');
    if (name && strcmp(name, "/asim") != 0)
        snprintf(path, ASIM_CHILD_PATH, "%.2000s", given && *given ? given : "asim");
    return 0;
}

void asim_child_follow(pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) /* it ended before that call */
        _exit(ASIM_CHILD_ORPHAN);
}

/* In the child, where signals are held. */
static void become(const char *const *words, size_t n, int log, int out, const sigset_t *signals)
{
    char **argv = calloc(n + 1, sizeof *argv), text[16];
    int terminal;

    for (size_t i = 0; argv && i < n; i++)
        argv[i] = (char *)(uintptr_t)words[i];
    if (isatty(2) && (terminal = dup(2)) >= 0) {
        snprintf(text, sizeof text, "%d", terminal);
        setenv(ASIM_STATUS_VARIABLE, text, 1);
    }
    dup2(log, 1);
    dup2(out, 2);
    asim_interrupt_default();
    sigprocmask(SIG_SETMASK, signals, NULL);
    if (argv)
        execvp(argv[0], argv);
    fprintf(stderr, "cannot start %s: %s\n", words[0], strerror(errno));
    _exit(127);
}

/* Until the child closes its end. A full log loses lines, not the run. */
static void copy_errors(int from, int log)
{
    char text[4096];
    ssize_t n;

    while ((n = read(from, text, sizeof text)) > 0 || (n < 0 && errno == EINTR))
        if (n > 0) {
            ssize_t kept = write(log, text, (size_t)n), shown = write(2, text, (size_t)n);

            (void)kept;
            (void)shown;
        }
}

int asim_child_run(const char *const *words, size_t n, const char *log, int *code,
                   struct asim_err *err)
{
    pid_t child;
    const pid_t self = getpid();
    sigset_t held, before;
    int out[2], status = 0, file = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);

    if (file < 0)
        return asim_err_set(err, ASIM_EIO, "cannot write %s: %s.", log, strerror(errno));
    if (pipe(out)) {
        close(file);
        return asim_err_set(err, ASIM_EIO, "cannot make a pipe: %s.", strerror(errno));
    }
    asim_interrupt_note();
    fflush(NULL);
    /* Until exec the child has the handlers of this process, which would take a signal and forget
     * it. */
    sigfillset(&held);
    sigprocmask(SIG_BLOCK, &held, &before);
    child = asim_interrupted() ? -1 : fork();
    if (!child) {
        close(out[0]);
        asim_child_follow(self);
        become(words, n, file, out[1], &before);
    }
    asim_interrupt_pass_to(child > 0 ? child : 0);
    sigprocmask(SIG_SETMASK, &before, NULL);
    close(out[1]);
    if (child > 0 && asim_interrupted())
        kill(child, SIGINT); /* one that came before there was a child to pass it to */
    if (child < 0) {
        close(out[0]);
        close(file);
        *code = 130;
        if (asim_interrupted())
            return asim_err_set(err, ASIM_EINTR, "interrupted.");
        return asim_err_set(err, ASIM_EIO, "cannot start a process: %s.", strerror(errno));
    }
    copy_errors(out[0], file);
    close(out[0]);
    close(file);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    asim_interrupt_pass_to(0);
    *code = WIFEXITED(status)    ? WEXITSTATUS(status)
            : asim_interrupted() ? 130 /* before it had handlers */
                                 : 128 + WTERMSIG(status);
    return *code && asim_interrupted() ? asim_err_set(err, ASIM_EINTR, "interrupted.") : 0;
}
