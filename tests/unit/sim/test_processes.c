/* SPDX-License-Identifier: GPL-2.0-only
 *
 * One packet run in 1 to 4 processes, on 1 or 2 threads or in per-event mode: worlds that share a
 * leaf and spine network and exchange buffers after every window, as processes do. stdout and every
 * file, including those of the network, must equal those of one process. A network of one switch
 * stays in the first process.
 */
#include <stdlib.h>
#include "fabric/processes/grid.h"
#include "fabric/processes/exchange.h"
#include "sim/distributed/distribution.h"
#include "runs.h"
#include "sim/distributed/totals.h"

enum { RANKS = 8, SERVER_RANKS = 16, WORLDS = 4, OVERRIDES = 21 };

static char folder[128];
static uint32_t half_step_runs; /* runs that used half-steps */

struct variant {
    uint32_t processes, threads;
    int per_event; /* per-event mode */
};

struct outcome {
    int code;
    struct asim_err err;
    struct run_text lines;
    char files[16 << 20];
};

/* The network is one of leaves and spines, or of servers whose NVSwitches take part (several ACKs a
 * ns on their links), or one switch. */
static int with_nvswitches, with_one_switch, with_livelock, with_outage, with_scenario;

/* Puts the network's files beside those of --out. */
static void describe(char text[4][200], const char *out, const char *cc,
                     const char *overrides[OVERRIDES])
{
    static const char *const keys[] = {"FCT_OUTPUT_FILE", "PFC_OUTPUT_FILE", "QLEN_MON_FILE"};
    const char *const contended[] = {"CC_MODE", cc, "BUFFER_SIZE", "1B", "HAS_WIN", "0", NULL};
    const char *const livelock[] = {
        "BUFFER_SIZE",   "100KB", "HEADROOM_FACTOR",   "0",   "HAS_WIN", "0", "PAUSE_TIME", "0",
        "NACK_INTERVAL", "20us",  "NO_PROGRESS_LIMIT", "1us", NULL};
    const char *const outage[] = {"LINK_DOWN", "1100ns 8 12", NULL};
    const char *const servers[] = {"NVSWITCH_ENDPOINTS", "1", NULL};

    for (int i = 0; i < 3; i++) {
        snprintf(text[i], sizeof text[i], "%s/%c.txt", out, "fpq"[i]);
        overrides[2 * i] = keys[i];
        overrides[2 * i + 1] = text[i];
    }
    if (with_nvswitches)
        memcpy(overrides + 6, servers, sizeof servers);
    else if (with_livelock) /* go-back-N repeats before the buffer has drained */
        memcpy(overrides + 6, livelock, sizeof livelock);
    else if (with_outage)
        memcpy(overrides + 6, outage, sizeof outage);
    else /* a buffer of one byte and no send window: switches mark frames */
        memcpy(overrides + 6, contended, sizeof contended);
}

/* Two jobs of the same traces, with noise and storage. */
static void describe_scenario(char *text, size_t size, const char *prefix)
{
    snprintf(text, size,
             "{\"jobs\": [{\"name\": \"a\", \"workload\": \"%s\", \"placement\": \"spread\", "
             "\"repeat\": 2}, {\"workload\": \"%s\", \"placement\": \"random,seed=3\", "
             "\"start\": \"2us\"}], \"jitter\": [{\"distribution\": \"lognormal\", \"spread\": "
             "0.2}], \"stragglers\": [{\"job\": \"a\", \"ranks\": [1], \"factor\": 3}], "
             "\"checkpoints\": [{\"job\": \"a\", \"storage\": \"18-19\", \"size\": \"32KiB\"}], "
             "\"loading\": [{\"storage\": \"18\", \"size\": \"16KiB\"}, {\"storage\": \"19\", "
             "\"size\": \"5KiB\", \"wait\": false}]}",
             prefix, prefix);
}

static struct asim_world *open_one(const char *cc, const struct variant *variant, uint32_t process,
                                   struct outcome *outcome)
{
    static char leaves[] = "auto:leaf_spine,npa=2,psn=2,bw=100Gbps,apbw=100Gbps,latency=700ns";
    static char servers[] = "auto:spectrum_x,g=16,gps=4", all[] = "all";
    static char one[] = "auto:switch,rate=100Gbps,delay=700ns";
    struct asim_hooks hooks = {.self = &outcome->lines, .line = run_line};
    struct asim_settings settings = {0};
    struct asim_world *world = NULL;
    const char *overrides[OVERRIDES];
    static char many[] =
        "auto:leaf_spine,gpus=20,npa=2,psn=2,bw=100Gbps,apbw=100Gbps,latency=700ns";
    char prefix[160], out[160], system[160], slow[160], text[4][200], scenario[1200];

