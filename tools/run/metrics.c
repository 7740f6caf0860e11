/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Writes the rows of metrics.csv. A cycle is 1 ns, so alpha, the real time of a simulated cycle in
 * us, is 0.001 where the simulation is exact.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io/digest.h"
#include "base/io/json.h"
#include "base/io/quote.h"
#include "base/text.h"
#include "tools/report/identity.h"
#include "tools/report/table.h"
#include "tools/run/job.h"

static const char header[] =
    "run,backend,workload,topology,ranks,state,real_t_step_ms,real_t_comm_ms,sim_t_step_ms,sim_"
    "wall_cycles,sim_comm_cycles,step_error_percent,comm_error_percent,alpha_us,compute_factor,"
    "version,identity\n";

static uint64_t number(const json_t *root, const char *key)
{
    return (uint64_t)json_integer_value(json_object_get(root, key));
}

static int read_summary(struct asim_job_result *result, struct asim_err *err)
{
    char path[ASIM_JOB_PATH + 32];
    json_t *root;
    const char *state;

    snprintf(path, sizeof path, "%s/summary.json", result->folder);
    if (access(path, F_OK))
        return asim_err_set(err, ASIM_EINVAL, "the run left no %s; its log.txt says why.", path);
    if (asim_json_read(&root, path, err))
        return err->code;
    state = json_string_value(json_object_get(root, "state"));
    snprintf(result->state, sizeof result->state, "%s", state ? state : "");
    asim_text_clean(result->state);
    result->ranks = number(root, "ranks");
    result->finish_ns = number(root, "finish_ns");
    result->ranks_finished = number(root, "ranks_finished");
    result->simulated_ns = number(root, "simulated_ns");
    json_decref(root);
    return 0;
}

/* The rank that communicates longest, and the computation of the one that finishes last. */
static int read_ranks(struct asim_job_result *result, struct asim_err *err)
{
    struct asim_table table;
    int code = asim_table_open(&table, result->folder, "ranks.csv", err), comm = -1, gpu = -1,
        finish = -1;
    uint64_t last = 0;

    if (!code && table.file) {
        comm = asim_table_need(&table, "comm_ns", err);
        gpu = asim_table_need(&table, "gpu_ns", err);
        finish = asim_table_need(&table, "finish_ns", err);
        code = err->code;
    }
    while (!code && table.file && (code = asim_table_row(&table, err)) > 0) {
        uint64_t ns = asim_table_u64(&table, comm, err), end = asim_table_u64(&table, finish, err);

        if (end >= last)
            result->gpu_ns = asim_table_u64(&table, gpu, err);
        last = end > last ? end : last;
        result->comm_ns = ns > result->comm_ns ? ns : result->comm_ns;
        code = err->code;
    }
    asim_table_close(&table);
    return code;
}

int asim_job_result(struct asim_job_result *result, struct asim_err *err)
{
    struct asim_identity identity;
    int code = asim_identity_open(&identity, result->folder, err);

    result->comm_ns = 0;
    snprintf(result->identity, sizeof result->identity, "%s", identity.text);
    if (!code)
        code = read_summary(result, err);
    if (!code && !asim_identity_has(&identity, "ranks.csv"))
        code = asim_err_set(err, ASIM_EINVAL, "%s/ranks.csv is not of this run.", result->folder);
    if (!code)
        code = read_ranks(result, err);
    asim_identity_close(&identity);
    return code;
}

/* Whether what was recorded is of as many ranks. */
static int has_recorded(const struct asim_job *job)
{
    return !job->is_scenario && job->ranks == job->recorded_ranks;
}

/* An empty cell where nothing was recorded, or with other ranks. */
static void put_error(FILE *file, double simulated, double recorded, int is_same)
{
    if (recorded > 0 && is_same)
        fprintf(file, "%.3f", (simulated / recorded - 1) * 100);
    fputc(',', file);
}

static void put_text(FILE *file, const char *text)
{
    struct asim_out cell = {.file = file};

    asim_quote_csv_if_needed(&cell, text);
    fputc(',', file);
}

static void put_row(FILE *file, const struct asim_job *job, const struct asim_job_result *result)
{
    double step_ms = (double)result->finish_ns / 1e6, comm_ms = (double)result->comm_ns / 1e6;
    const struct asim_job_recorded *recorded = &job->recorded;
    int is_same = has_recorded(job);

    put_text(file, result->folder);
    fprintf(file, "%s,", result->backend);
    put_text(file, job->workload);
    put_text(file, job->topo ? job->topo : "");
    fprintf(file, "%" PRIu64 ",%s,", result->ranks, result->state);
    if (recorded->step_ms > 0)
        fprintf(file, "%.9g", recorded->step_ms);
    fputc(',', file);
    if (recorded->comm_ms > 0)
        fprintf(file, "%.9g", recorded->comm_ms);
    fprintf(file, ",%.6f,%" PRIu64 ",%" PRIu64 ",", step_ms, result->finish_ns, result->comm_ns);
    put_error(file, step_ms, recorded->step_ms, is_same);
    put_error(file, comm_ms, recorded->comm_ms, is_same);
    if (recorded->step_ms > 0 && is_same && result->finish_ns)
        fprintf(file, "%.9g", recorded->step_ms * 1e3 / (double)result->finish_ns);
    fprintf(file, ",%.9g,%s%s%s,%s\n", result->compute_factor > 0 ? result->compute_factor : 1,
            asim_version(), *asim_commit() ? " " : "", asim_commit(), result->identity);
}

