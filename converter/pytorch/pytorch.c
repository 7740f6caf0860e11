/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Links and converts rank after rank into hidden files of the output folder, so the peak memory is
 * one rank's. Then repairs all together into their final names, which may depend on the content
 * (--et-prefix=auto), and calibrates. No file gets its final name before every rank is converted. A
 * rank without one of its two traces is converted from the other alone.
 */
#include "pytorch/pytorch.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/io/out.h"
#include "convert/convert.h"
#include "link/link.h"
#include "repair/repair.h"
#include "cli/file_set.h"
#include "cli/temporary.h"
#include "convert/pgroups.h"

struct job {
    const struct asim_pytorch_options *opt;
    struct asim_folder folder;
    struct asim_inputs inputs;                 /* the folder's traces */
    struct asim_rankfiles files;               /* hidden input, final output */
    struct asim_calibrate_device *device;      /* of each file; kernels = 0: not measured */
    uint64_t calls[ASIM_COLL_TYPES], messages; /* messages: sends and receives */
    struct asim_pgroups groups;
    struct asim_names names;
    double steps_us; /* recorded steps of training of all ranks, and their number */
    uint64_t steps, ranks_with_steps;
    int alone_noted;                                 /* that a rank has a device trace only */
    uint64_t gpu, unlinked, unlinked_comm, sizeless; /* GPU operations, communication nodes */
    int64_t world; /* ranks of the job where some are missing, else 0 */

    char dir[3000], stem[600]; /* of the output: dir/stem.RANK.et */
    char hidden[3100];         /* a temporary folder in dir */
    FILE *report;
    struct asim_err *err;
};

static int is_chosen(const struct job *job, uint32_t rank)
{
    for (size_t i = 0; i < job->opt->ranks_n; i++)
        if (job->opt->ranks[i] == rank)
            return 1;
    return !job->opt->ranks_n;
}

/* Requested ranks must exist; a gap only gives a line. */
static int check_ranks(struct job *job)
{
    uint32_t next = 0;

    for (size_t i = 0; i < job->opt->ranks_n; i++) {
        size_t k = 0;

        while (k < job->folder.n && job->folder.at[k].rank != job->opt->ranks[i])
            k++;
        if (k == job->folder.n)
            return asim_err_set(job->err, ASIM_EINVAL, "%s: no trace of rank %" PRIu32 " here.",
                                job->opt->folder, job->opt->ranks[i]);
    }
    for (size_t i = 0; i < job->folder.n; i++) {
        uint32_t rank = job->folder.at[i].rank;

        if (!is_chosen(job, rank))
            continue;
        if (rank != next)
            asim_diagnose(&job->opt->notes,
                          "rank %" PRIu32 " is missing (next is %" PRIu32
                          "); a simulation needs all from 0 on.",
                          next, rank);
        next = rank + 1;
    }
    return 0;
}

static void hidden(const struct job *job, uint32_t rank, const char *what, char path[4096])
{
    snprintf(path, 4096, "%s/%s_%" PRIu32 ".json", job->opt->no_clean ? job->dir : job->hidden,
             what, rank);
}

/* A simulation of some ranks of a job would wait for the others, or move nothing at all. With
 * --ranks the user has chosen. recorded: ranks of the job by the trace `path`. */
static int check_world(struct job *job, const char *path, int64_t recorded)
{
    const struct asim_pytorch_options *opt = job->opt;
    size_t given = opt->ranks_n ? opt->ranks_n : job->folder.n;

    if (recorded <= (int64_t)given)
        return 0;
    if (!opt->ranks_n && !opt->allow_missing)
        return asim_err_set(job->err, ASIM_EINVAL,
                            "%s is of a job of %" PRId64
                            " ranks, but traces of %zu are given; give those of all ranks, or say "
                            "--allow-missing-ranks and make the others with 'asim trace scale'.",
                            path, recorded, given);
    job->world = recorded > job->world ? recorded : job->world;
    return 0;
}

