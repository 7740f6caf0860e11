/* SPDX-License-Identifier: GPL-2.0-only
 *
 * asim trace dump: a Chakra trace as JSON, to a file or to standard output. Called as
 * chakra_jsonizer it has that tool's options and bytes.
 */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include "asim/ext/command.h"
#include "base/io/out.h"
#include "dump/dump.h"
#include "cli/args.h"

struct options {
    char *input, *output;
    int form;
};

#define AT(field) offsetof(struct options, field)
static const struct asim_option options[] = {
    {"input", "input-filename", "Chakra trace, may be .gz (required)", NULL, ASIM_T_STRING,
     AT(input), 0, 0, NULL, ASIM_F_READS},
    {"out", "output-filename", "JSON file to write; without it, standard output", NULL,
     ASIM_T_STRING, AT(output), 0, 0, NULL, ASIM_F_WRITES},
    {"form", "f",
     "protobuf: all fields, as chakra_jsonizer; workload: as the JSON feeder reads; stg: as "
     "symbolic_tensor_graph writes",
     "protobuf", ASIM_T_CHOICE, AT(form), 0, 0, "protobuf|workload|stg"},
    {0}};

static int write_file(struct asim_chakra *trace, const struct options *o, struct asim_err *err)
{
    struct asim_dump_result result = {0};
    struct asim_out out = {0};
    int rc;
    if (!o->output)
        return asim_dump_write(trace, o->form, stdout, &result, err);
    rc = asim_out_open(&out, o->output, err);
    if (rc)
        return rc;
    rc = asim_dump_write(trace, o->form, out.file, &result, err);
    if (rc) {
        asim_out_discard(&out);
        return rc;
    }
    rc = asim_out_commit(&out, err);
    if (!rc && o->form == ASIM_DUMP_WORKLOAD && result.ctrl_deps)
        fprintf(stderr,
                "asim trace dump: readers of this form follow data_deps alone; %" PRIu64
                " control dependencies stand under ctrl_deps.\n",
                result.ctrl_deps);
    return rc;
}

static int dump(const struct asim_args *args, struct asim_err *err)
{
    const struct options *o = args->tables[0].base;
    struct asim_chakra *trace = NULL;
    const char *input = o->input ? o->input : args->words[0];
    int rc;
    if (!input)
        return asim_err_set(err, ASIM_EUSAGE, "no trace; give --input=FILE.et.");
    rc = asim_chakra_open(&trace, input, err);
    if (rc)
        return rc;
    rc = write_file(trace, o, err);
    asim_chakra_close(trace);
    return rc;
}

static const struct asim_args_job job = {
    "trace dump",
    "usage: asim trace dump FILE.et [--out=FILE.json] [--option=value ...]\n\n"
    "Writes a Chakra trace as JSON.\n\nOptions:",
    options,
    1,
    dump,
    ASIM_F_READS};

static const char *const called_as[] = {"chakra_jsonizer", NULL};

const struct asim_command asim_trace_command_dump = {
    .member = {.name = "dump",
               .about = "write a Chakra trace as JSON",
               .options = options,
               .options_size = sizeof(struct options)},
    .job = &job,
    .called_as = called_as,
};
