/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Finds and plans over all ranks, then writes rank by rank; only one rank's graph is in memory. The
 * files get their names at the end.
 */
#include "bucket/bucket.h"

#include <stdlib.h>

int asim_buckets_check(struct asim_buckets *buckets, struct asim_err *err)
{
    int code = asim_trace_ranks(buckets->input, &buckets->ranks, err);

    asim_names_init(&buckets->names, 0);
    if (!code)
        code = asim_bucket_find(buckets, err);
    return code ? code : asim_bucket_plan(buckets, err);
}

int asim_buckets_run(struct asim_buckets *buckets, struct asim_err *err)
{
    int code = asim_inputs_add_set(&buckets->set.inputs, buckets->input, err);

    if (!code)
        code = asim_buckets_check(buckets, err);
    if (!code)
        code = asim_file_set_begin(&buckets->set, buckets->output, buckets->ranks, buckets->force,
                                   err);
    for (uint32_t rank = 0; rank < buckets->ranks && !code; rank++)
        code = asim_bucket_rewrite(buckets, rank, err);
    return asim_file_set_end(&buckets->set, code, err);
}

void asim_buckets_fini(struct asim_buckets *buckets)
{
    for (size_t i = 0; i < buckets->groups.n; i++) {
        struct asim_bucket_group *group = &buckets->groups.at[i];

        ASIM_FREE(group->ends.at, group->begins.at, group->made.at, group->last.at);
    }
    free(buckets->groups.at);
    asim_names_fini(&buckets->names);
}
