/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Runs points as processes of `asim run`, a folder each. Ctrl-C ends the runs under way; their
 * points are not done and run again when the sweep goes on.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "asim/ext/command.h"
#include "asim/machine.h"
#include "base/io/digest.h"
#include "base/io/out.h"
#include "cli/interrupt.h"
#include "cli/status.h"
#include "tools/report/report.h"
#include "tools/run/job.h"
#include "tools/sweep/sweep.h"

enum { MOST_WORDS = 64, MOST_KEYS = MOST_WORDS - 8 };

/* The command line of a point. */
struct line {
    char words[MOST_WORDS][ASIM_SWEEP_PATH + 80];
    int n;
};

static void add(struct line *line, const char *fmt, ...) ASIM_PRINTF(2, 3);
static void add(struct line *line, const char *fmt, ...)
{
    va_list args;

    if (line->n == MOST_WORDS)
        return;
    va_start(args, fmt);
    vsnprintf(line->words[line->n++], sizeof line->words[0], fmt, args);
    va_end(args);
}

static void add_run(struct line *line, const struct asim_sweep *sweep, size_t point)
{
    char prefix[ASIM_SWEEP_PATH];

    add(line, "--name=%zu", point + 1);
    add(line, "--output-dir=%s/runs", sweep->folder);
    add(line, "--force");
    if (sweep->is_check)
        add(line, "--unless=*");
    else if (*sweep->points[point].identity)
        add(line, "--unless=%s", sweep->points[point].identity);
    if (!sweep->of && !asim_sweep_has(sweep, "what-if")) /* its table has no causes */
        add(line, "--what-if=false");
    if (asim_sweep_generates(sweep)) {
        asim_sweep_prefix(sweep, point, prefix, sizeof prefix);
        add(line, "--workload=%s", prefix);
    }
}

/* Of the point's results. */
static void folder_of(const struct asim_sweep *sweep, size_t point, char folder[ASIM_SWEEP_PATH])
{
    snprintf(folder, ASIM_SWEEP_PATH, "%.1000s/runs/%zu", sweep->folder, point + 1);
}

/* In the child. */
static void become(const struct asim_sweep *sweep, size_t point, const char *log, pid_t parent)
{
    static struct line line;
    char *argv[MOST_WORDS + 1] = {NULL}, folder[ASIM_SWEEP_PATH], made[ASIM_SWEEP_PATH];
    int file = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0666);

    add(&line, "%s", sweep->self);
    add(&line, "%s", sweep->target->command);
    folder_of(sweep, point, folder);
    if (sweep->target->output)
        add(&line, sweep->target->output, folder);
    else
        add_run(&line, sweep, point);
    for (size_t k = 0; k < sweep->keys.n; k++) {
        const char *name = sweep->keys.at[k].name;
        int is_topo = !strcmp(name, "topo") || !strcmp(name, "topology"),
            is_scenario = !strcmp(name, "scenario") && asim_sweep_has_scenarios(sweep);

        if (asim_sweep_is_made(sweep, name))
            continue;
        if (is_topo)
            asim_sweep_topo(sweep, point, made, sizeof made);
        if (is_scenario)
            asim_sweep_scenario(sweep, point, made, sizeof made);
        add(&line, "--%s=%s", name, is_topo || is_scenario ? made : asim_sweep_at(sweep, point, k));
    }
    for (int i = 0; i < line.n; i++)
        argv[i] = line.words[i];
    dup2(file, 1);
    dup2(file, 2);
    setpgid(0, 0); /* the sweep passes Ctrl-C on */
    asim_child_follow(parent);
    execv(argv[0], argv);
    _exit(127);
}

/* What the other commands leave for their point. */
static const char *const results[] = {"inference.json", "table.csv"};
enum { RESULTS = sizeof results / sizeof *results };

static void name_result(const struct asim_sweep *sweep, size_t point, size_t i,
                        char path[ASIM_SWEEP_PATH])
{
    snprintf(path, ASIM_SWEEP_PATH, "%.1000s/runs/%zu/%s", sweep->folder, point + 1, results[i]);
}

/* `asim run` knows its identity itself; that of another command is the digest of its options, of
 * the files they name, and of what it has left. */
static int identify(const struct asim_sweep *sweep, size_t point, char text[ASIM_IDENTITY_BYTES],
                    struct asim_err *err)
{
    struct asim_digest sum = {.word = {0}};
    char digest[ASIM_DIGEST_TEXT], path[ASIM_SWEEP_PATH], variables[4096];
    int code = 0;

