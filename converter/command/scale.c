/* SPDX-License-Identifier: GPL-2.0-only
 *
 * asim trace scale: turns n recorded ranks into N simulated ones (see scale/scale.h).
 */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "asim/ext/command.h"
#include "base/text.h"
#include "scale/scale.h"
#include "cli/args.h"
#include "asim/trace.h"

struct options {
    char *input, *output, *groups, *grow;
    uint32_t ranks;
};

enum { MAX_LISTED = 4096 };

#define AT(field) offsetof(struct options, field)
static const struct asim_option options[] = {
    {"input", "i", "prefix of the recorded traces, <prefix>.<rank>.et (required)", NULL,
     ASIM_T_STRING, AT(input), 0, 0, NULL, ASIM_F_READS | ASIM_F_SET},
    {"out", "output", "prefix of the traces to write (required)", NULL, ASIM_T_STRING, AT(output),
     0, 0, NULL, ASIM_F_WRITES | ASIM_F_SET},
    {"ranks", "n", "ranks to write: a multiple of the recorded ones (required)", "0", ASIM_T_U32,
     AT(ranks), 0, 1048576},
    {"groups", "comm-group-configuration", "communicator groups of the recorded ranks (JSON)", NULL,
     ASIM_T_STRING, AT(groups), 0, 0, NULL, ASIM_F_READS},
    {"grow", NULL,
     "groups that join all replicas: full (those of all ranks), strided (also those whose ranks "
     "are not consecutive), none, or ids as 1,4",
     "full", ASIM_T_STRING, AT(grow)},
    {0}};

/* Words or numbers; listed has room for MAX_LISTED. */
static int read_grow(struct asim_scale *scale, char *grow, int64_t *listed, struct asim_err *err)
{
    char *save = NULL;
    scale->listed = listed;
    scale->grow = strcmp(grow, "strided") ? ASIM_SCALE_FULL : ASIM_SCALE_STRIDED;
    if (!strcmp(grow, "full") || !strcmp(grow, "strided"))
        return 0;
    scale->grow = ASIM_SCALE_LISTED;
    if (!strcmp(grow, "none"))
        return 0;
    for (char *word = strtok_r(grow, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
        if (scale->n_listed == MAX_LISTED)
            return asim_err_set(err, ASIM_EINVAL, "--grow lists more than %d groups.", MAX_LISTED);
        if (asim_text_i64(word, &listed[scale->n_listed++]))
            return asim_err_set(
                err, ASIM_EINVAL,
                "--grow has '%.40s', expected full, strided, none or the numbers of groups.", word);
    }
    return 0;
}

static void report(const struct asim_scale *scale)
{
    uint32_t k = scale->to / scale->ranks;
    size_t grown = 0;
    for (size_t i = 0; i < scale->groups.n; i++)
        grown += scale->groups.at[i].grows != 0;
    printf("wrote %s.{0..%" PRIu32 "}.et: %" PRIu32 " replicas of %" PRIu32 " ranks, %" PRIu64
           " nodes\n",
           scale->output, scale->to - 1, k, scale->ranks, scale->nodes);
    if (scale->wrote_groups)
        printf("wrote %s.groups.json: %zu groups grew to all replicas, %zu are in each replica; "
               "give it to the simulation as --comm-group-configuration\n",
               scale->output, grown, scale->groups.n - grown);
}

static int scale_set(const struct asim_args *args, struct asim_err *err)
{
    struct options *o = args->tables[0].base;
    struct asim_scale scale = {.input = o->input,
                               .output = o->output,
                               .groups_file = o->groups,
                               .to = o->ranks,
                               .force = args->limits.force};
    int64_t *listed;
    int rc;
    if (!o->input || !o->output || !o->ranks)
        return asim_err_set(err, ASIM_EUSAGE,
                            "--input, --out and --ranks are all needed; --help explains them.");
    listed = calloc(MAX_LISTED, sizeof *listed);
    rc = listed ? read_grow(&scale, o->grow, listed, err) : asim_err_nomem(err, "scaling traces");
    if (!rc)
        rc = asim_trace_ranks(o->input, &scale.ranks, err);
    if (!rc)
        rc = asim_scale_run(&scale, err);
    if (!rc)
        report(&scale);
    asim_scale_fini(&scale);
    free(listed);
    return rc;
}

static const struct asim_args_job job = {
    "trace scale",
    "usage: asim trace scale --input=PREFIX --out=PREFIX --ranks=N [--option=value ...]\n\nMakes "
    "traces of N ranks from those of fewer: replicas of what was recorded.\n\nOptions:",
    options, 0, scale_set};

const struct asim_command asim_trace_command_scale = {
    .member = {.name = "scale",
               .about = "make traces of more ranks from those of fewer",
               .options = options,
               .options_size = sizeof(struct options)},
    .job = &job,
};