    CHECK(asim_settings_init(&settings, sizeof settings, &outcome->err) == 0);
    snprintf(prefix, sizeof prefix, "%s/w", folder);
    snprintf(out, sizeof out, "%s/out", folder);
    snprintf(system, sizeof system, "%s/system.json", folder);
    describe(text, out, cc, overrides);
    settings.exact_events = 0; /* which would leave so small a network in one process */
    settings.workload = prefix;
    snprintf(slow, sizeof slow, "%s/slow.txt", folder);
    settings.topology = with_livelock     ? slow
                        : with_one_switch ? one
                        : with_nvswitches ? servers
                        : with_scenario   ? many
                                          : leaves;
    settings.system = with_nvswitches ? system : NULL;
    if (with_scenario) {
        describe_scenario(scenario, sizeof scenario, prefix);
        settings.scenario = scenario;
        settings.workload = NULL;
    }
    settings.reports = all;
    settings.net_overrides = overrides;
    settings.process = process;
    settings.processes = variant->processes;
    settings.borrowed_cores = 2;
    settings.threads = variant->threads;
    settings.per_event = variant->per_event;
    CHECK(asim_world_open(&world, &settings, &hooks, &outcome->err) == 0);
    CHECK(asim_reports_open(world, out, &outcome->err) == 0);
    CHECK_STR(outcome->err.text, "");
    settings.workload = settings.topology = settings.reports = settings.system = NULL;
    settings.scenario = NULL;
    asim_settings_fini(&settings);
    return world;
}

static void exchange(struct asim_world *const *worlds, uint32_t n)
{
    struct asim_err err = {0};
    struct asim_buffer buffer;

    for (uint32_t from = 0; from < n; from++)
        for (uint32_t to = 0; to < n; to++) {
            if (from == to)
                continue;
            CHECK(asim_world_pack(worlds[from], to, &buffer, &err) == 0);
            if (buffer.n)
                CHECK(asim_world_unpack(worlds[to], &buffer, &err) == 0);
        }
    CHECK_STR(err.text, "");
}

/* The beginning of the next window after `end` with an event in any world; ASIM_NEVER at the end.
 */
static uint64_t next_window(struct asim_world *const *worlds, uint32_t n, uint64_t end)
{
    uint64_t next = ASIM_NEVER, begin;
    int over = 1;

    for (uint32_t w = 0; w < n; w++) {
        uint64_t own = asim_grid_next(worlds[w]->via.packet_net);

        if (asim_world_is_stopped(worlds[w]))
            return ASIM_NEVER;
        over &= asim_world_is_over(worlds[w]);
        next = own < next ? own : next;
    }
    begin = asim_grid_window_begin(worlds[0]->via.packet_net, end, next);
    for (uint32_t w = 1; w < n; w++)
        CHECK_U64(asim_grid_window_begin(worlds[w]->via.packet_net, end, next), begin);
    return over ? ASIM_NEVER : begin;
}

/* Uses half-steps if all worlds may, as processes agree on it. */
static void agree_on_half_steps(struct asim_world *const *worlds, uint32_t n)
{
    uint32_t may = 0;

    for (uint32_t w = 0; w < n; w++)
        may += asim_grid_may_use_half_steps(worlds[w]->via.packet_net) != 0;
    for (uint32_t w = 0; may == n && w < n; w++)
        asim_grid_use_half_steps(worlds[w]->via.packet_net);
    half_step_runs += may == n;
}

