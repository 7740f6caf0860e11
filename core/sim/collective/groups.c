/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Communicator groups, from the groups file or from METADATA ops (trace/chakra/process_groups.c).
 * A group of a METADATA op overrides the file's group of the same id.
 *
 * Ranks differ in the list of their groups, but many ranks list the same group, and a group of
 * 2,048 ranks takes 8 kB. So each distinct entry of a list is parsed and kept once, and the list of
 * a rank points at the members of its entries. A list in which an entry cannot stand for itself (it
 * is no JSON, or two entries have one id) is parsed as a whole, for the same results and errors.
 */
#include "sim/collective/groups.h"
#include "sim/rank/rank_shard.h"
#include "base/mem.h"
#include "base/text.h"
#include "sim/sim.h"
#include "asim/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An entry of a list: {"pg_name": "1", "ranks": [0, 1]}. */
struct entry {
    struct entry *next;        /* of the job, with the same hash */
    struct asim_groups groups; /* WITNESS, then its group where a collective can name it */
    size_t length;
    char text[];
};

/* The groups of one rank, or of ranks with the same list. The world owns these to its end, because
 * ranks point at the groups. */
struct list {
    struct list *next;
    struct asim_groups groups;
    int owns_members; /* else entries own them */
};

struct asim_named_groups {
    struct list *lists;
    struct asim_map entries; /* (job, hash of the text) -> struct entry * */
    char *last_text;         /* of the list that was read last; ranks often carry the same */
    const struct asim_world_job *last_job;
    struct list *last;
    size_t left_out; /* members that the run lacks */
};

size_t asim_groups_left_out(const struct asim_world *world)
{
    size_t n = world->made.named ? world->made.named->left_out : 0;

    for (uint32_t j = 0; j < world->set.n_jobs; j++)
        n += world->set.jobs[j].groups.left_out;
    return n;
}

static void free_list(struct list *list)
{
    if (list && list->owns_members)
        asim_groups_fini(&list->groups);
    else if (list)
        free(list->groups.at);
    free(list);
}

void asim_groups_add_first(struct asim_groups *groups, const struct asim_world_job *job)
{
    for (size_t g = 0; g < groups->n; g++)
        for (uint32_t i = 0; i < groups->at[g].n; i++)
            groups->at[g].ranks[i] += job->first;
}

static uint64_t hash_of(const char *text, size_t n)
{
    uint64_t hash = n, word;

    for (; n >= sizeof word; text += sizeof word, n -= sizeof word) {
        memcpy(&word, text, sizeof word);
        hash = asim_mix64(hash ^ word);
    }
    word = 0;
    memcpy(&word, text, n);
    return asim_mix64(hash ^ word);
}

/* Parses the entry as a list of its own, behind another one, which tells a list that is no JSON
 * (and gives no groups) from an entry that no collective can name. Other than 0 and ASIM_ENOMEM:
 * the entry is refused. */
#define WITNESS "['[{\"pg_name\": \"-1\", \"ranks\": [0]}, "
static int parse_entry(const struct asim_rank *rank, struct entry *entry)
{
    size_t size = sizeof WITNESS + entry->length + 3;
    char why[ASIM_WHY], *list = malloc(size);
    int code;

    if (!list)
        return ASIM_ENOMEM;
    snprintf(list, size, WITNESS "%s]']", entry->text);
    code = asim_process_groups(&entry->groups, list, rank->job->n,
                               rank->world->set.settings.allow_missing_ranks, why);
    rank->world->made.named->left_out += entry->groups.left_out;
    free(list);
    asim_groups_add_first(&entry->groups, rank->job);
    return code || entry->groups.n ? code : ASIM_EINVAL;
}

/* NULL: out of memory, or the entry is refused; *code tells. */
static struct entry *find_entry(const struct asim_rank *rank, const char *text, size_t length,
                                int *code)
{
    uint64_t *slot =
        asim_map_put(&rank->world->made.named->entries, rank->job->number, hash_of(text, length));
    struct entry *entry = slot ? (struct entry *)(uintptr_t)*slot : NULL;

    while (entry && (entry->length != length || memcmp(entry->text, text, length)))
        entry = entry->next;
    if (entry)
        return entry;
    entry = slot ? calloc(1, sizeof *entry + length + 1) : NULL;
    *code = entry ? 0 : ASIM_ENOMEM;
    if (*code)
        return NULL;
    entry->length = length;
    memcpy(entry->text, text, length);
    *code = parse_entry(rank, entry);
    if (*code) {
        asim_groups_fini(&entry->groups);
        free(entry);
        return NULL;
    }
    entry->next = (struct entry *)(uintptr_t)*slot;
    *slot = (uint64_t)(uintptr_t)entry;
    return entry;
}

