/* SPDX-License-Identifier: GPL-2.0-only
 *
 * asim trace convert: turns a linked trace, or a host trace alone, into a Chakra execution trace
 * that a simulator can run, and a SimAI workload text into one trace per rank. --compat writes the
 * bytes of chakra_converter PyTorch.
 */
#include <stdio.h>
#include "asim/ext/command.h"
#include "convert/convert.h"
#include "cli/args.h"
#include "cli/files.h"
#include "asim/trace.h"
#include "cli/file_set.h"
#include "llm/llm.h"

struct options {
    char *input, *output, *groups;
    int64_t rank;
    int compat, strict, quiet, no_stream_order, no_sync, no_comm_order, no_host_comm;
};

#define AT(field) offsetof(struct options, field)
#define FLAG(key, help, field)                                                                     \
    {                                                                                              \
        key, NULL, help, "0", ASIM_T_BOOL, AT(field), 0, 0, NULL, 0                                \
    }
static const struct asim_option options[] = {
    {"input", "input_filename", "linked trace or host trace (JSON, may be .gz)", NULL,
     ASIM_T_STRING, AT(input), 0, 0, NULL, ASIM_F_READS},
    {"out", "output_filename",
     "Chakra trace to write, usually PREFIX.RANK.et (of a SimAI workload: PREFIX)", NULL,
     ASIM_T_STRING, AT(output), 0, 0, NULL, ASIM_F_WRITES | ASIM_F_SET},
    {"groups", NULL, "also write the communicator groups to this JSON file", NULL, ASIM_T_STRING,
     AT(groups), 0, 0, NULL, ASIM_F_WRITES},
    {"rank", NULL, "rank of the trace, for the ends of sends and receives; -1 = leave out", "-1",
     ASIM_T_I64, AT(rank), -1, 4294967295.0},
    FLAG("compat", "same output as chakra_converter, its defects included", compat),
    FLAG("strict", "cycles, repeated ids, guessed collectives and unknown partners are errors",
         strict),
    FLAG("no-stream-order", "leave out the order of operations on one GPU stream", no_stream_order),
    FLAG("no-sync", "leave out waits for the GPU", no_sync),
    FLAG("no-comm-order", "leave out the order of kernels around collectives", no_comm_order),
    FLAG("no-host-comm", "make no communication nodes from a host trace alone", no_host_comm),
    FLAG("quiet", "no summary", quiet),
    {0}};

static void say(void *self, const char *sentence)
{
    (void)self;
    fprintf(stderr, "asim trace convert: %s\n", sentence);
}

/* A SimAI workload is one text for all ranks and becomes one trace per rank. */
static int run_workload(const struct options *o, int force, struct asim_err *err)
{
    const struct asim_llm_options opt = {.et = o->output, .force = force};
    struct asim_llm_traces made = {0};
    int code = asim_llm_to_et(o->input, &opt, &made, err);

    if (!code && !o->quiet)
        printf("%s.0.et to %s.%u.et\n", o->output, o->output, made.ranks - 1);
    return code;
}

static int run_convert(const struct asim_args *args, struct asim_err *err)
{
    const struct options *o = args->tables[0].base;
    struct asim_convert_options opt = {.input = o->input,
                                       .output = o->output,
                                       .groups = o->groups,
                                       .rank = o->rank,
                                       .compat = o->compat,
                                       .strict = o->strict,
                                       .no_stream_order = o->no_stream_order,
                                       .no_sync = o->no_sync,
                                       .no_comm_order = o->no_comm_order,
                                       .no_host_comm = o->no_host_comm,
                                       .notes = {say, NULL}};
    struct asim_convert cv = {0};
    int code;

    if (!o->input || !o->output)
        return asim_err_set(err, ASIM_EUSAGE,
                            "--input and --out are both needed; --help explains them.");
    if (asim_trace_is_shared(o->input))
        return run_workload(o, asim_files_force(args), err);
    code = asim_file_set_refuse_overwrite(o->input, o->output, err);
    if (!code)
        code = asim_file_set_refuse_overwrite(o->input, o->groups, err);
    if (!code)
        code = asim_file_set_refuse_duplicate(o->output, o->groups, err);
    if (!code)
        code = asim_convert_run(&cv, &opt, err);
    if (!code && !o->quiet)
        asim_convert_report(&cv, o->output, stdout);
    asim_convert_fini(&cv);
    return code;
}

static const struct asim_args_job job = {
    "trace convert",
    "usage: asim trace convert --input=FILE --out=PREFIX.RANK.et [--option=value ...]\n\nConverts "
    "a linked PyTorch trace (or a host trace alone) to a Chakra trace.\n"
    "A SimAI workload text becomes PREFIX.<rank>.et for all its ranks: --out=PREFIX.\n"
    "Times: Chakra counts microseconds; ASTRA-sim multiplies them by 1000 cycles of 1 ns.\n",
    options, 0, run_convert};

extern const struct asim_command asim_trace_command_convert;
const struct asim_command asim_trace_command_convert = {
    {"convert", "Convert a linked trace or a host trace to a Chakra trace", options,
     sizeof(struct options)},
    .job = &job};
