/* SPDX-License-Identifier: GPL-2.0-only
 *
 * One run, dealt in many ways: to 1 to 4 lanes, advanced forwards, backwards or on threads of their
 * own, in windows of any length, and to 1 to 4 processes (worlds that exchange blocks). Whatever
 * the way, the code, the sentence, the lines and every report file are the same bytes: of a run
 * that ends well, of failures, of collectives that do not match, and of stalls.
 */
#include "fake.h"

enum { RANKS = 8, OPS = 9 };

static char folder[128];

struct way { /* to run it */
    uint32_t lanes, processes;
    int backwards, threads;
    uint64_t window;
};

struct outcome {
    int code;
    struct asim_err err;
    struct run_text lines; /* notes among them */
    char files[65536];
};

/* How the run was dealt is no result. */
static void note(void *self, const char *text)
{
    if (!strstr(text, "processes with windows of"))
        run_line(self, text);
}

static void add_file(char *all, size_t size, const char *out, const char *name)
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
static void take_files(struct outcome *outcome, const char *out)
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

static struct asim_world *open_one(const char *out, const struct way *way, uint32_t process,
                                   struct outcome *outcome)
{
    static char topology[] = "auto:switch,rate=200Gbps,delay=500ns";
    struct asim_hooks hooks = {.self = &outcome->lines};
    struct asim_settings settings = {0};
    struct asim_world *world = NULL;
    char prefix[160], system[160], groups[160];

    CHECK(asim_option_defaults(asim_settings_options, &settings, &outcome->err) == 0);
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
    CHECK(asim_world_open(&world, &settings, &hooks, &outcome->err) == 0);
    CHECK(asim_reports_open(world, out, &outcome->err) == 0);
    CHECK_STR(outcome->err.text, "");
    settings.workload = settings.topology = settings.system = settings.groups = NULL;
    asim_option_fini(asim_settings_options, &settings);
    return world;
}

/* What each has for each, after a window. */
static void exchange(const struct fake *fake)
{
    struct asim_err err = {0};
    struct asim_block block;

    for (uint32_t from = 0; fake->n_worlds > 1 && from < fake->n_worlds; from++)
        for (uint32_t to = 0; to < fake->n_worlds; to++) {
            if (from == to)
                continue;
            CHECK(asim_world_pack(fake->worlds[from], to, &block, &err) == 0);
            if (block.n)
                CHECK(asim_world_unpack(fake->worlds[to], &block, &err) == 0);
        }
}

static int is_at_end(const struct fake *fake)
{
    int over = 1, stopped = 0;

    for (uint32_t w = 0; w < fake->n_worlds; w++) {
        stopped |= asim_world_is_stopped(fake->worlds[w]);
        over &= asim_world_is_over(fake->worlds[w]);
    }
    return over || stopped || fake_next(fake) == ASIM_NEVER;
}

static void finish(struct fake *fake, struct outcome *outcome)
{
    struct asim_err none = {0};
    struct asim_block block;

    for (uint32_t w = 1; w < fake->n_worlds; w++) {
        CHECK(asim_world_pack_end(fake->worlds[w], &none, &block, &outcome->err) == 0);
        CHECK(asim_world_unpack_end(fake->worlds[0], &block, &outcome->err) == 0);
    }
    outcome->code = asim_world_finish(fake->worlds[0], 0, &outcome->err);
    for (uint32_t w = 1; w < fake->n_worlds; w++)
        CHECK(asim_world_finish(fake->worlds[w], outcome->code, NULL) == outcome->code);
    for (uint32_t w = 0; w < fake->n_worlds; w++)
        asim_world_close(fake->worlds[w]);
    fake_end(fake);
}

static void run(const struct way *way, struct outcome *outcome)
{
    static struct fake fake;
    char out[160];

    memset(outcome, 0, sizeof *outcome);
    memset(&fake, 0, sizeof fake);
    fake.n_lanes = way->lanes;
    fake.backwards = way->backwards;
    fake.threads = way->threads;
    fake.window = way->window;
    fake.latency = 2000;
    snprintf(out, sizeof out, "%s/out", folder);
    for (uint32_t p = 0; p < way->processes; p++)
        fake_take(&fake, open_one(out, way, p, outcome));
    for (uint32_t w = 0; w < fake.n_worlds; w++)
        asim_world_start(fake.worlds[w], NULL);
    while (!is_at_end(&fake)) {
        fake.until = fake_next(&fake) + fake.window;
        fake_window(&fake);
        for (uint32_t w = 0; w < fake.n_worlds; w++)
            fake.user[w].settled(fake.user[w].self, fake.until);
        exchange(&fake);
    }
    finish(&fake, outcome);
    take_files(outcome, out);
}

