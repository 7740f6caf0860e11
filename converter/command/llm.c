/* SPDX-License-Identifier: GPL-2.0-only
 *
 * asim trace llm: an AICB-like workload of one training iteration of a transformer, as SimAI text
 * and, with --et, as Chakra traces. AICB's own flags are taken. A file given as a word is not made
 * but converted: `asim trace llm workload.txt --et=PREFIX`.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "asim/ext/command.h"
#include "llm/llm.h"
#include "tools/args.h"

/* Two uses of one command, because both end in the same Chakra files. */
static void show_usage(FILE *file)
{
    fprintf(file, "usage: asim trace llm --model=NAME [options]   makes a workload\n"
                  "       asim trace llm WORKLOAD.txt --et=PREFIX  converts one to Chakra\n\n");
    asim_args_help(file, asim_llm_option_table);
}

/* Prints the first and the last file, not thousands. */
static int convert(const char *workload, const char *prefix, struct asim_err *err)
{
    uint32_t ranks = 0;
    int rc = asim_llm_to_et(workload, prefix, &ranks, err);
    if (!rc)
        printf("%s.0.et … %s.%u.et\n", prefix, prefix, ranks - 1);
    return rc;
}

/* The text is written even where only Chakra is wanted: it is what the traces are made from. */
static int write_all(const struct asim_llm *llm, struct asim_llm_times *times, struct asim_err *err)
{
    struct asim_llm_rows rows = {.failed = 0};
    char name[1024];
    const char *path = llm->opt->output;
    asim_llm_file_name(llm, name, sizeof name);
    if (!path)
        path = name;
    int rc = asim_llm_rows_make(&rows, llm, times, err);
    if (!rc)
        rc = asim_llm_write(llm, &rows, path, err);
    if (!rc)
        printf("%s: %zu rows, %" PRIu64 " parameters per GPU (%" PRIu64 " of experts)\n", path,
               rows.list.n, llm->params_total, llm->params_moe);
    free(rows.list.at);
    return rc || !llm->opt->et ? rc : convert(path, llm->opt->et, err);
}

/* Preset, then checks, then times: a wrong flag is named before a file is opened. */
static int make(struct asim_llm_options *opt, struct asim_err *err)
{
    struct asim_llm llm;
    struct asim_llm_times times;
    int rc = asim_llm_preset(opt, err);
    if (!rc)
        rc = asim_llm_derive(&llm, opt, err);
    if (!rc)
        rc = asim_llm_times_open(&times, &llm, err);
    if (rc)
        return rc;
    rc = write_all(&llm, &times, err);
    if (!rc && times.missing)
        fprintf(stderr,
                "asim trace llm: warning: %" PRIu64 " parts have no compute time in %s; 1 ns each "
                "was taken.\n",
                times.missing, opt->comp_file ? opt->comp_file : "the roofline");
    asim_llm_times_close(&times);
    return rc;
}

/* --et alone makes; a word and --et converts; a word alone is a question and gets the usage. */
static int run(int argc, char **argv)
{
    struct asim_llm_options opt = {0};
    struct asim_err err = {0};
    const char *workload = NULL;
    struct asim_args args = {
        .tables = {{asim_llm_option_table, &opt}}, .words = &workload, .max_words = 1};
    int code = 0;
    if (asim_option_defaults(asim_llm_option_table, &opt, &err) ||
        asim_args_parse(&args, argc, argv, &err)) {
        code = asim_args_fail("trace llm", &err, 2);
    } else if (args.help || argc == 1 || (args.n_words && !opt.et)) {
        show_usage(args.help ? stdout : stderr);
        code = args.help ? 0 : 2;
    } else if (args.n_words ? convert(workload, opt.et, &err) : make(&opt, &err)) {
        code = asim_args_fail("trace llm", &err, 1);
    }
    asim_option_fini(asim_llm_option_table, &opt);
    return code;
}

const struct asim_command asim_trace_command_llm = {
    .member = {"llm", "Make an LLM training workload (AICB's flags): SimAI text, Chakra traces.",
               asim_llm_option_table, sizeof(struct asim_llm_options)},
    .run = run,
};
