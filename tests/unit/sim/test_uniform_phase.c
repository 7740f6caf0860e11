/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Uniform phases (sim/collective/uniform_phase.h): messages count when they are sent, not when
 * their phase begins, so that a display and an interrupted run show the truth; and the general
 * engine (--without=uniform-phase) gives the same lines. tests/golden/same compares both on more
 * networks and algorithms (way no-uniform-phase).
 */
#include "runs.h"

enum { RANKS = 3 };

struct watch {
    struct asim_world *world;
    uint64_t messages, most_at_once;
    uint32_t asked, stop_at; /* 0: never stop */
};

/* The stop hook, which the network asks between two times. */
static int on_stop(void *self)
{
    struct watch *watch = self;
    struct asim_progress progress;

    asim_world_progress(watch->world, &progress);
    CHECK(progress.messages >= watch->messages);
    if (progress.messages - watch->messages > watch->most_at_once)
        watch->most_at_once = progress.messages - watch->messages;
    watch->messages = progress.messages;
    return ++watch->asked == watch->stop_at;
}

/* An all-to-all over a ring of three: 3 x 2 / 2 steps in each of four chunks on each rank. */
static int run_watched(const char *folder, struct watch *watch)
{
    struct asim_hooks hooks = {.self = watch, .stop = on_stop};
    struct asim_err err = {0};
    int code = run_open(&watch->world, folder, NULL, &hooks, &err);

    CHECK_STR(err.text, "");
    if (!code)
        code = asim_world_run(watch->world, &err);
    if (!watch->stop_at)
        on_stop(watch);
    asim_world_close(watch->world);
    return code;
}

static void counted(char *mode, const char *folder)
{
    static char ring[] = "ring";
    struct watch all = {0}, half = {0};

    run_mode = mode;
    run_algorithm = ring;
    CHECK(run_watched(folder, &all) == 0);
    CHECK_U64(all.messages, RANKS * 3 * 4);
    CHECK(all.most_at_once <= RANKS);
    half.stop_at = all.asked / 2;
    CHECK(run_watched(folder, &half) != 0);
    CHECK(half.messages > 0 && half.messages < all.messages);
}

/* The general engine gives the same lines. Only other names of --without cause a diagnostic. */
static void without_fast_path(char *mode, const char *folder)
{
    static char uniform_phase[] = "uniform-phase", memo[] = "memo,uniform-phase";
    static struct run_text fast, general, notes;
    struct asim_hooks hooks = {.self = &notes, .note = run_line};
    struct asim_world *world = NULL;
    struct asim_err err = {0};

    run_mode = mode;
    CHECK(run_all(folder, NULL, &fast, &err) == 0);
    run_without = uniform_phase;
    CHECK(run_all(folder, NULL, &general, &err) == 0);
    CHECK_STR(general.at, fast.at);
    notes = (struct run_text){.n = 0};
    CHECK(run_open(&world, folder, NULL, &hooks, &err) == 0);
    CHECK(strstr(notes.at, "--without") == NULL);
    asim_world_close(world);
    run_without = memo;
    CHECK(run_open(&world, folder, NULL, &hooks, &err) == 0);
    CHECK(strstr(notes.at, "--without turns off only uniform-phase") != NULL);
    asim_world_close(world);
    run_without = NULL;
    CHECK_STR(err.text, "");
}

int main(void)
{
    char folder[128];

    run_folder(folder, sizeof folder);
    for (uint32_t r = 0; r < RANKS; r++)
        run_trace(
            folder, r,
            &(struct run_op){
                .type = ASIM_OP_COMM_COLL, .id = 1, .comm_type = ASIM_ALL_TO_ALL, .bytes = 12000},
            1);
    counted("unaware", folder);
    counted("aware", folder);
    without_fast_path("unaware", folder);
    without_fast_path("aware", folder);
    run_remove(folder, RANKS);
    return CHECK_DONE();
}
