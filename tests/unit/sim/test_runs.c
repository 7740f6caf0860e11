/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Small whole runs: two worlds that advance in turn in one process, how receives take messages
 * (parts of messages, several waiting receives, late receives), the order of ends at one time, and
 * the texts of stalls.
 */
#include "runs.h"

#include "fabric/clock/engine.h"
#include "fabric/clock/step.h"
#include "fabric/ground/ground.h"
#include "fabric/link/link.h"

static char folder[128];

#define TRACE(rank, ...)                                                                           \
    run_trace(folder, rank, (const struct run_op[]){__VA_ARGS__},                                  \
              sizeof((const struct run_op[]){__VA_ARGS__}) / sizeof(struct run_op))
#define COMP(i, us, dep)                                                                           \
    {                                                                                              \
        .type = ASIM_OP_COMP, .id = i, .micros = us, .after = dep                                  \
    }
#define COLL(i, kind, size, dep)                                                                   \
    {                                                                                              \
        .type = ASIM_OP_COMM_COLL, .id = i, .comm_type = kind, .bytes = size, .after = dep         \
    }
#define SEND(i, to, size, label, dep)                                                              \
    {                                                                                              \
        .type = ASIM_OP_COMM_SEND, .id = i, .peer = to, .bytes = size, .tag = label, .after = dep  \
    }
#define RECV(i, of, size, label, dep)                                                              \
    {                                                                                              \
        .type = ASIM_OP_COMM_RECV, .id = i, .peer = of, .bytes = size, .tag = label, .after = dep  \
    }

/* Runs the folder; sets cycles to the finish times of the first two ranks. */
static int run(uint64_t cycles[2], struct asim_err *err)
{
    struct asim_world *world = NULL;
    int code = run_open(&world, folder, NULL, NULL, err);

    if (!code)
        code = asim_world_run(world, err);
    for (uint32_t r = 0; world && r < 2; r++)
        cycles[r] = asim_world_cycles(world, r);
    asim_world_close(world);
    return code;
}

static void ends_at(uint64_t first, uint64_t second)
{
    struct asim_err err = {0};
    uint64_t cycles[2] = {0};

    CHECK(run(cycles, &err) == 0);
    CHECK_STR(err.text, "");
    CHECK_U64(cycles[0], first);
    CHECK_U64(cycles[1], second);
}

/* One packet of n bytes at 200G over two 500 ns links and its ACK back
 * (rdma-network.md#closed-forms). */
static uint64_t one_packet(uint64_t bytes)
{
    return 2 * asim_tx_ns(bytes + 36, 200000000000u) + 2 * 2 + 4 * 500;
}

static void messages(void)
{
    uint64_t m = one_packet(800);

    TRACE(0, SEND(1, 1, 800, 5, 0)); /* one message, one receive */
    TRACE(1, RECV(1, 0, 800, 5, 0));
    ends_at(m, m);
    TRACE(1, RECV(1, 0, 300, 5, 0), RECV(2, 0, 500, 5, 0)); /* one message, two receives */
    ends_at(m, m);
    TRACE(0, SEND(1, 1, 800, 5, 0), SEND(2, 1, 800, 5, 1)); /* two messages, one receive */
    TRACE(1, RECV(1, 0, 1600, 5, 0));
    ends_at(2 * m, 2 * m);
    TRACE(1, COMP(1, 9, 0), RECV(2, 0, 800, 5, 1), RECV(3, 0, 800, 5, 2)); /* both receives late */
    ends_at(2 * m, 9000);
    TRACE(0, SEND(1, 1, 800, 6, 0), SEND(2, 1, 800, 5, 1)); /* two tags */
    TRACE(1, RECV(1, 0, 800, 5, 0), RECV(2, 0, 800, 6, 0));
    ends_at(2 * m, 2 * m);
    /* Two receives of one key wait at once and take messages in the order of posting. */
    TRACE(0, SEND(1, 1, 800, 5, 0), COMP(2, 50, 1), SEND(3, 1, 800, 5, 2));
    TRACE(1, RECV(1, 0, 800, 5, 0), RECV(2, 0, 800, 5, 0), COMP(3, 1, 1));
    ends_at(m + 50000 + m, m + 50000 + m);
}

