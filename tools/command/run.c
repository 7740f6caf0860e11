/* SPDX-License-Identifier: GPL-2.0-only
 *
 * asim run: from a workload and a topology to a folder with the answer, one row in metrics.csv and
 * a page. The options are those of the published runner of the AMD tool chain; those of `asim
 * packet` are taken, too, and passed on.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "asim/asim.h"
#include "asim/ext/command.h"
#include "cli/app.h"
#include "cli/args.h"
#include "cli/files.h"
#include "tools/report/threshold.h"
#include "tools/run/job.h"

extern const struct asim_command asim_trace_command_pytorch;

struct options {
    char *workload, *topo, *output_dir, *name, *unless, *bandwidth, *latency, *fail_if;
    uint32_t world_size, virtual_scale, mpi;
    int backend, force, quiet, auto_calibrate, json;
    double step_ms, comm_ms, bucket_mb;
};

#define AT(field) offsetof(struct options, field)
static const struct asim_option options[] = {
    {"workload", "workload-configuration",
     "prefix P of traces P.<rank>.et, a folder with them, or one with PyTorch's traces (required, "
     "or --scenario)",
     NULL, ASIM_T_STRING, AT(workload), .flags = ASIM_F_READS | ASIM_F_SET},
    {"topo", "topology",
     "auto:NAME,key=value, machine:NAME, a file, or a name as 8gpu_ring2d_4, which brings logical "
     "dimensions, too; without it: one switch",
     NULL, ASIM_T_STRING, AT(topo), .flags = ASIM_F_READS},
    {"world-size", NULL,
     "ranks: a multiple of the recorded ones, which are replicated; 0 = as recorded", NULL,
     ASIM_T_U32, AT(world_size), 0, 1 << 20},
    {"virtual-scale", NULL, "so many times the recorded ranks; 0 = as recorded", NULL, ASIM_T_U32,
     AT(virtual_scale), 0, 1 << 20},
    {"bucket-mb", NULL,
     "MiB of a gradient bucket of data parallelism: all-reduces of the traces are merged or split "
     "as DistributedDataParallel(bucket_cap_mb=N) fills buckets; 0 = as recorded",
     NULL, ASIM_T_DOUBLE, AT(bucket_mb), 0, 1e6},
    {"backend", NULL,
     "packet: frame by frame; ns3: the same within ns-3; flow: messages as fluids on the same "
     "paths; "
     "unaware, aware: formulas; all: packet, flow and both formulas, side by side",
     "packet", ASIM_T_CHOICE, AT(backend), 0, 0, ASIM_JOB_BACKEND_WORDS},
    {"mpi", NULL, "MPI processes of --backend=ns3", NULL, ASIM_T_U32, AT(mpi), 0, 4096},
    {"output-dir", NULL, "folder in which the run gets a folder of its own (default runs)", NULL,
     ASIM_T_STRING, AT(output_dir), .flags = ASIM_F_WRITES | ASIM_F_RESULT},
    {"name", NULL, "name of the run's folder; without it: date and time", NULL, ASIM_T_STRING,
     AT(name)},
    {"force", NULL, "write into the folder --name although it is there", "0", ASIM_T_BOOL,
     AT(force)},
    {"quiet", NULL, "nothing on stdout, and no table of what limits the run", "0", ASIM_T_BOOL,
     AT(quiet)},
    {"unless", NULL,
     "an identity: where the run has this one, it ends with exit code 3 and leaves its folder; "
     "*: any, so that all is checked and nothing simulated",
     NULL, ASIM_T_STRING, AT(unless)},
    {"fail-if", NULL,
     "thresholds, as 'time>12ms,exposed>30%,drops>0': exit code 4 where the run crosses one", NULL,
     ASIM_T_STRING, AT(fail_if)},
    {"json", NULL, "print the run's figures as JSON on stdout, all else on stderr", "0",
     ASIM_T_BOOL, AT(json)},
    {"bandwidth", NULL,
     "rate of all links but NVLink: 400gbit, a factor as 2x, or a number of GB/s", NULL,
     ASIM_T_STRING, AT(bandwidth)},
    {"latency", NULL, "delay of all links but NVLink: 500ns, a factor as 2x, or a number of us",
     NULL, ASIM_T_STRING, AT(latency)},
    {"auto-calibrate", NULL,
     "then run again with the factor of computation times (--compute-factor) that gives the "
     "recorded step",
     "0", ASIM_T_BOOL, AT(auto_calibrate)},
    {"real-step-ms", NULL,
     "recorded time of a step; without it that of training_*.json beside the traces", NULL,
     ASIM_T_DOUBLE, AT(step_ms), 0, 1e12},
    {"real-comm-ms", NULL, "recorded communication of a step, as --real-step-ms", NULL,
     ASIM_T_DOUBLE, AT(comm_ms), 0, 1e12},
    {0}};

enum { MOST_WORDS = ASIM_ARGS_SEEN + 2, MOST_VALUE = 1500 };
typedef char word_text[ASIM_JOB_PATH];

/* The published runner takes numbers of GB/s and of us. */
static void add_value(struct asim_job *job, word_text text, const char *key, const char *value,
                      const char *unit)
{
    size_t n = value ? strspn(value, "0123456789.") : 0;

    if (!value)
        return;
    snprintf(text, sizeof(word_text), "--%s=%.1900s%s", key, value, n && !value[n] ? unit : "");
    job->words[job->n_words++] = text;
}