/* The first way is the plain one; what it gave is returned for a look at it. */
static const struct outcome *all_ways(void)
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
            fprintf(stderr, "  with %u lanes, %u processes, windows of %u ns\n", ways[i].lanes,
                    ways[i].processes, (unsigned)ways[i].window);
    }
    return &plain;
}

static int is_in_group(uint32_t r)
{
    return r == 0 || r == 3 || r == 5 || r == 6;
}

/* Compute of different lengths, collectives of all and of a group, a ring of messages, and a last
 * collective in which everybody meets. */
static uint32_t some_ops(uint32_t r, struct run_op *ops)
{
    uint32_t n = 0;

    ops[n++] = (struct run_op){.type = ASIM_OP_COMP, .id = 1, .micros = 1 + (r * 7) % 5};
    ops[n++] = (struct run_op){.type = ASIM_OP_COMM_COLL,
                               .id = 2,
                               .comm_type = ASIM_ALL_REDUCE,
                               .bytes = 30000,
                               .after = 1};
    ops[n++] = (struct run_op){.type = ASIM_OP_COMP, .id = 3, .micros = 2, .after = 2};
    ops[n++] = (struct run_op){.type = ASIM_OP_COMM_SEND,
                               .id = 4,
                               .peer = (r + 1) % RANKS,
                               .tag = 7,
                               .bytes = 1000 + 100 * r,
                               .after = 1};
    ops[n++] = (struct run_op){.type = ASIM_OP_COMM_RECV,
                               .id = 5,
                               .peer = (r + RANKS - 1) % RANKS,
                               .tag = 7,
                               .bytes = 1000 + 100 * ((r + RANKS - 1) % RANKS),
                               .after = 0};
    if (is_in_group(r))
        ops[n++] = (struct run_op){.type = ASIM_OP_COMM_COLL,
                                   .id = 6,
                                   .comm_type = ASIM_ALL_GATHER,
                                   .bytes = 4000,
                                   .after = 3,
                                   .group = "4"};
    ops[n++] = (struct run_op){.type = ASIM_OP_COMM_COLL,
                               .id = 7,
                               .comm_type = ASIM_ALL_TO_ALL,
                               .bytes = 8000,
                               .after = 3};
    return n;
}

static void write_text(const char *name, const char *text)
{
    char path[200];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "w");
    CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

static void write_inputs(void)
{
    struct run_op ops[OPS];

    write_text("system.json",
               "{\"preferred-dataset-splits\": 2, \"endpoint-delay\": 10, \"trace-enabled\": 1, "
               "\"track-local-mem\": 1, \"local-mem-trace-filename\": \"tensors\", "
               "\"all-reduce-implementation\": [\"ring\"], "
               "\"all-gather-implementation\": [\"ring\"], "
               "\"all-to-all-implementation\": [\"direct\"]}");
    write_text("groups.json", "{\"4\": [0, 3, 5, 6]}");
    for (uint32_t r = 0; r < RANKS; r++)
        run_trace(folder, r, ops, some_ops(r, ops));
}

/* What lanes make and read together: flows of NCCL's rings, laid out on first use; and what none of
 * them can read, of which the first to ask is told. */
static void shared_algorithms(void)
{
    const struct outcome *plain;
    char text[400];

    write_text("system.json", "{\"preferred-dataset-splits\": 2, \"endpoint-delay\": 10, "
                              "\"all-reduce-implementation\": [\"ncclRing\"], "
                              "\"all-gather-implementation\": [\"ncclRing4\"], "
                              "\"all-to-all-implementation\": [\"ncclDirect\"]}");
    plain = all_ways();
    CHECK_STR(plain->err.text, "");
    CHECK_U64(plain->code, 0);
    CHECK(strstr(plain->lines.at, "[job] finished: 8 of 8 ranks") != NULL);
    snprintf(text, sizeof text,
             "{\"all-to-all-implementation-custom\": [\"%s/none\"], "
             "\"all-reduce-implementation\": [\"ring\"], "
             "\"all-gather-implementation\": [\"ring\"]}",
             folder);
    write_text("system.json", text);
    plain = all_ways();
    CHECK_U64(plain->code, (uint64_t)ASIM_EINVAL);
    CHECK(strstr(plain->err.text, "/none.") != NULL);
    write_inputs();
}

static void ends_well(void)
{
    const struct outcome *plain = all_ways();

    CHECK_U64(plain->code, 0);
    CHECK_STR(plain->err.text, "");
    CHECK(strstr(plain->lines.at, "track-local-mem: rank 0's op 1 ('op') has no") != NULL);
    CHECK(strstr(plain->lines.at, "[job] finished: 8 of 8 ranks") != NULL);
    CHECK(strstr(plain->files, "--- tensors.7.json") != NULL);
    CHECK(strstr(plain->files, "7,7,\"op\",COMM_COLL_NODE,ALL_TO_ALL,,8,8000,") != NULL);
    CHECK(strstr(plain->files, "callback,sys->id=6, tick=") != NULL);
    CHECK(strstr(plain->files, "\"messages\": 368,") != NULL);
}

