/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Finds the members of a group as the simulator does: the list of a METADATA node of the rank holds
 * until the next list; a group that is not in it is looked up in the groups file. All ranks must
 * find the same members in the same order, or they wait for each other for ever.
 *
 * Nodes run by ascending ids if they wait for nothing. A collective with dependencies may run after
 * a METADATA node with a higher id; times would decide, so this is a warning.
 */
#include <stdlib.h>
#include <string.h>
#include "base/text.h"
#include "check/check.h"
#include "asim/trace.h"

/* Returns the index of the list with that text, and makes it if it is new; negative = out of
 * memory. */
static int64_t find_list(struct asim_check *check, const char *text)
{
    struct asim_check_list list = {0};
    size_t size = strlen(text) + 1;
    int code;
    for (size_t i = 0; i < check->lists.n; i++)
        if (!strcmp(check->lists.at[i].text, text))
            return (int64_t)i;
    list.text = malloc(size);
    if (!list.text)
        return ASIM_ENOMEM;
    memcpy(list.text, text, size);
    code = asim_process_groups(&list.groups, text, check->ranks, check->allow_missing, list.why);
    list.fits = !code;
    if (code == ASIM_ENOMEM || ASIM_VEC_PUSH(check->lists, list)) {
        asim_groups_fini(&list.groups);
        free(list.text);
        return ASIM_ENOMEM;
    }
    return (int64_t)check->lists.n - 1;
}

/* METADATA nodes may hold any text; an empty list is a job without groups. */
static int is_list(const char *text)
{
    return text &&
           (strstr(text, "pg_name") || (!strncmp(text, "['[", 3) && strcmp(text, "['[]']")));
}

int asim_check_metadata(struct asim_check *check, const struct asim_op *op)
{
    int64_t list;
    struct asim_check_def def = {.id = op->id, .is_cpu = op->is_cpu};
    if (!is_list(op->inputs_values))
        return ASIM_CHECK_FINE;
    list = find_list(check, op->inputs_values);
    if (list < 0)
        return ASIM_ENOMEM;
    if (!check->lists.at[list].fits) {
        memcpy(check->bad_list, check->lists.at[list].why, sizeof check->bad_list);
        return ASIM_CHECK_BAD_LIST;
    }
    check->needs.metadata_groups++;
    if (!check->lists.at[list].groups.n)
        return ASIM_CHECK_NO_LIST;
    def.list = (uint32_t)list;
    return ASIM_VEC_PUSH(check->defs, def) ? ASIM_ENOMEM : ASIM_CHECK_FINE;
}

ASIM_ORDER(by_id, struct asim_check_def, ->id)

void asim_check_sort_defs(struct asim_check *check)
{
    if (check->defs.n)
        qsort(check->defs.at, check->defs.n, sizeof *check->defs.at, by_id);
}

/* Linear: jobs have tens of groups. */
static const struct asim_group *search(const struct asim_groups *groups, int64_t id)
{
    for (size_t i = 0; groups && i < groups->n; i++)
        if (groups->at[i].id == id)
            return &groups->at[i];
    return NULL;
}

/* No earlier list has the group: a later one has it, or none. */
static int why_none(struct asim_check *check, uint32_t rank, const struct asim_check_coll *coll,
                    int64_t id)
{
    struct asim_check_group *group = &check->groups.at[coll->group];
    for (size_t i = 0; i < check->defs.n; i++) {
        const struct asim_check_def *def = &check->defs.at[i];
        if (def->id < coll->id || !search(&check->lists.at[def->list].groups, id))
            continue;
        return coll->waits || def->is_cpu ? ASIM_CHECK_MAYBE_EARLY : ASIM_CHECK_EARLY;
    }
    if (check->has_file || check->defs.n)
        return ASIM_CHECK_NO_GROUP;
    group->bare_rank = group->bare++ ? group->bare_rank : rank;
    return ASIM_CHECK_FINE;
}

static const struct asim_group *find_members(const struct asim_check *check, uint64_t before,
                                             int64_t id)
{
    const struct asim_groups *last = NULL;
    const struct asim_group *found;
    for (size_t i = 0; i < check->defs.n && check->defs.at[i].id < before; i++)
        last = &check->lists.at[check->defs.at[i].list].groups;
    found = search(last, id);
    return found || !check->has_file ? found : search(&check->file, id);
}

static int has_rank(const struct asim_group *group, uint32_t rank)
{
    for (uint32_t i = 0; i < group->n; i++)
        if (group->ranks[i] == rank)
            return 1;
    return 0;
}

/* The order of members matters to an algorithm's steps, except if all ranks are members (they go by
 * number) or only two. */
static int is_same(const struct asim_check *check, const struct asim_group *a,
                   const struct asim_group *b)
{
    if (a->n != b->n)
        return 0;
    if (a->n != check->ranks && a->n > 2)
        return !memcmp(a->ranks, b->ranks, a->n * sizeof *a->ranks);
    for (uint32_t i = 0; a->n == 2 && i < 2; i++)
        if (!has_rank(b, a->ranks[i]))
            return 0;
    return a->n != 1 || a->ranks[0] == b->ranks[0];
}

int asim_check_named(struct asim_check *check, uint32_t rank, const struct asim_check_coll *coll)
{
    struct asim_check_group *group = &check->groups.at[coll->group];
    const struct asim_group *found;
    int64_t id;
    if (!*group->name || asim_text_i64(group->name, &id))
        return ASIM_CHECK_FINE; /* all ranks, or reported already */
    found = find_members(check, coll->id, id);
    if (!found)
        return why_none(check, rank, coll, id);
    if (id < 0 || id > ASIM_PROCESS_GROUP_MAX)
        return ASIM_CHECK_BAD_ID;
    if (!has_rank(found, rank))
        return ASIM_CHECK_NOT_MEMBER;
    if (!group->members.n)
        group->members = *found;
    else if (!is_same(check, found, &group->members))
        return ASIM_CHECK_OTHERS;
    return coll->sizes && coll->sizes != found->n ? ASIM_CHECK_BAD_SIZES : ASIM_CHECK_FINE;
}
