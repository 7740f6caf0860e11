/* SPDX-License-Identifier: GPL-2.0-only
 *
 * asim trace pytorch: turns a folder with the host and device traces of all ranks into a workload.
 * The options have the names of the AMD tool chain's one-shot script.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "asim/ext/command.h"
#include "base/text.h"
#include "pytorch/pytorch.h"
#include "cli/args.h"

enum { MAX_WORDS = 1 << 20 }; /* a folder and ranks */

struct options {
    char *output, *et_prefix, *model_tag, *ranks, *host, *device;
    int simple, gpu_only, astra, no_clean, no_autopatch, strict, average, quiet, allow_missing;
    uint64_t max_comm, default_bytes, force_ns;
    double mhz;
};

#define AT(field) offsetof(struct options, field)
#define FLAG(key, alias, help, field)                                                              \
    {                                                                                              \
        key, alias, help, "0", ASIM_T_BOOL, AT(field), 0, 0, NULL, 0                               \
    }
static const struct asim_option options[] = {
    {"out", "output", "folder to write (default workload_et; with --et-prefix the current one)",
     NULL, ASIM_T_STRING, AT(output), 0, 0, NULL, ASIM_F_WRITES | ASIM_F_SET},
    {"et-prefix", NULL, "write NAME/NAME.RANK.et; auto = named after the main collective", NULL,
     ASIM_T_STRING, AT(et_prefix), 0, 0, NULL, ASIM_F_WRITES | ASIM_F_SET},
    {"model-tag", NULL, "take traces with this tag, write workload.TAG.RANK.et", NULL,
     ASIM_T_STRING, AT(model_tag)},
    {"host", NULL,
     "names of the host traces below FOLDER, {rank} for the rank and * for any text, as "
     "'et_{rank}.json'",
     NULL, ASIM_T_STRING, AT(host)},
    {"device", NULL, "names of the device traces, as --host", NULL, ASIM_T_STRING, AT(device)},
    {"ranks", NULL, "only these ranks: 0,1,2 or 0 1 2 (default all found)", NULL, ASIM_T_STRING,
     AT(ranks)},
    FLAG("simple", "simple-astra", "communication nodes only, one after another", simple),
    FLAG("gpu-only", NULL, "leave out metadata nodes and CPU computations", gpu_only),
    FLAG("astra-sim", NULL, "leave out collectives ASTRA-sim refuses", astra),
    FLAG("no-clean", NULL, "keep the linked traces and older outputs", no_clean),
    FLAG("no-autopatch", NULL, "a collective of unknown kind is an error, not an ALL_REDUCE",
         no_autopatch),
    FLAG("strict", NULL, "anything unlinked, guessed or different between ranks is an error",
         strict),
    {"max-comm", NULL, "with --simple: at most so many nodes a rank, 0 = all", "0", ASIM_T_U64,
     AT(max_comm)},
    {"default-comm-size", NULL, "size of communication nodes that have none, 0 = leave", "0",
     ASIM_T_SIZE, AT(default_bytes)},
    {"default-gpu-freq", NULL, "GPU clock in MHz; 0 = the device trace's, else 1000", "0",
     ASIM_T_DOUBLE, AT(mhz), 0, 1e6},
    {"force-avg-kernel-ns", NULL, "give every GPU computation this time in ns", "0", ASIM_T_U64,
     AT(force_ns), 0, 1e15},
    FLAG("average", NULL, "give every GPU computation the measured average", average),
    FLAG("allow-missing-ranks", NULL, "the folder has some ranks of the job only", allow_missing),
    FLAG("quiet", NULL, "no summary", quiet),
    {0}};

static void say(void *self, const char *sentence)
{
    (void)self;
    fprintf(stderr, "asim trace pytorch: %s\n", sentence);
}

struct ranks {
    ASIM_VEC(uint32_t) list;
    const char *folder;
};

