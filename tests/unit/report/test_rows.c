/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The reports of a world driven by hand: events recorded out of order come out by time, kinds
 * nobody wants are not kept, and a observer sees nothing after its window is settled twice.
 */
#include "../sim/runs.h"

struct seen {
    uint64_t t[64];
    uint32_t rank[64];
    uint32_t n, closed;
};

static void see(void *self, const struct asim_world *world, const struct asim_event *event)
{
    struct seen *seen = self;

    (void)world;
    if (seen->n < 64) {
        seen->t[seen->n] = event->t;
        seen->rank[seen->n++] = event->rank;
    }
}

static int close_viewer(void *self, const struct asim_world *world, struct asim_err *err)
{
    (void)world, (void)err;
    ((struct seen *)self)->closed++;
    return 0;
}

static void record(struct asim_event_bus *show, uint64_t t, enum asim_event_kind kind,
                   uint32_t rank)
{
    asim_event_bus_record(show, &show->pending,
                          &(struct asim_event){.t = t, .kind = kind, .rank = rank});
}

/* A observer of ends of messages that keeps what it sees. */
static void watch_messages(struct asim_event_bus *show, struct seen *seen)
{
    const struct asim_event_observer observer = {
        .wants = 1u << ASIM_EV_FCT, .self = seen, .on_event = see, .close = close_viewer};

    CHECK(asim_event_bus_add(show, &observer) == 0);
}

static void order_of_events(void)
{
    struct asim_event_bus show = {0};
    struct seen seen = {0};
    struct asim_err err = {0};

    watch_messages(&show, &seen);
    record(&show, 30, ASIM_EV_FCT, 1);
    record(&show, 10, ASIM_EV_FCT, 3);
    record(&show, 10, ASIM_EV_FCT, 2);
    record(&show, 5, ASIM_EV_PFC, 4); /* nobody wants it */
    record(&show, 20, ASIM_EV_FCT, 5);
    CHECK_U64(show.pending.n, 4);
    asim_event_bus_deliver(&show, NULL, 20); /* 20 itself is not over yet */
    CHECK_U64(seen.n, 2);
    record(&show, 20, ASIM_EV_FCT, 6);
    asim_event_bus_deliver(&show, NULL, 20);
    CHECK_U64(seen.n, 2);
    CHECK(asim_event_bus_close(&show, NULL, &err) == 0);
    CHECK_U64(seen.n, 5);
    CHECK_U64(seen.closed, 1);
    for (uint32_t i = 1; i < seen.n; i++)
        CHECK(seen.t[i] >= seen.t[i - 1]);
    CHECK(seen.rank[0] == 2 && seen.rank[1] == 3); /* of one time: by rank */
    CHECK(seen.rank[2] == 5 && seen.rank[3] == 6 && seen.rank[4] == 1);
}

/* Times that lie together are sorted as words of (time, place, insertion), others by long keys:
 * both are (time, rank), and insertion where these are equal. */
static void order_of_many(uint64_t between)
{
    struct asim_event_bus show = {0};
    struct seen seen = {0};
    struct asim_err err = {0};

    watch_messages(&show, &seen);
    for (uint32_t i = 0; i < 64; i++)
        record(&show, i * 37 % 16 * between, ASIM_EV_FCT, i * 11 % 5);
    CHECK(asim_event_bus_close(&show, NULL, &err) == 0);
    CHECK_U64(seen.n, 64);
    for (uint32_t i = 1; i < seen.n; i++)
        CHECK(seen.t[i] > seen.t[i - 1] ||
              (seen.t[i] == seen.t[i - 1] && seen.rank[i] >= seen.rank[i - 1]));
    CHECK_U64(seen.t[63], 15 * between);
}

static void count_event(void *self, const struct asim_world *world, const struct asim_event *event)
{
    (void)world;
    *(uint32_t *)self += event->kind == ASIM_EV_FCT;
}

