/* SPDX-License-Identifier: GPL-2.0-only
 *
 * See interrupt.h. The handler lowers the process' limit of file sizes to 0: every write to a file
 * then fails with EFBIG, wherever the command stands, and the command takes the path of any failed
 * write, which removes its files. No loop needs to ask. Terminals and pipes have no size, so
 * messages still appear; the limit is raised again before them.
 */
#define _XOPEN_SOURCE 700
#include "tools/interrupt.h"

#include <signal.h>
#include <string.h>
#include <sys/resource.h>

static volatile sig_atomic_t interrupted;
static struct rlimit file_size; /* as the user has set it */

static void on_signal(int number)
{
    struct rlimit none = {0, file_size.rlim_max};

    interrupted = number;
    setrlimit(RLIMIT_FSIZE, &none);
}

/* A signal that the caller ignores (nohup) stays ignored. */
static void handle(int number, void (*handler)(int))
{
    struct sigaction now, action;

    if (sigaction(number, NULL, &now) || now.sa_handler == SIG_IGN)
        return;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = (int)SA_RESETHAND;
    sigaction(number, &action, NULL);
}

static void handle_all(void (*handler)(int))
{
    handle(SIGINT, handler);
    handle(SIGTERM, handler);
    handle(SIGHUP, handler);
}

void asim_interrupt_catch(void)
{
    interrupted = 0;
    signal(SIGXFSZ, SIG_IGN); /* a file beyond the limit is an error of writing */
    if (!getrlimit(RLIMIT_FSIZE, &file_size))
        handle_all(on_signal);
}

int asim_interrupted(void)
{
    return interrupted != 0;
}

int asim_interrupt_stop(void *self)
{
    (void)self;
    return asim_interrupted();
}

int asim_interrupt_end(int code, struct asim_err *err)
{
    handle_all(SIG_DFL);
    if (!interrupted)
        return code;
    setrlimit(RLIMIT_FSIZE, &file_size);
    if (!code)
        return 0;
    memset(err, 0, sizeof *err);
    return asim_err_set(err, ASIM_EINTR, "interrupted; what was begun is removed.");
}
