/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Communicator groups JSON, {"1": [0, 2], "2": [1, 3]} (system-layer.md#communicator-groups).
 * Members keep the order of the file: ASTRA-sim finds a rank's position in a sorted copy but talks
 * to members in file order, and sim/ decides between the two. Ranks outside the run and members
 * named twice, which ASTRA-sim does not check, are errors.
 *
 * Group 0 means "all ranks" in a workload and is never looked up here; a file may define it so.
 * Ids become part of message tags, so sim/ refuses ids above 2^28.
 */
#include "conf/conf.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/mem.h"
#include "base/text.h"
#include "conf/json.h"
#include "base/io/foreign.h"

struct reader {
    const char *path;
    uint32_t ranks;
    int allow_missing;
    uint32_t *seen; /* [ranks]: 1 + index of the last group that named the rank */
    size_t left_out;
    struct asim_err *err;
};

/* The key as written, escaped: it may be no number. */
static int bad(struct reader *r, const char *key, const char *what)
{
    struct asim_where at = {r->path, 0, 0};
    char buf[64];

    return asim_err_at(r->err, ASIM_EINVAL, at, "group \"%s\": %s.",
                       asim_text_safe(buf, sizeof buf, key), what);
}

/* Costs one visit a member: `stamp` differs for each group, so `seen` is never cleared. */
static int read_members(struct reader *r, struct asim_group *group, const char *key,
                        const json_t *list, uint32_t stamp)
{
    struct asim_where at = {r->path, 0, 0};

    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *value = json_array_get(list, i);
        json_int_t rank = json_integer_value(value);

        if (!json_is_integer(value))
            return bad(r, key, "a member is not a whole number");
        if (r->allow_missing && rank >= (json_int_t)r->ranks) {
            r->left_out++;
            continue;
        }
        if (rank < 0 || rank >= (json_int_t)r->ranks)
            return asim_err_at(r->err, ASIM_EINVAL, at,
                               "group \"%" PRId64 "\" names rank %" JSON_INTEGER_FORMAT
                               ", but the run has ranks 0 to %" PRIu32
                               "; --allow-missing-ranks leaves it out.",
                               group->id, rank, r->ranks - 1);
        if (r->seen[rank] == stamp)
            return asim_err_at(r->err, ASIM_EINVAL, at,
                               "group \"%" PRId64 "\" names rank %" JSON_INTEGER_FORMAT " twice.",
                               group->id, rank);
        r->seen[rank] = stamp;
        group->ranks[group->n++] = (uint32_t)rank;
    }
    return 0;
}

/* groups->n grows before the members are read, so that a failure frees them with the rest. */
static int read_group(struct reader *r, struct asim_groups *groups, const char *key,
                      const json_t *list)
{
    struct asim_group *group = &groups->at[groups->n];
    size_t members = json_array_size(list);

    if (asim_text_i64(key, &group->id) || group->id < 0)
        return bad(r, key, "the key is not a group number of 0 or more");
    if (!json_is_array(list) || members == 0)
        return bad(r, key, "the value is not an array with at least one rank");
    group->n = 0;
    group->ranks = calloc(members, sizeof *group->ranks);
    if (!group->ranks)
        return asim_err_nomem(r->err, "reading communicator groups");
    groups->n++;
    if (read_members(r, group, key, list, (uint32_t)groups->n))
        return ASIM_EINVAL;
    return group->id == 0 && group->n != r->ranks
               ? bad(r, key,
                     "in workloads the group 0 means all ranks; give a group of some ranks "
                     "another number")
               : 0;
}

/* For qsort; a difference of two int64 could overflow an int. */
ASIM_ORDER(by_id, struct asim_group, ->id)

/* Sorts by id, for lookups and for messages independent of the file's order. Keys compare as
 * numbers: "1" and "01" are one group written twice. */
static int read_all(struct reader *r, struct asim_groups *groups, json_t *root)
{
    const char *key;
    json_t *value;

    json_object_foreach(root, key, value)
    {
        if (read_group(r, groups, key, value))
            return asim_json_place(r->err, r->path, key);
    }
    if (groups->n)
        qsort(groups->at, groups->n, sizeof *groups->at, by_id);
    for (size_t i = 1; i < groups->n; i++) {
        struct asim_where at = {r->path, 0, 0};

        if (groups->at[i].id == groups->at[i - 1].id)
            return asim_err_at(r->err, ASIM_EINVAL, at, "group %" PRId64 " is defined twice.",
                               groups->at[i].id);
    }
    return 0;
}

/* Linear in members named; `seen` is one word a rank. The caller frees with asim_groups_fini, also
 * after a failure, where there is nothing left to free. */
int asim_groups_read(struct asim_groups *groups, const char *path, uint32_t ranks,
                     int allow_missing, struct asim_err *err)
{
    struct reader r = {path, ranks, allow_missing, NULL, 0, err};
    json_t *root;
    int rc;

    memset(groups, 0, sizeof *groups);
    rc = asim_json_open(&root, path, err);
    if (rc)
        return asim_foreign_instead(rc, path, "a list of communicator groups", err);
    groups->at = calloc(json_object_size(root) + 1, sizeof *groups->at);
    r.seen = calloc((size_t)ranks + 1, sizeof *r.seen);
    if (groups->at && r.seen)
        rc = read_all(&r, groups, root);
    else
        rc = asim_err_nomem(err, "reading communicator groups");
    groups->left_out = r.left_out;
    free(r.seen);
    json_decref(root);
    if (rc)
        asim_groups_fini(groups);
    return asim_foreign_instead(rc, path, "a list of communicator groups", err);
}

void asim_groups_fini(struct asim_groups *groups)
{
    for (size_t i = 0; i < groups->n; i++)
        free(groups->at[i].ranks);
    free(groups->at);
    memset(groups, 0, sizeof *groups);
}