/* 1 if the option is one of the conversion; --allow-missing-ranks is one of both. */
static int converts(const struct asim_option *row)
{
    const struct asim_option *own =
        asim_option_find(asim_trace_command_pytorch.member.options, row->key);

    return own && (own == row || !strcmp(row->key, "allow-missing-ranks"));
}

/* The options of `asim packet` and of `asim trace pytorch` that were given, as words in texts
 * [MOST_WORDS]. */
static int collect(struct asim_job *job, const struct options *opt, const struct asim_args *args,
                   word_text *texts, struct asim_err *err)
{
    for (size_t i = 0; i < args->n_seen; i++) {
        const struct asim_args_seen *seen = &args->seen[i];

        if (strlen(seen->value) > MOST_VALUE)
            return asim_err_set(err, ASIM_EUSAGE,
                                "the value of --%s has %zu bytes; asim run takes at most %d.",
                                seen->row->key, strlen(seen->value), MOST_VALUE);
        if (asim_option_find(options, seen->row->key) == seen->row)
            continue;
        if (!strcmp(seen->row->key, "out"))
            return asim_err_set(
                err, ASIM_EUSAGE,
                "--out is the run's own folder here; --output-dir and --name choose it.");
        if (!strcmp(seen->row->key, "groups")) {
            job->recorded_groups = seen->value;
            continue;
        }
        snprintf(texts[i], sizeof texts[i], "--%s=%.1900s", seen->row->key, seen->value);
        if (converts(seen->row))
            job->conversion[job->n_conversion++] = texts[i];
        if (asim_option_find(asim_settings_options, seen->row->key) == seen->row)
            job->words[job->n_words++] = texts[i];
    }
    add_value(job, texts[ASIM_ARGS_SEEN], "bandwidth", opt->bandwidth, "GB/s");
    add_value(job, texts[ASIM_ARGS_SEEN + 1], "latency", opt->latency, "us");
    return 0;
}

/* The value of an option of `asim packet`, or NULL. */
static const char *given(const struct asim_args *args, const char *key)
{
    for (size_t i = 0; i < args->n_seen; i++)
        if (!strcmp(args->seen[i].row->key, key))
            return args->seen[i].value;
    return NULL;
}

static int check(const struct options *opt, const struct asim_args *args, struct asim_err *err)
{
    const char *scenario = given(args, "scenario");

    if (!opt->workload && !scenario)
        return asim_err_set(err, ASIM_EUSAGE,
                            "no workload; say --workload=PREFIX or a folder. --scenario=FILE names "
                            "those of its jobs.");
    if (scenario && (opt->workload || opt->world_size || opt->virtual_scale ||
                     opt->auto_calibrate || opt->bucket_mb > 0))
        return asim_err_set(err, ASIM_EUSAGE,
                            "--scenario does not go together with --workload, --world-size, "
                            "--virtual-scale, --bucket-mb or --auto-calibrate.");
    if (scenario && opt->backend != ASIM_JOB_PACKET && opt->backend != ASIM_JOB_NS3 &&
        opt->backend != ASIM_JOB_FLOW)
        return asim_err_set(err, ASIM_EUSAGE,
                            "--scenario is for --backend=packet, ns3 or flow: the formulas have no "
                            "hosts for several jobs.");
    if (opt->fail_if && asim_threshold_check(opt->fail_if, err))
        return err->code;
    if (opt->mpi > 1 && opt->backend != ASIM_JOB_NS3)
        return asim_err_set(err, ASIM_EUSAGE,
                            "--mpi is for --backend=ns3; --threads=N uses several cores here.");
    if (args->n_seen == ASIM_ARGS_SEEN)
        return asim_err_set(err, ASIM_EUSAGE, "more than %d options.", ASIM_ARGS_SEEN - 1);
    if (opt->name && (strchr(opt->name, '/') || *opt->name == '.'))
        return asim_err_set(err, ASIM_EUSAGE, "--name=%s is no name of a folder.", opt->name);
    return 0;
}

