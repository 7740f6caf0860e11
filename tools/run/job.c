/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Orders the steps of a run. The folder appears first, so that every output has a place; what
 * limits the run and the rows of metrics.csv come last, also for a run that was interrupted.
 */
#include "tools/run/job.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

#include "base/io/digest.h"
#include "base/io/out.h"
#include "tools/report/report.h"
#include "tools/report/threshold.h"

/* What an earlier run of that name has told, also where this one ends before it writes anything.
 * Inputs of this run may be among the rest. */
static void remove_old(const struct asim_job *job)
{
    static const char *const folders[] = {".", "packet", "unaware", "aware", "flow", "calibrated"};
    static const char *const names[] = {"identity.json", "summary.json", "metrics.csv",
                                        "report.html", "log.txt"};
    char path[ASIM_JOB_PATH + 64];

    for (size_t f = 0; f < sizeof folders / sizeof *folders; f++) {
        snprintf(path, sizeof path, "%s/%s", job->folder, folders[f]);
        asim_digest_remove(path, NULL, NULL);
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            snprintf(path, sizeof path, "%s/%s/%s", job->folder, folders[f], names[i]);
            unlink(path);
        }
        snprintf(path, sizeof path, "%s/%s", job->folder, folders[f]);
        if (f)
            rmdir(path);
    }
}

/* The folder is this run's until the process ends. A run whose parent has been killed needs a
 * moment to end. */
