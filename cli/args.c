/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Parses command lines over option tables. A key may have - for _, as with getopt and argparse. A
 * boolean takes the next word as its value only if that word is a boolean (0, 1, true, off …), so
 * both `--ro -g 8` and `--ro 1 -g 8` work.
 *
 * If several tables have a key, the first takes it. base/option.c parses the values.
 */
#include "cli/args.h"

#include <stdlib.h>
#include <string.h>
#include "base/option_names.h"
#include "base/text.h"
#include "cli/files.h"
#include "cli/interrupt.h"
#include "cli/quiet.h"

/* -g and --g are the same: both styles are published. */
static const char *skip_dashes(const char *arg)
{
    while (*arg == '-')
        arg++;
    return arg;
}

/* 1 if the first n letters of key are the word; '-' equals '_'. There are no abbreviations, because
 * a new option would break them. */
static int same_key(const char *word, const char *key, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (word[i] != key[i] && !(key[i] == '-' && word[i] == '_') &&
            !(key[i] == '_' && word[i] == '-'))
            return 0;
    return word[n] == '\0';
}

/* For commands that must look at an option before parsing. */
int asim_args_is(const char *arg, const struct asim_option *row)
{
    const char *key = skip_dashes(arg);
    size_t n = strcspn(key, "=");
    return key != arg && n &&
           (same_key(row->key, key, n) || (row->alias && same_key(row->alias, key, n)));
}

/* The n-th table; NULL options behind the last one. */
static struct asim_args_table table_of(struct asim_args *args, size_t n)
{
    struct asim_args_table limits = {asim_limits_options, &args->limits};
    return n < ASIM_ARGS_TABLES ? args->tables[n] : limits;
}

/* The first table wins where several have the key. */
static const struct asim_option *find_exact(struct asim_args *args, const char *arg, void **base)
{
    for (size_t t = 0; t <= ASIM_ARGS_TABLES; t++) {
        struct asim_args_table table = table_of(args, t);
        for (const struct asim_option *row = table.options; row && row->key; row++)
            if (asim_args_is(arg, row)) {
                *base = table.base;
                return row;
            }
    }
    return NULL;
}

/* Also under another name of the same meaning (base/option_names.h). */
static const struct asim_option *find_row(struct asim_args *args, const char *arg, void **base)
{
    const struct asim_option *row = find_exact(args, arg, base);
    const char *key = skip_dashes(arg);
    size_t n = strcspn(key, "=");
    const char *const *name = row || key == arg || !n ? NULL : asim_option_names(key, n);

    for (char dashed[40]; !row && name && *name; name++) {
        snprintf(dashed, sizeof dashed, "--%s", *name);
        row = find_exact(args, dashed, base);
    }
    return row;
}

/* The sentence for an unknown option. Keys and aliases of all tables are candidates for
 * did-you-mean. */
static int refuse_unknown(struct asim_args *args, const char *arg, struct asim_err *err)
{
    enum { MOST_WORDS = 256 };
    const char *words[MOST_WORDS];
    char key[64], safe[80], hint[160];
    size_t n = 0, length = strcspn(skip_dashes(arg), "=");
    snprintf(key, sizeof key, "%.*s", (int)(length < 63 ? length : 63), skip_dashes(arg));
    for (size_t t = 0; t <= ASIM_ARGS_TABLES; t++)
        for (const struct asim_option *row = table_of(args, t).options; row && row->key; row++) {
            if (n < MOST_WORDS)
                words[n++] = row->key;
            if (row->alias && n < MOST_WORDS)
                words[n++] = row->alias;
        }
    return asim_err_set(err, ASIM_EINVAL, "unknown option '%s'.%s --help lists the options.",
                        asim_text_safe(safe, sizeof safe, arg),
                        asim_text_hint(hint, sizeof hint, asim_text_nearest(key, words, n)));
}

/* Once under any of its names: which of two values was meant, nobody can tell. */
static int keep_seen(struct asim_args *args, const struct asim_option *row, const char *value,
                     struct asim_err *err)
{
    char first[80], last[80];