    asim_digest_add_text(&sum, asim_version());
    asim_digest_add_text(&sum, asim_commit());
    asim_digest_add_text(&sum, sweep->target->command);
    for (size_t k = 0; k < sweep->keys.n && !code; k++) {
        const char *name = sweep->keys.at[k].name, *value = asim_sweep_at(sweep, point, k);
        const struct asim_option *row = asim_option_find(asim_sweep_member(sweep)->options, name);

        asim_digest_add_text(&sum, name);
        asim_digest_add_text(&sum, value);
        if (row && row->flags & ASIM_F_READS)
            code = asim_sweep_add_files(&sum, value, err);
        if (row && row->flags & ASIM_F_ALONE && asim_nccl_env_text(variables, sizeof variables))
            asim_digest_add_text(&sum, variables);
    }
    for (size_t i = 0; i < RESULTS && !code; i++) {
        name_result(sweep, point, i, path);
        if (!access(path, F_OK))
            code = asim_digest_add_file(&sum, path, err);
    }
    snprintf(text, ASIM_IDENTITY_BYTES, "%s", asim_digest_show(&sum, digest));
    return code;
}

/* A command that knows no identity: 1 if the folder has the results of this point. Else it is
 * emptied of them. */
static int is_taken(struct asim_sweep *sweep, size_t point, struct asim_err *err)
{
    struct asim_sweep_point *p = &sweep->points[point];
    char identity[ASIM_IDENTITY_BYTES], path[ASIM_SWEEP_PATH];

    if (identify(sweep, point, identity, err))
        return 0;
    folder_of(sweep, point, path);
    if (!strcmp(identity, p->identity) && !sweep->target->read(p, path, &(struct asim_err){0})) {
        p->state = ASIM_POINT_FINISHED;
        sweep->taken++;
        return 1;
    }
    p->earlier = ASIM_POINT_WAITING;
    asim_out_mkdir(path, err);
    asim_digest_remove(path, NULL, NULL);
    for (size_t i = 0; i < RESULTS; i++) {
        name_result(sweep, point, i, path);
        unlink(path);
    }
    return 0;
}

static int start(struct asim_sweep *sweep, size_t point, struct asim_err *err)
{
    struct asim_sweep_point *p = &sweep->points[point];
    const pid_t self = getpid();
    char log[ASIM_SWEEP_PATH];

    if (!asim_sweep_runs_jobs(sweep) && is_taken(sweep, point, err))
        return 0;
    if (err->code)
        return err->code;
    snprintf(log, sizeof log, "%.1000s/runs/%zu.log", sweep->folder, point + 1);
    fflush(NULL);
    p->process = fork();
    if (!p->process)
        become(sweep, point, log, self);
    if (p->process < 0)
        return asim_err_set(err, ASIM_EIO, "cannot start a process: %s.", strerror(errno));
    p->state = ASIM_POINT_RUNNING;
    p->began_s = asim_status_wall_s();
    return 0;
}

