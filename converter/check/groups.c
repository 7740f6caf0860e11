/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Compares the collectives of ranks. The first rank that uses a group is the standard. The first
 * difference of each other rank is reported, as "lacks" or "has besides" if one collective more or
 * less explains it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"
#include "check/check.h"

/* FNV-1a. Two names with one hash share a slot; the comparison of names detects this. */
static uint64_t hash(const char *name)
{
    uint64_t h = 14695981039346656037u;
    for (; *name; name++)
        h = (h ^ (unsigned char)*name) * 1099511628211u;
    return h;
}

/* Copies the name, which belongs to the reader of the trace. */
static int64_t make_group(struct asim_check *check, const char *name, uint32_t rank)
{
    struct asim_check_group group = {.first_rank = rank};
    size_t size = strlen(name) + 1;
    group.name = malloc(size);
    if (!group.name)
        return ASIM_ENOMEM;
    memcpy(group.name, name, size);
    if (ASIM_VEC_PUSH(check->groups, group)) {
        free(group.name);
        return ASIM_ENOMEM;
    }
    return (int64_t)check->groups.n - 1;
}

int64_t asim_check_group(struct asim_check *check, const char *name, uint32_t rank)
{
    uint64_t *slot = asim_map_put(&check->by_name, 0, hash(name));
    if (!slot)
        return ASIM_ENOMEM;
    if (*slot && !strcmp(check->groups.at[*slot - 1].name, name))
        return (int64_t)*slot - 1;
    for (size_t i = 0; *slot && i < check->groups.n; i++)
        if (!strcmp(check->groups.at[i].name, name))
            return (int64_t)i;
    int64_t made = make_group(check, name, rank);
    if (made >= 0)
        *slot = (uint64_t)made + 1;
    return made;
}

/* Ids are unique within a rank, so the order is total. */
ASIM_ORDER(by_group_and_id, struct asim_check_coll, ->group, ->id)

/* Durations may differ between ranks. */
static int is_same(const struct asim_check_coll *a, const struct asim_check_coll *b)
{
    return a->type == b->type && a->bytes == b->bytes;
}

/* "group 3" or "all ranks". */
static const char *show_group(const struct asim_check_group *group, char room[64])
{
    if (!*group->name)
        return "all ranks";
    snprintf(room, 64, "group %.40s", group->name);
    return room;
}

static const char *show_coll(const struct asim_check_coll *coll, char room[80])
{
    if (coll->bytes == ASIM_CHECK_SIZED)
        snprintf(room, 80, "%s with comm_sizes", asim_coll_type_name(coll->type));
    else
        snprintf(room, 80, "%s of %" PRIu64 " bytes", asim_coll_type_name(coll->type), coll->bytes);
    return room;
}

/* Compares own[0..n) with the kept sequence of the group. */
static void compare(struct asim_check *check, const struct asim_check_group *group, uint32_t rank,
                    const struct asim_check_coll *own, size_t n)
{
    const struct asim_check_coll *kept = group->kept.at;
    size_t kept_n = group->kept.n, i = 0;
    char where[64], a[80], b[80];
    while (i < n && i < kept_n && is_same(&own[i], &kept[i]))
        i++;
    if (i == n && i == kept_n)
        return;
    const char *of = show_group(group, where);
    if (i == n || (i + 1 < kept_n && i < n && is_same(&own[i], &kept[i + 1])))
        asim_check_say(
            check, 1,
            "rank %u lacks collective %zu of %s, %s (%zu in all); rank %u has it as node %" PRIu64
            " (%zu in all).",
            rank, i + 1, of, show_coll(&kept[i], a), n, group->first_rank, kept[i].id, kept_n);
    else if (i == kept_n || (i + 1 < n && is_same(&own[i + 1], &kept[i])))
        asim_check_say(
            check, 1,
            "rank %u lacks collective %zu of %s, %s (%zu in all); rank %u has it as node %" PRIu64
            " (%zu in all).",
            group->first_rank, i + 1, of, show_coll(&own[i], a), kept_n, rank, own[i].id, n);
    else
        asim_check_say(check, 1,
                       "collective %zu of %s is %s for rank %u (node %" PRIu64
                       "), but %s for rank %u (node %" PRIu64 ").",
                       i + 1, of, show_coll(&own[i], a), rank, own[i].id, show_coll(&kept[i], b),
                       group->first_rank, kept[i].id);
}

/* Keeps the sequence of the first rank. */
static int keep(struct asim_check_group *group, const struct asim_check_coll *own, size_t n)
{
    if (ASIM_VEC_RESERVE(group->kept, n))
        return ASIM_ENOMEM;
    memcpy(group->kept.at, own, n * sizeof *own);
    group->kept.n = n;
    return 0;
}

int asim_check_compare(struct asim_check *check, uint32_t rank, struct asim_err *err)
{
    size_t to, n = check->colls.n;
    struct asim_check_coll *at = check->colls.at;
    if (n)
        qsort(at, n, sizeof *at, by_group_and_id);
    for (size_t from = 0; from < n; from = to) {
        struct asim_check_group *group = &check->groups.at[at[from].group];
        for (to = from; to < n && at[to].group == at[from].group;)
            to++;
        if (ASIM_VEC_PUSH(group->users, rank))
            return asim_err_nomem(err, "checking traces");
        if (group->users.n > 1)
            compare(check, group, rank, at + from, to - from);
        else if (keep(group, at + from, to - from))
            return asim_err_nomem(err, "checking traces");
    }
    return 0;
}

/* --- after the last rank --- */

static int is_user(const struct asim_check_group *group, uint32_t rank)
{
    size_t low = 0, high = group->users.n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (group->users.at[middle] < rank)
            low = middle + 1;
        else
            high = middle;
    }
    return low < group->users.n && group->users.at[low] == rank;
}

static void expect_user(struct asim_check *check, const struct asim_check_group *group,
                        uint32_t rank)
{
    char where[64];
    if (!is_user(group, rank))
        asim_check_say(check, 1, "rank %u has no collective of %s; rank %u has %zu.", rank,
                       show_group(group, where), group->first_rank, group->kept.n);
}

static void expect_members(struct asim_check *check, const struct asim_check_group *group)
{
    for (uint32_t m = 0; m < group->members.n; m++)
        expect_user(check, group, group->members.ranks[m]);
}

static void expect_definition(struct asim_check *check, const struct asim_check_group *group)
{
    if (group->bare && !check->needs.metadata_groups)
        asim_check_say(check, 1,
                       "group %s has no members: no METADATA node and no groups file defines it; "
                       "give the file with --groups (%" PRIu64 " collective%s of rank %" PRIu32
                       " and others).",
                       group->name, group->bare, asim_text_s(group->bare), group->bare_rank);
    else if (group->bare)
        asim_check_say(
            check, 1,
            "rank %u has collectives of group %s, but no METADATA node that defines it (%" PRIu64
            " such collective%s of all ranks).",
            group->bare_rank, group->name, group->bare, asim_text_s(group->bare));
}

void asim_check_members(struct asim_check *check)
{
    for (size_t i = 0; i < check->groups.n; i++) {
        const struct asim_check_group *group = &check->groups.at[i];
        if (!group->users.n)
            continue;
        if (!*group->name) {
            for (uint32_t r = 0; r < check->ranks; r++)
                expect_user(check, group, r);
        } else if (group->members.n) {
            expect_definition(check, group);
            expect_members(check, group);
        } else {
            expect_definition(check, group);
        }
    }
}
