/* SPDX-License-Identifier: GPL-2.0-only
 *
 * asim trace samples: one small trace for every node type. Called as chakra_generator it has that
 * tool's options and writes the same files to the current folder.
 */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include "asim/ext/command.h"
#include "samples/samples.h"
#include "cli/args.h"

struct options {
    char *out;
    uint32_t ranks;
    uint64_t micros, tensor_bytes, comm_bytes;
};

#define AT(field) offsetof(struct options, field)
static const struct asim_option options[] = {
    {"num-npus", "ranks", "number of ranks, one file each of every set", "64", ASIM_T_U32,
     AT(ranks), 1, 1048576},
    {"default-runtime", NULL, "us of a computation", "5", ASIM_T_U64, AT(micros), 0, 1e15},
    {"default-tensor-size", NULL, "bytes of a memory access", "1024", ASIM_T_SIZE,
     AT(tensor_bytes)},
    {"default-comm-size", NULL, "bytes of a collective", "65536", ASIM_T_SIZE, AT(comm_bytes), 0,
     9e18},
    {"out", "output", "folder to write to", ".", ASIM_T_STRING, AT(out), 0, 0, NULL,
     ASIM_F_WRITES | ASIM_F_SET},
    {0}};

static int samples(const struct asim_args *args, struct asim_err *err)
{
    const struct options *o = args->tables[0].base;
    struct asim_samples_options opt = {o->out ? o->out : ".", o->ranks, o->micros, o->tensor_bytes,
                                       o->comm_bytes};
    uint64_t files;
    int rc = args->limits.force ? 0 : asim_samples_refuse_existing(opt.folder, err);

    if (!rc)
        rc = asim_samples_write(&opt, &files, err);
    if (!rc)
        printf("wrote %" PRIu64 " sample traces of %" PRIu32 " ranks to %s\n", files, o->ranks,
               opt.folder);
    return rc;
}

static const struct asim_args_job job = {
    "trace samples",
    "usage: asim trace samples [--option=value ...]\n\nWrites one small trace for every kind of "
    "node, for tests of readers. The sends and\nreceives among them have no partner; 'asim trace "
    "generate' makes traces to simulate.\n\nOptions:",
    options, 0, samples};

static const char *const called_as[] = {"chakra_generator", NULL};

const struct asim_command asim_trace_command_samples = {
    .member = {.name = "samples",
               .about = "write one small trace for every kind of node",
               .options = options,
               .options_size = sizeof(struct options)},
    .job = &job,
    .called_as = called_as,
};