static int take_folder(struct asim_job *job, struct asim_err *err)
{
    const struct timespec pause = {.tv_nsec = 50000000};
    int tries = 60, is_taken = 0;

    job->lock = open(job->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    while (job->lock >= 0 && tries-- &&
           (is_taken = flock(job->lock, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK))
        nanosleep(&pause, NULL);
    if (is_taken)
        return asim_err_set(err, ASIM_EIO, "another run writes into %s; give another --name.",
                            job->folder);
    return 0;
}

/* The folder must be new: files of two runs would mix. Names by time get a number where several
 * runs begin at once. */
static int make_folder(struct asim_job *job, struct asim_err *err)
{
    char stamp[32];
    time_t now = time(NULL);
    struct tm local;

    if (asim_out_mkdir(job->output_dir, err))
        return ASIM_EIO;
    strftime(stamp, sizeof stamp, "%Y-%m-%d_%H-%M-%S", localtime_r(&now, &local));
    snprintf(job->folder, sizeof job->folder, "%.1500s/%.300s", job->output_dir,
             job->name ? job->name : stamp);
    for (int number = 2; mkdir(job->folder, 0777); number++) {
        if (errno != EEXIST || number > 10000)
            return asim_err_set(err, ASIM_EIO, "cannot make the folder %s: %s.", job->folder,
                                strerror(errno));
        if (job->name && job->force)
            break;
        if (job->name)
            return asim_err_set(err, ASIM_EINVAL,
                                "there is a run %s already; give another --name, or --force.",
                                job->folder);
        snprintf(job->folder, sizeof job->folder, "%.1500s/%.300s_%d", job->output_dir, stamp,
                 number);
    }
    return take_folder(job, err);
}

/* A folder without a log has nothing to tell. */
static void remove_empty(const struct asim_job *job)
{
    char path[ASIM_JOB_PATH + 32];

    snprintf(path, sizeof path, "%s/log.txt", job->folder);
    if (!access(path, F_OK))
        return;
    snprintf(path, sizeof path, "%s/command.txt", job->folder);
    unlink(path);
    rmdir(job->folder);
}

/* As a shell takes it. */
static int write_command(const struct asim_job *job, struct asim_err *err)
{
    char path[ASIM_JOB_PATH + 32];
    struct asim_out out;

    snprintf(path, sizeof path, "%s/command.txt", job->folder);
    if (asim_out_open(&out, path, err))
        return ASIM_EIO;
    asim_out_printf(&out, "asim run");
    for (int i = 1; i < job->argc; i++) {
        asim_out_printf(&out, " '");
        for (const char *at = job->argv[i]; *at; at++)
            asim_out_printf(&out, *at == '\'' ? "'\\''" : "%c", *at);
        asim_out_printf(&out, "'");
    }
    asim_out_printf(&out, "\n");
    return asim_out_commit(&out, err);
}

/* packets: of the same run, or NULL. */
static void print_result(const struct asim_job *job, const struct asim_job_result *result,
                         const struct asim_job_result *packets)
{
    double step_ms = (double)result->finish_ns / 1e6;

    if (!strcmp(result->state, "interrupted")) {
        printf("%s, interrupted after %.6g ms simulated; %llu of %llu ranks had finished\n",
               result->backend, (double)result->simulated_ns / 1e6,
               (unsigned long long)result->ranks_finished, (unsigned long long)result->ranks);
        return;
    }
    if (!result->finish_ns && result->simulated_ns) { /* traffic without a job */
        printf("%s, %s: no rank took any time, traffic until %.6g ms\n", result->backend,
               result->state, (double)result->simulated_ns / 1e6);
        return;
    }
    printf("%s, %s: %.6g ms (%llu cycles), longest communication of a rank %.6g ms",
           result->backend, result->state, step_ms, (unsigned long long)result->finish_ns,
           (double)result->comm_ns / 1e6);
    if (job->recorded.step_ms > 0 && job->ranks != job->recorded_ranks)
        printf("; recorded step %.6g ms on %u ranks", job->recorded.step_ms, job->recorded_ranks);
    else if (job->recorded.step_ms > 0)
        printf("; recorded step %.6g ms, error %+.1f %%", job->recorded.step_ms,
               (step_ms / job->recorded.step_ms - 1) * 100);
    if (packets && packets->finish_ns)
        printf("; %+.2f %% from packets",
               ((double)result->finish_ns / (double)packets->finish_ns - 1) * 100);
    printf("\n");
}

/* What --verify says, which is in the log of the backend. */
static void print_samples(const struct asim_job_result *result)
{
    static const char mark[] = "[verify]";
    char path[ASIM_JOB_PATH + 32], text[4096];
    FILE *log;

    snprintf(path, sizeof path, "%s/log.txt", result->folder);
    log = fopen(path, "r");
    while (log && fgets(text, sizeof text, log))
        if (!strncmp(text, mark, sizeof mark - 1))
            fputs(text, stdout);
    if (log)
        fclose(log);
}

/* Of the processes that have ended. */
static double children_cpu_s(void)
{
    struct tms times_now;

    times(&times_now);
    return (double)(times_now.tms_cutime + times_now.tms_cstime) / (double)sysconf(_SC_CLK_TCK);
}

/* The reports of one run, or of all backends side by side. */
static int write_page(const struct asim_job *job, const struct asim_job_result *results, size_t n,
                      struct asim_err *err)
{
    const char *folders[ASIM_JOB_RESULTS];
    char path[ASIM_JOB_PATH + 32];

    for (size_t i = 0; i < n; i++)
        folders[i] = results[i].folder;
    snprintf(path, sizeof path, "%s/report.html", job->folder);
    return asim_report_page(folders, n, path, err);
}

/* A backend that ends badly has said why; the run goes on to its files if there are any. */
static int run_one(const struct asim_job *job, enum asim_job_backend backend,
                   struct asim_job_result *result, int *code, struct asim_err *err)
{
    static const char *const names[] = {"packet", "flow", "unaware", "aware", "ns3"};

    result->backend = names[backend];
    snprintf(result->folder, sizeof result->folder, "%.1900s", job->folder);
    if (job->backend == ASIM_JOB_ALL)
        snprintf(result->folder, sizeof result->folder, "%.1900s/%s", job->folder, names[backend]);
    if (job->backend == ASIM_JOB_ALL)
        fprintf(stderr, "%s:\n", names[backend]);
    if (asim_out_mkdir(result->folder, err) ||
        asim_job_backend(job, backend, result->folder, code, err))
        return err->code;
    if (*code > 1 && *code != 130)
        return asim_err_set(err, ASIM_EINVAL,
                            "the run ended with exit code %d; %s/log.txt says why.", *code,
                            result->folder);
    if (*code && asim_job_result(result, err)) {
        *err = (struct asim_err){0}; /* the backend has said why */
        return *code == 130 ? ASIM_EINTR : ASIM_EINVAL;
    }
    return asim_job_result(result, err);
}

static int run_all(struct asim_job *job, struct asim_job_result *results, size_t *n,
                   struct asim_err *err)
{
    int only = job->backend != ASIM_JOB_ALL, code = 0;

    for (int backend = 0; backend < (only ? ASIM_JOB_ALL : ASIM_JOB_NS3) && !code; backend++) {
        double before_s = children_cpu_s();

        if (only && backend != job->backend)
            continue;
        if (run_one(job, (enum asim_job_backend)backend, &results[*n], &code, err)) {
            if (!only && backend == ASIM_JOB_FLOW &&
                code == 1) { /* it refuses what packets can do */
                code = 0;
                continue;
            }
            return code == 130 ? code : 1;
        }
        print_result(job, &results[*n], *n ? &results[0] : NULL);
        print_samples(&results[*n]);
        fflush(stdout);
        if (!only)
            fprintf(stderr, "%s: %.2f s of CPU\n", results[*n].backend,
                    children_cpu_s() - before_s);
        (*n)++;
    }
    return code;
}

static int calibrate(struct asim_job *job, struct asim_job_result *results, size_t *n,
                     struct asim_err *err)
{
    int code = 0;

    if (asim_job_compute_factor(job, &results[0], &results[*n], &code, err))
        return 1;
    print_result(job, &results[*n], NULL);
    printf(
        "computation times %.6g to come there: a fit to the recorded step, no prediction of it\n",
        results[*n].compute_factor);
    (*n)++;
    return code;
}

/* The row and the page of what has run, also where a later step has failed. */
static int keep_results(const struct asim_job *job, const struct asim_job_result *results, size_t n,
                        struct asim_err *err)
{
    struct asim_err own = {0};

    if (!asim_job_metrics(job, results, n, &own) &&
        !asim_digest_keep(job->folder, "command.txt", &own) && !write_page(job, results, n, &own))
        return 0;
    if (!err->code)
        *err = own;
    return 1;
}

/* --unless: whether the run has that identity. Where it cannot be known, the run tells why; with *,
 * which any run has, the check does. */
static int is_known(const struct asim_job *job, struct asim_err *err)
{
    char identity[ASIM_IDENTITY_BYTES] = "";
    int is_any = job->unless && !strcmp(job->unless, "*");

    if (!job->unless || job->backend == ASIM_JOB_ALL)
        return is_any;
    return !asim_job_identity(job, identity, is_any ? err : NULL) &&
           (is_any || !strcmp(identity, job->unless));
}

/* Thresholds count for each backend. */
static int judge(const struct asim_job *job, const struct asim_job_result *results, size_t n,
                 struct asim_err *err)
{
    const char *folders[ASIM_JOB_RESULTS];
    int code = 0;

    for (size_t i = 0; i < n; i++)
        folders[i] = results[i].folder;
    if (job->json)
        fflush(stdout);
    if (job->json && dup2(job->output, 1) < 0)
        return asim_err_set(err, ASIM_EIO, "cannot write to stdout: %s.", strerror(errno));
    if (job->json || job->fail_if)
        code = asim_threshold_judge(folders, n, job->fail_if, job->json, err);
    return code < 0 ? 1 : code;
}

/* Makes the inputs of the run, and notes its command. 0, ASIM_JOB_SAME, or another code. */
static int prepare(struct asim_job *job, struct asim_err *err)
{
    struct asim_err own = {0};
    int code;

    if (!job->unless)
        remove_old(job);
    code = asim_job_workload(job, err) || asim_job_place(job, err);
    if (!code && is_known(job, err))
        return ASIM_JOB_SAME;
    if (job->unless)
        remove_old(job);
    if (write_command(job, &own) && !err->code)
        *err = own;
    return err->code == ASIM_EINTR ? 130 : code || err->code;
}

static int run_in_folder(struct asim_job *job, struct asim_err *err)
{
    struct asim_job_result results[ASIM_JOB_RESULTS] = {{0}};
    size_t n = 0;
    int code = prepare(job, err);

    if (code) {
        remove_empty(job);
        return code;
    }
    code = run_all(job, results, &n, err);
    if (!err->code && !code && n && job->auto_calibrate)
        code = calibrate(job, results, &n, err);
    if (n && keep_results(job, results, n, err))
        return code ? code : 1;
    if (!err->code && n)
        printf("%s\n", job->folder);
    return code || !n ? code : judge(job, results, n, err);
}

int asim_job_run(struct asim_job *job, struct asim_err *err)
{
    int code, sink = 2;

    if (job->quiet && !job->json)
        sink = open("/dev/null", O_WRONLY | O_CLOEXEC);
    fflush(stdout);
    job->output = job->json || job->quiet ? dup(1) : -1;
    if ((job->json || job->quiet) && (job->output < 0 || sink < 0 || dup2(sink, 1) < 0)) {
        asim_err_set(err, ASIM_EIO, "cannot put stdout aside: %s.", strerror(errno));
        return 1;
    }
    code = make_folder(job, err) ? 1 : run_in_folder(job, err);
    fflush(stdout);
    if (job->output >= 0) {
        dup2(job->output, 1);
        close(job->output);
    }
    if (sink != 2)
        close(sink);
    if (job->lock >= 0)
        close(job->lock);
    return code;
}
