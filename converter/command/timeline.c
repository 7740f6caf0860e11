/* SPDX-License-Identifier: GPL-2.0-only
 *
 * asim trace timeline: turns a log of ops into a picture for chrome://tracing or Perfetto. Takes
 * the options and the name of chakra_timeline_visualizer.
 */
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "asim/ext/command.h"
#include "base/io/out.h"
#include "timeline/timeline.h"
#include "cli/args.h"

struct options {
    char *input, *output, *frequency, *log;
    uint64_t num_npus;
    int form, compat;
};

enum { MOST_INPUTS = 4096 };

#define AT(field) offsetof(struct options, field)
static const struct asim_option options[] = {
    {"input", "input-filename",
     "ops.csv, flows.csv, fct.txt or log of a run, may be .gz; further ones may follow the options",
     NULL, ASIM_T_STRING, AT(input), 0, 0, NULL, ASIM_F_READS},
    {"out", "output-filename", "JSON file to write (required)", NULL, ASIM_T_STRING, AT(output), 0,
     0, NULL, ASIM_F_WRITES | ASIM_F_RESULT},
    {"form", "f", "kind of the input", "auto", ASIM_T_CHOICE, AT(form), 0, 0, "auto|log|fct|table"},
    {"npu-frequency", NULL, "cycles of the log: 1500 (MHz), 1500MHz or 1.5GHz", "1000",
     ASIM_T_STRING, AT(frequency)},
    {"num-npus", NULL, "written to the file; 0 = as many as appear", "0", ASIM_T_U64, AT(num_npus)},
    {"compat", NULL, "as chakra_timeline_visualizer: ms where the format wants us", "0",
     ASIM_T_BOOL, AT(compat)},
    {"log-filename", NULL, "accepted for old scripts; nothing is logged", NULL, ASIM_T_STRING,
     AT(log), 0, 0, NULL, ASIM_F_NOOP},
    {0}};

static int read_frequency(const char *text, double *mhz, struct asim_err *err)
{
    char *end;
    double value = strtod(text, &end), factor = 0;
    if (!*end || !strcmp(end, "MHz"))
        factor = 1;
    else if (!strcmp(end, "GHz"))
        factor = 1000;
    if (end == text || factor == 0 || !isfinite(value) || value <= 0 || value > 1e9)
        return asim_err_set(
            err, ASIM_EUSAGE,
            "--npu-frequency is '%.40s', expected a number of MHz above 0, as 1500 or 1.5GHz.",
            text);
    *mhz = value * factor;
    return 0;
}

static int convert(const struct asim_args *args, struct asim_err *err)
{
    const struct options *o = args->tables[0].base;
    struct asim_timeline t = {.wanted = o->form, .compat = o->compat, .num_npus = o->num_npus};
    const char *paths[MOST_INPUTS + 1];
    struct asim_out out = {0};
    int rc;

    if (o->input)
        paths[t.n_paths++] = o->input;
    for (size_t i = 0; i < args->n_words; i++)
        paths[t.n_paths++] = args->words[i];
    t.paths = paths;
    if (!t.n_paths || !o->output)
        return asim_err_set(err, ASIM_EUSAGE,
                            "--input and --out are both needed; --help explains them.");
    rc = read_frequency(o->frequency, &t.mhz, err);
    if (!rc)
        rc = asim_out_open(&out, o->output, err);
    if (rc)
        return rc;
    t.out = out.file;
    rc = asim_timeline_run(&t, err);
    if (rc) {
        asim_out_discard(&out);
        return rc;
    }
    rc = asim_out_commit(&out, err);
    if (rc)
        return rc;
    printf("wrote %s: %" PRIu64 " events of %" PRIu64 " NPUs", o->output, t.events, t.npus);
    if (t.unfinished)
        printf("; %" PRIu64 " nodes were issued and never called back, so they are left out",
               t.unfinished);
    printf("\n");
    return 0;
}

static const struct asim_args_job job = {
    "trace timeline",
    "usage: asim trace timeline --input=FILE --out=FILE.json [--option=value ...] [FILE ...]\n\n"
    "Turns what a run wrote into a timeline for chrome://tracing or ui.perfetto.dev. Several\n"
    "files, as ops.csv and flows.csv of a run, become one timeline.\n\n"
    "Options:",
    options,
    MOST_INPUTS,
    convert,
    ASIM_F_READS,
    0};

static const char *const called_as[] = {"chakra_timeline_visualizer", NULL};

const struct asim_command asim_trace_command_timeline = {
    .member = {.name = "timeline",
               .about = "turn a run's log into a timeline for Chrome or Perfetto",
               .options = options,
               .options_size = sizeof(struct options)},
    .job = &job,
    .called_as = called_as,
};
