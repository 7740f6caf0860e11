/* SPDX-License-Identifier: GPL-2.0-only
 *
 * main of the `asim` tool: finds the command that a user typed and runs it. Commands are a family
 * with four tables ("asim NAME", "asim trace NAME", "asim topo NAME", "asim scenario NAME"), one
 * file per command. Started under a name in a command's called_as (a symbolic link
 * `chakra_trace_link`), the tool is that command, with
 * --compat if the command has it: scripts for the published tools get the same bytes.
 *
 * Exit codes: see asim/ext/command.h. A word that the tool itself refuses is a usage error, 2. The
 * commands parse their options themselves.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "asim/ext/command.h"
#include "asim/version.h"
#include "base/text.h"
#include "cli/args.h"

enum { EXIT_GOOD = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, GROUPS = 4, MOST_WORDS = 64 };

/* A table of commands and the word that leads to it; "" is the tool itself. */
struct group {
    const char *word, *about;
    const struct asim_member *const *table;
};

static const struct group groups[GROUPS] = {
    {"", "Simulate distributed machine learning, packet by packet.", asim_command_table},
    {"trace", "Make, convert, check and show execution traces.", asim_trace_command_table},
    {"topo", "Make, convert and check network topologies.", asim_topo_command_table},
    {"scenario", "Check and show scenarios: several jobs on one network.",
     asim_scenario_command_table},
};

/* The member is the first field of its row (asim/ext/family.h). */
static const struct asim_command *as_command(const struct asim_member *member)
{
    return (const struct asim_command *)(const void *)member;
}

/* called_as may be NULL. */
static int is_called(const struct asim_command *command, const char *name)
{
    for (const char *const *word = command->called_as; word && *word; word++) {
        if (!strcmp(*word, name))
            return 1;
    }
    return 0;
}

/* Exact names only, and names of before. */
static const struct asim_command *find(const struct group *group, const char *name)
{
    for (size_t i = 0; group->table[i]; i++) {
        const struct asim_command *command = as_command(group->table[i]);
        if (!strcmp(command->member.name, name) || is_called(command, name))
            return command;
    }
    return NULL;
}

/* Not the first: "" is never typed. */
static const struct group *find_group(const char *word)
{
    for (size_t i = 1; i < GROUPS; i++) {
        if (!strcmp(groups[i].word, word))
            return &groups[i];
    }
    return NULL;
}

/* name: the last part of argv[0]. NULL = called by its own name. */
static const struct asim_command *find_called(const char *name)
{
    for (size_t g = 0; g < GROUPS; g++) {
        for (size_t i = 0; groups[g].table[i]; i++) {
            const struct asim_command *command = as_command(groups[g].table[i]);
            if (is_called(command, name))
                return command;
        }
    }
    return NULL;
}

/* The words that may stand after `asim` or `asim <group>`; returns how many.
 * The tool itself also lists its groups and "help". */
static size_t list_words(const struct group *group, const char *words[MOST_WORDS])
{
    size_t n = 0;
    for (size_t i = 0; group->table[i] && n < MOST_WORDS - GROUPS; i++)
        words[n++] = group->table[i]->name;
    for (size_t i = 1; i < GROUPS && group == groups; i++)
        words[n++] = groups[i].word;
    if (group == groups)
        words[n++] = "help";
    return n;
}

/* The tool's own commands by topic, and its groups behind the inputs; those of a group as they are.
 */
static void show_topics(int width)
{
    static const char *const heads[] = {"Simulate and predict", "Vary and compare", "Inputs",
                                        "Other"};

    for (int topic = 0; topic < (int)(sizeof heads / sizeof *heads); topic++) {
        printf("\n%s:\n", heads[topic]);
        for (size_t i = 0; groups[0].table[i]; i++)
            if ((int)as_command(groups[0].table[i])->topic == topic)
                printf("  %-*s  %s\n", width, groups[0].table[i]->name, groups[0].table[i]->about);
        for (size_t i = 1; i < GROUPS && topic == ASIM_TOPIC_INPUT; i++)
            printf("  %-*s  %s (asim %s lists them)\n", width, groups[i].word, groups[i].about,
                   groups[i].word);
    }
}

