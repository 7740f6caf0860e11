/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Runs points as processes of `asim run`, a folder each. Ctrl-C ends the runs under way; their
 * points are not done and run again when the sweep goes on.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/io/out.h"
#include "cli/interrupt.h"
#include "tools/report/report.h"
#include "tools/run/job.h"
#include "tools/sweep/sweep.h"

enum { MOST_WORDS = 64, MOST_KEYS = MOST_WORDS - 8 };

static double wall_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* In the child. */
static void become(const struct asim_sweep *sweep, size_t point, const char *log, pid_t parent)
{
    static char texts[MOST_WORDS][ASIM_SWEEP_PATH + 80];
    char *argv[MOST_WORDS + 1] = {texts[0], texts[1]}, prefix[ASIM_SWEEP_PATH],
                            topo[ASIM_SWEEP_PATH];
    int n = 2, file = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0666);

    snprintf(texts[0], sizeof texts[0], "%s", sweep->self);
    snprintf(texts[1], sizeof texts[1], "run");
    argv[n] = texts[n];
    snprintf(texts[n++], sizeof texts[0], "--name=%zu", point + 1);
    argv[n] = texts[n];
    snprintf(texts[n++], sizeof texts[0], "--output-dir=%s/runs", sweep->folder);
    argv[n] = texts[n];
    snprintf(texts[n++], sizeof texts[0], "--force");
    if (*sweep->points[point].identity) {
        argv[n] = texts[n];
        snprintf(texts[n++], sizeof texts[0], "--unless=%s", sweep->points[point].identity);
    }
    if (!sweep->of && !asim_sweep_has(sweep, "what-if")) { /* its table has no causes */
        argv[n] = texts[n];
        snprintf(texts[n++], sizeof texts[0], "--what-if=false");
    }
    if (asim_sweep_generates(sweep)) {
        asim_sweep_prefix(sweep, point, prefix, sizeof prefix);
        argv[n] = texts[n];
        snprintf(texts[n++], sizeof texts[0], "--workload=%s", prefix);
    }
    for (size_t k = 0; k < sweep->keys.n && n < MOST_WORDS; k++) {
        const char *name = sweep->keys.at[k].name;

        int is_topo = !strcmp(name, "topo") || !strcmp(name, "topology");

        if (asim_sweep_is_made(name))
            continue;
        if (is_topo)
            asim_sweep_topo(sweep, point, topo, sizeof topo);
        argv[n] = texts[n];
        snprintf(texts[n++], sizeof texts[0], "--%s=%s", name,
                 is_topo ? topo : asim_sweep_at(sweep, point, k));
    }
    argv[n] = NULL;
    dup2(file, 1);
    dup2(file, 2);
    setpgid(0, 0); /* the sweep passes Ctrl-C on */
    asim_child_follow(parent);
    execv(argv[0], argv);
    _exit(127);
}

static int start(struct asim_sweep *sweep, size_t point, struct asim_err *err)
{
    struct asim_sweep_point *p = &sweep->points[point];
    const pid_t self = getpid();
    char log[ASIM_SWEEP_PATH];

    if (asim_sweep_generates(sweep) && asim_sweep_generate(sweep, point, err))
        return ASIM_EINVAL;
    snprintf(log, sizeof log, "%.1000s/runs/%zu.log", sweep->folder, point + 1);
    fflush(NULL);
    p->process = fork();
    if (!p->process)
        become(sweep, point, log, self);
    if (p->process < 0)
        return asim_err_set(err, ASIM_EIO, "cannot start a process: %s.", strerror(errno));
    p->state = ASIM_POINT_RUNNING;
    p->began_s = wall_s();
    return 0;
}

/* What the run left. Where it was stopped before it began, this is what the earlier one left, which
 * the next sweep compares. */
static void take_result(struct asim_sweep_point *p, const struct asim_job_result *result)
{
    if (strcmp(p->identity, result->identity) != 0 || strcmp(result->state, "finished") != 0)
        p->earlier = ASIM_POINT_WAITING;
    memcpy(p->identity, result->identity, sizeof p->identity);
    p->ranks = result->ranks;
    p->finish_ns = result->finish_ns;
    p->comm_ns = result->comm_ns;
}