/* Files of two ranks may be exchanged, or renamed on purpose to simulate a part of a job. */
static int check_device(struct job *job, const struct asim_folder_rank *rank,
                        const struct asim_kineto *kin)
{
    if (!kin->gpu.n)
        asim_diagnose(&job->opt->notes,
                      "rank %" PRIu32 ": %s has no GPU operations, so nothing has a GPU time.",
                      rank->rank, rank->device);
    if (check_world(job, rank->device, kin->ranks))
        return ASIM_EINVAL;
    if (kin->rank < 0 || kin->rank == (int64_t)rank->rank)
        return 0;
    if (job->opt->strict)
        return asim_err_set(job->err, ASIM_EINVAL,
                            "%s: distributedInfo says rank %" PRId64
                            ", the file's name rank %" PRIu32 ", and --strict was given.",
                            rank->device, kin->rank, rank->rank);
    asim_diagnose(&job->opt->notes,
                  "%s: distributedInfo says rank %" PRId64 ", the file's name rank %" PRIu32
                  "; the name counts.",
                  rank->device, kin->rank, rank->rank);
    return 0;
}

/* Once for all ranks. */
static void tell_alone(struct job *job, uint32_t rank)
{
    if (!job->alone_noted++)
        asim_diagnose(&job->opt->notes,
                      "rank %" PRIu32
                      " has no execution trace (host): ops and launches are those of the profiler, "
                      "the time between them is taken for the CPU's, and collectives are those "
                      "that the profiler describes, also of other ranks with a device trace only; "
                      "'asim trace collect' records both.",
                      rank);
}

/* GPU operations that no op of the trace has launched are no part of the workload. */
static void count_unlinked(struct job *job, const struct asim_linking *link)
{
    job->gpu += link->kin.gpu.n;
    job->unlinked += link->kin.gpu.n - link->counts.gpu_linked;
    for (size_t i = 0; i < link->kin.gpu.n; i++)
        job->unlinked_comm +=
            link->gpu_id[i] == ASIM_NONE &&
            strstr(asim_names_get(&link->kin.names, link->kin.gpu.at[i].name), "nccl") != NULL;
}

/* Measures the kernels while the device trace is in memory. */
static int link_rank(struct job *job, const struct asim_folder_rank *rank, const char *linked,
                     struct asim_calibrate_device *device)
{
    struct asim_link_options opt = {rank->host, rank->device, linked, 0, job->opt->strict, 0};
    struct asim_linking link;
    char made[4096];
    int code;

    if (!rank->host) {
        hidden(job, rank->rank, "host", made);
        opt.host = made;
        opt.alone = 1;
        if (asim_inputs_refuse(&job->inputs, made, job->err))
            return ASIM_EINVAL;
        tell_alone(job, rank->rank);
    }
    code = asim_link_run(&link, &opt, job->err);

    if (!code)
        code = check_device(job, rank, &link.kin);
    if (!code) {
        asim_link_report(&link, rank->rank, job->report);
        count_unlinked(job, &link);
        asim_calibrate_measure(device, &link.kin);
        job->steps_us += link.kin.steps_us;
        job->steps += link.kin.steps;
        job->ranks_with_steps += link.kin.steps > 0;
    }
    asim_link_fini(&link);
    if (opt.alone && !job->opt->no_clean)
        unlink(made);
    return code;
}

/* Counts collectives by type, for --et-prefix=auto, and collects the groups of all ranks: each rank
 * knows only its own groups. */
