/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Runs what lies in `folder` over the network of mock_network.h in many ways: shards, threads,
 * orders, windows and processes (worlds that exchange blocks); all must come to one outcome.
 */
#ifndef ASIM_TESTS_WAYS_H
#define ASIM_TESTS_WAYS_H

#include "mock_network.h"

enum { RANKS = 8, OPS = 9 };

static char folder[128];

struct way { /* to run it */
    uint32_t shards, processes;
    int backwards, threads;
    uint64_t window;
};

struct outcome {
    int code;
    struct asim_err err;
    struct run_text lines; /* notes among them */
    char files[65536];
};

static inline void remove_inputs(uint32_t ranks)
{
    char path[200];

    snprintf(path, sizeof path, "%s/system.json", folder);
    unlink(path);
    snprintf(path, sizeof path, "%s/groups.json", folder);
    unlink(path);
    run_remove(folder, ranks);
}

/* How the run was dealt is no result. */
static inline void note(void *self, const char *text)
{
    if (!strstr(text, "processes with windows of"))
        run_line(self, text);
}

static inline void add_file(char *all, size_t size, const char *out, const char *name)
{
    size_t n = strlen(all);
    char path[600];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", out, name);
    file = fopen(path, "rb");
    if (!file)
        return;
    n += (size_t)snprintf(all + n, size - n, "--- %s\n", name);
    n += fread(all + n, 1, size - n - 1, file);
    all[n] = '\0';
    fclose(file);
    unlink(path);
}

/* All that reports left, in a fixed order; nothing else may lie there. */
static inline void take_files(struct outcome *outcome, const char *out)
{
    static const char *const names[] = {"ranks.csv", "ops.csv", "summary.json", "log.txt"};
    char name[64];

    outcome->files[0] = '\0';
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        add_file(outcome->files, sizeof outcome->files, out, names[i]);
    for (uint32_t r = 0; r < RANKS; r++) {
        snprintf(name, sizeof name, "tensors.%u.json", r);
        add_file(outcome->files, sizeof outcome->files, out, name);
    }
    CHECK(run_reports(out, "") == 0);
    run_remove_reports(out);
}

/* Keeps the first code that is not 0, and says whether there has been one. */
static inline int went_wrong(struct outcome *outcome, int code)
{
    outcome->code = outcome->code ? outcome->code : code;
    return outcome->code;
}

/* NULL where the world cannot be opened. */
static inline struct asim_world *open_one(const char *out, const struct way *way, uint32_t process,
                                          struct outcome *outcome)
{
    static char topology[] = "auto:switch,rate=200Gbps,delay=500ns";
    struct asim_hooks hooks = {.self = &outcome->lines};
    struct asim_settings settings = {0};
    struct asim_world *world = NULL;
    struct asim_err *err = &outcome->err;
    char prefix[160], system[160], groups[160];

    went_wrong(outcome, asim_settings_init(&settings, sizeof settings, err));
    snprintf(prefix, sizeof prefix, "%s/w", folder);
    snprintf(system, sizeof system, "%s/system.json", folder);
    snprintf(groups, sizeof groups, "%s/groups.json", folder);
    if (!process) {
        hooks.line = run_line;
        hooks.note = note;
    }
    settings.workload = prefix;
    settings.topology = topology;
    settings.system = system;
    settings.groups = groups;
    settings.process = process;
    settings.processes = way->processes;
    if (!outcome->code)
        went_wrong(outcome, asim_world_open(&world, &settings, &hooks, err));
    if (!outcome->code)
        went_wrong(outcome, asim_reports_open(world, out, err));
    settings.workload = settings.topology = settings.system = settings.groups = NULL;
    asim_settings_fini(&settings);
    return world;
}

/* What each has for each, after a window. */
static inline void exchange(const struct mock *mock, struct outcome *outcome)
{
    struct asim_buffer block;

    for (uint32_t from = 0; mock->n_worlds > 1 && from < mock->n_worlds; from++)
        for (uint32_t to = 0; to < mock->n_worlds; to++) {
            if (from == to || outcome->code)
                continue;
            went_wrong(outcome, asim_world_pack(mock->worlds[from], to, &block, &outcome->err));
            if (!outcome->code && block.n)
                went_wrong(outcome, asim_world_unpack(mock->worlds[to], &block, &outcome->err));
        }
}