static void stalls(void)
{
    struct asim_err err = {0};
    uint64_t cycles[2];

    TRACE(0, RECV(1, 1, 800, 5, 0), SEND(2, 1, 800, 5, 1)); /* each rank waits for the other */
    TRACE(1, RECV(1, 0, 800, 5, 0), SEND(2, 0, 800, 5, 1));
    CHECK(run(cycles, &err) == ASIM_ESTALL);
    CHECK_STR(
        err.text,
        "the run cannot go on: 2 of 2 ranks have not finished and nothing is under way\n"
        "  rank 0 waits for op 1 ('op'), a receive of 800 bytes from rank 1 with tag 5, which "
        "rank 1 never sent\n"
        "  rank 1 waits for op 1 ('op'), a receive of 800 bytes from rank 0 with tag 5, which "
        "rank 0 never sent");
    CHECK(cycles[0] == UINT64_MAX);

    memset(&err, 0, sizeof err);
    TRACE(0, SEND(1, 1, 300, 5, 0)); /* too little */
    TRACE(1, RECV(1, 0, 800, 5, 0));
    CHECK(run(cycles, &err) == ASIM_ESTALL);
    CHECK(strstr(err.text, "from rank 0 with tag 5, of which 300 came") != NULL);

    memset(&err, 0, sizeof err);
    TRACE(0, SEND(1, 1, 800, 5, 0)); /* no receive */
    TRACE(1, COMP(1, 1, 0));
    CHECK(run(cycles, &err) == ASIM_EINVAL);
    CHECK(strstr(err.text, "rank 1 got 800 bytes from rank 0 with tag 5 that it never received"));
    CHECK_U64(cycles[0], one_packet(800));

    memset(&err, 0, sizeof err);
    TRACE(0, COLL(1, 0, 4096, 0), COLL(2, 0, 4096, 1)); /* rank 1 has one of two */
    TRACE(1, COLL(1, 0, 4096, 0));
    CHECK(run(cycles, &err) == ASIM_ESTALL);
    CHECK(strstr(err.text, "rank 0 waits for op 2 ('op'), collective 2 of all ranks") != NULL);
    CHECK(strstr(err.text, "which these ranks never joined: 1") != NULL);
    CHECK(strstr(err.text, "rank 1 waits") == NULL);

    memset(&err, 0, sizeof err);
    TRACE(0, SEND(1, 7, 800, 5, 0)); /* no such rank */
    TRACE(1, COMP(1, 1, 0));
    CHECK(run(cycles, &err) == ASIM_EINVAL);
    CHECK(strstr(err.text, "comm_dst 7; it must be another rank, 0 to 1") != NULL);
}

/* --- two worlds ----------------------------------------------------------------------------------
 */

static void some_work(const char *where, uint32_t ranks, uint64_t bytes)
{
    for (uint32_t r = 0; r < ranks; r++) {
        const struct run_op ops[] = {COMP(1, 3, 0), COLL(2, 0, bytes, 1), COLL(3, 6, bytes / 2, 2)};

        run_trace(where, r, ops, 3);
    }
}

static void step(struct asim_world *world)
{
    struct asim_fabric *fabric = world->via.packet_net;
    struct asim_err err = {0};

    if (!asim_world_done(world) && asim_fabric_next(fabric) != UINT64_MAX)
        asim_fabric_step(fabric, &err);
    CHECK(err.code == 0);
}

static void two_worlds(void)
{
    static struct run_text alone[2], together[2];
    const uint64_t bytes[2] = {100000, 70000};
    const uint32_t ranks[2] = {3, 5};
    struct asim_world *world[2];
    struct asim_err err = {0};
    char where[2][128];

    for (int w = 0; w < 2; w++) {
        struct asim_hooks hooks = {.self = &together[w], .line = run_line};

        run_folder(where[w], sizeof where[w]);
        some_work(where[w], ranks[w], bytes[w]);
        CHECK(run_all(where[w], NULL, &alone[w], &err) == 0);
        CHECK(run_open(&world[w], where[w], NULL, &hooks, &err) == 0);
    }
    for (int w = 0; w < 2; w++)
        CHECK(asim_world_start(world[w], &err) == 0);
    for (int turn = 0; turn < 100000; turn++) {
        if (asim_world_done(world[0]) && asim_world_done(world[1]))
            break;
        step(world[turn % 3 == 0]);
    }
    for (int w = 0; w < 2; w++) {
        CHECK(asim_world_finish(world[w], 0, &err) == 0);
        asim_world_close(world[w]);
        CHECK(strstr(alone[w].at, "finished") != NULL);
        CHECK_STR(together[w].at, alone[w].at);
        run_remove(where[w], ranks[w]);
    }
}

/* Lines of ranks that end in the same ns come in the order of ranks, in every run. */
static void fixed_order(void)
{
    static struct run_text first, again;
    struct asim_err err = {0};
    char where[128], word[32];
    const char *at;

    run_folder(where, sizeof where);
    some_work(where, 6, 600000);
    CHECK(run_all(where, NULL, &first, &err) == 0);
    CHECK(run_all(where, NULL, &again, &err) == 0);
    CHECK_STR(again.at, first.at);
    at = first.at;
    for (int r = 0; at && r < 6; r++) {
        snprintf(word, sizeof word, "sys[%d] finished", r);
        CHECK((at = strstr(at, word)) != NULL);
    }
    run_remove(where, 6);
}

/* A world that is closed before or in the middle of its run leaves no file and no memory (the
 * sanitizer build looks). */
static void closed_early(void)
{
    struct asim_world *world = NULL;
    struct asim_err err = {0};
    char where[128], out[160];

    run_folder(where, sizeof where);
    some_work(where, 4, 50000);
    snprintf(out, sizeof out, "%s/out", where);
    for (int steps = 0; steps < 40; steps += 13) {
        CHECK(run_open(&world, where, out, NULL, &err) == 0);
        for (int s = 0; s < steps; s++) {
            if (!s)
                CHECK(asim_world_start(world, &err) == 0);
            step(world);
        }
        asim_world_close(world);
        CHECK(rmdir(out) == 0); /* no file in it */
    }
    run_remove(where, 4);
}

int main(void)
{
    run_folder(folder, sizeof folder);
    messages();
    stalls();
    run_remove(folder, 2);
    two_worlds();
    fixed_order();
    closed_early();
    return CHECK_DONE();
}