    for (size_t i = 0; i < args->n_seen; i++)
        if (args->seen[i].row == row)
            return asim_err_set(err, ASIM_EUSAGE,
                                "--%s is given twice, '%s' and '%s'; give it once.", row->key,
                                asim_text_safe(first, sizeof first, args->seen[i].value),
                                asim_text_safe(last, sizeof last, value));
    if (args->n_seen < ASIM_ARGS_SEEN)
        args->seen[args->n_seen++] = (struct asim_args_seen){row, value};
    return 0;
}

/* A word behind an option that is an option itself is no value: one was forgotten. */
static const char *value_behind(struct asim_args *args, const char *word)
{
    void *base;

    return word && (!strncmp(word, "--", 2) || find_row(args, word, &base)) ? NULL : word;
}

/* Takes the option at argv[*at] and its value: all text after the first =. */
static int take_option(struct asim_args *args, char **argv, int *at, struct asim_err *err)
{
    void *base = NULL;
    int bool_value;
    const char *arg = argv[*at], *value = strchr(arg, '=');
    const struct asim_option *row = find_row(args, arg, &base);
    if (!row)
        return refuse_unknown(args, arg, err);
    if (value)
        value++;
    else if (row->type == ASIM_T_BOOL &&
             (!argv[*at + 1] || asim_text_bool(argv[*at + 1], &bool_value)))
        value = "1";
    else if (row->flags & ASIM_F_ALONE)
        value = "-";
    else
        value = value_behind(args, argv[++*at]);
    if (!value)
        return asim_err_set(err, ASIM_EINVAL, "the option %s needs a value behind it.", arg);
    if (!*value && row->type == ASIM_T_STRING) /* for example from an unset shell variable */
        return asim_err_set(err, ASIM_EINVAL,
                            "the value of --%s is empty; give one or leave the option out.",
                            row->key);
    if (*at > args->n_own && keep_seen(args, row, value, err))
        return ASIM_EUSAGE;
    return asim_option_parse(row, base, value, (struct asim_where){"", 0, 0}, err);
}

/* Options and words in any order. */
int asim_args_parse(struct asim_args *args, int argc, char **argv, struct asim_err *err)
{
    void *base;
    args->n_args = argc - 1;
    for (int at = 1; at < argc; at++) {
        const char *arg = argv[at];
        int rc = 0;
        if (arg[0] != '-' || !arg[1]) {
            if (args->n_words == args->max_words)
                return asim_err_set(err, ASIM_EINVAL,
                                    "found the extra word '%.80s'; --help shows the usage.", arg);
            args->words[args->n_words++] = arg;
        } else if (!find_row(args, arg, &base) && (!strcmp(arg, "--help") || !strcmp(arg, "-h"))) {
            args->help = 1;
        } else if (!strcmp(arg, "--help=all")) {
            args->help = ASIM_ARGS_ALL;
        } else {
            rc = take_option(args, argv, &at, err);
        }
        if (rc)
            return rc;
    }
    asim_limits_apply(&args->limits);
    return 0;
}

/* By the key itself: "out" and "output" are two rows where a command has both. */
static int is_listed(const struct asim_option *shown, const char *key)
{
    for (; shown->key; shown++)
        if (!strcmp(shown->key, key))
            return 1;
    return 0;
}

/* Measures the text, then makes it. Prints nothing when out of memory. */
void asim_args_help(FILE *file, const struct asim_option *further, const struct asim_option *own,
                    int all)
{
    const struct asim_option *const tables[] = {further, own, asim_limits_options};
    size_t n = 0, kept = 0, idle = 0, size;
    struct asim_option *shown;
    char *text = NULL;

    for (int t = 0; t < 3; t++)
        for (const struct asim_option *row = tables[t]; row && row->key; row++)
            n++;
    shown = calloc(n + 1, sizeof *shown);
    for (int t = 0; shown && t < 3; t++)
        for (const struct asim_option *row = tables[t]; row && row->key; row++) {
            if (is_listed(shown, row->key))
                continue;
            if (all || !(row->flags & ASIM_F_NOOP))
                shown[kept++] = *row;
            else
                idle++;
        }
    size = shown ? asim_option_help(shown, NULL, 0) + 1 : 0;
    text = malloc(size + 1);
    if (text && size) {
        asim_option_help(shown, text, size);
        fputs(text, file);
        if (idle)
            fprintf(file, "%zu more are accepted and have no effect: --help=all\n", idle);
    }
    free(text);
    free(shown);
}

