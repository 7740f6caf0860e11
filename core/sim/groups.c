/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Communicator groups: from the groups file, or from METADATA ops, whose inputs.values is the
 * Python list repr of PyTorch's process-group JSON, [''[{"pg_name": "1", "ranks": [0, 1]}]'']
 * with two characters of wrapping on each side (spec astra-system.md, section 3.3). Every distinct
 * text is parsed once for all ranks. A group named by METADATA shadows the file's.
 *
 * Why per text and not per rank: 1,024 ranks of one job name the same groups, and a group of all of
 * them takes 4 kB. A collective copies nothing; it points at the group.
 */
#include "base/text.h"
#include "sim/sim.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { GROUP_ID_MAX = (1 << 28) - 1 }; /* it has its place in message tags */

/* Owned by the world, freed at its end: ranks keep pointers to the groups. */
struct asim_named_groups {
    struct asim_named_groups *next;
    char *text;
    struct asim_groups groups;
};

/* The ranks of one group, all of the run where it lists none. A rank that is no number, outside the
 * run, or there twice is ASIM_EINVAL. */
static int fill_ranks(struct asim_group *group, json_t *ranks, uint32_t n_ranks)
{
    size_t n = json_array_size(ranks);
    uint8_t *seen = calloc(n_ranks, 1);
    int code = 0;

    group->n = n ? (uint32_t)n : n_ranks;
    group->ranks = malloc((group->n + 1) * sizeof *group->ranks);
    if (!group->ranks || !seen)
        code = ASIM_ENOMEM;
    for (uint32_t i = 0; i < group->n && !code; i++) {
        json_t *one = n ? json_array_get(ranks, i) : NULL;
        json_int_t r = n ? json_is_integer(one) ? json_integer_value(one) : -1 : (json_int_t)i;

        if (r < 0 || r >= (json_int_t)n_ranks || seen[r]++)
            code = ASIM_EINVAL;
        else
            group->ranks[i] = (uint32_t)r;
    }
    free(seen);
    return code;
}

/* Entries without a numeric pg_name are skipped, everything else must fit. */
static int fill(struct asim_groups *groups, json_t *root, uint32_t n_ranks)
{
    size_t n = json_array_size(root);

    groups->at = calloc(n + 1, sizeof *groups->at);
    if (!groups->at)
        return ASIM_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        json_t *one = json_array_get(root, i);
        const char *name = json_string_value(json_object_get(one, "pg_name"));
        int code;

        if (!name || asim_text_i64(name, &groups->at[groups->n].id))
            continue; /* names that are no numbers cannot be referred to */
        code = fill_ranks(&groups->at[groups->n++], json_object_get(one, "ranks"), n_ranks);
        if (code)
            return code;
    }
    return 0;
}

static void free_named(struct asim_named_groups *named)
{
    asim_groups_fini(&named->groups);
    free(named->text);
    free(named);
}

/* A text that is no JSON list counts as naming no groups, as in the reference (spec 3.3). NULL with
 * err: a group does not fit. */
static struct asim_named_groups *parse(const struct asim_rank *rank, const char *text,
                                       struct asim_err *err)
{
    size_t length = strlen(text);
    struct asim_named_groups *named = calloc(1, sizeof *named);
    uint32_t n_ranks = rank->world->n_ranks;
    json_t *root = NULL;
    int code = ASIM_ENOMEM;

    if (named && (named->text = malloc(length + 1))) {
        memcpy(named->text, text, length + 1);
        root = json_loadb(text + 2, length - 4, JSON_REJECT_DUPLICATES, NULL);
        code = root && json_is_array(root) ? fill(&named->groups, root, n_ranks) : 0;
    }
    json_decref(root);
    if (!code)
        return named;
    if (named)
        free_named(named);
    if (code == ASIM_ENOMEM)
        asim_err_nomem(err, "reading process groups");
    else
        asim_err_set(err, ASIM_EINVAL,
                     "rank %u: a METADATA op lists a process group with a rank that is no number "
                     "from 0 to %u, or is there twice",
                     rank->id, n_ranks - 1);
    return NULL;
}

/* All ranks of a PyTorch job carry the same text; it is compared before it is parsed again.
 * An op that lists nothing leaves the rank's groups as they are. */
void asim_group_metadata(struct asim_rank *rank, const struct asim_op *op)
{
    const char *text = op->inputs_values ? op->inputs_values : "";
    struct asim_world *world = rank->world;
    struct asim_named_groups *named;

    if (strlen(text) < 5)
        return;
    pthread_mutex_lock(&world->lock);
    for (named = world->named; named && strcmp(named->text, text);)
        named = named->next;
    if (!named && (named = parse(rank, text, &rank->lane->trial))) {
        named->next = world->named;
        world->named = named;
    }
    pthread_mutex_unlock(&world->lock);
    if (!named)
        asim_rank_latch(rank);
    else if (named->groups.n)
        rank->named = &named->groups;
}

/* Linear: jobs have tens of groups. */
static const struct asim_group *search(const struct asim_groups *groups, int64_t id)
{
    for (size_t i = 0; groups && i < groups->n; i++)
        if (groups->at[i].id == id)
            return &groups->at[i];
    return NULL;
}

/* Linear in the group, once per collective. */
static int is_member(const struct asim_group *group, uint32_t rank)
{
    for (uint32_t i = 0; i < group->n; i++)
        if (group->ranks[i] == rank)
            return 1;
    return 0;
}

/* A METADATA op's definition goes before the file's. */
const struct asim_group *asim_group_find(struct asim_rank *rank, const struct asim_op *op, int *all)
{
    const char *name = op->pg_name ? op->pg_name : "";
    const struct asim_group *group = NULL;
    unsigned long long op_id = op->id;
    int64_t id;

    *all = !*name || !strcmp(name, "0");
    if (*all)
        return NULL;
    if (!asim_text_i64(name, &id)) {
        group = search(rank->named, id);
        group = group ? group : search(&rank->world->groups, id);
    }
    if (group && (group->id < 0 || group->id > GROUP_ID_MAX))
        asim_rank_fail(rank,
                       "rank %u: op %llu ('%s') names communicator group %s; ids go from 0 to %d",
                       rank->id, op_id, op->name, name, GROUP_ID_MAX);
    else if (!group)
        asim_rank_fail(rank,
                       "rank %u: op %llu ('%s') names communicator group '%s', which is neither "
                       "in the groups file (--groups) nor defined by a METADATA op",
                       rank->id, op_id, op->name, name);
    else if (!is_member(group, rank->id))
        asim_rank_fail(rank,
                       "rank %u: op %llu ('%s') is a collective of communicator group %s, whose "
                       "members do not include this rank",
                       rank->id, op_id, op->name, name);
    return rank->failed ? NULL : group;
}

void asim_group_fini(struct asim_world *world)
{
    while (world->named) {
        struct asim_named_groups *named = world->named;

        world->named = named->next;
        free_named(named);
    }
}