/* Lists the commands on stdout: the user asked for them. */
static int show_group(const struct group *group)
{
    const char *words[MOST_WORDS] = {NULL};
    const char *space = *group->word ? " " : "";
    size_t n = list_words(group, words);
    int width = 4;
    for (size_t i = 0; i < n; i++)
        width = (int)strlen(words[i]) > width ? (int)strlen(words[i]) : width;
    printf("usage: asim%s%s COMMAND [--option=value ...]\n\n%s\n", space, group->word,
           group->about);
    if (group == groups)
        show_topics(width);
    else
        printf("\nCommands:\n");
    for (size_t i = 0; group != groups && group->table[i]; i++)
        printf("  %-*s  %s\n", width, group->table[i]->name, group->table[i]->about);
    printf("\n'asim %s%sCOMMAND --help' shows a command's options.\n", group->word, space);
    return EXIT_GOOD;
}

/* What the user probably meant: a command of another group by its exact name ("link" for "trace
 * link"), else the nearest word of this group, else NULL. Uses buf.
 * The same word in another group is likelier than a similar one in this. */
static const char *guess(const struct group *group, const char *word, char *buf, size_t size)
{
    const char *words[MOST_WORDS] = {NULL};
    for (size_t g = 0; g < GROUPS; g++) {
        if (&groups[g] == group || !find(&groups[g], word))
            continue;
        snprintf(buf, size, "asim %s%s%s", groups[g].word, *groups[g].word ? " " : "", word);
        return buf;
    }
    return asim_text_nearest(word, words, list_words(group, words));
}

/* Wrong usage: one sentence on stderr, exit code 2. */
static int refuse(const struct group *group, const char *word)
{
    char safe[80], hint[160], buf[120];
    const char *space = *group->word ? " " : "";
    const char *nearest = guess(group, word, buf, sizeof buf);
    fprintf(stderr, "asim: unknown command '%s%s%s'.%s 'asim%s%s --help' lists the commands.\n",
            group->word, space, asim_text_safe(safe, sizeof safe, word),
            asim_text_hint(hint, sizeof hint, nearest), space, group->word);
    return EXIT_USAGE;
}

/* Sets argv[0] to the name of the command, even if the tool was started by a link. */
static int run(const struct asim_command *command, int argc, char **argv)
{
    char name[64], *plain[] = {name, NULL};
    snprintf(name, sizeof name, "%s", command->member.name);
    if (argc < 1)
        return asim_args_command(command, 1, plain);
    argv[0] = name;
    return asim_args_command(command, argc, argv);
}

static int has_compat(const struct asim_command *command)
{
    const struct asim_option *row = command->member.options;
    while (row && row->key && strcmp(row->key, "compat"))
        row++;
    return row && row->key;
}

/* 1 if the command writes what others read, which it does not replace unasked. */
static int writes_inputs(const struct asim_command *command)
{
    const struct asim_option *row = command->member.options;
    while (row && row->key && (!(row->flags & ASIM_F_WRITES) || row->flags & ASIM_F_RESULT))
        row++;
    return row && row->key;
}

/* 1 if the user says --compat=0 or --compat=1. */
static int says_compat(const struct asim_option *row, int argc, char **argv)
{
    while (strcmp(row->key, "compat"))
        row++;
    for (int i = 1; i < argc; i++)
        if (asim_args_is(argv[i], row))
            return 1;
    return 0;
}

/* Started under a published name: --compat unless the user says otherwise, or --force of a command
 * without it, since the published tools replace files without asking. */
static int run_called(const struct asim_command *command, int argc, char **argv)
{
    char compat[] = "--compat=1", force[] = "--force=1";
    int has = has_compat(command);
    int adds = has ? !says_compat(command->member.options, argc, argv) : writes_inputs(command);
    char **words = adds ? malloc(((size_t)argc + 2) * sizeof *words) : NULL;
    int code;
    if (!words)
        return run(command, argc, argv);
    words[0] = argv[0];
    words[1] = has ? compat : force;
    memcpy(words + 2, argv + 1, (size_t)argc * sizeof *words); /* its NULL, too */
    code = run(command, argc + 1, words);
    free(words);
    return code;
}

