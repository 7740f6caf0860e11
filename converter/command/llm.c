/* SPDX-License-Identifier: GPL-2.0-only
 *
 * asim trace llm: an AICB-like workload of one training iteration of a transformer, as SimAI text
 * and, with --et, as Chakra traces; with --schedule the ops of each rank. Takes AICB's flags. `asim
 * trace llm workload.txt --et=PREFIX` converts an existing file.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "asim/ext/command.h"
#include "cli/file_set.h"
#include "llm/llm.h"
#include "cli/args.h"
#include "step/step.h"

/* Prints the first and the last file only. */
static int convert(const char *workload, const struct asim_llm_options *opt, struct asim_err *err)
{
    const char *prefix = opt->et;
    struct asim_llm_traces made = {0};
    int rc = asim_llm_to_et(workload, opt, &made, err);

    if (rc)
        return rc;
    printf("%s.0.et … %s.%u.et\n", prefix, prefix, made.ranks - 1);
    if (made.groups)
        printf("%s.groups.json: %zu groups, for --comm-group-configuration\n", prefix, made.groups);
    if (made.rounded)
        fprintf(stderr, "asim trace llm: note: %" PRIu64 " durations are rounded to whole us.\n",
                made.rounded);
    if (made.cpu)
        fprintf(stderr, "asim trace llm: note: %" PRIu64 " CPU ops take the GPU in ASTRA-sim.\n",
                made.cpu);
    return 0;
}

/* Writes the text also if only Chakra traces are wanted: they are made from it. */
static int write_all(const struct asim_llm *llm, struct asim_llm_times *times, struct asim_err *err)
{
    struct asim_llm_rows rows = {.failed = 0};
    char name[1024];
    const char *path = llm->opt->output;
    asim_llm_file_name(llm, name, sizeof name);
    if (!path)
        path = name;
    int rc = asim_file_set_refuse_existing(path, llm->opt->force, err);
    if (!rc)
        rc = asim_llm_rows_make(&rows, llm, times, err);
    if (!rc)
        rc = asim_llm_write(llm, &rows, path, err);
    if (!rc)
        printf("%s: %zu rows, %" PRIu64 " parameters per GPU (%" PRIu64 " of experts)\n", path,
               rows.list.n, llm->params_total, llm->params_moe);
    free(rows.list.at);
    return rc || !llm->opt->et ? rc : convert(path, llm->opt, err);
}

/* AICB's micro tests have neither model nor times. */
static int make_micro(const struct asim_llm_options *opt, struct asim_err *err)
{
    const char *path = opt->output ? opt->output : "micro_test.txt";
    uint32_t rows = 0;
    int rc = asim_file_set_refuse_existing(path, opt->force, err);
    if (!rc)
        rc = asim_llm_micro(opt, path, &rows, err);
    if (!rc)
        printf("%s: %u rows of %s\n", path, rows, opt->test_comm);
    return rc || !opt->et ? rc : convert(path, opt, err);
}

/* A step with the ops of each rank. Measured times replace the roofline's kernel by kernel. */
static int make_step(const struct asim_llm *llm, struct asim_err *err)
{
    const struct asim_llm_options *opt = llm->opt;
    struct asim_llm_times times;
    struct asim_step_summary summary;
    int rc;

    if (!opt->et || opt->output)
        return asim_err_set(
            err, ASIM_EUSAGE,
            "--schedule writes Chakra traces and no SimAI text: give --et=PREFIX%s.",
            opt->output ? " in place of --out" : "");
    if (opt->for_astra_sim)
        return asim_err_set(err, ASIM_EUSAGE,
                            "--schedule writes traces for asim; convert these: asim trace llm %s "
                            "--et=OTHER --for=astra-sim.",
                            opt->et);
    rc = asim_llm_times_measured(&times, llm, err);
    if (!rc)
        rc = asim_step_write(llm, &times, &summary, err);
    asim_llm_times_close(&times);
    if (rc)
        return rc;
    asim_step_print(llm, &summary);
    printf("run it with --workload=%s; formulas and --like=astra-sim want "
           "--system=%s.system.json, too\n",
           opt->et, opt->et);
    if (!opt->roofline && !opt->database && !opt->comp_file && !opt->compute_model)
        fprintf(stderr, "asim trace llm: note: no compute times are given, so that each "
                        "computation takes 1 ns; --compute_model=H100 models them.\n");
    return 0;
}

