/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Runs the traces of `folder` over the network of mock_network.h in many variants: shards, threads,
 * orders, windows and processes (worlds that exchange buffers). All variants must have one outcome.
 */
#ifndef ASIM_TESTS_RUN_VARIANTS_H
#define ASIM_TESTS_RUN_VARIANTS_H

#include "mock_network.h"

enum { RANKS = 8, OPS = 9 };

static char folder[128];

struct variant { /* of a run */
    uint32_t shards, processes;
    int backwards, threads;
    uint64_t window;
};

struct outcome {
    int code;
    struct asim_err err;
    struct run_text lines; /* with diagnostics */
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

/* Keeps all diagnostics but the one about processes. */
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

/* Takes all report files, in a fixed order; the folder must hold no other file. */
static inline void take_files(struct outcome *outcome, const char *out)
{
    static const char *const names[] = {"ranks.csv",    "ops.csv", "summary.json", "topology.json",
                                        "network.json", "log.txt", "identity.json"};
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

/* Keeps the first code that is not 0; returns the code kept. */
static inline int went_wrong(struct outcome *outcome, int code)
{
    outcome->code = outcome->code ? outcome->code : code;
    return outcome->code;
}

/* NULL where the world cannot be opened. */
static inline struct asim_world *open_one(const char *out, const struct variant *variant,
                                          uint32_t process, struct outcome *outcome)
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
    settings.exact_events = 0; /* which leaves the fast paths nothing to do */
    settings.workload = prefix;
    settings.topology = topology;
    settings.system = system;
    settings.groups = groups;
    settings.process = process;
    settings.processes = variant->processes;
    if (!outcome->code)
        went_wrong(outcome, asim_world_open(&world, &settings, &hooks, err));
    if (!outcome->code)
        went_wrong(outcome, asim_reports_open(world, out, err));
    settings.workload = settings.topology = settings.system = settings.groups = NULL;
    asim_settings_fini(&settings);
    return world;
}

/* Hands over the buffer of each world for each other world, after a window. */
static inline void exchange(const struct mock *mock, struct outcome *outcome)
{
    struct asim_buffer buffer;

    for (uint32_t from = 0; mock->n_worlds > 1 && from < mock->n_worlds; from++)
        for (uint32_t to = 0; to < mock->n_worlds; to++) {
            if (from == to || outcome->code)
                continue;
            went_wrong(outcome, asim_world_pack(mock->worlds[from], to, &buffer, &outcome->err));
            if (!outcome->code && buffer.n)
                went_wrong(outcome, asim_world_unpack(mock->worlds[to], &buffer, &outcome->err));
        }
}

static inline int is_at_end(const struct mock *mock)
{
    int over = 1, stopped = 0;

    for (uint32_t w = 0; w < mock->n_worlds; w++) {
        stopped |= asim_world_is_stopped(mock->worlds[w]);
        over &= asim_world_is_over(mock->worlds[w]);
    }
    return over || stopped || mock_next(mock) == ASIM_NEVER;
}

static inline void finish(struct mock *mock, struct outcome *outcome)
{
    struct asim_err run = outcome->err;
    struct asim_buffer buffer;
    int verdict;

    run.code = outcome->code;
    for (uint32_t w = 1; w < mock->n_worlds; w++)
        if (went_wrong(outcome,
                       asim_world_pack_end(mock->worlds[w], &run, &buffer, &outcome->err)) == 0)
            went_wrong(outcome, asim_world_unpack_end(mock->worlds[0], &buffer, &outcome->err));
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
        mock->until = mock_next(mock) + mock->window;
        mock_window(mock);
        for (uint32_t w = 0; w < mock->n_worlds; w++)
            mock->user[w].settled(mock->user[w].self, mock->until);
        exchange(mock, outcome);
    }
    finish(mock, outcome);
}

static inline void run(const struct variant *variant, struct outcome *outcome)
{
    static struct mock mock;
    struct asim_world *world;
    char out[160];

    memset(outcome, 0, sizeof *outcome);
    memset(&mock, 0, sizeof mock);
    mock.n_shards = variant->shards;
    mock.backwards = variant->backwards;
    mock.threads = variant->threads;
    mock.window = variant->window;
    mock.latency = 2000;
    snprintf(out, sizeof out, "%s/out", folder);
    for (uint32_t p = 0; p < variant->processes && !outcome->code; p++)
        if ((world = open_one(out, variant, p, outcome)) && mock_replace(&mock, world))
            went_wrong(outcome, asim_err_nomem(&outcome->err, "making the test's network"));
    if (!outcome->code)
        go(&mock, outcome);
    for (uint32_t w = 0; w < mock.n_worlds; w++)
        asim_world_close(mock.worlds[w]);
    mock_end(&mock);
    take_files(outcome, out);
}

/* Returns the outcome of the first variant for further checks. */
static inline const struct outcome *all_variants(void)
{
    static const struct variant variants[] = {
        {1, 1, 0, 0, 2000}, {1, 1, 1, 0, 2000}, {2, 1, 0, 0, 2000}, {4, 1, 1, 0, 2000},
        {2, 1, 0, 1, 2000}, {4, 1, 0, 1, 2000}, {1, 1, 0, 0, 100},  {3, 1, 1, 0, 100},
        {1, 2, 0, 0, 2000}, {1, 3, 1, 0, 2000}, {2, 4, 0, 0, 2000}, {2, 2, 0, 1, 100},
    };
    static struct outcome first, other;

    run(&variants[0], &first);
    for (size_t i = 1; i < sizeof variants / sizeof *variants; i++) {
        int before = check_failures;

        run(&variants[i], &other);
        CHECK_U64(other.code, first.code);
        CHECK_STR(other.err.text, first.err.text);
        CHECK_STR(other.lines.at, first.lines.at);
        CHECK_STR(other.files, first.files);
        if (check_failures > before)
            fprintf(stderr, "  with %u shards, %u processes, windows of %u ns\n",
                    variants[i].shards, variants[i].processes, (unsigned)variants[i].window);
    }
    return &first;
}

#endif
