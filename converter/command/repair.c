/* SPDX-License-Identifier: GPL-2.0-only
 *
 * asim trace repair: makes the traces of all ranks runnable, in place or under a new prefix, lists
 * its changes, and checks that the ranks' collectives match.
 */
#include <stdio.h>
#include "asim/ext/command.h"
#include "repair/repair.h"
#include "cli/args.h"

#define MAX_FILES 65536

struct options {
    char *output, *group;
    int gpu_only, simple, astra, no_break, strict, quiet;
    uint64_t max_comm, default_bytes;
};

#define AT(field) offsetof(struct options, field)
#define FLAG(key, alias, help, field)                                                              \
    {                                                                                              \
        key, alias, help, "0", ASIM_T_BOOL, AT(field), 0, 0, NULL, 0                               \
    }
static const struct asim_option options[] = {
    {"out", "output", "prefix (or, for one file, path) to write; without it files are replaced",
     NULL, ASIM_T_STRING, AT(output), 0, 0, NULL, ASIM_F_WRITES | ASIM_F_SET},
    FLAG("gpu-only", NULL, "remove metadata nodes and CPU computations", gpu_only),
    FLAG("simple", "simple-astra", "keep communication only, one node after another", simple),
    FLAG("astra-sim", NULL,
         "remove collectives ASTRA-sim refuses (reduce, gather, scatter, barrier)", astra),
    FLAG("no-break-cycles", NULL, "a cycle is an error", no_break),
    FLAG("strict", NULL, "fail if the ranks' collectives differ", strict),
    FLAG("quiet", NULL, "no summary", quiet),
    {"max-comm", NULL, "with --simple: at most so many nodes, 0 = all", "0", ASIM_T_U64,
     AT(max_comm)},
    {"default-comm-size", NULL, "size of communication nodes that have none, 0 = leave", "0",
     ASIM_T_SIZE, AT(default_bytes)},
    {"group", NULL, "pg_name for communication nodes without one", NULL, ASIM_T_STRING, AT(group)},
    {0}};

static void say(void *self, const char *sentence)
{
    (void)self;
    fprintf(stderr, "asim trace repair: %s\n", sentence);
}

static int run_repair(const struct asim_args *args, struct asim_err *err)
{
    const struct options *o = args->tables[0].base;
    struct asim_repair_options opt = {.gpu_only = o->gpu_only,
                                      .simple = o->simple,
                                      .astra = o->astra,
                                      .no_break = o->no_break,
                                      .strict = o->strict,
                                      .max_comm = o->max_comm,
                                      .default_bytes = o->default_bytes,
                                      .group = o->group,
                                      .notes = {say, NULL},
                                      .report = o->quiet ? NULL : stdout};
    struct asim_rankfiles files = {0};
    uint64_t problems;
    int code = 0;

    if (!args->n_words)
        code = asim_err_set(err, ASIM_EUSAGE,
                            "name the traces: a prefix (PREFIX.0.et, PREFIX.1.et …) or .et files; "
                            "--help explains.");
    if (!code)
        code = asim_rankfiles_add(&files, args->words, args->n_words, o->output, err);
    if (!code)
        code = asim_repair_run(files.at, files.n, &opt, &problems, err);
    asim_rankfiles_fini(&files);
    return code;
}

static const struct asim_args_job job = {
    "trace repair",
    "usage: asim trace repair PREFIX|FILE.et ... [--option=value ...]\n\n"
    "Removes dependencies on oneself and on missing nodes, breaks cycles, reconnects\n"
    "through removed nodes, fills sizes and groups, compares the ranks' collectives.\n",
    options,
    MAX_FILES,
    run_repair,
    ASIM_F_READS | ASIM_F_SET};

extern const struct asim_command asim_trace_command_repair;
const struct asim_command asim_trace_command_repair = {
    {"repair", "Make traces runnable: cycles, missing nodes, sizes, matching ranks", options,
     sizeof(struct options)},
    .job = &job};
