/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Says which groups have gradient buckets, and fills new ones: as DistributedDataParallel with
 * bucket_cap_mb, a bucket is closed once it has that many bytes, and the last one of a run has what
 * is left.
 */
#include "bucket/bucket.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"

enum { MOST_PARTS = 100000 };

/* Bytes before the recorded all-reduce. */
static uint64_t start_of(const struct asim_bucket_group *group, uint32_t k)
{
    return k ? group->ends.at[k - 1] : 0;
}

/* Recorded ones [first, end) in equal parts of at least the asked bytes. Parts end at multiples of
 * four bytes, an element of most gradients. */
static int fill(struct asim_buckets *buckets, struct asim_bucket_group *group, uint32_t first,
                uint32_t end, struct asim_err *err)
{
    uint64_t from = start_of(group, first), sum = group->ends.at[end - 1] - from;
    uint64_t parts = sum / buckets->bytes;
    uint32_t at = first;

    if (parts > MOST_PARTS)
        return asim_err_set(err, ASIM_EINVAL,
                            "buckets of %" PRIu64 " bytes: an all-reduce of %" PRIu64
                            " bytes would be more than %d buckets.",
                            buckets->bytes, sum, MOST_PARTS);
    parts = parts ? parts : 1;
    for (uint64_t p = 0; p < parts; p++) {
        uint64_t part_from = p ? group->made.at[group->made.n - 1].to : from;
        uint64_t offset = (uint64_t)((double)sum / (double)parts * (double)(p + 1)) / 4 * 4;
        struct asim_bucket one = {part_from, p + 1 < parts ? from + offset : from + sum, 0, 0};

        while (group->ends.at[at] <= one.from)
            at++;
        one.first = at;
        while (group->ends.at[at] < one.to)
            at++;
        one.last = at;
        if (ASIM_VEC_PUSH(group->made, one))
            return asim_err_nomem(err, "making buckets");
        for (uint32_t k = one.first; k <= one.last; k++)
            group->last.at[k] = (uint32_t)group->made.n - 1;
    }
    return 0;
}

static int make(struct asim_buckets *buckets, struct asim_bucket_group *group, struct asim_err *err)
{
    uint32_t n = (uint32_t)group->ends.n, first = 0;

    if (ASIM_VEC_RESERVE(group->last, n))
        return asim_err_nomem(err, "making buckets");
    group->last.n = n;
    for (uint32_t k = 0; k < n; k++) {
        int is_end = k + 1 == n || group->begins.at[k + 1] ||
                     group->ends.at[k] - start_of(group, first) >= buckets->bytes;

        if (is_end && fill(buckets, group, first, k + 1, err))
            return err->code;
        first = is_end ? k + 1 : first;
    }
    return 0;
}

/* Bytes of all-reduces that have company in their run. */
static uint64_t in_company(const struct asim_bucket_group *group)
{
    uint64_t sum = 0;

    for (uint32_t k = 0; k < group->ends.n; k++)
        if (!group->begins.at[k] || (k + 1 < group->ends.n && !group->begins.at[k + 1]))
            sum += group->ends.at[k] - start_of(group, k);
    return sum;
}

/* How a group looks. The result of a gradient is used after the backward pass, so all-reduces wait
 * for none of each other's; that of an activation is used at once, but for a few small ones. */
enum looks { NO_BUCKETS, ALONE, BUCKETS };
static enum looks looks_of(const struct asim_buckets *buckets,
                           const struct asim_bucket_group *group)
{
    enum { SCALARS = 1024 }; /* bytes of a loss or a norm are fewer */
    uint64_t all = group->ends.at[group->ends.n - 1];

    if (buckets->group)
        return strcmp(group->name, strcmp(buckets->group, "0") ? buckets->group : "") ? NO_BUCKETS
                                                                                      : BUCKETS;
    if (in_company(group) > all / 2)
        return BUCKETS;
    return group->ends.n == 1 && all >= SCALARS ? ALONE : NO_BUCKETS;
}

static int refuse(const struct asim_buckets *buckets, struct asim_err *err)
{
    char safe[60];

    if (buckets->group)
        return asim_err_set(err, ASIM_EINVAL,
                            "--group=%s: no rank of %s has an all-reduce in this group.",
                            asim_text_safe(safe, sizeof safe, buckets->group), buckets->input);
    if (!buckets->groups.n)
        return asim_err_set(err, ASIM_EINVAL,
                            "%s has no all-reduce, so no gradient buckets of data parallelism; "
                            "all-gathers and reduce-scatters of sharded training are none.",
                            buckets->input);
    return asim_err_set(err, ASIM_EINVAL,
                        "%s has no gradient buckets: each all-reduce waits for work on the result "
                        "of the one before, as in tensor parallelism. Where one group has them "
                        "all the same, `asim trace buckets --group=NAME` takes it.",
                        buckets->input);
}

int asim_bucket_plan(struct asim_buckets *buckets, struct asim_err *err)
{
    enum looks best = NO_BUCKETS;

    for (size_t i = 0; i < buckets->groups.n; i++) {
        enum looks looks = looks_of(buckets, &buckets->groups.at[i]);

        best = looks > best ? looks : best;
    }
    if (best == NO_BUCKETS)
        return refuse(buckets, err);
    for (size_t i = 0; i < buckets->groups.n; i++)
        if (looks_of(buckets, &buckets->groups.at[i]) == best &&
            make(buckets, &buckets->groups.at[i], err))
            return err->code;
    return 0;
}