static int run_shared(struct asim_world *const *worlds, uint32_t n, struct outcome *outcome)
{
    struct asim_err none = {0};
    struct asim_buffer buffer;
    uint64_t t, end = 0;
    int code;

    for (uint32_t w = 0; w < n; w++)
        CHECK(asim_world_start(worlds[w], &outcome->err) == 0);
    agree_on_half_steps(worlds, n);
    while ((t = next_window(worlds, n, end)) != ASIM_NEVER) {
        for (uint32_t w = 0; w < n; w++) {
            end = asim_grid_window_end(worlds[w]->via.packet_net, t);
            CHECK(asim_grid_advance(worlds[w]->via.packet_net, end, &outcome->err) == 0);
        }
        exchange(worlds, n);
    }
    for (uint32_t w = 1; w < n; w++) {
        CHECK(asim_world_pack_end(worlds[w], &none, &buffer, &outcome->err) == 0);
        CHECK(asim_world_unpack_end(worlds[0], &buffer, &outcome->err) == 0);
    }
    code = asim_world_finish(worlds[0], 0, &outcome->err);
    for (uint32_t w = 1; w < n; w++)
        asim_world_finish(worlds[w], code, NULL);
    return code;
}

/* The first process runs everything, on twice its threads. */
static int run_unpartitioned(struct asim_world *const *worlds, uint32_t n, struct outcome *outcome)
{
    int code = n ? asim_world_run(worlds[0], &outcome->err) : 0;

    for (uint32_t w = 1; w < n; w++) {
        CHECK(asim_world_is_unpartitioned(worlds[w]));
        CHECK_U64(worlds[w]->set.n_here, 0);
        CHECK(asim_world_finish(worlds[w], code, NULL) == code);
    }
    return code;
}

static int run_worlds(struct asim_world *const *worlds, uint32_t n, struct outcome *outcome)
{
    if (n > 1 && !asim_world_is_unpartitioned(worlds[0]))
        return run_shared(worlds, n, outcome);
    return run_unpartitioned(worlds, n, outcome);
}

static void take_file(char *all, size_t size, const char *name)
{
    size_t n = strlen(all);
    char path[300];
    FILE *file;

    snprintf(path, sizeof path, "%s/out/%s", folder, name);
    file = fopen(path, "rb");
    CHECK(file != NULL);
    if (!file)
        return;
    n += (size_t)snprintf(all + n, size - n, "--- %s\n", name);
    n += fread(all + n, 1, size - n - 1, file);
    CHECK(n < size - 1); /* all of the file fits */
    all[n] = '\0';
    fclose(file);
    unlink(path);
}

static void run(const char *cc, const struct variant *variant, struct outcome *outcome)
{
    static const char *const names[] = {
        "summary.json",  "ranks.csv",    "ops.csv",   "flows.csv",   "links.csv",
        "rates.csv",     "f.txt",        "p.txt",     "q.txt",       "queues.csv",
        "topology.json", "network.json", "hosts.csv", "traffic.csv", "identity.json"};
    struct asim_world *worlds[WORLDS];
    char out[160];

    memset(outcome, 0, sizeof *outcome);
    for (uint32_t p = 0; p < variant->processes; p++)
        worlds[p] = open_one(cc, variant, p, outcome);
    outcome->code = run_worlds(worlds, variant->processes, outcome);
    for (uint32_t p = 0; p < variant->processes; p++)
        asim_world_close(worlds[p]);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        take_file(outcome->files, sizeof outcome->files, names[i]);
    if (with_nvswitches)
        take_file(outcome->files, sizeof outcome->files, "log.txt");
    if (with_scenario)
        take_file(outcome->files, sizeof outcome->files, "jobs.csv");
    snprintf(out, sizeof out, "%s/out", folder);
    CHECK(run_reports(out, "") == 0);
    run_remove_reports(out);
}

/* Prints the first difference: a whole file is too long. */
static void compare(const char *got, const char *want)
{
    size_t same = 0, line;

    while (got[same] && got[same] == want[same])
        same++;
    CHECK(got[same] == want[same]);
    if (got[same] == want[same])
        return;
    for (line = same; line && want[line - 1] != '\n';)
        line--;
    fprintf(stderr, "  got  %.160s\n  want %.160s\n", got + line, want + line);
}

