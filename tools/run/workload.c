/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Finds the traces of a run. A workload is a prefix P of P.<rank>.et, a folder with the traces of
 * one prefix, or a folder with PyTorch's traces, which `asim trace pytorch` converts into the run's
 * folder. What was recorded comes from training_*.json beside the traces.
 */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "asim/trace.h"
#include "base/io/json.h"
#include "base/text.h"
#include "pytorch/folder.h"
#include "tools/run/job.h"

static int is_folder(const char *path)
{
    struct stat info;

    return !stat(path, &info) && S_ISDIR(info.st_mode);
}

static int begins(const char *text, const char *with)
{
    return !strncmp(text, with, strlen(with));
}

static int ends(const char *text, const char *with)
{
    size_t n = strlen(text), m = strlen(with);

    return n > m && !strcmp(text + n - m, with);
}

/* What a folder holds: the traces of rank 0, and PyTorch's. */
struct found {
    char prefix[ASIM_JOB_PATH];
    int prefixes, pytorch;
    char below[256]; /* the first of its folders */
};

static void look_at(struct found *found, const char *folder, const char *name)
{
    static const char *const tails[] = {".0.et", ".0.et.gz"};
    uint32_t rank;
    char path[ASIM_JOB_PATH];

    snprintf(path, sizeof path, "%.1000s/%.255s", folder, name);
    if (*name != '.' && is_folder(path) && (!found->below[0] || strcmp(name, found->below) < 0))
        snprintf(found->below, sizeof found->below, "%.255s", name);
    found->pytorch |= asim_folder_name(name, NULL, &rank) != 0;
    for (size_t i = 0; i < sizeof tails / sizeof *tails; i++) {
        if (!ends(name, tails[i]) || *name == '.')
            continue;
        snprintf(found->prefix, sizeof found->prefix, "%.1000s/%.*s", folder,
                 (int)(strlen(name) - strlen(tails[i])), name);
        found->prefixes++;
    }
}

static int list_folder(struct found *found, const char *folder, struct asim_err *err)
{
    DIR *dir = opendir(folder);
    struct dirent *entry;

    memset(found, 0, sizeof *found);
    if (!dir)
        return asim_err_set(err, ASIM_EIO, "cannot open the folder %s: %s.", folder,
                            strerror(errno));
    while ((entry = readdir(dir)))
        look_at(found, folder, entry->d_name);
    closedir(dir);
    if (found->prefixes > 1)
        return asim_err_set(
            err, ASIM_EINVAL,
            "%s has the traces of %d workloads; give --workload the prefix of one, such as %.600s.",
            folder, found->prefixes, found->prefix);
    return 0;
}

/* Options of the conversion name PyTorch's traces where their names do not. */
static int choose(const struct asim_job *job, struct found *found, const char *folder,
                  struct asim_err *err)
{
    char below[320] = "";

    if (job->n_conversion && found->prefixes)
        return asim_err_set(err, ASIM_EUSAGE,
                            "%s is for PyTorch's traces, and %s has converted ones (%.600s.0.et).",
                            job->conversion[0], folder, found->prefix);
    found->pytorch |= job->n_conversion > 0;
    if (found->prefixes || found->pytorch)
        return 0;
    if (found->below[0])
        snprintf(below, sizeof below, "; or give one of its folders, such as %.255s", found->below);
    return asim_err_set(
        err, ASIM_EINVAL,
        "%s has neither traces (NAME.0.et) nor PyTorch's (host_0.json, pytorch_et_0.json, "
        "kineto_0.json, rank0_trace.json); --host=PATTERN and --device=PATTERN take other names%s.",
        folder, below);
}

/* The traces that the conversion has made: in the folder, or with --et-prefix in one below it. */
static int find_made(struct asim_job *job, const char *out, struct asim_err *err)
{
    struct found found;
    char folder[ASIM_JOB_PATH];
    DIR *dir = opendir(out);
    struct dirent *entry;

    snprintf(folder, sizeof folder, "%.1500s", out);
    while (dir && (entry = readdir(dir))) {
        char below[ASIM_JOB_PATH];

        snprintf(below, sizeof below, "%.1500s/%.255s", out, entry->d_name);
        if (*entry->d_name != '.' && is_folder(below))
            snprintf(folder, sizeof folder, "%s", below);
    }
    if (dir)
        closedir(dir);
    if (list_folder(&found, folder, err))
        return ASIM_EINVAL;
    snprintf(job->prefix, sizeof job->prefix, "%s", found.prefix);
    return found.prefixes ? 0
                          : asim_err_set(err, ASIM_EINVAL, "%s has no trace of rank 0.", folder);
}

/* Groups that were made with the traces. */
static void find_groups(struct asim_job *job)
{
    char path[ASIM_JOB_PATH];

    snprintf(path, sizeof path, "%.2000s.groups.json", job->prefix);
    if (!access(path, R_OK))
        snprintf(job->groups, sizeof job->groups, "%s", path);
}