/* Of two ranks that fail in one window the earlier counts, not the lower; lines of ranks that ended
 * before are shown, others not, and no file is left. */
static void failures(void)
{
    const struct run_op early[] = {
        {.type = ASIM_OP_COMP, .id = 1, .micros = 5},
        {.type = ASIM_OP_COMM_SEND, .id = 2, .peer = 77, .bytes = 10, .after = 1}};
    const struct run_op late[] = {
        {.type = ASIM_OP_COMP, .id = 1, .micros = 6},
        {.type = ASIM_OP_COMM_SEND, .id = 2, .peer = 78, .bytes = 10, .after = 1}};
    struct run_op first = {.type = ASIM_OP_COMP, .id = 1, .micros = 4};
    const struct outcome *plain;

    for (uint32_t r = 0; r < RANKS; r++) {
        first.micros = 4 + r % 4;
        run_trace(folder, r, &first, 1);
    }
    run_trace(folder, 1, late, 2);
    run_trace(folder, 6, early, 2);
    plain = all_ways();
    CHECK_U64(plain->code, (uint64_t)ASIM_EINVAL);
    CHECK(strstr(plain->err.text, "rank 6: send op 2 ('op') has comm_dst 77") == plain->err.text);
    CHECK(strstr(plain->lines.at, "sys[4] finished, 4000") != NULL);
    CHECK(strstr(plain->lines.at, "sys[5] finished, 5000") != NULL); /* before rank 6 */
    CHECK(strstr(plain->lines.at, "sys[2] finished") == NULL);       /* at 6000 */
    CHECK_STR(plain->files, "");
}

/* Rank 5 means another collective than the rest; it is the last to come. */
static void no_match(void)
{
    struct run_op ops[OPS];
    const struct outcome *plain;
    const char *want = "rank 5's collective 1 of all ranks, group 0 is ALL_TO_ALL, but another "
                       "member's is ALL_REDUCE; all members must issue their collectives in the "
                       "same order";

    for (uint32_t r = 0; r < RANKS; r++) {
        uint32_t n = some_ops(r, ops);

        if (r == 5) {
            ops[0].micros = 9;
            ops[1].comm_type = ASIM_ALL_TO_ALL;
        }
        run_trace(folder, r, ops, n);
    }
    plain = all_ways();
    CHECK_U64(plain->code, (uint64_t)ASIM_EINVAL);
    CHECK_STR(plain->err.text, want);
    CHECK_STR(plain->files, "");
}

/* Ranks 2 and 7 lack the last collective, 3 and 5 that of the group, and 4 gets too little. */
static void stalls(void)
{
    struct run_op ops[OPS];
    const struct outcome *plain;

    for (uint32_t r = 0; r < RANKS; r++) {
        uint32_t n = some_ops(r, ops);

        if (r == 2 || r == 7)
            n--;
        if (r == 3 || r == 5) {
            ops[n - 2] = ops[n - 1];
            n--;
        }
        if (r == 3) /* what it sends to 4 is not what 4 asks for */
            ops[3].bytes = 10;
        if (r == 6)
            ops[3].tag = 9;
        run_trace(folder, r, ops, n);
    }
    plain = all_ways();
    CHECK_U64(plain->code, (uint64_t)ASIM_ESTALL);
    CHECK(strstr(plain->err.text, "7 of 8 ranks have not finished") != NULL);
    CHECK(strstr(plain->err.text, "collective 1 of group 4 (ALL_GATHER, 4000 bytes), which these "
                                  "ranks never joined: 3, 5") != NULL);
    CHECK(strstr(plain->err.text, "which these ranks never joined: 0, 2, 6, 7") != NULL);
    CHECK(strstr(plain->err.text, "with tag 7, of which 10 came") != NULL);
    CHECK(strstr(plain->err.text, "rank 7 got 1600 bytes from rank 6 with tag 9") != NULL);
    CHECK(strstr(plain->lines.at, "[job] stalled: 1 of 8 ranks") != NULL);
    CHECK(strstr(plain->files, "--- tensors.4.json") != NULL);
}

int main(void)
{
    run_folder(folder, sizeof folder);
    write_inputs();
    ends_well();
    shared_algorithms();
    failures();
    no_match();
    stalls();
    unlink(strcat(strcpy((char[200]){0}, folder), "/system.json"));
    unlink(strcat(strcpy((char[200]){0}, folder), "/groups.json"));
    run_remove(folder, RANKS);
    return CHECK_DONE();
}