/* By the exit code of the run. */
static void end(struct asim_sweep *sweep, size_t point, int status)
{
    struct asim_sweep_point *p = &sweep->points[point];
    struct asim_err err = {0};
    char folder[ASIM_SWEEP_PATH];
    int is_timed_out = sweep->limit_s > 0 && asim_status_wall_s() - p->began_s >= sweep->limit_s,
        code = WIFEXITED(status) ? WEXITSTATUS(status) : 128;

    p->process = 0;
    if (sweep->is_check) {
        p->state = code == 1 || code == 2 ? ASIM_POINT_FAILED : ASIM_POINT_FINISHED;
        return;
    }
    folder_of(sweep, point, folder);
    if (sweep->of && (!code || code == ASIM_JOB_SAME))
        asim_report_cause(folder, p->cause, sizeof p->cause);
    if (sweep->target->read(p, folder, &err) ||
        (!asim_sweep_runs_jobs(sweep) && identify(sweep, point, p->identity, &err))) {
        p->earlier = ASIM_POINT_WAITING;
        *p->identity = '\0';
        p->state = ASIM_POINT_FAILED;
    } else {
        p->state = !code ? ASIM_POINT_FINISHED : code == 1 ? ASIM_POINT_STALLED : ASIM_POINT_FAILED;
    }
    if (asim_sweep_runs_jobs(sweep) && code == ASIM_JOB_SAME) { /* but its files may be changed */
        p->state = p->earlier;
        sweep->taken += p->state != ASIM_POINT_WAITING;
        return;
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
            (asim_interrupted() ||
             (sweep->limit_s > 0 && asim_status_wall_s() - p->began_s > sweep->limit_s)))
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

/* On a terminal a line that changes; else a line a second, and at the end. */
static void show_progress(const struct asim_sweep *sweep, struct asim_status *status)
{
    size_t running = count(sweep, ASIM_POINT_RUNNING), waiting = count(sweep, ASIM_POINT_WAITING),
           done = sweep->n - running - waiting - count(sweep, ASIM_POINT_INTERRUPTED);
    char text[200];

    if (sweep->is_check)
        snprintf(text, sizeof text, "%zu of %zu points checked", done, sweep->n);
    else
        snprintf(text, sizeof text, "%zu of %zu points done, %zu running, %zu failed or timed out",
                 done, sweep->n, running,
                 count(sweep, ASIM_POINT_FAILED) + count(sweep, ASIM_POINT_TIMED_OUT));
    if (status->fd >= 0) {
        asim_status_show(status, text);
    } else if (asim_status_wall_s() - status->shown_s >= 1 ||
               (!(running + waiting) && !sweep->is_check)) {
        fprintf(stderr, "%s\n", text);
        status->shown_s = asim_status_wall_s();
    }
}

/* All workloads come before the first run, so that what cannot be generated ends the sweep then. */
static int generate(const struct asim_sweep *sweep, struct asim_err *err)
{
    char prefix[ASIM_SWEEP_PATH], before[ASIM_SWEEP_PATH] = "";

    for (size_t i = 0; asim_sweep_generates(sweep) && i < sweep->n && !asim_interrupted(); i++) {
        asim_sweep_prefix(sweep, i, prefix, sizeof prefix);
        if (strcmp(prefix, before) && asim_sweep_generate(sweep, i, err))
            return err->code;
        memcpy(before, prefix, sizeof before);
    }
    return 0;
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
    struct asim_status status;
    int code = 0;

    asim_status_open(&status);
    snprintf(folder, sizeof folder, "%.1000s/runs", sweep->folder);
    if (asim_out_mkdir(folder, err))
        return ASIM_EIO;
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
        if (asim_status_is_due(&status))
            show_progress(sweep, &status);
        if (!reap(sweep))
            continue;
        show_progress(sweep, &status);
        if (!sweep->is_check && asim_sweep_write_csv(sweep, err) && !code)
            code = ASIM_EIO;
    }
    asim_status_clear(&status);
    return code ? code : asim_interrupted() ? ASIM_EINTR : 0;
}

/* The values of a point that vary, "cc=hpcc, size=1MiB". */
static void name_point(const struct asim_sweep *sweep, size_t point, char *text, size_t size)
{
    size_t used = 0;

    *text = '\0';
    for (size_t k = 0; k < sweep->keys.n && used < size; k++)
        if (asim_sweep_varies(&sweep->keys.at[k]))
            used += (size_t)snprintf(text + used, size - used, "%s%s=%s", used ? ", " : "",
                                     sweep->keys.at[k].name, asim_sweep_at(sweep, point, k));
}

static int refuse(const struct asim_sweep *sweep, struct asim_err *err)
{
    size_t refused = count(sweep, ASIM_POINT_FAILED), first = 0;
    char name[300], reason[400], others[60] = "";

    while (first < sweep->n && sweep->points[first].state != ASIM_POINT_FAILED)
        first++;
    if (first == sweep->n)
        return 0;
    name_point(sweep, first, name, sizeof name);
    asim_sweep_reason(sweep, first, reason, sizeof reason);
    if (refused > 1)
        snprintf(others, sizeof others, " (%zu of %zu points are refused)", refused, sweep->n);
    return asim_err_set(err, ASIM_EINVAL, "no run was started: %s: %s%s", name,
                        *reason ? reason : "it cannot run.", others);
}

/* All runs are made ready once before the first one is simulated, so that what cannot run ends the
 * sweep then; but those that have run before. */
static int try_points(struct asim_sweep *sweep, struct asim_err *err)
{
    int code;

    if (!asim_sweep_runs_jobs(sweep))
        return 0;
    sweep->is_check = 1;
    for (size_t i = 0; i < sweep->n; i++)
        if (*sweep->points[i].identity)
            sweep->points[i].state = ASIM_POINT_FINISHED;
    code = asim_sweep_run(sweep, err);
    if (!code)
        code = refuse(sweep, err);
    for (size_t i = 0; i < sweep->n; i++)
        sweep->points[i].state = ASIM_POINT_WAITING;
    sweep->is_check = 0;
    return code;
}

int asim_sweep_prepare(struct asim_sweep *sweep, struct asim_err *err)
{
    if (sweep->keys.n > MOST_KEYS)
        return asim_err_set(err, ASIM_EINVAL, "more than %d keys.", MOST_KEYS);
    asim_interrupt_note();
    if (!asim_sweep_write_scenarios(sweep, err) && !generate(sweep, err) && !try_points(sweep, err))
        return 0;
    if (asim_interrupted()) /* the sweep tells that */
        *err = (struct asim_err){0};
    return err->code;
}
