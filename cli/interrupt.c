/* SPDX-License-Identifier: GPL-2.0-only
 *
 * One handler for all commands. A command that has not come to a safe point a second after the
 * first signal is in a loop that asks nobody, and ends there; a second signal ends it at once.
 * Where writes shall fail, it lowers the process' limit of file sizes to 0: every write to a file
 * then fails with EFBIG, wherever the command stands, and the command takes the path of any failed
 * write, which removes its files. No loop needs to ask. Terminals and pipes have no size, so
 * messages still appear; the limit is raised again before them.
 */
#define _XOPEN_SOURCE 700
#include "cli/interrupt.h"

#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted, writes_fail;
static volatile pid_t passed_to;
static struct rlimit file_size; /* as the user has set it; while writes_fail */
static struct timespec first;   /* when the first signal came */

static void leave(void)
{
    static const char text[] = "\nasim: interrupted.\n";
    ssize_t written;

    if (writes_fail)
        setrlimit(RLIMIT_FSIZE, &file_size); /* stderr may be a file */
    written = write(2, text, sizeof text - 1);
    (void)written;
    _exit(130);
}

static void on_late(int number)
{
    (void)number;
    leave();
}

/* timeout(1) and shells send one signal twice, to the process and to its group. */
static int is_second(void)
{
    struct timespec now;
    const double twice_s = 0.2;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return interrupted &&
           (double)(now.tv_sec - first.tv_sec) + 1e-9 * (double)(now.tv_nsec - first.tv_nsec) >
               twice_s;
}

/* A terminal sends Ctrl-C to the child as well, which takes a second one as "at once": so only
 * signals of processes, whose si_code is not above 0, are passed on. */
static void on_signal(int number, siginfo_t *info, void *context)
{
    struct rlimit none = {0, file_size.rlim_max};
    int is_last = is_second();

    (void)context;
    if (!interrupted) {
        clock_gettime(CLOCK_MONOTONIC, &first);
        signal(SIGALRM, on_late);
        if (passed_to <= 0)
            alarm(1);
    }
    interrupted = 1;
    if (writes_fail)
        setrlimit(RLIMIT_FSIZE, &none);
    if (passed_to > 0 && info->si_code <= 0)
        kill(passed_to, number);
    if (is_last)
        leave();
}

static int is_ignored(int number)
{
    struct sigaction now;

    return sigaction(number, NULL, &now) || now.sa_handler == SIG_IGN;
}

static void handle(int number, int is_caught)
{
    struct sigaction action;

    memset(&action, 0, sizeof action);
    action.sa_handler = SIG_DFL;
    if (is_caught) {
        action.sa_sigaction = on_signal;
        action.sa_flags = SA_SIGINFO;
    }
    sigaction(number, &action, NULL);
}

static void handle_all(int is_caught)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!is_ignored(numbers[i]))
            handle(numbers[i], is_caught);
}

void asim_interrupt_catch(void)
{
    interrupted = 0;
    signal(SIGXFSZ, SIG_IGN); /* a file beyond the limit is an error of writing */
    writes_fail = !getrlimit(RLIMIT_FSIZE, &file_size);
    if (writes_fail)
        handle_all(1);
}

int asim_interrupt_end(int code, struct asim_err *err)
{
    alarm(0);
    asim_interrupt_default();
    if (!interrupted || !writes_fail)
        return code;
    setrlimit(RLIMIT_FSIZE, &file_size);
    if (!code)
        return 0;
    memset(err, 0, sizeof *err);
    return asim_err_set(err, ASIM_EINTR, "interrupted; what was begun is removed.");
}

void asim_interrupt_note_too(int number)
{
    handle(number, 1);
}

void asim_interrupt_note(void)
{
    if (!interrupted)
        writes_fail = 0;
    signal(SIGXFSZ, SIG_IGN); /* a file beyond the limit is an error of writing */
    if (!is_ignored(SIGHUP))  /* as under nohup */
        asim_interrupt_note_too(SIGHUP);
    asim_interrupt_note_too(SIGINT); /* of a run in the background, too */
    asim_interrupt_note_too(SIGTERM);
}

void asim_interrupt_pass_to(pid_t child)
{
    passed_to = child;
}

void asim_interrupt_default(void)
{
    handle_all(0);
}

int asim_interrupted(void)
{
    if (interrupted)
        alarm(0); /* the command ends by itself from here on */
    return interrupted != 0;
}

int asim_interrupt_stop(void *self)
{
    (void)self;
    return asim_interrupted();
}