static inline int is_at_end(const struct mock *mock)
{
    int over = 1, stopped = 0;

    for (uint32_t w = 0; w < mock->n_worlds; w++) {
        stopped |= asim_world_is_stopped(mock->worlds[w]);
        over &= asim_world_is_over(mock->worlds[w]);
    }
    return over || stopped || fake_next(mock) == ASIM_NEVER;
}

static inline void finish(struct mock *mock, struct outcome *outcome)
{
    struct asim_err run = outcome->err;
    struct asim_buffer block;
    int verdict;

    run.code = outcome->code;
    for (uint32_t w = 1; w < mock->n_worlds; w++)
        if (went_wrong(outcome,
                       asim_world_pack_end(mock->worlds[w], &run, &block, &outcome->err)) == 0)
            went_wrong(outcome, asim_world_unpack_end(mock->worlds[0], &block, &outcome->err));
    outcome->code = asim_world_finish(mock->worlds[0], outcome->code, &outcome->err);
    verdict = outcome->code;
    for (uint32_t w = 1; w < mock->n_worlds; w++) {
        int code = asim_world_finish(mock->worlds[w], verdict, &outcome->err);

        outcome->code = code != verdict ? code : outcome->code;
    }
}

static inline void go(struct mock *mock, struct outcome *outcome)
{
    for (uint32_t w = 0; w < mock->n_worlds; w++)
        asim_world_start(mock->worlds[w], NULL);
    while (!outcome->code && !is_at_end(mock)) {
        mock->until = fake_next(mock) + mock->window;
        fake_window(mock);
        for (uint32_t w = 0; w < mock->n_worlds; w++)
            mock->user[w].settled(mock->user[w].self, mock->until);
        exchange(mock, outcome);
    }
    finish(mock, outcome);
}

static inline void run(const struct way *way, struct outcome *outcome)
{
    static struct mock mock;
    struct asim_world *world;
    char out[160];

    memset(outcome, 0, sizeof *outcome);
    memset(&mock, 0, sizeof mock);
    mock.n_shards = way->shards;
    mock.backwards = way->backwards;
    mock.threads = way->threads;
    mock.window = way->window;
    mock.latency = 2000;
    snprintf(out, sizeof out, "%s/out", folder);
    for (uint32_t p = 0; p < way->processes && !outcome->code; p++)
        if ((world = open_one(out, way, p, outcome)) && fake_take(&mock, world))
            went_wrong(outcome, asim_err_nomem(&outcome->err, "making the test's network"));
    if (!outcome->code)
        go(&mock, outcome);
    for (uint32_t w = 0; w < mock.n_worlds; w++)
        asim_world_close(mock.worlds[w]);
    fake_end(&mock);
    take_files(outcome, out);
}

/* The first way is the plain one; what it gave is returned for a look at it. */
static inline const struct outcome *all_ways(void)
{
    static const struct way ways[] = {
        {1, 1, 0, 0, 2000}, {1, 1, 1, 0, 2000}, {2, 1, 0, 0, 2000}, {4, 1, 1, 0, 2000},
        {2, 1, 0, 1, 2000}, {4, 1, 0, 1, 2000}, {1, 1, 0, 0, 100},  {3, 1, 1, 0, 100},
        {1, 2, 0, 0, 2000}, {1, 3, 1, 0, 2000}, {2, 4, 0, 0, 2000}, {2, 2, 0, 1, 100},
    };
    static struct outcome plain, other;

    run(&ways[0], &plain);
    for (size_t i = 1; i < sizeof ways / sizeof *ways; i++) {
        int before = check_failures;

        run(&ways[i], &other);
        CHECK_U64(other.code, plain.code);
        CHECK_STR(other.err.text, plain.err.text);
        CHECK_STR(other.lines.at, plain.lines.at);
        CHECK_STR(other.files, plain.files);
        if (check_failures > before)
            fprintf(stderr, "  with %u lanes, %u processes, windows of %u ns\n", ways[i].shards,
                    ways[i].processes, (unsigned)ways[i].window);
    }
    return &plain;
}

#endif