/* Converts into <run>/workload. */
static int convert(struct asim_job *job, const char *folder, struct asim_err *err)
{
    char self[ASIM_JOB_PATH], out[ASIM_JOB_PATH], log[ASIM_JOB_PATH];
    const char *words[ASIM_JOB_WORDS + 7] = {self,      "trace",    "pytorch", folder,
                                             "--force", "--output", out};
    size_t n = 7;
    int code;

    snprintf(out, sizeof out, "%.1500s/workload", job->folder);
    snprintf(log, sizeof log, "%.1500s/log.txt", job->folder);
    for (size_t i = 0; i < job->n_conversion; i++)
        words[n++] = job->conversion[i];
    if (asim_child_self(self, err) || asim_child_run(words, n, log, &code, err))
        return err->code;
    if (code)
        return asim_err_set(err, ASIM_EINVAL,
                            "the traces of %s could not be converted; %s says why.", folder, log);
    if (find_made(job, out, err))
        return ASIM_EINVAL;
    if (!job->recorded_groups)
        find_groups(job);
    return 0;
}

/* --world-size or --virtual-scale: replicas of the recorded ranks, made by `asim trace scale` into
 * <run>/scaled. */
static int scale(struct asim_job *job, struct asim_err *err)
{
    uint64_t ranks = job->virtual_scale ? (uint64_t)job->virtual_scale * job->ranks
                     : job->world_size  ? job->world_size
                                        : job->ranks;
    char self[ASIM_JOB_PATH], out[ASIM_JOB_PATH], log[ASIM_JOB_PATH], count[24];
    const char *words[] = {self,       "trace", "scale",   "--force", "--input",  job->prefix,
                           "--output", out,     "--ranks", count,     "--groups", job->groups};
    size_t n = sizeof words / sizeof *words - (*job->groups ? 0 : 2);
    int code;

    if (job->virtual_scale && job->world_size && ranks != job->world_size)
        return asim_err_set(err, ASIM_EUSAGE,
                            "--virtual-scale=%" PRIu32 " of %" PRIu32 " ranks makes %" PRIu64
                            ", not --world-size=%" PRIu32 "; leave one of them out.",
                            job->virtual_scale, job->ranks, ranks, job->world_size);
    if (ranks == job->ranks)
        return 0;
    if (ranks < job->ranks || ranks % job->ranks)
        return asim_err_set(err, ASIM_EINVAL,
                            "--world-size=%" PRIu64 " is no multiple of the %" PRIu32
                            " ranks of the traces %s.",
                            ranks, job->ranks, job->prefix);
    snprintf(out, sizeof out, "%.1500s/scaled/workload", job->folder);
    snprintf(log, sizeof log, "%.1500s/log.txt", job->folder);
    snprintf(count, sizeof count, "%" PRIu64, ranks);
    if (asim_child_self(self, err) || asim_child_run(words, n, log, &code, err))
        return err->code;
    if (code)
        return asim_err_set(err, ASIM_EINVAL,
                            "the traces could not be scaled to %" PRIu64 " ranks; %s says why.",
                            ranks, log);
    snprintf(job->prefix, sizeof job->prefix, "%s", out);
    job->ranks = (uint32_t)ranks;
    find_groups(job);
    return 0;
}

/* --bucket-mb: other gradient buckets, made by `asim trace buckets` into <run>/buckets. */
static int rebucket(struct asim_job *job, struct asim_err *err)
{
    char self[ASIM_JOB_PATH], out[ASIM_JOB_PATH], log[ASIM_JOB_PATH], mb[32];
    const char *words[] = {self,        "trace",    "buckets", "--force",     "--input",
                           job->prefix, "--output", out,       "--bucket-mb", mb};
    int code;

    if (job->bucket_mb <= 0)
        return 0;
    snprintf(out, sizeof out, "%.1500s/buckets/workload", job->folder);
    snprintf(log, sizeof log, "%.1500s/log.txt", job->folder);
    snprintf(mb, sizeof mb, "%.17g", job->bucket_mb);
    if (asim_child_self(self, err) ||
        asim_child_run(words, sizeof words / sizeof *words, log, &code, err))
        return err->code;
    if (code)
        return asim_err_set(err, ASIM_EINVAL, "the traces got no buckets of %s MiB; %s says why.",
                            mb, log);
    snprintf(job->prefix, sizeof job->prefix, "%s", out);
    return 0;
}

/* The first of the names that the object has; 0 where it has none, -1 where its value is no number
 * of 0 or more. */
static double key(const json_t *root, const char *const *names)
{
    for (; *names; names++) {
        const json_t *value = json_object_get(root, *names);
        double number = json_number_value(value);

        if (value)
            return json_is_number(value) && number >= 0 && isfinite(number) ? number : -1;
    }
    return 0;
}

/* A trace of several steps is as long as all of them. */
static int read_steps(struct asim_job_recorded *one, const json_t *root)
{
    static const char *const times[] = {"real_t_step_ms", "t_step_ms", "step_time_ms", NULL};
    static const char *const comms[] = {"real_t_comm_ms", "t_comm_ms", "comm_time_ms", NULL};
    static const char *const counts[] = {"steps", NULL};
    double steps = json_object_get(root, *counts) ? key(root, counts) : 1;

    if (steps < 1 || steps != floor(steps))
        return ASIM_EINVAL;
    one->step_ms = key(root, times) * steps;
    one->comm_ms = key(root, comms) * steps;
    return one->step_ms > 0 && isfinite(one->step_ms) && one->comm_ms >= 0 && isfinite(one->comm_ms)
               ? 0
               : ASIM_EINVAL;
}

