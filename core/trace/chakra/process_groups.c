/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Communicator groups that a METADATA op lists: its inputs.values is the Python list repr of
 * PyTorch's process-group JSON, [''[{"pg_name": "1", "ranks": [0, 1]}]''] with two characters of
 * wrapping on each side (chakra.md#process-groups). Entries whose name is not a number in
 * quotes are ignored: no collective can name them. Groups keep the order of the list.
 */
#include "asim/trace.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"

#define WRAPPING 2 /* characters on each side */

/* Fills in the ranks of one group: all ranks of the run if the list is empty. A rank that is not a
 * number, is outside of the run, or occurs twice is ASIM_EINVAL. */
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
            continue; /* no collective can name it */
        code = fill_ranks(&groups->at[groups->n++], json_object_get(one, "ranks"), n_ranks);
        if (code)
            return code;
    }
    return 0;
}

int asim_process_groups(struct asim_groups *groups, const char *text, uint32_t n_ranks)
{
    size_t length = strlen(text);
    json_t *root = NULL;
    int code = 0;

    *groups = (struct asim_groups){0};
    if (length > 2 * WRAPPING)
        root = json_loadb(text + WRAPPING, length - 2 * WRAPPING, JSON_REJECT_DUPLICATES, NULL);
    if (root && json_is_array(root))
        code = fill(groups, root, n_ranks);
    json_decref(root);
    return code;
}