static int convert_rank(struct job *job, const struct asim_folder_rank *rank, const char *linked,
                        const char *output)
{
    const char *called = rank->host ? rank->host : rank->device;
    int64_t listed = 0;
    struct asim_convert_options opt = {.input = rank->device ? linked : rank->host,
                                       .called = called,
                                       .output = output,
                                       .rank = rank->rank,
                                       .strict = job->opt->strict,
                                       .no_guess = job->opt->no_guess,
                                       .equal_parts = job->world != 0,
                                       .known = &job->groups,
                                       .known_names = &job->names,
                                       .notes = job->opt->notes};
    struct asim_convert cv;
    int code = asim_convert_run(&cv, &opt, job->err);

    if (!code) {
        asim_convert_report(&cv, "converted", job->report);
        for (int k = 0; k < ASIM_COLL_TYPES; k++)
            job->calls[k] += cv.counts.by_kind[k];
        job->messages += cv.counts.sends + cv.counts.recvs;
        job->sizeless += job->opt->default_bytes ? 0 : cv.counts.sizes_missing;
        for (size_t i = 0; i < cv.groups.ranks.n; i++)
            listed = cv.groups.ranks.at[i] >= listed ? cv.groups.ranks.at[i] + INT64_C(1) : listed;
        listed = cv.counts.most_members > listed ? cv.counts.most_members : listed;
        code = check_world(job, called, listed);
        if (!code && asim_pgroups_merge(&job->groups, &job->names, &cv.groups, &cv.names))
            code = asim_err_nomem(job->err, "merging process groups");
    }
    asim_convert_fini(&cv);
    return code;
}

static int do_rank(struct job *job, const struct asim_folder_rank *rank)
{
    struct asim_calibrate_device *device = &job->device[job->files.n];
    char linked[4096], made[4096];
    int code = 0;

    hidden(job, rank->rank, "hdt", linked);
    snprintf(made, sizeof made, "%s/made.%" PRIu32 ".et", job->hidden, rank->rank);
    if (asim_inputs_refuse(&job->inputs, linked, job->err) ||
        asim_inputs_refuse(&job->inputs, made, job->err))
        return ASIM_EINVAL;
    if (rank->device)
        code = link_rank(job, rank, linked, device);
    else
        asim_diagnose(
            &job->opt->notes,
            "rank %" PRIu32
            " has no device trace: no times and no kernels, only the collectives the host called.",
            rank->rank);
    if (!code) {
        code = convert_rank(job, rank, linked, made);
        if (!code)
            code = asim_rankfiles_pair(&job->files, made, NULL, rank->rank, job->err);
        if (code) /* converted, but of another job */
            unlink(made);
    }
    if (rank->device && !job->opt->no_clean)
        unlink(linked);
    return code;
}

/* "all_reduce" → "allreduce" … of the most frequent type. */
static void auto_name(const struct job *job, char *name, size_t size)
{
    int best = 0;
    size_t n = 0;

    for (int k = 1; k < ASIM_COLL_TYPES; k++)
        if (job->calls[k] > job->calls[best])
            best = k;
    if (!job->calls[best]) {
        snprintf(name, size, "compute");
        return;
    }
    for (const char *s = asim_coll_type_name(best); *s && n + 1 < size; s++)
        if (*s != '_')
            name[n++] = (char)(*s - 'A' + 'a');
    name[n] = 0;
}

/* Final names: dir/NAME/NAME.RANK.et for a prefix, dir/workload.TAG.RANK.et, dir/workload.RANK.et.
 */
static int name_files(struct job *job)
{
    const struct asim_pytorch_options *opt = job->opt;
    char name[256], path[4096];

    if (opt->et_prefix) {
        size_t n = strlen(job->dir);

        if (!strcmp(opt->et_prefix, "auto"))
            auto_name(job, name, sizeof name);
        else
            snprintf(name, sizeof name, "%s", opt->et_prefix);
        snprintf(job->dir + n, sizeof job->dir - n, "/%s", name);
        snprintf(job->stem, sizeof job->stem, "%s", name);
    } else {
        snprintf(job->stem, sizeof job->stem, "workload%s%s", opt->names.tag ? "." : "",
                 opt->names.tag ? opt->names.tag : "");
    }
    for (size_t i = 0; i < job->files.n; i++) {
        struct asim_rankfile *file = &job->files.at[i];

        snprintf(path, sizeof path, "%s/%s.%" PRIu32 ".et", job->dir, job->stem, file->rank);
        file->out = strdup(path);
        if (!file->out)
            return asim_err_nomem(job->err, "naming traces");
        if (asim_inputs_refuse(&job->inputs, path, job->err))
            return ASIM_EINVAL;
    }
    snprintf(path, sizeof path, "%s/%s", job->dir, job->stem);
    if (!opt->force && asim_file_set_refuse_existing_set(path, job->err))
        return ASIM_EINVAL;
    return asim_out_mkdir(job->dir, job->err);
}

