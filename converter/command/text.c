/* SPDX-License-Identifier: GPL-2.0-only
 *
 * asim trace text: turns a layer file of ASTRA-sim 1.0 into a Chakra trace for each rank. Options
 * have the names of chakra_converter Text; --compat writes that converter's output (text/text.h
 * lists the differences).
 */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include "asim/ext/command.h"
#include "base/text.h"
#include "text/text.h"
#include "cli/args.h"

struct options {
    char *input, *output, *dims;
    uint32_t ranks, passes;
    int compat, quiet;
};

#define AT(field) offsetof(struct options, field)
static const struct asim_option options[] = {
    {"input", "input-filename", "layer file: TYPE, number of layers, 12 columns a layer (required)",
     NULL, ASIM_T_STRING, AT(input), 0, 0, NULL, ASIM_F_READS},
    {"out", "output-filename", "prefix: rank r's trace is <prefix>.<r>.et (required)", NULL,
     ASIM_T_STRING, AT(output), 0, 0, NULL, ASIM_F_WRITES | ASIM_F_SET},
    {"num-npus", "ranks", "number of ranks; 0 = the product of --dims", "0", ASIM_T_U32, AT(ranks),
     0, 1048576},
    {"num-passes", "passes", "training iterations", "1", ASIM_T_U32, AT(passes), 1, 1e6},
    {"dims", NULL,
     "NPUs of each network dimension, the innermost first, as 4,2: collectives then name theirs",
     NULL, ASIM_T_STRING, AT(dims)},
    {"compat", NULL, "same output and refusals as chakra_converter", "0", ASIM_T_BOOL, AT(compat)},
    {"quiet", "q", "no summary", "0", ASIM_T_BOOL, AT(quiet)},
    {0}};

/* "4,2" or "4x2"; an empty item is an error. */
static int read_dims(struct asim_text_options *opt, const char *dims, struct asim_err *err)
{
    uint64_t product = 1, value;
    for (const char *at = dims; at;
         at = at[strcspn(at, ",x")] ? at + strcspn(at, ",x") + 1 : NULL) {
        char word[32];
        snprintf(word, sizeof word, "%.*s", (int)strcspn(at, ",x"), at);
        if (opt->n_dims == ASIM_TEXT_DIMS)
            return asim_err_set(err, ASIM_EUSAGE, "--dims has more than %d dimensions.",
                                ASIM_TEXT_DIMS);
        if (asim_text_u64(word, &value) || !value || value > 1048576)
            return asim_err_set(err, ASIM_EUSAGE,
                                "--dims has '%.20s' where a number of NPUs from 1 to 1048576 is "
                                "expected, as in --dims=4,2.",
                                word);
        opt->dims[opt->n_dims++] = (uint32_t)value;
        product = product > 1048576 ? product : product * value;
    }
    if (opt->ranks && opt->n_dims && product != opt->ranks)
        return asim_err_set(err, ASIM_EUSAGE,
                            "--dims makes %" PRIu64 " NPUs, but --num-npus says %" PRIu32 ".",
                            product, opt->ranks);
    if (product > 1048576)
        return asim_err_set(err, ASIM_EUSAGE, "--dims makes more than 1048576 NPUs.");
    if (!opt->ranks && opt->n_dims)
        opt->ranks = (uint32_t)product;
    return 0;
}

/* Warnings for the user. */
static void warn(const struct asim_layers *layers, const struct asim_text_options *opt)
{
    int is_split = layers->kind == ASIM_LAYERS_DATA_MODEL ||
                   layers->kind == ASIM_LAYERS_MODEL_DATA ||
                   layers->kind == ASIM_LAYERS_CUSTOMIZED ||
                   (layers->kind > ASIM_LAYERS_OLD && layers->kind <= ASIM_LAYERS_FWD_IN_BCKWD &&
                    !layers->group);
    if (layers->ignored_line)
        fprintf(stderr,
                "asim trace text: %s:%u: what follows the %" PRIu64
                " layers of line 2 is left out.\n",
                layers->src.name, layers->ignored_line, layers->stated);
    if (is_split && !opt->n_dims && !opt->compat)
        fprintf(stderr,
                "asim trace text: %s splits its collectives over network dimensions; without "
                "--dims every collective joins all ranks.\n",
                asim_layers_kind_name(layers->kind));
}

static void report(const struct asim_layers *layers, const struct asim_text_options *opt,
                   const struct asim_text_result *result)
{
    if (opt->ranks == 1)
        printf("wrote %s.0.et: ", opt->output);
    else
        printf("wrote %s.{0..%" PRIu32 "}.et: ", opt->output, opt->ranks - 1);
    printf("%s, layers %zu, passes %" PRIu32 ", nodes of a rank %" PRIu64
           ", collectives among them %" PRIu64 "; a time of 1 in the file is 1 us\n",
           asim_layers_kind_name(layers->kind), layers->n, opt->passes, result->nodes,
           result->comms);
    if (result->has_groups)
        printf("wrote %s.groups.json: give it to the simulation as --comm-group-configuration\n",
               opt->output);
}

static int convert(const struct asim_args *args, struct asim_err *err)
{
    struct options *o = args->tables[0].base;
    struct asim_text_options opt = {.output = o->output,
                                    .ranks = o->ranks,
                                    .passes = o->passes,
                                    .compat = o->compat,
                                    .force = args->limits.force};
    struct asim_text_result result = {0};
    struct asim_layers layers = {0};
    int rc = 0;
    if (!o->input || !o->output || !*o->output)
        return asim_err_set(err, ASIM_EUSAGE,
                            "--input and --out are both needed; --help explains them.");
    if (o->dims)
        rc = read_dims(&opt, o->dims, err);
    if (!rc && !opt.ranks)
        rc = asim_err_set(err, ASIM_EUSAGE,
                          "the number of ranks is missing; give for example --num-npus=8.");
    if (!rc)
        rc = asim_layers_open(&layers, o->input, o->compat, err);
    if (!rc)
        rc = asim_text_write(&layers, &opt, &result, err);
    if (!rc && !o->quiet) {
        warn(&layers, &opt);
        report(&layers, &opt, &result);
    }
    asim_layers_close(&layers);
    return rc;
}

static const struct asim_args_job job = {
    "trace text",
    "usage: asim trace text --input=FILE --out=FOLDER/NAME --num-npus=N [--option=value "
    "...]\n\nConverts a layer file of ASTRA-sim 1.0 to a Chakra trace for each rank.\n\nOptions:",
    options, 0, convert};

const struct asim_command asim_trace_command_text = {
    .member = {.name = "text",
               .about = "convert a layer file of ASTRA-sim 1.0 to Chakra traces",
               .options = options,
               .options_size = sizeof(struct options)},
    .job = &job,
};