/* The one sentence on stderr and the exit code, for `return asim_args_fail(…)`. */
int asim_args_fail(const char *command, const struct asim_err *err, int exit_code)
{
    char text[3000];
    fprintf(stderr, "asim %s: %s\n", command, asim_err_show(err, text, sizeof text));
    return exit_code;
}

/* Input errors give 1, usage errors 2 and Ctrl-C 130; scripts tell them apart. */
int asim_args_exit(const struct asim_err *err)
{
    if (err->code == ASIM_EINTR)
        return ASIM_ARGS_INTERRUPTED;
    return err->code == ASIM_EUSAGE ? ASIM_ARGS_USAGE : 1;
}

/* Help goes to stdout if the user asked for it, else to stderr. */
static int show_usage(const struct asim_args_job *job, FILE *file, int all, int exit_code)
{
    fprintf(file, "%s\n", job->usage);
    asim_args_help(file, job->further, job->options, all);
    return exit_code;
}

/* One sentence on the options that were given and change nothing. */
static void note_idle(const struct asim_args_job *job, const struct asim_args *args)
{
    char names[600] = "";
    size_t used = 0, n = 0;

    for (size_t i = 0; i < args->n_seen; i++)
        if (args->seen[i].row->flags & ASIM_F_NOOP && used < sizeof names) {
            used += (size_t)snprintf(names + used, sizeof names - used, "%s--%s", n ? ", " : "",
                                     args->seen[i].row->key);
            n++;
        }
    if (n)
        fprintf(stderr, "asim %s: note: %s %s no effect\n", job->name, names,
                n > 1 ? "have" : "has");
}

/* After parsing. Negative codes are errors with a sentence, positive ones exit codes. */
static int work(const struct asim_args_job *job, const struct asim_args *args)
{
    struct asim_err err = {0};
    int code = asim_files_check(args, job->words_are, &err), kept;
    struct asim_files_new made;

    asim_files_begin(&made, args);
    note_idle(job, args);
    if (!job->reads_only)
        asim_interrupt_catch();
    kept = asim_quiet_begin(args);
    if (!code)
        code = job->work(args, &err);
    asim_quiet_end(kept);
    asim_files_end(&made, code);
    if (!job->reads_only)
        code = asim_interrupt_end(code, &err);
    if (code < 0 || err.text[0])
        return code ? asim_args_fail(job->name, &err, code < 0 ? asim_args_exit(&err) : code) : 0;
    return code == ASIM_ARGS_USAGE ? show_usage(job, stderr, 0, code) : code;
}

/* Words are borrowed from argv, so there are at most as many. */
int asim_args_run(const struct asim_args_job *job, void *base, int argc, char **argv)
{
    struct asim_err err = {0};
    struct asim_args args = {.tables = {{job->options, base}, {job->further, base}},
                             .max_words = job->max_words};
    int code = asim_option_defaults(job->options, base, &err);
    if (!code && job->further)
        code = asim_option_defaults(job->further, base, &err);
    args.words = calloc((size_t)argc + 1, sizeof *args.words);
    if (!code && !args.words)
        code = asim_err_nomem(&err, "reading the command line");
    if (!code)
        code = asim_args_parse(&args, argc, argv, &err);
    if (code)
        code = asim_args_fail(job->name, &err, ASIM_ARGS_USAGE);
    else
        code =
            args.help ? show_usage(job, stdout, args.help == ASIM_ARGS_ALL, 0) : work(job, &args);
    asim_option_fini(job->options, base);
    if (job->further)
        asim_option_fini(job->further, base);
    free(args.words);
    return code;
}

int asim_args_command(const struct asim_command *command, int argc, char **argv)
{
    size_t size = command->member.options_size;
    struct asim_err err = {0};
    struct asim_args_job job;
    void *base;
    int code;

    if (command->run)
        return command->run(argc, argv);
    base = calloc(1, size ? size : 1);
    if (!base) {
        asim_err_nomem(&err, "starting");
        return asim_args_fail(command->job->name, &err, 1);
    }
    job = *command->job;
    if (strcmp(argv[0], command->member.name) != 0) /* by a name of before: errors say that */
        job.name = argv[0];
    code = asim_args_run(&job, base, argc, argv);
    free(base);
    return code;
}