static int repair(struct job *job)
{
    const struct asim_pytorch_options *o = job->opt;
    struct asim_repair_options opt = {.gpu_only = o->gpu_only,
                                      .simple = o->simple,
                                      .astra = o->astra,
                                      .strict = o->strict,
                                      .max_comm = o->max_comm,
                                      .default_bytes = o->default_bytes,
                                      .notes = o->notes,
                                      .report = job->report};
    uint64_t problems;

    return asim_repair_run(job->files.at, job->files.n, &opt, &problems, job->err);
}

/* With --simple no node computes. */
static int calibrate(struct job *job)
{
    struct asim_file_set set = {0};
    int code = 0;

    for (size_t i = 0; i < job->files.n && !code && !job->opt->simple; i++) {
        struct asim_rankfile file = job->files.at[i];
        struct asim_calibrate_counts counts;

        file.in = file.out;
        code = asim_file_set_add(&set, file.out, &file.temp_name, job->err);
        if (!code)
            code = asim_calibrate_file(&file, job->device[i].kernels ? &job->device[i] : NULL,
                                       &job->opt->calibrate, &counts, job->err);
        if (!code)
            asim_calibrate_report(&file, &counts, job->report);
    }
    return asim_file_set_end(&set, code, job->err);
}

/* What the profiler says a step took, for `asim run`: training_recorded.json beside the traces. */
static int write_steps(struct job *job)
{
    char path[4096];
    struct asim_out out;

    if (!job->steps)
        return 0;
    snprintf(path, sizeof path, "%s/training_recorded.json", job->dir);
    if (asim_inputs_refuse(&job->inputs, path, job->err) || asim_out_open(&out, path, job->err))
        return ASIM_EINVAL;
    asim_out_printf(&out,
                    "{\"t_step_ms\": %.6f, \"steps\": %" PRIu64
                    ", \"source\": \"ProfilerStep, mean over %" PRIu64 " ranks\"}\n",
                    job->steps_us / (double)job->steps / 1e3, job->steps / job->ranks_with_steps,
                    job->ranks_with_steps);
    fprintf(job->report, "recorded: %" PRIu64 " step%s of %.6g ms (ProfilerStep)\n",
            job->steps / job->ranks_with_steps, job->steps > job->ranks_with_steps ? "s" : "",
            job->steps_us / (double)job->steps / 1e3);
    return asim_out_commit(&out, job->err);
}

/* What the traces lack, so that the workload lacks it, too. */
static void tell(const struct job *job)
{
    if (job->unlinked)
        asim_diagnose(&job->opt->notes,
                      "%" PRIu64 " of %" PRIu64 " GPU operations (%" PRIu64
                      " of them communication) are left out: the traces do not say what launched "
                      "them; --strict makes this an error.",
                      job->unlinked, job->gpu, job->unlinked_comm);
    if (job->sizeless)
        asim_diagnose(&job->opt->notes,
                      "%" PRIu64
                      " collectives, sends and receives move no bytes, since nothing in the traces "
                      "tells their size; --default-comm-size=BYTES gives one, --strict makes this "
                      "an error.",
                      job->sizeless);
    if (job->world)
        asim_diagnose(&job->opt->notes,
                      "the traces are of a job of %" PRId64
                      " ranks, and %zu are converted: what all ranks do together is done by those "
                      "alone, and groups lack the others (--allow-missing-ranks of a run); 'asim "
                      "trace scale' makes the others.",
                      job->world, job->files.n);
}