/* "0", "0,1" */
static int add_ranks(struct ranks *ranks, const char *text, struct asim_err *err)
{
    char word[24];

    while (*text) {
        size_t n = strcspn(text, ", ");
        uint64_t rank;

        snprintf(word, sizeof word, "%.*s", (int)(n < 20 ? n : 20), text);
        text += n + (text[n] != 0);
        if (!n)
            continue;
        if (asim_text_u64(word, &rank) || rank > 0xfffffffe)
            return asim_err_set(err, ASIM_EINVAL, "'%s' is no rank; --ranks takes 0,1,2 or 0 1 2.",
                                word);
        if (ASIM_VEC_PUSH(ranks->list, (uint32_t)rank))
            return asim_err_nomem(err, "reading the command line");
    }
    return 0;
}

/* Words: the folder, and numbers that continue --ranks. */
static int read_words(const struct options *o, const char **words, size_t n, struct ranks *ranks,
                      struct asim_err *err)
{
    int code = o->ranks ? add_ranks(ranks, o->ranks, err) : 0;

    for (size_t i = 0; i < n && !code; i++) {
        uint64_t number;

        if (o->ranks && !asim_text_u64(words[i], &number))
            code = add_ranks(ranks, words[i], err);
        else if (ranks->folder)
            code = asim_err_set(err, ASIM_EINVAL, "two folders are named, %.200s and %.200s.",
                                ranks->folder, words[i]);
        else
            ranks->folder = words[i];
    }
    if (!code && !ranks->folder)
        code = asim_err_set(err, ASIM_EINVAL, "name the folder with the traces; --help explains.");
    return code;
}

static int run_pytorch(const struct options *o, const struct ranks *ranks, int force,
                       struct asim_err *err)
{
    struct asim_pytorch_options opt = {.folder = ranks->folder,
                                       .output = o->output,
                                       .et_prefix = o->et_prefix,
                                       .names = {o->model_tag, o->host, o->device},
                                       .ranks = ranks->list.at,
                                       .ranks_n = ranks->list.n,
                                       .simple = o->simple,
                                       .gpu_only = o->gpu_only,
                                       .astra = o->astra,
                                       .no_clean = o->no_clean,
                                       .no_guess = o->no_autopatch,
                                       .allow_missing = o->allow_missing,
                                       .strict = o->strict,
                                       .force = force,
                                       .max_comm = o->max_comm,
                                       .default_bytes = o->default_bytes,
                                       .calibrate = {o->mhz, o->force_ns, o->average, 0},
                                       .notes = {say, NULL}};
    FILE *report = o->quiet ? fopen("/dev/null", "w") : stdout;
    int code = report ? asim_pytorch_run(&opt, report, err)
                      : asim_err_set(err, ASIM_EIO, "cannot open /dev/null.");

    if (report && report != stdout)
        fclose(report);
    return code;
}

/* A command line without a folder, or with two, is wrong usage. */
static int pytorch(const struct asim_args *args, struct asim_err *err)
{
    const struct options *o = args->tables[0].base;
    struct ranks ranks = {{0}, NULL};
    int code = read_words(o, args->words, args->n_words, &ranks, err)
                   ? ASIM_ARGS_USAGE
                   : run_pytorch(o, &ranks, args->limits.force, err);
    free(ranks.list.at);
    return code;
}

static const struct asim_args_job job = {
    "trace pytorch",
    "usage: asim trace pytorch FOLDER [--option=value ...]\n\n"
    "Links, converts, repairs and calibrates the traces of all ranks in a folder:\n"
    "host_R.json with device_R.json, or pytorch_et_R.json with kineto_R.json, also .gz. Of a rank\n"
    "with one of the two that one alone; torch.profiler's rankR_trace.json, too.\n",
    options,
    MAX_WORDS,
    pytorch,
    ASIM_F_READS};

extern const struct asim_command asim_trace_command_pytorch;
const struct asim_command asim_trace_command_pytorch = {
    {"pytorch", "Turn a folder of PyTorch traces into a workload in one go", options,
     sizeof(struct options)},
    .job = &job};