/* A slip in "steps" would make a step of all of them. */
static void tell_unread(const json_t *root, const char *path)
{
    static const char *const read[] = {"real_t_step_ms", "t_step_ms",  "step_time_ms",
                                       "real_t_comm_ms", "t_comm_ms",  "comm_time_ms",
                                       "steps",          "t_steps_ms", "rank",
                                       "world_size",     "source"};
    const char *name;
    json_t *value;
    char safe[64];

    json_object_foreach((json_t *)root, name, value)
    {
        size_t i = 0;

        while (i < sizeof read / sizeof *read && strcmp(read[i], name) != 0)
            i++;
        if (i == sizeof read / sizeof *read)
            fprintf(stderr, "note: %s: the key \"%s\" is not read\n", path,
                    asim_text_safe(safe, sizeof safe, name));
    }
}

/* The mean over the files, one of each rank or run. What the command line says comes first. */
static int read_training(struct asim_job *job, const char *folder, struct asim_err *err)
{
    struct asim_job_recorded sum = {0};
    DIR *dir = opendir(folder);
    struct dirent *entry;
    int n = 0, n_comm = 0, code = 0;

    while (!code && dir && (entry = readdir(dir))) {
        char path[ASIM_JOB_PATH];
        struct asim_job_recorded one = {0};
        json_t *root;

        if (!begins(entry->d_name, "training_") || !ends(entry->d_name, ".json"))
            continue;
        snprintf(path, sizeof path, "%.1500s/%.500s", folder, entry->d_name);
        code = asim_json_read(&root, path, err);
        if (!code && read_steps(&one, root))
            code = asim_err_at(
                err, ASIM_EINVAL, (struct asim_where){path, 1, 0},
                "these are no training metrics; expected a JSON object with the number t_step_ms "
                "above 0, each key once, and, if it has them, the number t_comm_ms and a whole "
                "number of steps.");
        if (!code && !n)
            tell_unread(root, path);
        sum.step_ms += one.step_ms;
        sum.comm_ms += one.comm_ms;
        n++;
        n_comm += one.comm_ms > 0;
        json_decref(root);
    }
    if (dir)
        closedir(dir);
    if (n && job->recorded.step_ms <= 0)
        job->recorded.step_ms = sum.step_ms / n;
    if (n_comm && job->recorded.comm_ms <= 0)
        job->recorded.comm_ms = sum.comm_ms / n_comm;
    return code;
}

/* The folder of a prefix, "." where it names none. */
static void folder_of(char *folder, size_t size, const char *path)
{
    const char *slash = strrchr(path, '/');

    if (slash)
        snprintf(folder, size, "%.*s", (int)(slash > path ? slash - path : 1), path);
    else
        snprintf(folder, size, ".");
}

int asim_job_workload(struct asim_job *job, struct asim_err *err)
{
    char folder[ASIM_JOB_PATH], converted[ASIM_JOB_PATH];
    struct found found = {.prefixes = 0};

    if (job->is_scenario) /* the run reads its jobs */
        return 0;
    if (job->recorded_groups)
        snprintf(job->groups, sizeof job->groups, "%.2000s", job->recorded_groups);
    if (is_folder(job->workload)) {
        snprintf(folder, sizeof folder, "%.2000s", job->workload);
        if (list_folder(&found, folder, err) || choose(job, &found, folder, err))
            return ASIM_EINVAL;
        if (!found.prefixes && convert(job, folder, err))
            return ASIM_EINVAL;
        if (found.prefixes && found.pytorch)
            fprintf(stderr, "note: %s has PyTorch's traces, too, which are not read: %s.0.et is\n",
                    folder, found.prefix);
        if (found.prefixes)
            snprintf(job->prefix, sizeof job->prefix, "%s", found.prefix);
    } else if (job->n_conversion) {
        return asim_err_set(err, ASIM_EUSAGE,
                            "%s is for a folder with PyTorch's traces, which --workload=%.600s is "
                            "not.",
                            job->conversion[0], job->workload);
    } else {
        folder_of(folder, sizeof folder, job->workload);
        snprintf(job->prefix, sizeof job->prefix, "%.2000s", job->workload);
    }
    if (asim_trace_ranks(job->prefix, &job->ranks, err))
        return ASIM_EINVAL;
    job->recorded_ranks = job->ranks;
    snprintf(converted, sizeof converted, "%s", job->prefix);
    if (rebucket(job, err) || scale(job, err))
        return ASIM_EINVAL;
    if (read_training(job, folder, err))
        return ASIM_EINVAL;
    if (job->recorded.step_ms > 0 || !found.pytorch)
        return 0;
    folder_of(folder, sizeof folder, converted); /* what the profiler says of its steps */
    return read_training(job, folder, err);
}
