/* SPDX-License-Identifier: GPL-2.0-only
 *
 * asim what-if RUN: `asim sweep --of=RUN`, in a folder of the run that the question names, so that
 * another question goes to another folder and the same one goes on.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "asim/ext/command.h"
#include "base/io/digest.h"
#include "cli/args.h"
#include "tools/sweep/sweep.h"

extern const struct asim_command asim_command_sweep;

/* 1 for words that are no part of the question: how many run at once, and what is said. */
static int is_aside(const char *word)
{
    return !strncmp(word, "-j", 2) || !strncmp(word, "--j", 3) || !strncmp(word, "-q", 2) ||
           !strncmp(word, "--q", 3) || !strncmp(word, "--force", 7);
}

/* "<run>/what-if/<digest of the question>". */
static void name_folder(char *text, size_t size, const char *run, int argc, char **argv)
{
    struct asim_digest sum = {.word = {0}};
    char digest[ASIM_DIGEST_TEXT];

    for (int i = 2; i < argc; i++)
        if (!is_aside(argv[i]))
            asim_digest_add_text(&sum, argv[i]);
    snprintf(text, size, "--output-dir=%.1800s/what-if/%.8s", run, asim_digest_show(&sum, digest));
}

static int has_folder(int argc, char **argv)
{
    for (int i = 2; i < argc; i++)
        if (!strncmp(argv[i], "--out", 5))
            return 1;
    return 0;
}

static int asks_for_help(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (!strncmp(argv[i], "--help", 6) || !strcmp(argv[i], "-h"))
            return 1;
    return 0;
}

/* Refuses a first word that is no run, and a second one, as a shell makes them of a pattern. */
static int check_run(int argc, char **argv, struct asim_err *err)
{
    char path[ASIM_SWEEP_PATH];
    struct stat info;

    if (argc < 2 || *argv[1] == '-')
        return asim_err_set(err, ASIM_EUSAGE,
                            "name the folder of a run of `asim run` first: asim what-if RUN --vary "
                            "KEY=VALUE,VALUE…");
    snprintf(path, sizeof path, "%.1900s/command.txt", argv[1]);
    if (stat(argv[1], &info))
        return asim_err_set(err, ASIM_EINVAL, "there is no run %s.", argv[1]);
    if (!S_ISDIR(info.st_mode))
        return asim_err_set(err, ASIM_EINVAL,
                            "%s is a file; expected the folder of a run of `asim run`.", argv[1]);
    if (access(path, R_OK))
        return asim_err_set(err, ASIM_EINVAL,
                            "%s is no run: there is no %s; expected the folder of a run of `asim "
                            "run`.",
                            argv[1], path);
    if (argc > 2 && *argv[2] != '-')
        return asim_err_set(err, ASIM_EUSAGE,
                            "found %s after the run %s; a question is of one run, and its options "
                            "begin with --.",
                            argv[2], argv[1]);
    return 0;
}

/* The words of `asim sweep`: without a run those that were given, which ask for help. */
static int run(int argc, char **argv)
{
    char of[ASIM_SWEEP_PATH + 8], folder[ASIM_SWEEP_PATH + 32];
    char **words = calloc((size_t)argc + 3, sizeof *words);
    struct asim_err err = {0};
    int has_run = argc > 1 && *argv[1] != '-', n = 0, code = 2;

    if (!words)
        asim_err_nomem(&err, "reading the command line");
    else if (!asks_for_help(argc, argv))
        check_run(argc, argv, &err);
    if (!err.code) {
        words[n++] = argv[0];
        if (has_run) {
            snprintf(of, sizeof of, "--of=%.2000s", argv[1]);
            words[n++] = of;
        }
        if (has_run && !has_folder(argc, argv)) {
            name_folder(folder, sizeof folder, argv[1], argc, argv);
            words[n++] = folder;
        }
        for (int i = 1 + has_run; i < argc; i++)
            words[n++] = argv[i];
        code = asim_command_sweep.run(n, words);
    } else {
        asim_args_fail("what-if", &err, code);
    }
    free(words);
    return code;
}

const struct asim_command asim_command_what_if = {
    .member = {"what-if", "What if a run had other values? A table of the differences.",
               asim_sweep_options, sizeof(struct asim_sweep_options)},
    .run = run,
    .topic = ASIM_TOPIC_COMPARE,
};
