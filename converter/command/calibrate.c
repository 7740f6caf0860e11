/* SPDX-License-Identifier: GPL-2.0-only
 *
 * asim trace calibrate: sets the compute times of converted traces, from a device trace or to a
 * fixed value.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "asim/ext/command.h"
#include "calibrate/calibrate.h"
#include "cli/args.h"
#include "cli/file_set.h"

#define MAX_FILES 65536

struct options {
    char *output, *device;
    double mhz;
    uint64_t force_ns;
    int average, cpu, quiet, precision;
    char *from, *to, *gpus;
};

#define AT(field) offsetof(struct options, field)
static const struct asim_option options[] = {
    {"out", "output", "prefix (or, for one file, path) to write; without it files are replaced",
     NULL, ASIM_T_STRING, AT(output), 0, 0, NULL, ASIM_F_WRITES | ASIM_F_SET},
    {"device", NULL, "device trace to measure kernels in; {} stands for the rank", NULL,
     ASIM_T_STRING, AT(device), 0, 0, NULL, ASIM_F_READS},
    {"default-gpu-freq", "gpu-freq", "GPU clock in MHz; 0 = the device trace's, else 1000", "0",
     ASIM_T_DOUBLE, AT(mhz), 0, 1e6},
    {"force-avg-kernel-ns", NULL, "give every compute node this time in ns (strategy B)", "0",
     ASIM_T_U64, AT(force_ns), 0, 1e15},
    {"average", NULL, "give every compute node the average time, not its own", "0", ASIM_T_BOOL,
     AT(average)},
    {"from", "gpu-from", "GPU the times were recorded on, as A100; with --to", NULL, ASIM_T_STRING,
     AT(from)},
    {"to", "gpu-to", "GPU to move the times to by the roofline model, as MI300X", NULL,
     ASIM_T_STRING, AT(to)},
    {"gpus", NULL, "table of more GPUs, in the form of catalogue/gpus.json", NULL, ASIM_T_STRING,
     AT(gpus), 0, 0, NULL, ASIM_F_READS},
    {"precision", NULL, "arithmetic of the kernels", "16bit", ASIM_T_CHOICE, AT(precision), 0, 0,
     "16bit|32bit"},
    {"cpu", NULL, "CPU computations too", "0", ASIM_T_BOOL, AT(cpu)},
    {"quiet", NULL, "no summary", "0", ASIM_T_BOOL, AT(quiet)},
    {0}};

/* malloc'ed path with {} replaced by the rank. */
static char *device_path(const char *pattern, uint32_t rank)
{
    const char *hole = strstr(pattern, "{}");
    size_t size = strlen(pattern) + 16;
    char *path = malloc(size);

    if (path && hole)
        snprintf(path, size, "%.*s%" PRIu32 "%s", (int)(hole - pattern), pattern, rank, hole + 2);
    else if (path)
        snprintf(path, size, "%s", pattern);
    return path;
}

/* The GPUs of --from and --to; both or none. */
static int find_gpus(const struct options *o, struct asim_gpu gpus[2],
                     struct asim_calibrate_options *opt, struct asim_err *err)
{
    if (!o->from && !o->to)
        return o->gpus ? asim_err_set(err, ASIM_EUSAGE, "--gpus is for --from and --to.") : 0;
    if (!o->from || !o->to)
        return asim_err_set(err, ASIM_EUSAGE,
                            "--from and --to belong together: the GPU of the recording, and the "
                            "one to move its times to.");
    if (o->force_ns)
        return asim_err_set(err, ASIM_EUSAGE,
                            "--force-avg-kernel-ns sets a time; leave --from and --to out.");
    if (asim_gpu_find(&gpus[0], o->from, o->gpus, err) ||
        asim_gpu_find(&gpus[1], o->to, o->gpus, err))
        return err->code;
    opt->from = &gpus[0];
    opt->to = &gpus[1];
    return 0;
}

static int calibrate_one(const struct options *o, const struct asim_rankfile *file,
                         struct asim_err *err)
{
    struct asim_gpu gpus[2];
    struct asim_calibrate_options opt = {.gpu_mhz = o->mhz,
                                         .force_avg_ns = o->force_ns,
                                         .average = o->average,
                                         .cpu = o->cpu,
                                         .is_32bit = o->precision};
    struct asim_calibrate_device device;
    struct asim_calibrate_counts counts;
    char *path = o->device ? device_path(o->device, file->rank) : NULL;
    int code = find_gpus(o, gpus, &opt, err);

    if (!code && o->device)
        code = path ? asim_calibrate_device(&device, path, err)
                    : asim_err_nomem(err, "naming a device trace");
    if (!code)
        code = asim_calibrate_file(file, o->device ? &device : NULL, &opt, &counts, err);
    if (!code && !o->quiet)
        asim_calibrate_report(file, &counts, stdout);
    free(path);
    return code;
}

/* The device traces; one of them may serve all ranks. */
static int add_devices(struct asim_inputs *inputs, const struct options *o,
                       const struct asim_rankfiles *files, struct asim_err *err)
{
    int code = 0;

    for (size_t i = 0; o->device && i < files->n && !code; i++) {
        char *path = device_path(o->device, files->at[i].rank);

        code = path ? asim_inputs_add(inputs, path, err)
                    : asim_err_nomem(err, "naming a device trace");
        free(path);
    }
    return code;
}

static int calibrate(const struct asim_args *args, struct asim_err *err)
{
    const struct options *o = args->tables[0].base;
    struct asim_rankfiles files = {0};
    struct asim_file_set set = {0};
    int code = args->n_words
                   ? asim_rankfiles_add(&files, args->words, args->n_words, o->output, err)
                   : asim_err_set(err, ASIM_EUSAGE,
                                  "name the traces: a prefix (PREFIX.0.et, PREFIX.1.et …) or .et "
                                  "files; --help explains.");

    if (!code)
        code = add_devices(&set.inputs, o, &files, err);
    for (size_t i = 0; i < files.n && !code; i++) {
        code = asim_file_set_add(&set, files.at[i].out, &files.at[i].temp_name, err);
        if (!code)
            code = calibrate_one(o, &files.at[i], err);
    }
    code = asim_file_set_end(&set, code, err);
    asim_rankfiles_fini(&files);
    return code;
}

static const struct asim_args_job job = {
    "trace calibrate",
    "usage: asim trace calibrate PREFIX|FILE.et ... [--option=value ...]\n\n"
    "Sets compute_cycles and duration_micros of compute nodes, and duration_ns where they\n"
    "have it. Cycles are time x clock;\n"
    "ASTRA-sim itself uses duration_micros only.\n",
    options,
    MAX_FILES,
    calibrate,
    ASIM_F_READS | ASIM_F_SET};

extern const struct asim_command asim_trace_command_calibrate;
const struct asim_command asim_trace_command_calibrate = {
    {"calibrate", "Set compute times from a device trace or by force", options,
     sizeof(struct options)},
    .job = &job};