/* The word may stand wherever a command could. */
static int is_help(const char *word)
{
    return !strcmp(word, "--help") || !strcmp(word, "-h") || !strcmp(word, "help");
}

/* `asim help`, `asim help NAME`, `asim help trace NAME`; argv[0] is "help". */
static int help(int argc, char **argv)
{
    const struct group *group = argc > 1 ? find_group(argv[1]) : NULL;
    int at = group ? 2 : 1;
    char option[] = "--help", *words[] = {argv[0], option, NULL};
    if (!group)
        group = groups;
    if (argc <= at)
        return show_group(group);
    const struct asim_command *command = find(group, argv[at]);
    return command ? run(command, 2, words) : refuse(group, argv[at]);
}

/* "asim 0.1.0 (commit f504601a2b)". */
static int show_version(void)
{
    const char *commit = asim_commit();

    printf("asim %s%s%s%s\n", asim_version(), *commit ? " (commit " : "", commit,
           *commit ? ")" : "");
    return EXIT_GOOD;
}

/* argv[0] is the word after `asim` (or after the group's word). */
static int dispatch(const struct group *group, int argc, char **argv)
{
    if (argc < 1)
        return show_group(group);
    if (is_help(argv[0])) {
        if (group != groups && argc == 1)
            return show_group(group);
        if (group == groups)
            return help(argc, argv);
    }
    const struct asim_command *command = find(group, argv[0]);
    if (!strcmp(argv[command && argc > 1 ? 1 : 0], "--version"))
        return show_version();
    if (command) /* by the name that was typed, which may be one of before */
        return asim_args_command(command, argc, argv);
    const struct group *inner = group == groups ? find_group(argv[0]) : NULL;
    if (inner)
        return dispatch(inner, argc - 1, argv + 1);
    return refuse(group, argv[0]);
}

/* The start-up check of asim/ext/family.h over the four tables. */
static int check(struct asim_err *err)
{
    for (size_t g = 0; g < GROUPS; g++) {
        int code = asim_family_check(groups[g].table, "command", err);
        if (code)
            return code;
        for (size_t i = 0; groups[g].table[i]; i++) {
            if (!as_command(groups[g].table[i])->run && !as_command(groups[g].table[i])->job)
                return asim_err_set(err, ASIM_EBUG, "the command '%s' has nothing to run.",
                                    groups[g].table[i]->name);
        }
    }
    return 0;
}

/* Words come back in what commands print, where control characters would steer the terminal. */
static int refuse_control(int argc, char **argv, struct asim_err *err)
{
    for (int i = 1; i < argc; i++)
        for (const char *c = argv[i]; *c; c++)
            if (((unsigned char)*c < ' ' && *c != '\n' && *c != '\t') || *c == 0x7f)
                return asim_err_set(err, ASIM_EUSAGE, "the word '%s' has %s; leave it out.",
                                    argv[i],
                                    *c == '\r' ? "a carriage return, as scripts with Windows line "
                                                 "ends leave it"
                                               : "a control character");
    return 0;
}

int main(int argc, char **argv)
{
    struct asim_err err = {0};
    signal(SIGXFSZ, SIG_IGN); /* a file beyond the limit is an error of writing */
    if (check(&err)) {
        fprintf(stderr, "asim: %s\n", err.text);
        return EXIT_FAILED;
    }
    if (refuse_control(argc, argv, &err)) {
        fprintf(stderr, "asim: %s\n", err.text);
        return EXIT_USAGE;
    }
    const char *path = argc > 0 ? argv[0] : "asim";
    const struct asim_command *called = find_called(path + asim_text_dirlen(path));
    int code = called     ? run_called(called, argc, argv)
               : argc > 0 ? dispatch(groups, argc - 1, argv + 1)
                          : show_group(groups);
    if ((fflush(stdout) || ferror(stdout)) && !code) { /* else an error has been said */
        fprintf(stderr, "asim: cannot write to standard output: %s.\n", strerror(errno));
        return EXIT_FAILED;
    }
    return code;
}