/* A bus takes any number of observers, and each of them sees its events. */
static void many_observers(void)
{
    enum { OBSERVERS = 100 };
    struct asim_event_bus bus = {0};
    uint32_t counts[OBSERVERS] = {0};
    struct asim_err err = {0};

    for (uint32_t i = 0; i < OBSERVERS; i++) {
        const struct asim_event_observer observer = {.wants = i % 2 ? 1u << ASIM_EV_FCT
                                                                    : 1u << ASIM_EV_PFC,
                                                     .self = &counts[i],
                                                     .on_event = count_event};

        CHECK(asim_event_bus_add(&bus, &observer) == 0);
    }
    record(&bus, 1, ASIM_EV_FCT, 0);
    record(&bus, 2, ASIM_EV_FCT, 0);
    CHECK(asim_event_bus_close(&bus, NULL, &err) == 0);
    for (uint32_t i = 0; i < OBSERVERS; i++)
        CHECK_U64(counts[i], i % 2 ? 2 : 0);
}

/* Every row of the table is complete and known by a name of its own. */
static void rows(void)
{
    for (const struct asim_member *const *row = asim_report_table; *row; row++) {
        const struct asim_report *report = (const struct asim_report *)*row;

        CHECK(report->member.name && report->member.about);
        CHECK(report->open || report->file || report->path);
        CHECK(!report->file || !report->path); /* two names of one file */
        for (const struct asim_member *const *other = asim_report_table; other != row; other++)
            CHECK(strcmp((*other)->name, report->member.name) != 0);
    }
}

static void read_file(const char *folder, const char *name, char *buf, size_t size)
{
    char path[256];
    FILE *file;
    size_t n = 0;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "r");
    CHECK(file != NULL);
    if (file) {
        n = fread(buf, 1, size - 1, file);
        fclose(file);
        unlink(path);
    }
    buf[n] = 0;
}

/* Compute hides communication only where both run: 9 us of compute beside an all-gather. */
static void files(void)
{
    static struct run_text text;
    static char got[4096];
    const struct run_op ops[] = {
        {.type = ASIM_OP_COMP, .id = 1, .micros = 9},
        {.type = ASIM_OP_COMM_COLL, .id = 2, .bytes = 1000, .comm_type = ASIM_ALL_GATHER},
    };
    char folder[128], out[160];
    struct asim_err err = {0};

    run_folder(folder, sizeof folder);
    snprintf(out, sizeof out, "%s/out", folder);
    for (uint32_t r = 0; r < 2; r++)
        run_trace(folder, r, ops, 2);
    CHECK(run_all(folder, out, &text, &err) == 0);
    CHECK_STR(err.text, "");
    /* Four chunks of 250 B, one after the other: 2 x 11 + 2 x 2 + 2000 each, and 2 x 10 at its
     * ends. */
    read_file(out, "ranks.csv", got, sizeof got);
    CHECK_STR(got, "rank,finish_ns,exposed_comm_ns,gpu_ns,comm_ns,cpu_ns,remote_mem_ns,overlap_ns,"
                   "ops,compute_ns,hidden_comm_ns,memory_bound_ns,cpu_bound_ns,waiting_ns,idle_ns\n"
                   "0,9000,0,9000,8184,0,0,8184,2,816,8184,0,0,0,0\n"
                   "1,9000,0,9000,8184,0,0,8184,2,816,8184,0,0,0,0\n");
    read_file(out, "summary.json", got, sizeof got);
    CHECK(strstr(got, "\"state\": \"finished\"") && strstr(got, "\"finish_ns\": 9000,"));
    CHECK(strstr(got, "\"messages\": 8,") && strstr(got, "\"packet_hops\": 32,"));
    CHECK(strstr(text.at, "sys[1], Total compute-communication overlap: 8184\n") != NULL);
    CHECK(strstr(text.at, "[9000 ns] [workload] [info] sys[0] finished, 9000 cycles, exposed "
                          "communication 0 cycles.\n") == text.at);
    run_remove_reports(out);
    run_remove(folder, 2);
}

int main(void)
{
    order_of_events();
    order_of_many(1);
    order_of_many(UINT64_MAX / 16);
    many_observers();
    rows();
    files();
    return CHECK_DONE();
}
