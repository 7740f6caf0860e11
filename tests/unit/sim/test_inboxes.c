/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A sweep frees idle inboxes when they are many (sim/collective/match.c): messages of ever new
 * tags, some early and some late, all arrive, and at the end few inboxes are left. On both kinds of
 * network.
 */
#include "runs.h"

#include "sim/sim.h"

enum { MESSAGES = 300, KEPT_MOST = 64 };

/* Rank 0 sends one message after the other. Rank 1 computes first, so that early messages wait for
 * their receives, which it then posts at once. */
static void write_traces(const char *folder)
{
    static struct run_op send[MESSAGES], receive[MESSAGES + 1];

    for (uint64_t i = 0; i < MESSAGES; i++) {
        uint64_t tag = i * i + 1;

        send[i] = (struct run_op){.type = ASIM_OP_COMM_SEND,
                                  .id = i + 1,
                                  .peer = 1,
                                  .tag = (int64_t)tag,
                                  .bytes = 100 + i,
                                  .after = i};
        receive[i + 1] = (struct run_op){.type = ASIM_OP_COMM_RECV,
                                         .id = i + 2,
                                         .tag = (int64_t)tag,
                                         .bytes = 100 + i,
                                         .after = i % 3 ? i + 1 : 1};
    }
    receive[0] = (struct run_op){.type = ASIM_OP_COMP, .id = 1, .micros = 100};
    run_trace(folder, 0, send, MESSAGES);
    run_trace(folder, 1, receive, MESSAGES + 1);
    run_trace(folder, 2, receive, 1);
}

static void all_arrive(const char *folder, char *mode)
{
    struct asim_world *world = NULL;
    struct asim_err err = {0};

    run_mode = mode;
    CHECK(run_open(&world, folder, NULL, NULL, &err) == 0);
    CHECK(asim_world_run(world, &err) == 0);
    CHECK_STR(err.text, "");
    CHECK(world->run.ranks[1].inboxes.n > 0);
    CHECK(world->run.ranks[1].inboxes.n <= KEPT_MOST);
    asim_world_close(world);
}

int main(void)
{
    char folder[128];

    run_folder(folder, sizeof folder);
    write_traces(folder);
    all_arrive(folder, NULL);
    all_arrive(folder, "unaware");
    run_remove(folder, 3);
    return CHECK_DONE();
}
