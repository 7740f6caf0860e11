/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Communicator groups, from the groups file or from METADATA ops (trace/chakra/process_groups.c).
 * Each distinct text of a METADATA op is parsed once for all ranks of a job. A group of a METADATA
 * op overrides the file's group of the same id.
 *
 * All ranks of a job carry the same text, and a group of 1,024 ranks takes 4 kB, so ranks share the
 * parsed groups. A collective points at its group and copies nothing.
 */
#include "sim/collective/groups.h"
#include "sim/rank/rank_shard.h"
#include "base/text.h"
#include "sim/sim.h"
#include "asim/trace.h"

#include <stdlib.h>
#include <string.h>

/* The world owns these to its end, because ranks point at the groups. */
struct asim_named_groups {
    struct asim_named_groups *next;
    char *text;
    const struct asim_job *job;
    struct asim_groups groups;
};

static void free_named_groups(struct asim_named_groups *named)
{
    asim_groups_fini(&named->groups);
    free(named->text);
    free(named);
}

void asim_groups_add_first(struct asim_groups *groups, const struct asim_job *job)
{
    for (size_t g = 0; g < groups->n; g++)
        for (uint32_t i = 0; i < groups->at[g].n; i++)
            groups->at[g].ranks[i] += job->first;
}

/* NULL with err. */
static struct asim_named_groups *parse(const struct asim_rank *rank, const char *text,
                                       struct asim_err *err)
{
    size_t length = strlen(text);
    struct asim_named_groups *named = calloc(1, sizeof *named);
    uint32_t n_ranks = rank->job->n;
    char why[ASIM_WHY] = "";
    int code = ASIM_ENOMEM;

    if (named && (named->text = malloc(length + 1))) {
        memcpy(named->text, text, length + 1);
        code = asim_process_groups(&named->groups, text, n_ranks,
                                   rank->world->set.settings.allow_missing_ranks, why);
    }
    if (!code) {
        named->job = rank->job;
        asim_groups_add_first(&named->groups, rank->job);
        return named;
    }
    if (named)
        free_named_groups(named);
    if (code == ASIM_ENOMEM)
        asim_err_nomem(err, "reading process groups");
    else
        asim_err_set(err, ASIM_EINVAL,
                     "rank %u: a METADATA op lists a process group %s. The run has %u ranks.",
                     asim_rank_in_job(rank), why, n_ranks);
    return NULL;
}

/* Compares the text with the parsed ones before it parses. An op without groups leaves the rank's
 * groups unchanged, but asim_group_find must know that there was one. */
void asim_group_metadata(struct asim_rank *rank, const struct asim_op *op)
{
    const char *text = op->inputs_values ? op->inputs_values : "";
    struct asim_world *world = rank->world;
    struct asim_named_groups *named;

    if (strlen(text) < 5)
        return;
    pthread_mutex_lock(&world->made.lock);
    for (named = world->made.named;
         named && (named->job != rank->job || strcmp(named->text, text));)
        named = named->next;
    if (!named && (named = parse(rank, text, &rank->shard->scratch_err))) {
        named->next = world->made.named;
        world->made.named = named;
    }
    pthread_mutex_unlock(&world->made.lock);
    if (!named)
        asim_rank_record_failure(rank);
    else if (named->groups.n || !rank->named)
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
    else if (!is_member(group, rank->id))
        asim_rank_fail(rank,
                       "rank %u: op %llu ('%s') is a collective of communicator group %s, whose "
                       "members do not include this rank",
                       asim_rank_in_job(rank), op_id, op->name, name);
    return rank->failed ? NULL : group;
}

void asim_group_fini(struct asim_world *world)
{
    while (world->made.named) {
        struct asim_named_groups *named = world->made.named;

        world->made.named = named->next;
        free_named_groups(named);
    }
}