/* The length of the object at text, or 0. Other brackets and the grammar are left to the parser. */
static size_t object_length(const char *text)
{
    unsigned depth = 0;
    int quoted = 0;

    for (size_t i = 0; text[i]; i++) {
        if (quoted && text[i] == '\\' && text[i + 1])
            i++;
        else if (text[i] == '"')
            quoted = !quoted;
        else if (!quoted && text[i] == '{')
            depth++;
        else if (!quoted && text[i] == '}' && !--depth)
            return i + 1;
        if (!depth)
            return 0;
    }
    return 0;
}

static int holds(const struct asim_groups *groups, int64_t id)
{
    for (size_t i = 0; i < groups->n; i++)
        if (groups->at[i].id == id)
            return 1;
    return 0;
}

/* Appends the group of an entry. 1: two entries have one id. */
static int add_group(struct list *list, size_t *cap, const struct entry *entry)
{
    if (entry->groups.n < 2)
        return 0;
    if (holds(&list->groups, entry->groups.at[1].id))
        return 1;
    if (list->groups.n == *cap &&
        asim_grow(&list->groups.at, cap, list->groups.n + 1, sizeof *list->groups.at))
        return ASIM_ENOMEM;
    list->groups.at[list->groups.n++] = entry->groups.at[1];
    return 0;
}

/* Reads a list entry by entry. Other than 0: it must be parsed as a whole, or memory ran out. */
static int read_entries(const struct asim_rank *rank, struct list *list, const char *text)
{
    const char *at = text + 2; /* behind what Python's repr puts around it */
    size_t cap = 0;
    int more = *at++ == '[' && *at == '{', code = !more;

    while (!code && more) {
        size_t length = object_length(at);
        const struct entry *entry = length ? find_entry(rank, at, length, &code) : NULL;

        if (entry)
            code = add_group(list, &cap, entry);
        code = entry || code ? code : ASIM_EINVAL;
        at += length;
        more = *at == ',';
        at += more ? 1 + (at[1] == ' ') : 0;
    }
    return code ? code : strlen(at) != 3 || *at != ']';
}

static int read_whole(const struct asim_rank *rank, struct list *list, const char *text,
                      struct asim_err *err)
{
    uint32_t n_ranks = rank->job->n;
    char why[ASIM_WHY] = "";
    int code;

    list->owns_members = 1;
    code = asim_process_groups(&list->groups, text, n_ranks,
                               rank->world->set.settings.allow_missing_ranks, why);
    if (code == ASIM_EINVAL)
        return asim_err_set(err, ASIM_EINVAL,
                            "rank %u: a METADATA op lists a process group %s. The run has %u "
                            "ranks.",
                            asim_rank_in_job(rank), why, n_ranks);
    rank->world->made.named->left_out += list->groups.left_out;
    asim_groups_add_first(&list->groups, rank->job);
    return code ? asim_err_nomem(err, "reading process groups") : 0;
}

/* NULL with err. */
static struct list *read_list(const struct asim_rank *rank, const char *text, struct asim_err *err)
{
    struct asim_named_groups *named = rank->world->made.named;
    struct list *list = calloc(1, sizeof *list);
    int code = list ? read_entries(rank, list, text) : ASIM_ENOMEM;

    if (code && code != ASIM_ENOMEM) {
        free(list->groups.at);
        *list = (struct list){0};
        code = read_whole(rank, list, text, err);
    } else if (code) {
        asim_err_nomem(err, "reading process groups");
    }
    if (code) {
        free_list(list);
        return NULL;
    }
    list->next = named->lists;
    named->lists = list;
    return list;
}

/* The list of a text, read before or now. NULL with err. */
static struct list *find_list(const struct asim_rank *rank, const char *text, struct asim_err *err)
{
    struct asim_world_made *made = &rank->world->made;
    struct list *list;