static int finish(struct job *job)
{
    char path[4096];
    uint64_t calls = job->messages;
    size_t listed = 0;
    int code = name_files(job);

    if (!code)
        code = repair(job);
    if (!code)
        code = calibrate(job);
    if (!code && !job->opt->no_clean)
        asim_rankfiles_clean(&job->files, job->dir, job->stem, &job->opt->notes);
    if (!code)
        code = write_steps(job);
    for (size_t i = 0; i < job->groups.group.n; i++)
        listed += job->groups.group.at[i].n > 0 &&
                  asim_pgroup_number(asim_names_get(&job->names, job->groups.group.at[i].name)) > 0;
    if (!code && listed) {
        snprintf(path, sizeof path, "%s/%s.groups.json", job->dir, job->stem);
        code = asim_inputs_refuse(&job->inputs, path, job->err);
        if (!code)
            code = asim_pgroups_write(&job->groups, &job->names, path, job->err);
        if (!code)
            fprintf(job->report, "groups: %s (for --comm-group-configuration)\n", path);
    }
    for (int k = 0; k < ASIM_COLL_TYPES; k++)
        calls += job->calls[k];
    if (!code)
        tell(job);
    if (!code && !calls && job->files.n > 1)
        asim_diagnose(
            &job->opt->notes,
            "the traces have no collective, send or receive: the ranks do not communicate.");
    if (!code)
        fprintf(job->report, "workload: %s/%s (%zu ranks)\n", job->dir, job->stem, job->files.n);
    return code;
}

int asim_pytorch_run(const struct asim_pytorch_options *opt, FILE *report, struct asim_err *err)
{
    struct job job = {.opt = opt, .report = report, .err = err};
    size_t new_from = 0;
    int lock = -1, code = asim_folder_read(&job.folder, opt->folder, &opt->names, err);

    if (!code && job.folder.lacks_tag)
        asim_diagnose(&opt->notes,
                      "no trace of %s has the tag '%s' in its name: those without a tag are "
                      "converted, and the tag names the output only.",
                      opt->folder, opt->names.tag);
    asim_names_init(&job.names, 0);
    snprintf(job.dir, sizeof job.dir, "%s",
             opt->output      ? opt->output
             : opt->et_prefix ? "."
                              : "workload_et");
    job.device = calloc(job.folder.n + 1, sizeof *job.device);
    if (!code && !job.device)
        code = asim_err_nomem(err, "converting a folder");
    if (!code)
        code = check_ranks(&job);
    for (size_t i = 0; i < job.folder.n && !code; i++) {
        code = asim_inputs_add(&job.inputs, job.folder.at[i].host, err);
        if (!code)
            code = asim_inputs_add(&job.inputs, job.folder.at[i].device, err);
    }
    if (!code) {
        new_from = asim_out_missing(job.dir);
        code = asim_out_mkdir(job.dir, err);
    }
    if (!code) {
        lock = asim_temporary_in(job.dir, job.hidden, sizeof job.hidden);
        if (lock < 0)
            code =
                asim_err_set(err, ASIM_EIO, "cannot write into %s: %s.", job.dir, strerror(errno));
    }
    for (size_t i = 0; i < job.folder.n && !code; i++)
        if (is_chosen(&job, job.folder.at[i].rank))
            code = do_rank(&job, &job.folder.at[i]);
    if (!code)
        code = finish(&job);
    for (size_t i = 0; i < job.files.n; i++)
        unlink(job.files.at[i].in);
    if (lock >= 0) {
        rmdir(job.hidden);
        close(lock);
    }
    if (code)
        asim_out_remove_empty(job.dir, new_from);
    asim_rankfiles_fini(&job.files);
    asim_pgroups_fini(&job.groups);
    asim_names_fini(&job.names);
    asim_folder_fini(&job.folder);
    asim_inputs_fini(&job.inputs);
    free(job.device);
    return code;
}