/* Options without effect on AICB's rows; those that AICB has, too, stay silent. */
static int check_rows(const struct asim_llm_options *opt, struct asim_err *err)
{
    const struct {
        const char *name;
        int is_given;
    } rows[] = {{"virtual_stages", opt->virtual_stages > 0},
                {"first_stage_layers", opt->first_layers > 0},
                {"last_stage_layers", opt->last_layers > 0},
                {"mtp_num_layers", opt->mtp_layers > 0},
                {"expert_tensor_parallel_size", opt->etp > 0},
                {"zero", opt->zero > 0},
                {"dense_ffn", opt->dense_ffn > 0},
                {"token_distribution", opt->distribution != NULL},
                {"capacity_factor", opt->capacity_factor > 0},
                {"dispatch", opt->dispatch > 0},
                {"dispatch_dtype", opt->dispatch_fp8},
                {"router_groups", opt->router_groups > 0},
                {"recompute_modules", opt->recompute_modules != NULL},
                {"expert_bias", opt->expert_bias},
                {"eager_rope", opt->eager_rope},
                {"overlap_param_gather", opt->overlap_parameters},
                {"precision=fp8 or fp4", opt->precision >= ASIM_LLM_FP8}};

    for (size_t i = 0; !opt->schedule && i < sizeof rows / sizeof *rows; i++)
        if (rows[i].is_given)
            return asim_err_set(
                err, ASIM_EUSAGE,
                "%s has no effect on AICB's rows: add --schedule=1f1b (or another one).",
                rows[i].name);
    return 0;
}

static void note_batch(const struct asim_llm_options *opt)
{
    fprintf(stderr,
            "asim trace llm: note: global_batch is %" PRIu32
            ", one micro-batch for each data-parallel rank; AICB's default of 4 is too few.\n",
            opt->global_batch);
}

/* What is said about rows that were written. */
static void note_rows(const struct asim_llm_options *opt, const struct asim_llm_times *times)
{
    if (opt->cp > 1)
        fprintf(stderr, "asim trace llm: note: context_parallel_size has no effect on AICB's rows; "
                        "--schedule=1f1b has context parallelism.\n");
    if (opt->lacks)
        fprintf(stderr,
                "asim trace llm: note: %s has the sizes of AICB's preset, which are not all of the "
                "model's (gates, key-value heads, hidden size); --formulas=right or a schedule "
                "take the model's.\n",
                opt->model_name);
    if (*times->misses)
        fprintf(stderr,
                "asim trace llm: note: %s has no time of %s for these sizes; the roofline of %s "
                "gives it.\n",
                opt->database, times->misses, opt->roofline);
    if (times->missing)
        fprintf(stderr,
                "asim trace llm: warning: %" PRIu64
                " parts have no compute time in %s; 1 ns each was taken.\n",
                times->missing, opt->comp_file ? opt->comp_file : "the roofline");
    if (times->is_assumed)
        fprintf(stderr,
                "asim trace llm: note: no kernels were measured on the %s; the shares of the A100 "
                "are taken. --kernels=FILE gives others.\n",
                opt->compute_model);
}

/* Preset, checks, times: a wrong flag is reported before a file is opened. */
static int make(struct asim_llm_options *opt, struct asim_err *err)
{
    struct asim_llm llm;
    struct asim_llm_times times;
    int rc, is_fitted = 0;
    if (asim_llm_is_micro(opt))
        return make_micro(opt, err);
    rc = check_rows(opt, err);
    if (!rc)
        rc = asim_llm_preset(opt, err);
    if (!rc)
        is_fitted = asim_llm_fit_batch(opt);
    if (!rc)
        rc = asim_llm_derive(&llm, opt, err);
    if (!rc && opt->schedule) {
        rc = make_step(&llm, err);
        if (!rc && is_fitted)
            note_batch(opt);
        return rc;
    }
    if (!rc)
        rc = asim_llm_times_open(&times, &llm, err);
    if (rc)
        return rc;
    rc = write_all(&llm, &times, err);
    if (!rc && is_fitted)
        note_batch(opt);
    if (!rc)
        note_rows(opt, &times);
    asim_llm_times_close(&times);
    return rc;
}

/* --et alone makes a workload; a word and --et converts. */
static int llm(const struct asim_args *args, struct asim_err *err)
{
    struct asim_llm_options *opt = args->tables[0].base;
    opt->force = args->limits.force;
    if (!args->n_args)
        return asim_err_set(err, ASIM_EUSAGE,
                            "no model is given: --model=NAME, or a workload to convert and "
                            "--et=PREFIX; --help lists the models and options.");
    if (opt->for_astra_sim && !opt->et)
        return asim_err_set(err, ASIM_EUSAGE, "--for is about traces: give --et=PREFIX.");
    if (args->n_words && !opt->et)
        return asim_err_set(err, ASIM_EUSAGE,
                            "no prefix is given for the traces of %s: --et=PREFIX.",
                            args->words[0]);
    return args->n_words ? convert(args->words[0], opt, err) : make(opt, err);
}

/* One command for two uses, which both end in Chakra files. */
static int run(int argc, char **argv)
{
    static const struct asim_args_job job = {
        "trace llm",
        "usage: asim trace llm --model=NAME [options]   makes a workload\n"
        "       asim trace llm WORKLOAD.txt --et=PREFIX  converts one to Chakra\n",
        asim_llm_option_table,
        1,
        llm,
        ASIM_F_READS | ASIM_F_SET};
    struct asim_llm_options opt = {0};
    asim_llm_note_given(&opt, argc, argv);
    return asim_args_run(&job, &opt, argc, argv);
}

const struct asim_command asim_trace_command_llm = {
    .member = {"llm", "Make an LLM training workload (AICB's flags): SimAI text, Chakra traces.",
               asim_llm_option_table, sizeof(struct asim_llm_options)},
    .run = run,
};