static void all_variants(const char *cc)
{
    static const struct variant variants[] = {
        {1, 1, 0}, {1, 2, 0}, {2, 1, 0}, {3, 1, 0}, {4, 1, 0},
        {2, 2, 0}, {1, 1, 1}, {2, 1, 1}, {3, 1, 1}, {4, 1, 1},
    };
    static struct outcome first, other;

    run(cc, &variants[0], &first);
    CHECK_STR(first.err.text, "");
    CHECK(strstr(first.lines.at, "[job] finished: ") != NULL);
    CHECK(strcmp(cc, "1") || with_nvswitches || strstr(first.files, "\"ecn_marks\": 0,") == NULL);
    for (size_t i = 1; i < sizeof variants / sizeof *variants; i++) {
        int before = check_failures;

        run(cc, &variants[i], &other);
        CHECK_STR(other.err.text, "");
        CHECK_STR(other.lines.at, first.lines.at);
        compare(other.files, first.files);
        if (check_failures > before)
            fprintf(stderr, "  CC_MODE %s, %u processes, %u threads%s\n", cc, variants[i].processes,
                    variants[i].threads, variants[i].per_event ? ", event by event" : "");
    }
}

/* A run that makes no progress ends in the same state, with the same report. The looks lie at ends
 * of windows, where half-steps could begin again. */
static void livelock(void)
{
    static const struct variant variants[] = {{1, 1, 0}, {1, 2, 0}, {2, 1, 0}, {3, 1, 0},
                                              {4, 1, 0}, {2, 2, 0}, {1, 1, 1}, {3, 1, 1}};
    static struct outcome first, other;
    char path[160];
    FILE *file;

    snprintf(path, sizeof path, "%s/slow.txt", folder);
    file = fopen(path, "w");
    CHECK(file && fputs("13 5 12\n8 9 10 11 12\n", file) >= 0);
    for (uint32_t r = 0; file && r < RANKS; r++)
        fprintf(file, "%u %u %s 500ns 0\n", r, RANKS + r / 2, r == 3 ? "10Gbps" : "400Gbps");
    for (uint32_t leaf = 0; file && leaf < 4; leaf++)
        fprintf(file, "%u 12 400Gbps 500ns 0\n", RANKS + leaf);
    CHECK(file && fclose(file) == 0);
    for (uint32_t r = 0; r < RANKS; r++) {
        struct run_op op = {.type = ASIM_OP_COMP, .id = 1, .micros = 1};

        if (r == 3 || r == 4)
            op = (struct run_op){.type = r == 3 ? ASIM_OP_COMM_RECV : ASIM_OP_COMM_SEND,
                                 .id = 1,
                                 .peer = 7 - r,
                                 .bytes = 8000000};
        run_trace(folder, r, &op, 1);
    }
    with_livelock = 1;
    run("1", &variants[0], &first);
    CHECK(first.code == ASIM_ESTALL);
    CHECK(strstr(first.err.text, "the run makes no progress: ") != NULL);
    for (size_t i = 1; i < sizeof variants / sizeof *variants; i++) {
        run("1", &variants[i], &other);
        CHECK(other.code == first.code);
        CHECK_STR(other.err.text, first.err.text);
        CHECK_STR(other.lines.at, first.lines.at);
        compare(other.files, first.files);
    }
    CHECK(half_step_runs > 0);
    with_livelock = 0;
    unlink(path);
}

/* Holds runs of two to four processes against a run of one. */
static void same_end(int code)
{
    static const struct variant variants[] = {
        {1, 1, 0}, {2, 1, 0}, {3, 1, 0}, {4, 1, 0}, {3, 1, 1}};
    static struct outcome first, other;

    run("1", &variants[0], &first);
    CHECK(first.code == code);
    for (size_t i = 1; i < sizeof variants / sizeof *variants; i++) {
        run("1", &variants[i], &other);
        CHECK(other.code == first.code);
        CHECK_STR(other.err.text, first.err.text);
        compare(other.files, first.files);
    }
    CHECK((strstr(first.err.text, "where this collective is of 289 bytes") != NULL) == (code != 0));
}

/* Rank 7 waits for a message first, so its row does not show the size of its collective. */
static void sizes_differ(void)
{
    for (uint32_t r = 0; r < RANKS; r++) {
        const struct run_op ops[] = {
            {.type = ASIM_OP_COMM_COLL,
             .id = 1,
             .comm_type = ASIM_REDUCE_SCATTER,
             .bytes = r == 7 ? 289 : 287},
            {.type = ASIM_OP_COMM_RECV, .id = 2, .peer = 0, .tag = 1, .bytes = 100},
        };

        run_trace(folder, r, ops, r == 7 ? 2 : 1);
    }
    same_end(ASIM_ESTALL);
}

