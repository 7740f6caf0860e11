/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Command lines over option tables: --key=value, --key value, -key value and, for booleans, --key
 * alone. Keys and aliases are one name space, with any number of dashes before them, so one table
 * serves getopt's long options, single-dash words (-g_p_s) and argparse's flags.
 *
 * The structs of the tables must hold their defaults before parsing; asim_option_fini frees the
 * strings. asim_args_run does all of this for a command with one table.
 */
#ifndef ASIM_CLI_ARGS_H
#define ASIM_CLI_ARGS_H

#include <stdio.h>
#include "asim/err.h"
#include "asim/ext/command.h"
#include "asim/ext/option.h"
#include "cli/limits.h"

struct asim_args_table {
    const struct asim_option *options; /* NULL = none */
    void *base;
};

enum { ASIM_ARGS_SEEN = 256, ASIM_ARGS_TABLES = 3 };

/* An option that was given. */
struct asim_args_seen {
    const struct asim_option *row;
    const char *value;
};

struct asim_args {
    struct asim_args_table tables[ASIM_ARGS_TABLES]; /* asked in this order, then limits.h's */
    const char **words; /* arguments that are no options; borrowed from argv */
    size_t max_words, n_words;
    int n_args; /* number of all arguments; 0 = none */
    int help;   /* 1 after --help or -h, unless it is a key of a table; ASIM_ARGS_ALL: --help=all */
    int n_own; /* argv[1] to argv[n_own] are the program's own; later ones override them silently */
    struct asim_limits limits;
    struct asim_args_seen seen[ASIM_ARGS_SEEN]; /* the first ones */
    size_t n_seen;
};

/* A command that is one function over one table of options. */
struct asim_args_job {
    const char *name;  /* as typed behind `asim` */
    const char *usage; /* what --help prints above the options */
    const struct asim_option *options;
    size_t max_words;
    /* The options are in args->tables[0].base, the words in args->words. Returns 0; or an ASIM_E...
     * with its sentence (exit code 1); or an exit code: ASIM_ARGS_USAGE without a sentence prints
     * the usage on stderr. */
    int (*work)(const struct asim_args *args, struct asim_err *err);
    /* Before work, cli/files.h checks the files of the options. words_are: ASIM_F_READS for words
     * that name files, with ASIM_F_SET also prefixes of traces. */
    unsigned words_are;
    int reads_only;                    /* the command writes no file: Ctrl-C ends it at once */
    const struct asim_option *further; /* NULL, or more options over the same struct */
};
enum { ASIM_ARGS_USAGE = 2, ASIM_ARGS_INTERRUPTED = 130 };
enum { ASIM_ARGS_ALL = 2 };

/* argv[0] is skipped, argv[argc] is NULL. Fills the tables' structs, which hold their defaults
 * already. More words than max_words, an unknown option, a missing value or an option given twice
 * is an error. */
int asim_args_parse(struct asim_args *args, int argc, char **argv, struct asim_err *err);
/* A whole command: defaults, parsing, --help, work, freeing. base: the zeroed struct behind the
 * options, which is freed before this returns. Returns the exit code. */
int asim_args_run(const struct asim_args_job *job, void *base, int argc, char **argv);
/* Runs a command, by its run or its job. */
int asim_args_command(const struct asim_command *command, int argc, char **argv);
/* The exit code of an error: 1, ASIM_ARGS_USAGE where the command line is at fault, or 130 after
 * Ctrl-C. */
int asim_args_exit(const struct asim_err *err);
/* 1 if argument `arg` names the option `key` of the table in any accepted spelling. */
int asim_args_is(const char *arg, const struct asim_option *row);
/* Prints the help of both tables, either of which may be NULL, and of the options that every
 * command has (limits.h); options without effect only with `all`. */
void asim_args_help(FILE *file, const struct asim_option *further, const struct asim_option *own,
                    int all);
/* Prints "asim <command>: <sentence>" on stderr and returns exit_code. */
int asim_args_fail(const char *command, const struct asim_err *err, int exit_code);

#endif