    if (!made->named)
        made->named = calloc(1, sizeof *made->named);
    if (made->named && made->named->last_job == rank->job && made->named->last_text &&
        !strcmp(made->named->last_text, text))
        return made->named->last;
    if (!made->named || !(list = read_list(rank, text, err))) {
        if (!made->named)
            asim_err_nomem(err, "reading process groups");
        return NULL;
    }
    free(made->named->last_text);
    made->named->last_text = strdup(text); /* NULL only costs time */
    made->named->last_job = rank->job;
    made->named->last = list;
    return list;
}

/* An op without groups leaves the rank's groups unchanged, but asim_group_find must know that there
 * was one. */
void asim_group_metadata(struct asim_rank *rank, const struct asim_op *op)
{
    const char *text = op->inputs_values ? op->inputs_values : "";
    struct list *list;

    if (strlen(text) < 5)
        return;
    pthread_mutex_lock(&rank->world->made.lock);
    list = find_list(rank, text, &rank->shard->scratch_err);
    pthread_mutex_unlock(&rank->world->made.lock);
    if (!list)
        asim_rank_record_failure(rank);
    else if (list->groups.n || !rank->named)
        rank->named = &list->groups;
}

/* Linear: jobs have tens of groups. */
static const struct asim_group *search(const struct asim_groups *groups, int64_t id)
{
    for (size_t i = 0; groups && i < groups->n; i++)
        if (groups->at[i].id == id)
            return &groups->at[i];
    return NULL;
}

/* Where the members have equal distances, as they mostly have, the rank itself tells its position.
 */
uint32_t asim_group_position(const struct asim_group *group, uint32_t rank)
{
    uint32_t i = 0, first = group->n ? group->ranks[0] : 0;
    uint32_t step = group->n > 1 ? group->ranks[1] - first : 1;

    if (step && (rank - first) % step == 0 && (rank - first) / step < group->n &&
        group->ranks[(rank - first) / step] == rank)
        return (rank - first) / step;
    while (i < group->n && group->ranks[i] != rank)
        i++;
    return i;
}

/* The definition of a METADATA op overrides the file's. */
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
        group = group ? group : search(&rank->job->groups, id);
    }
    if (group && (group->id < 0 || group->id > ASIM_PROCESS_GROUP_MAX))
        asim_rank_fail(rank,
                       "rank %u: op %llu ('%s') names communicator group %s; ids go from 0 to %d",
                       asim_rank_in_job(rank), op_id, op->name, name, ASIM_PROCESS_GROUP_MAX);
    else if (!group)
        asim_rank_fail(rank,
                       "rank %u: op %llu ('%s') names communicator group '%s', which is neither "
                       "in the groups file (--groups) nor defined by a METADATA op%s",
                       asim_rank_in_job(rank), op_id, op->name, name,
                       rank->named && !rank->named->n
                           ? "; this rank has a METADATA op, but no list of groups "
                             "(['[{\"pg_name\": \"1\", \"ranks\": [0, 1]}]']) could be read in it"
                           : "");
    else if (asim_group_position(group, rank->id) == group->n)
        asim_rank_fail(rank,
                       "rank %u: op %llu ('%s') is a collective of communicator group %s, whose "
                       "members do not include this rank",
                       asim_rank_in_job(rank), op_id, op->name, name);
    return rank->failed ? NULL : group;
}

static void free_entries(struct asim_map *entries)
{
    for (size_t i = 0; i < entries->cap; i++) {
        struct entry *entry =
            entries->used[i] ? (struct entry *)(uintptr_t)entries->slots[i].value : NULL;

        while (entry) {
            struct entry *next = entry->next;

            asim_groups_fini(&entry->groups);
            free(entry);
            entry = next;
        }
    }
    asim_map_fini(entries);
}

void asim_group_fini(struct asim_world *world)
{
    struct asim_named_groups *named = world->made.named;

    if (!named)
        return;
    while (named->lists) {
        struct list *list = named->lists;

        named->lists = list->next;
        free_list(list);
    }
    free_entries(&named->entries);
    ASIM_FREE(named->last_text, named);
    world->made.named = NULL;
}
