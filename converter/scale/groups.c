/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Communicator groups of a set and of its scaled form. Definitions come from the groups file and
 * from METADATA nodes, which go before the file, as in a simulation. The scaled set has all of them
 * in its groups file, because the text of a METADATA node could not differ between replicas.
 */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "base/io/out.h"
#include "base/text.h"
#include "asim/trace.h"
#include "scale/scale.h"

#define WRAP 2 /* characters around the JSON of a METADATA node: ['…'] */

/* Linear while groups are added, by bisection once they are sorted: every collective asks for its
 * group. */
const struct asim_scale_group *asim_scale_find(const struct asim_scale *scale, int64_t id)
{
    size_t low = 0, high = scale->groups.n;
    while (scale->is_sorted && low < high) {
        size_t middle = low + (high - low) / 2;
        if (scale->groups.at[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < scale->groups.n; low++) {
        if (scale->groups.at[low].id == id)
            return &scale->groups.at[low];
        if (scale->is_sorted)
            break;
    }
    return NULL;
}

int asim_scale_defines(const ChakraProtoMsg__Node *node)
{
    return node->type == CHAKRA_PROTO_MSG__NODE_TYPE__METADATA_NODE && node->inputs &&
           node->inputs->values && strstr(node->inputs->values, "pg_name") &&
           strlen(node->inputs->values) > 2 * WRAP;
}

/* Takes ownership of ranks in any case. */
static int add(struct asim_scale *scale, struct asim_scale_group group, struct asim_err *err)
{
    if (asim_scale_find(scale, group.id) || !group.id) { /* 0 is the group of all ranks */
        free(group.ranks);
        return 0;
    }
    if (ASIM_VEC_PUSH(scale->groups, group)) {
        free(group.ranks);
        return asim_err_nomem(err, "reading groups");
    }
    return 0;
}

/* A group without listed ranks is one of all ranks, as in the simulator. */
static int add_metadata(struct asim_scale *scale, const json_t *one, const char *path,
                        struct asim_err *err)
{
    const char *name = json_string_value(json_object_get(one, "pg_name"));
    const json_t *ranks = json_object_get(one, "ranks");
    size_t n = json_array_size(ranks);
    struct asim_scale_group group = {.n = n ? (uint32_t)n : scale->ranks};
    if (!name || asim_text_i64(name, &group.id))
        return 0; /* no collective can name it */
    group.ranks = malloc((group.n + (size_t)1) * sizeof *group.ranks);
    if (!group.ranks)
        return asim_err_nomem(err, "reading groups");
    for (uint32_t i = 0; i < group.n; i++) {
        json_int_t rank = n ? json_integer_value(json_array_get(ranks, i)) : (json_int_t)i;
        if (rank < 0 || rank >= (json_int_t)scale->ranks) {
            free(group.ranks);
            return asim_err_set(err, ASIM_EINVAL,
                                "%s: a METADATA node says that rank %" JSON_INTEGER_FORMAT
                                " is in group %" PRId64
                                ", but there are traces of ranks 0 to %" PRIu32 ".",
                                path, rank, group.id, scale->ranks - 1);
        }
        group.ranks[i] = (uint32_t)rank;
    }
    return add(scale, group, err);
}

/* A text that is not JSON names no groups, as in the simulator. */
static int read_metadata(struct asim_scale *scale, uint32_t rank, struct asim_err *err)
{
    struct asim_chakra *trace = NULL;
    const ChakraProtoMsg__Node *node;
    char *path = NULL;
    int more = 0, rc = asim_trace_path(scale->input, rank, &path, err);
    if (!rc)
        rc = asim_chakra_open(&trace, path, err);
    while (!rc && (more = asim_chakra_next(trace, &node, err)) > 0) {
        if (!asim_scale_defines(node))
            continue;
        const char *text = node->inputs->values;
        json_t *root =
            json_loadb(text + WRAP, strlen(text) - 2 * WRAP, JSON_REJECT_DUPLICATES, NULL);
        for (size_t i = 0; !rc && i < json_array_size(root); i++)
            rc = add_metadata(scale, json_array_get(root, i), path, err);
        json_decref(root);
    }
    asim_chakra_close(trace);
    free(path);
    return rc ? rc : more;
}

/* Moves the members out of the file's table. */
static int read_file(struct asim_scale *scale, struct asim_err *err)
{
    struct asim_groups file = {0};
    int rc = asim_groups_read(&file, scale->groups_file, scale->ranks, 0, err);
    for (size_t i = 0; i < file.n && !rc; i++) {
        struct asim_scale_group group = {
            .id = file.at[i].id, .ranks = file.at[i].ranks, .n = file.at[i].n};
        file.at[i].ranks = NULL;
        rc = add(scale, group, err);
    }
    asim_groups_fini(&file);
    return rc;
}

static int is_consecutive(const struct asim_scale_group *group)
{
    for (uint32_t i = 1; i < group->n; i++)
        if (group->ranks[i] != group->ranks[i - 1] + 1)
            return 0;
    return 1;
}

/* 1 if the group joins all replicas. A list from the user decides alone. */
static int grows(const struct asim_scale *scale, const struct asim_scale_group *group)
{
    if (scale->grow == ASIM_SCALE_LISTED) {
        for (size_t i = 0; i < scale->n_listed; i++)
            if (scale->listed[i] == group->id)
                return 1;
        return 0;
    }
    if (group->n == scale->ranks)
        return 1;
    return scale->grow == ASIM_SCALE_STRIDED && !is_consecutive(group);
}

ASIM_ORDER(by_id, struct asim_scale_group, ->id)

/* New numbers follow the old order, so a set scaled by one keeps its order of groups. */
int asim_scale_groups(struct asim_scale *scale, struct asim_err *err)
{
    int64_t next = 1;
    int rc = 0;
    for (uint32_t r = 0; r < scale->ranks && !rc; r++)
        rc = read_metadata(scale, r, err);
    if (!rc && scale->groups_file)
        rc = read_file(scale, err);
    if (rc)
        return rc;
    if (scale->groups.n)
        qsort(scale->groups.at, scale->groups.n, sizeof *scale->groups.at, by_id);
    scale->is_sorted = 1;
    for (size_t i = 0; i < scale->groups.n; i++) {
        struct asim_scale_group *group = &scale->groups.at[i];
        group->grows = grows(scale, group);
        group->new_id = next;
        next += group->grows ? 1 : scale->to / scale->ranks;
    }
    for (size_t i = 0; i < scale->n_listed; i++)
        if (!asim_scale_find(scale, scale->listed[i]))
            return asim_err_set(err, ASIM_EINVAL,
                                "--grow names group %" PRId64 ", which nothing defines.",
                                scale->listed[i]);
    return 0;
}

/* Replicas first … end - 1. */
struct replicas {
    uint32_t first, end;
};

/* Writes the members of these replicas of the group as one group of the file. */
static void write_group(struct asim_out *out, const struct asim_scale *scale,
                        const struct asim_scale_group *group, struct replicas replicas)
{
    int64_t id = group->new_id + (group->grows ? 0 : replicas.first);
    asim_out_printf(out, "%s\n  \"%" PRId64 "\": [", id == 1 ? "" : ",", id);
    for (uint32_t b = replicas.first; b < replicas.end; b++)
        for (uint32_t i = 0; i < group->n; i++)
            asim_out_printf(out, "%s%" PRIu32, b > replicas.first || i ? ", " : "",
                            b * scale->ranks + group->ranks[i]);
    asim_out_printf(out, "]");
}

int asim_scale_write_groups(struct asim_scale *scale, struct asim_err *err)
{
    struct asim_out out = {0};
    uint32_t k = scale->to / scale->ranks;
    int rc = asim_file_set_open(&scale->set, &out, scale->output, ".groups.json", err);

    if (rc)
        return rc;
    asim_out_printf(&out, "{");
    for (size_t i = 0; i < scale->groups.n; i++) {
        const struct asim_scale_group *group = &scale->groups.at[i];
        for (uint32_t b = 0; b < (group->grows ? 1 : k); b++)
            write_group(&out, scale, group, (struct replicas){b, group->grows ? k : b + 1});
    }
    asim_out_printf(&out, "\n}\n");
    scale->wrote_groups = 1;
    return asim_out_commit(&out, err);
}