/* By the exit code of the run. */
static void end(struct asim_sweep *sweep, size_t point, int status)
{
    struct asim_sweep_point *p = &sweep->points[point];
    struct asim_job_result result = {.backend = ""};
    struct asim_err err = {0};
    int is_timed_out = sweep->limit_s > 0 && wall_s() - p->began_s >= sweep->limit_s,
        code = WIFEXITED(status) ? WEXITSTATUS(status) : 128;

    p->process = 0;
    snprintf(result.folder, sizeof result.folder, "%.1000s/runs/%zu", sweep->folder, point + 1);
    if (sweep->of && (!code || code == ASIM_JOB_SAME))
        asim_report_cause(result.folder, p->cause, sizeof p->cause);
    if (code == ASIM_JOB_SAME) {
        p->state = p->earlier;
        sweep->taken++;
        return;
    }
    if (asim_job_result(&result, &err)) {
        *p->identity = '\0';
        p->state = ASIM_POINT_FAILED;
    } else {
        take_result(p, &result);
        p->state = !code ? ASIM_POINT_FINISHED : code == 1 ? ASIM_POINT_STALLED : ASIM_POINT_FAILED;
    }
    if (asim_interrupted() && code)
        p->state = ASIM_POINT_INTERRUPTED;
    else if (is_timed_out && code)
        p->state = ASIM_POINT_TIMED_OUT;
}

/* Whatever has ended since the last call. */
static size_t reap(struct asim_sweep *sweep)
{
    size_t n = 0;
    int status;

    for (pid_t process; (process = waitpid(-1, &status, WNOHANG)) > 0;)
        for (size_t i = 0; i < sweep->n; i++)
            if (sweep->points[i].process == process) {
                end(sweep, i, status);
                n++;
            }
    return n;
}

/* Ends runs beyond the limit, or all after Ctrl-C. */
static void stop_runs(const struct asim_sweep *sweep)
{
    for (size_t i = 0; i < sweep->n; i++) {
        const struct asim_sweep_point *p = &sweep->points[i];

        if (p->state == ASIM_POINT_RUNNING &&
            (asim_interrupted() || (sweep->limit_s > 0 && wall_s() - p->began_s > sweep->limit_s)))
            kill(-p->process, SIGTERM);
    }
}

static size_t count(const struct asim_sweep *sweep, enum asim_sweep_state state)
{
    size_t n = 0;

    for (size_t i = 0; i < sweep->n; i++)
        n += sweep->points[i].state == state;
    return n;
}

/* Once a second, and at the end. */
static void show_progress(const struct asim_sweep *sweep, double *shown_s)
{
    if (wall_s() - *shown_s < 1 &&
        count(sweep, ASIM_POINT_WAITING) + count(sweep, ASIM_POINT_RUNNING))
        return;
    *shown_s = wall_s();
    fprintf(stderr, "%zu of %zu points done, %zu running, %zu failed or timed out\n",
            sweep->n - count(sweep, ASIM_POINT_WAITING) - count(sweep, ASIM_POINT_RUNNING),
            sweep->n, count(sweep, ASIM_POINT_RUNNING),
            count(sweep, ASIM_POINT_FAILED) + count(sweep, ASIM_POINT_TIMED_OUT));
}

static int start_next(struct asim_sweep *sweep, struct asim_err *err)
{
    for (size_t i = 0; i < sweep->n; i++)
        if (sweep->points[i].state == ASIM_POINT_WAITING)
            return start(sweep, i, err);
    return 0;
}

int asim_sweep_run(struct asim_sweep *sweep, struct asim_err *err)
{
    const struct timespec pause = {.tv_nsec = 10000000};
    char folder[ASIM_SWEEP_PATH];
    double shown_s = 0;
    int code = 0;

    snprintf(folder, sizeof folder, "%.1000s/runs", sweep->folder);
    if (sweep->keys.n > MOST_KEYS)
        return asim_err_set(err, ASIM_EINVAL, "more than %d keys.", MOST_KEYS);
    if (asim_out_mkdir(folder, err))
        return ASIM_EIO;
    asim_interrupt_note();
    for (;;) {
        size_t running = count(sweep, ASIM_POINT_RUNNING);

        if (code || asim_interrupted() || !count(sweep, ASIM_POINT_WAITING)) {
            if (!running)
                break;
        } else if (running < sweep->jobs) {
            code = start_next(sweep, err);
            continue;
        }
        nanosleep(&pause, NULL);
        stop_runs(sweep);
        if (!reap(sweep))
            continue;
        show_progress(sweep, &shown_s);
        if (asim_sweep_write_csv(sweep, err) && !code)
            code = ASIM_EIO;
    }
    return code ? code : asim_interrupted() ? ASIM_EINTR : 0;
}