/* Files that a run of that name writes itself, and those of its output folder, are no inputs. */
static int check_files(const struct options *opt, const struct asim_args *args,
                       struct asim_err *err)
{
    static const char *const own[] = {"command.txt",  "log.txt",     "identity.json",
                                      "summary.json", "metrics.csv", "report.html"};
    static const char *const all[] = {"metrics.csv", "calibration_all.csv"};
    const char *dir = opt->output_dir ? opt->output_dir : "runs";
    char folder[ASIM_JOB_PATH];
    int code = 0;

    snprintf(folder, sizeof folder, "%.1500s/%.300s", dir, opt->name ? opt->name : "");
    for (size_t i = 0; i < sizeof own / sizeof *own && opt->name && !code; i++)
        code = asim_files_check_inside(args, 0, folder, own[i], err);
    for (size_t i = 0; i < sizeof all / sizeof *all && !code; i++)
        code = asim_files_check_inside(args, 0, dir, all[i], err);
    return code;
}

static int start(const struct options *opt, const struct asim_args *args, int argc, char **argv,
                 struct asim_err *err)
{
    const char *scenario = given(args, "scenario");
    struct asim_job job = {.workload = scenario ? scenario : opt->workload,
                           .is_for_astra_sim = asim_app_is_for_astra_sim(argc, argv),
                           .is_scenario = scenario != NULL,
                           .topo = opt->topo,
                           .output_dir = opt->output_dir ? opt->output_dir : "runs",
                           .name = opt->name,
                           .unless = opt->unless,
                           .fail_if = opt->fail_if,
                           .json = opt->json,
                           .quiet = opt->quiet,
                           .world_size = opt->world_size,
                           .virtual_scale = opt->virtual_scale,
                           .mpi = opt->mpi,
                           .backend = opt->backend,
                           .force = opt->force,
                           .auto_calibrate = opt->auto_calibrate,
                           .bucket_mb = opt->bucket_mb,
                           .recorded = {opt->step_ms, opt->comm_ms},
                           .lock = -1,
                           .argc = argc,
                           .argv = argv};
    word_text *texts = calloc(MOST_WORDS, sizeof *texts);
    int code = 2;

    if (!texts)
        asim_err_nomem(err, "reading the command line");
    else if (!check(opt, args, err) && !collect(&job, opt, args, texts, err))
        code = check_files(opt, args, err) ? 1 : asim_job_run(&job, err);
    free(texts);
    return code;
}

static void show_help(int all)
{
    printf("usage: asim run --workload=TRACES [--topo=TOPOLOGY] [--option=value ...]\n\n"
           "Simulates a workload and keeps everything about the run in a folder of its own: the "
           "command, log, reports,\nreport.html, and a row of metrics.csv, which also grows in the "
           "output folder.\n\n");
    asim_args_help(stdout, NULL, options, all);
    printf(
        "\nOptions of `asim packet` are taken, too, and for PyTorch's traces those of `asim trace "
        "pytorch`; their --help lists them.\n");
}

static int run(int argc, char **argv)
{
    struct options opt = {0};
    struct asim_settings settings;
    const struct asim_member *converter = &asim_trace_command_pytorch.member;
    void *conversion = calloc(1, converter->options_size);
    struct asim_args args = {.tables = {{options, &opt},
                                        {asim_settings_options, &settings},
                                        {converter->options, conversion}}};
    struct asim_err err = {0};
    int code = asim_settings_init(&settings, sizeof settings, &err) ||
               asim_option_defaults(options, &opt, &err) ||
               (!conversion && asim_err_nomem(&err, "reading the command line")) ||
               asim_option_defaults(converter->options, conversion, &err);

    if (!code && asim_args_parse(&args, argc, argv, &err))
        code = 2;
    if (!code && args.help)
        show_help(args.help == ASIM_ARGS_ALL);
    else if (!code)
        code = start(&opt, &args, argc, argv, &err);
    if (err.code)
        asim_args_fail("run", &err, code);
    if (conversion)
        asim_option_fini(converter->options, conversion);
    free(conversion);
    asim_option_fini(options, &opt);
    asim_settings_fini(&settings);
    return code;
}

const struct asim_command asim_command_run = {
    .member = {"run", "Simulate a workload into a folder with reports and a page.", options,
               sizeof(struct options)},
    .run = run,
    .topic = ASIM_TOPIC_RUN,
};
