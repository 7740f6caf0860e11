/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Communicator groups that a METADATA op lists: its inputs.values is the Python list repr of
 * PyTorch's process-group JSON, [''[{"pg_name": "1", "ranks": [0, 1]}]''] with two characters of
 * wrapping on each side (chakra.md#process-groups). Entries whose name is not a number in
 * quotes are ignored: no collective can name them. Groups keep the order of the list.
 */
#include "asim/trace.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"

#define WRAPPING 2 /* characters on each side */

/* A list being read. why: what is wrong with it. */
struct list {
    uint32_t n_ranks;
    int allow_missing;
    size_t left_out; /* members that the run lacks */
    char *why;
};

static int bad(struct list *list, const char *why)
{
    snprintf(list->why, ASIM_WHY, "%s", why);
    return ASIM_EINVAL;
}

/* The job had more ranks than the run. */
static int missing(struct list *list, json_int_t recorded)
{
    snprintf(list->why, ASIM_WHY,
             "of a job of %" JSON_INTEGER_FORMAT
             " ranks; give the traces of all ranks, make them with 'asim trace scale', or say "
             "--allow-missing-ranks",
             recorded);
    return ASIM_EINVAL;
}

/* Ranks of the recorded job, as far as the group tells. */
static json_int_t recorded_ranks(json_t *ranks, json_t *size)
{
    json_int_t most =
        json_array_size(ranks) || !json_is_integer(size) ? 0 : json_integer_value(size);

    for (size_t i = 0; i < json_array_size(ranks); i++) {
        json_t *one = json_array_get(ranks, i);

        if (json_is_integer(one) && json_integer_value(one) >= most &&
            json_integer_value(one) < UINT32_MAX)
            most = json_integer_value(one) + 1;
    }
    return most;
}

/* An empty list of ranks means all ranks of the run, so a stated size must be theirs. */
static int check_shape(struct list *list, json_t *ranks, json_t *size)
{
    size_t n = json_array_size(ranks) ? json_array_size(ranks) : list->n_ranks;
    json_int_t recorded;

    if (ranks && !json_is_array(ranks))
        return bad(list, "whose ranks are no list");
    if (!ranks && !size)
        return bad(list, "without ranks");
    recorded = recorded_ranks(ranks, size);
    if (recorded > (json_int_t)list->n_ranks && !list->allow_missing)
        return missing(list, recorded);
    if (recorded > (json_int_t)list->n_ranks)
        list->left_out += (size_t)(recorded - list->n_ranks);
    if (json_is_integer(size) && json_integer_value(size) != (json_int_t)n &&
        (json_array_size(ranks) || recorded <= (json_int_t)list->n_ranks))
        return bad(list, "whose group_size is not the number of its ranks");
    return 0;
}

/* Fills in the ranks of one group: all ranks of the run if the list is empty. */
static int fill_ranks(struct list *list, struct asim_group *group, json_t *ranks)
{
    size_t n = json_array_size(ranks);
    uint8_t *seen = calloc(list->n_ranks, 1);
    int code = 0;

    group->n = n ? (uint32_t)n : list->n_ranks;
    group->ranks = malloc((group->n + 1) * sizeof *group->ranks);
    if (!group->ranks || !seen)
        code = ASIM_ENOMEM;
    group->n = 0;
    for (size_t i = 0; i < (n ? n : list->n_ranks) && !code; i++) {
        json_t *one = n ? json_array_get(ranks, i) : NULL;
        json_int_t r = n ? json_is_integer(one) ? json_integer_value(one) : -1 : (json_int_t)i;

        if (list->allow_missing && r >= (json_int_t)list->n_ranks)
            continue;
        if (r < 0 || r >= (json_int_t)list->n_ranks || seen[r]++)
            code = bad(list, "with a rank that is not in the run, or that is there twice");
        else
            group->ranks[group->n++] = (uint32_t)r;
    }
    free(seen);
    return code;
}

/* A collective names a group by its number, and 0 stands for all ranks. */
static int check_id(struct list *list, const struct asim_groups *groups)
{
    const struct asim_group *last = &groups->at[groups->n - 1];

    if (last->id == 0 && last->n != list->n_ranks)
        return bad(list, "with the name 0, which means all ranks, and only some of them");
    for (size_t i = 0; i + 1 < groups->n; i++)
        if (groups->at[i].id == last->id)
            return bad(list, "that is listed twice");
    return 0;
}

static int fill(struct list *list, struct asim_groups *groups, json_t *root)
{
    size_t n = json_array_size(root);

    groups->at = calloc(n + 1, sizeof *groups->at);
    if (!groups->at)
        return ASIM_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        json_t *one = json_array_get(root, i), *ranks = json_object_get(one, "ranks");
        const char *name = json_string_value(json_object_get(one, "pg_name"));
        int code;

        if (!name || asim_text_i64(name, &groups->at[groups->n].id))
            continue; /* no collective can name it */
        code = check_shape(list, ranks, json_object_get(one, "group_size"));
        if (!code)
            code = fill_ranks(list, &groups->at[groups->n++], ranks);
        if (!code)
            code = check_id(list, groups);
        if (code)
            return code;
    }
    return 0;
}

int asim_process_groups(struct asim_groups *groups, const char *text, uint32_t n_ranks,
                        int allow_missing, char why[ASIM_WHY])
{
    size_t length = strlen(text);
    struct list list = {.n_ranks = n_ranks, .allow_missing = allow_missing, .why = why};
    json_t *root = NULL;
    int code = 0;

    *groups = (struct asim_groups){0};
    *why = '\0';
    if (length > 2 * WRAPPING)
        root = json_loadb(text + WRAPPING, length - 2 * WRAPPING, JSON_REJECT_DUPLICATES, NULL);
    if (root && json_is_array(root))
        code = fill(&list, groups, root);
    groups->left_out = list.left_out;
    json_decref(root);
    return code;
}