/* All of it, or errno. */
static int write_all(int file, const char *data, size_t size)
{
    while (size) {
        ssize_t n = write(file, data, size);

        if (n < 0 && errno != EINTR)
            return errno;
        data += n > 0 ? n : 0;
        size -= n > 0 ? (size_t)n : 0;
    }
    return 0;
}

/* 1 if the file begins with the header of this version. */
static int has_header(int file)
{
    char first[sizeof header];

    return pread(file, first, sizeof header - 1, 0) == (ssize_t)sizeof header - 1 &&
           !memcmp(first, header, sizeof header - 1);
}

/* Opens and locks the file, as it is under that name once the lock is there. Rows of other columns
 * go under another name. Returns -1 with errno. */
static int open_locked(const char *path, struct stat *info)
{
    for (;;) {
        int file = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666), got;
        struct stat named;
        char *old;

        while (file >= 0 && (got = flock(file, LOCK_EX)) != 0 && errno == EINTR)
            ;
        if (file < 0 || got || fstat(file, info))
            return -1;
        if (!info->st_size || has_header(file)) {
            if (!stat(path, &named) && named.st_ino == info->st_ino)
                return file;
        } else if ((old = asim_out_reserve(path, ".old")) && !rename(path, old)) {
            fprintf(stderr, "note: %s has the columns of another version of asim; it is %s now\n",
                    path, old);
            free(old);
        } else {
            free(old);
            close(file);
            return -1;
        }
        close(file);
    }
}

/* Waits for other runs that append. The header is written by whoever finds the file empty. Rows are
 * there whole or, on a full disk, not at all; half a row that a killed process left keeps its own
 * line. */
static int append(const char *path, const char *rows, size_t size, struct asim_err *err)
{
    struct stat info;
    int file = open_locked(path, &info), why = file < 0 ? errno : 0;
    char last = '\n';

    if (!why && !info.st_size)
        why = write_all(file, header, sizeof header - 1);
    else if (!why && pread(file, &last, 1, info.st_size - 1) == 1 && last != '\n')
        why = write_all(file, "\n", 1);
    if (!why)
        why = write_all(file, rows, size);
    if (why && file >= 0 && ftruncate(file, info.st_size))
        why = errno;
    if (file >= 0 && close(file) && !why)
        why = errno;
    return why ? asim_err_set(err, ASIM_EIO, "cannot write %s: %s.", path, strerror(why)) : 0;
}

/* For reports of the run: the table is read and changed by others, too. */
static int note(const struct asim_job *job, const struct asim_job_result *result,
                struct asim_err *err)
{
    char workload[ASIM_JOB_PATH], topology[ASIM_JOB_PATH];

    snprintf(workload, sizeof workload, "%s", job->workload);
    snprintf(topology, sizeof topology, "%s", job->topo ? job->topo : "");
    return asim_digest_note(result->folder, "run",
                            json_pack("{s:s, s:s, s:f}", "workload", asim_text_clean(workload),
                                      "topology", asim_text_clean(topology), "recorded_step_ms",
                                      has_recorded(job) ? job->recorded.step_ms : 0),
                            err);
}

int asim_job_metrics(const struct asim_job *job, const struct asim_job_result *results, size_t n,
                     struct asim_err *err)
{
    const char *const places[][2] = {{job->folder, "metrics.csv"},
                                     {job->output_dir, "metrics.csv"},
                                     {job->output_dir, "calibration_all.csv"}};
    char path[ASIM_JOB_PATH + 32], *rows = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&rows, &size);
    int code = 0;

    for (size_t i = 0; file && i < n; i++)
        put_row(file, job, &results[i]);
    if (!file || fclose(file))
        return asim_err_nomem(err, "writing metrics.csv");
    for (size_t i = 0; i < n && !code; i++)
        code = note(job, &results[i], err);
    for (size_t i = 0; i < sizeof places / sizeof *places && !code; i++) {
        snprintf(path, sizeof path, "%s/%s", places[i][0], places[i][1]);
        code = append(path, rows, size, err);
    }
    free(rows);
    return code;
}
