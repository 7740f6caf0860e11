/* SPDX-License-Identifier: GPL-2.0-only
 *
 * asim trace buckets: merges or splits the gradient buckets of data parallelism (bucket/bucket.h).
 */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include "asim/ext/command.h"
#include "asim/trace.h"
#include "base/text.h"
#include "bucket/bucket.h"
#include "cli/args.h"

struct options {
    char *input, *output, *group;
    double mb;
};

#define AT(field) offsetof(struct options, field)
static const struct asim_option options[] = {
    {"input", "i", "prefix of the traces, <prefix>.<rank>.et (required)", NULL, ASIM_T_STRING,
     AT(input), 0, 0, NULL, ASIM_F_READS | ASIM_F_SET},
    {"out", "output", "prefix of the traces to write (required)", NULL, ASIM_T_STRING, AT(output),
     0, 0, NULL, ASIM_F_WRITES | ASIM_F_SET},
    {"bucket-mb", NULL,
     "MiB of a bucket, as DistributedDataParallel(bucket_cap_mb=N) fills them (required)", NULL,
     ASIM_T_DOUBLE, AT(mb), 0, 1e6},
    {"group", NULL,
     "the group of data parallelism; without it the groups whose all-reduces do not wait for work "
     "on each other's results",
     NULL, ASIM_T_STRING, AT(group)},
    {0}};

/* "group 1 (8 ranks): 300 MiB of gradients; buckets: 12, now 4". */
static void report(const struct asim_buckets *buckets)
{
    enum { MOST = 8 };
    size_t told = 0;
    char safe[60];

    for (size_t i = 0; i < buckets->groups.n; i++) {
        const struct asim_bucket_group *group = &buckets->groups.at[i];

        if (!group->made.n || told++ >= MOST)
            continue;
        printf("group %s (%" PRIu32 " ranks): %.6g MiB of gradients; buckets: %zu, now %zu\n",
               *group->name ? asim_text_safe(safe, sizeof safe, group->name) : "of all ranks",
               group->ranks, (double)group->ends.at[group->ends.n - 1] / (1 << 20), group->ends.n,
               group->made.n);
    }
    if (told > MOST)
        printf("and %zu more groups\n", told - MOST);
    printf("wrote %s.{0..%" PRIu32 "}.et\n", buckets->output, buckets->ranks - 1);
}

static void say(void *self, const char *sentence)
{
    (void)self;
    fprintf(stderr, "asim trace buckets: note: %s\n", sentence);
}

static int change_set(const struct asim_args *args, struct asim_err *err)
{
    struct options *o = args->tables[0].base;
    struct asim_buckets buckets = {.input = o->input,
                                   .output = o->output,
                                   .group = o->group,
                                   .bytes = (uint64_t)(o->mb * (1 << 20)),
                                   .force = args->limits.force,
                                   .notes = {say, NULL}};
    int code;

    if (o->mb > 0 && buckets.bytes < 1024)
        return asim_err_set(err, ASIM_EUSAGE, "--bucket-mb=%g: expected 0.001 at least.", o->mb);
    if (!o->input || !o->output || !buckets.bytes)
        return asim_err_set(err, ASIM_EUSAGE,
                            "--input, --out and --bucket-mb are all needed; --help explains them.");
    code = asim_buckets_run(&buckets, err);
    if (!code)
        report(&buckets);
    asim_buckets_fini(&buckets);
    return code;
}

static const struct asim_args_job job = {
    "trace buckets",
    "usage: asim trace buckets --input=PREFIX --out=PREFIX --bucket-mb=N [--group=NAME]\n\nMerges "
    "or splits the all-reduces of gradients: what if DistributedDataParallel had other "
    "buckets?\n\nOptions:",
    options, 0, change_set};

const struct asim_command asim_trace_command_buckets = {
    .member = {.name = "buckets",
               .about = "merge or split the gradient buckets of data parallelism",
               .options = options,
               .options_size = sizeof(struct options)},
    .job = &job,
};
