/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Groups of METADATA ops: reading a list entry by entry (sim/collective/groups.c) gives what one
 * parse of the whole text gives, its errors included, also for lists that are damaged at any byte.
 * Ranks that list the same group share its members.
 */
#include "../check.h"
#include "sim/collective/groups.h"

#include <stdlib.h>

static const char *const texts[] = {
    "['[{\"pg_name\": \"1\", \"ranks\": [0, 1]}, {\"pg_name\": \"9\", \"ranks\": [1, 3, 2]}]']",
    "['[{\"pg_name\": \"1\", \"ranks\": [0, 1]},{\"ranks\": [0, 1], \"pg_name\": \"default\"}]']",
    "['[{\"pg_name\": \"2\", \"ranks\": [], \"group_size\": 4, \"x\": {\"y\": \"}\\\"{\"}}]']",
    "['[{\"pg_name\": \"1\", \"ranks\": [0, 1]}, {\"pg_name\": \"1\", \"ranks\": [2, 3]}]']",
    "['[{\"pg_name\": \"1\", \"ranks\": [0, 4]}]']",
    "['[{\"pg_name\": \"0\", \"ranks\": [0, 1]}]']",
    "['[{\"pg_name\": \"-1\", \"ranks\": [0, 1]}, {\"pg_name\": \"5\", \"ranks\": [3]}]']",
    "['[]']",
    "['[1, {\"pg_name\": \"5\", \"ranks\": [3]}]']",
    "['[ {\"pg_name\": \"5\", \"ranks\": [3]} ]']",
    "nothing of the kind",
};

struct bench {
    struct asim_world world;
    struct asim_rank_shard shard;
    struct asim_world_job job;
    struct asim_rank rank[4];
    struct asim_events events;
    uint64_t now;
};

static struct asim_due_queue queue;

static void open_bench(struct bench *bench)
{
    *bench = (struct bench){0};
    bench->world.set.n_ranks = 4;
    bench->job.n = 4;
    bench->world.run.shards = &bench->shard;
    bench->world.run.n_shards = 1;
    bench->world.via.queue = &queue;
    bench->shard.events = &bench->events;
    pthread_mutex_init(&bench->world.made.lock, NULL);
    for (uint32_t r = 0; r < 4; r++) {
        bench->rank[r].world = &bench->world;
        bench->rank[r].job = &bench->job;
        bench->rank[r].shard = &bench->shard;
        bench->rank[r].id = r;
    }
}

static void close_bench(struct bench *bench)
{
    asim_group_fini(&bench->world);
    pthread_mutex_destroy(&bench->world.made.lock);
}

static int is_same(const struct asim_groups *a, const struct asim_groups *b)
{
    if (a->n != b->n)
        return 0;
    for (size_t i = 0; i < a->n; i++)
        if (a->at[i].id != b->at[i].id || a->at[i].n != b->at[i].n ||
            memcmp(a->at[i].ranks, b->at[i].ranks, a->at[i].n * sizeof *a->at[i].ranks))
            return 0;
    return 1;
}

static void check(struct bench *bench, const char *text)
{
    struct asim_rank *rank = &bench->rank[0];
    struct asim_op op = {.inputs_values = text};
    struct asim_groups whole;
    char why[ASIM_WHY];
    int code = asim_process_groups(&whole, text, 4, 0, why);

    rank->failed = 0;
    rank->named = NULL;
    bench->shard.scratch_err = bench->shard.failure.err = (struct asim_err){0};
    asim_group_metadata(rank, &op);
    CHECK((code != 0) == (rank->failed != 0));
    CHECK(!code || strstr(bench->shard.scratch_err.text, why));
    if (!code && strlen(text) >= 5)
        CHECK(rank->named && is_same(rank->named, &whole));
    asim_groups_fini(&whole);
}

/* Each byte of each text replaced and left out: known entries, unknown ones and damage mix. */
static void check_damage(struct bench *bench, const char *text)
{
    static const char with[] = "{}[]\", 0a\\\xff";
    size_t n = strlen(text);
    char *copy = malloc(n + 1);

    for (size_t i = 0; i < n; i++) {
        for (size_t c = 0; c + 1 < sizeof with; c++) {
            memcpy(copy, text, n + 1);
            copy[i] = with[c];
            check(bench, copy);
        }
        memcpy(copy, text, n + 1);
        memmove(copy + i, copy + i + 1, n - i);
        check(bench, copy);
    }
    free(copy);
}

static void check_shared(struct bench *bench)
{
    static const char *const lists[] = {
        "['[{\"pg_name\": \"1\", \"ranks\": [0, 1]}, {\"pg_name\": \"3\", \"ranks\": [0, 2]}]']",
        "['[{\"pg_name\": \"1\", \"ranks\": [0, 1]}, {\"pg_name\": \"4\", \"ranks\": [1, 3]}]']"};

    for (uint32_t r = 0; r < 2; r++)
        asim_group_metadata(&bench->rank[r], &(struct asim_op){.inputs_values = lists[r]});
    CHECK(bench->rank[0].named->at[0].ranks == bench->rank[1].named->at[0].ranks);
    CHECK(bench->rank[0].named->at[1].ranks != bench->rank[1].named->at[1].ranks);
}

static void check_position(void)
{
    uint32_t even[] = {0, 2, 4, 6}, any[] = {5, 3, 9, 3}, one[] = {7}, back[] = {9, 8, 7};
    const struct asim_group groups[] = {{1, even, 4}, {2, any, 3}, {3, one, 1}, {4, back, 3}};

    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++)
        for (uint32_t rank = 0; rank < 12; rank++) {
            uint32_t i = 0;

            while (i < groups[g].n && groups[g].ranks[i] != rank)
                i++;
            CHECK_U64(asim_group_position(&groups[g], rank), i);
        }
}

int main(void)
{
    static struct bench bench;

    open_bench(&bench);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        check(&bench, texts[i]);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        check_damage(&bench, texts[i]);
    check_shared(&bench);
    close_bench(&bench);
    check_position();
    return CHECK_DONE();
}