/* The link would go down after the end of the run, within its last window. */
static void outage_after_the_end(void)
{
    for (uint32_t r = 0; r < RANKS; r++)
        run_trace(folder, r, &(struct run_op){.type = ASIM_OP_COMP, .id = 1, .micros = 1}, 1);
    with_outage = 1;
    same_end(0);
    with_outage = 0;
}

/* A ring, then a message from each rank to rank 3, then an all-to-all. */
static void write_traces(void)
{
    for (uint32_t r = 0; r < RANKS; r++) {
        struct run_op ops[RANKS + 3];
        uint32_t n = 0;

        ops[n++] = (struct run_op){.type = ASIM_OP_COMM_COLL,
                                   .id = 1,
                                   .comm_type = ASIM_ALL_REDUCE,
                                   .bytes = 60000 + 1000};
        ops[n++] = (struct run_op){.type = ASIM_OP_COMP, .id = 2, .micros = 1 + r % 3, .after = 1};
        for (uint32_t s = 0; s < RANKS; s++)
            if (r == 3 && s != 3)
                ops[n++] = (struct run_op){.type = ASIM_OP_COMM_RECV,
                                           .id = 10 + s,
                                           .peer = s,
                                           .tag = 1,
                                           .bytes = 200000 + s,
                                           .after = 2};
        if (r != 3)
            ops[n++] = (struct run_op){.type = ASIM_OP_COMM_SEND,
                                       .id = 10,
                                       .peer = 3,
                                       .tag = 1,
                                       .bytes = 200000 + r,
                                       .after = 2};
        ops[n++] = (struct run_op){.type = ASIM_OP_COMM_COLL,
                                   .id = 30,
                                   .comm_type = ASIM_ALL_TO_ALL,
                                   .bytes = 50000,
                                   .after = 2};
        run_trace(folder, r, ops, n);
    }
}

static void nvswitches(void)
{
    const struct run_op reduce[] = {
        {.type = ASIM_OP_COMM_COLL, .id = 1, .bytes = 1 << 20},
        {.type = ASIM_OP_COMP, .id = 2, .micros = 3, .after = 1},
        {.type = ASIM_OP_COMM_COLL, .id = 3, .bytes = 1 << 20, .after = 2}};
    char path[160];
    FILE *file;

    snprintf(path, sizeof path, "%s/system.json", folder);
    file = fopen(path, "w");
    CHECK(file &&
          fputs("{\"all-reduce-implementation\": [\"ncclNvlsTree\"], "
                "\"all-to-all-implementation\": [\"direct\"], \"endpoint-delay\": 10, "
                "\"preferred-dataset-splits\": 2, \"trace-enabled\": 1, "
                "\"rank-message-delay\": {\"1-9\": 900}}",
                file) >= 0 &&
          fclose(file) == 0);
    for (uint32_t r = 0; r < SERVER_RANKS; r++)
        run_trace(folder, r, reduce, 3);
    with_nvswitches = 1;
    all_variants("1");
    unlink(path);
}

/* The lowest rank of all processes counts, whichever process has it. */
static void lowest_ranks(void)
{
    static const uint32_t ranks[] = {0, 7, 0, 3, 5};
    struct asim_totals all = {0};

    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++) {
        const struct asim_totals one = {.idle = 1, .first_idle = ranks[i], .alone_rank = ranks[i]};

        asim_totals_add(&all, &one);
        CHECK_U64(all.first_idle, i < 1 ? 0 : i < 3 ? 7 : 3);
        CHECK_U64(all.alone_rank, all.first_idle);
    }
    CHECK_U64(all.idle, 5);
}

int main(void)
{
    run_folder(folder, sizeof folder);
    livelock();
    sizes_differ();
    outage_after_the_end();
    half_step_runs = 0;
    write_traces();
    all_variants("1");
    CHECK_U64(half_step_runs, 4); /* only leaves and spines with windows */
    all_variants("3");
    all_variants("7");
    CHECK_U64(half_step_runs, 4); /* INT and timestamps exclude half-steps */
    with_one_switch = 1;
    all_variants("1");
    with_one_switch = 0;
    with_scenario = 1;
    all_variants("1");
    with_scenario = 0;
    nvswitches();
    lowest_ranks();
    run_remove(folder, SERVER_RANKS);
    return CHECK_DONE();
}
