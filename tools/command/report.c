/* SPDX-License-Identifier: GPL-2.0-only
 *
 * asim report RUN…: the folders of runs (`--out DIR`) as one page of HTML, and on stdout what
 * limits each run.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "asim/ext/command.h"
#include "base/io/file_id.h"
#include "cli/args.h"
#include "tools/report/fct.h"
#include "tools/report/report.h"
#include "tools/report/threshold.h"

struct options {
    char *output, *fail_if, *sizes;
    int quiet, text, json, fct;
};

static const struct asim_option options[] = {
    {"out", "output", "the page; without it report.html in the folder of the first run", NULL,
     ASIM_T_STRING, offsetof(struct options, output), 0, 0, NULL, ASIM_F_WRITES | ASIM_F_RESULT},
    {"quiet", NULL, "do not say what was written", "0", ASIM_T_BOOL,
     offsetof(struct options, quiet)},
    {"text", NULL, "only print what limits the runs; write no page", "0", ASIM_T_BOOL,
     offsetof(struct options, text)},
    {"json", NULL, "only print the figures of the runs as JSON; write no page", "0", ASIM_T_BOOL,
     offsetof(struct options, json)},
    {"fct", NULL,
     "only print the slowdown of flows by size, as HPCC's fct_analysis.py does, of several runs "
     "side "
     "by side; files of HPCC's simulator (fct.txt) may be among them; write no page",
     "0", ASIM_T_BOOL, offsetof(struct options, fct)},
    {"sizes", NULL,
     "with --fct: sizes up to which classes of flows reach, as 10kB,100kB,1MB; without it twenty "
     "classes of as many flows",
     NULL, ASIM_T_STRING, offsetof(struct options, sizes)},
    {"fail-if", NULL,
     "thresholds, as 'time>12ms,exposed>30%,drops>0': exit code 4 where a run crosses one", NULL,
     ASIM_T_STRING, offsetof(struct options, fail_if)},
    {0}};

static int is_page(const char *name)
{
    size_t n = strlen(name);

    return n > 5 && !strcmp(name + n - 5, ".html");
}

/* A file that is there, has something, and is no page by name or content. */
static int is_other(const char *path)
{
    static const char begin[] = "<!DOCTYPE html>";
    char text[sizeof begin] = "";
    FILE *file = fopen(path, "rb");
    size_t n = file ? fread(text, 1, sizeof begin - 1, file) : 0;

    if (file)
        fclose(file);
    return n && !is_page(path) && strcmp(text, begin) != 0;
}

/* The page replaces no file of a run but a page, and nothing of others. */
static int check_place(const struct asim_args *args, const char *path, struct asim_err *err)
{
    char input[4096];
    struct dirent *entry;
    int is_input = 0;

    for (size_t w = 0; w < args->n_words && !is_input; w++) {
        DIR *dir = opendir(args->words[w]);

        while (dir && !is_input && (entry = readdir(dir))) {
            snprintf(input, sizeof input, "%.3800s/%.255s", args->words[w], entry->d_name);
            is_input = !is_page(entry->d_name) && asim_file_same(path, input);
        }
        if (dir)
            closedir(dir);
    }
    if (is_input)
        return asim_err_set(err, ASIM_EINVAL,
                            "%s is an input of this report; give the page another name.", path);
    return is_other(path) ? asim_err_set(err, ASIM_EINVAL,
                                         "%s is there and is no page of asim; give the page "
                                         "another name.",
                                         path)
                          : 0;
}

static int print_verdicts(const struct asim_args *args, struct asim_err *err)
{
    int code = 0;

    for (size_t w = 0; w < args->n_words && !code; w++) {
        char *text;

        code = asim_report_text(args->words[w], &text, err);
        if (!code && args->n_words > 1)
            printf("%s%s:\n", w ? "\n" : "", args->words[w]);
        if (!code)
            fputs(text, stdout);
        free(text);
    }
    return code;
}

static int check(const struct options *opt, struct asim_err *err)
{
    const char *only = opt->text ? "text" : opt->json ? "json" : "fct";

    if (opt->text + opt->json + opt->fct > 1)
        return asim_err_set(err, ASIM_EUSAGE, "--text, --json and --fct: one of them.");
    if (opt->text + opt->json + opt->fct && opt->output)
        return asim_err_set(err, ASIM_EUSAGE, "--%s writes no page; leave --out out.", only);
    if (opt->sizes && !opt->fct)
        return asim_err_set(err, ASIM_EUSAGE, "--sizes is for --fct.");
    return opt->fail_if ? asim_threshold_check(opt->fail_if, err) : 0;
}

static int print_fct(const struct asim_args *args, const struct options *opt, struct asim_err *err)
{
    struct asim_fct_sizes sizes = {.n = 0};
    int code = opt->sizes ? asim_fct_sizes_parse(&sizes, opt->sizes, err) : 0;

    return code ? code : asim_fct_print(args->words, args->n_words, &sizes, err);
}

static int write_page(const struct asim_args *args, const struct options *opt, struct asim_err *err)
{
    char beside[4096];
    const char *path = opt->output ? opt->output : beside;
    int code;

    snprintf(beside, sizeof beside, "%s/report.html", args->words[0]);
    code = check_place(args, path, err);
    if (!code)
        code = asim_report_page(args->words, args->n_words, path, err);
    if (!code && !opt->quiet)
        fprintf(stderr, "%s is written: open it in a browser.\n", path);
    return code;
}

static int report(const struct asim_args *args, struct asim_err *err)
{
    const struct options *opt = args->tables[0].base;
    int code;

    if (!args->n_words)
        return ASIM_ARGS_USAGE;
    code = check(opt, err);
    if (!code && opt->fct)
        code = print_fct(args, opt, err);
    else if (!code && !opt->json)
        code = print_verdicts(args, err);
    if (!code && !opt->text && !opt->json && !opt->fct)
        code = write_page(args, opt, err);
    if (code || (!opt->fail_if && !opt->json))
        return code;
    return asim_threshold_judge(args->words, args->n_words, opt->fail_if, opt->json, err);
}

static const struct asim_args_job job = {
    .name = "report",
    .usage = "usage: asim report RUN… [--out=FILE]\n\nRUN is a folder that a run wrote with --out. "
             "--reports=all there gives the report most.",
    .options = options,
    .max_words = SIZE_MAX,
    .work = report,
    .words_are = ASIM_F_READS};

const struct asim_command asim_command_report = {
    .member = {"report", "Tell what limits a run, and write its page of HTML.", options,
               sizeof(struct options)},
    .job = &job,
    .topic = ASIM_TOPIC_COMPARE,
};
