/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The command line of chakra_converter, today's ("chakra_converter --log-filename F Text --input F
 * --out P --num-npus N --num-passes P") and the older one ("--input_type Text --input_filename F
 * --output_filename P --num_npus N --num_passes P"), passed on to `asim trace text` or `asim trace
 * convert`. Options that only concern chakra_converter are dropped. Called as chakra_converter it
 * writes that tool's bytes (--compat, which main.c adds; --compat=0 ends it).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "asim/ext/command.h"
#include "cli/args.h"

extern const struct asim_command asim_trace_command_text, asim_trace_command_convert;

enum use { KEEP, KEEP_ALONE, DROP, DROP_ALONE, TYPE };

/* Options with their own meaning here; others are passed on with their value. */
static const struct {
    struct asim_option row;
    enum use use;
} known[] = {
    {{.key = "log-filename"}, DROP},   {{.key = "num-dims"}, DROP},
    {{.key = "simulate"}, DROP_ALONE}, {{.key = "input-type"}, TYPE},
    {{.key = "compat"}, KEEP_ALONE},   {{.key = "quiet", .alias = "q"}, KEEP_ALONE},
    {{.key = "force"}, KEEP_ALONE},    {{.key = "help", .alias = "h"}, KEEP_ALONE},
};

static enum use use_of(const char *arg)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (asim_args_is(arg, &known[i].row))
            return known[i].use;
    return KEEP;
}

struct split {
    const char *type;
    char **words;
    int n;
};

/* The word itself, or the value of the option --input_type. */
static const char *type_of(const char *arg, const char *value)
{
    const char *equals = strchr(arg, '=');
    if (arg[0] != '-' || value)
        return value ? value : arg;
    return equals ? equals + 1 : "";
}

/* Sorts the arguments: type of input, arguments to pass on, arguments to drop. */
static int split(struct split *s, int argc, char **argv, struct asim_err *err)
{
    for (int i = 1; i < argc; i++) {
        enum use use = argv[i][0] == '-' ? use_of(argv[i]) : TYPE;
        int has_value = argv[i][0] == '-' && use != KEEP_ALONE && use != DROP_ALONE &&
                        !strchr(argv[i], '=') && i + 1 < argc;
        if (argv[i][0] != '-' && s->type)
            return asim_err_set(err, ASIM_EINVAL, "unexpected word '%.60s' after '%.20s'.", argv[i],
                                s->type);
        if (use == TYPE)
            s->type = type_of(argv[i], has_value ? argv[i + 1] : NULL);
        if (use == KEEP || use == KEEP_ALONE)
            s->words[s->n++] = argv[i];
        if (use == KEEP && has_value)
            s->words[s->n++] = argv[i + 1];
        i += has_value;
    }
    return 0;
}

static int is_help(const struct split *s)
{
    for (int i = 1; i < s->n; i++)
        if (asim_args_is(s->words[i], &known[sizeof known / sizeof *known - 1].row))
            return 1;
    return 0;
}

static int run_split(const struct split *s, struct asim_err *err)
{
    const struct asim_command *command = NULL;
    if (!s->type && is_help(s)) {
        puts("usage: asim trace chakra Text|PyTorch --input=FILE --out=FILE [--option value "
             "...]\n\nThe command line of chakra_converter: Text is 'asim trace text', PyTorch is "
             "'asim trace\nconvert'; give the word and --help for their options.");
        return 0;
    }
    if (s->type && !strcasecmp(s->type, "text"))
        command = &asim_trace_command_text;
    else if (s->type && !strcasecmp(s->type, "pytorch"))
        command = &asim_trace_command_convert;
    if (!command) {
        asim_err_set(err, ASIM_EINVAL,
                     "%s%.40s%s; expected Text or PyTorch as the first word or as --input_type.",
                     s->type ? "unknown type of input '" : "the type of input is missing",
                     s->type ? s->type : "", s->type ? "'" : "");
        return asim_args_fail("trace chakra", err, 2);
    }
    return asim_args_command(command, s->n, s->words);
}

static int run(int argc, char **argv)
{
    struct asim_err err = {0};
    struct split s = {.words = calloc((size_t)argc + 2, sizeof(char *))};
    char name[] = "chakra_converter";
    int code;
    if (!s.words) {
        asim_err_nomem(&err, "reading the command line");
        return asim_args_fail("trace chakra", &err, 1);
    }
    s.words[s.n++] = name;
    code = split(&s, argc, argv, &err);
    code = code ? asim_args_fail("trace chakra", &err, 2) : run_split(&s, &err);
    free(s.words);
    return code;
}

static const struct asim_option options[] = {
    {"compat", NULL, "same output as chakra_converter, its defects included", "0", ASIM_T_BOOL},
    {0}};

static const char *const called_as[] = {"chakra_converter", NULL};

const struct asim_command asim_trace_command_chakra = {
    .member = {.name = "chakra",
               .about = "text or convert, with chakra_converter's command line",
               .options = options,
               .options_size = sizeof(int)},
    .run = run,
    .called_as = called_as,
};
