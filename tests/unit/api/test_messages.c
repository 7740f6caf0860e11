/* SPDX-License-Identifier: GPL-2.0-only
 *
 * asim/messages.h: two ranks without ops play ping-pong from a callback, a wake is due when asked,
 * and worlds and messages that do not fit are refused.
 */
#include "../sim/runs.h"
#include "asim/messages.h"

enum { ROUNDS = 5, BYTES = 100000 };

struct game {
    struct asim_world *world;
    uint64_t sent_ns, took_ns, woken_ns;
    uint32_t rounds;
    uint8_t traffic_class;
};

static void play(struct game *game, uint32_t from)
{
    const struct asim_own_message ball = {from, 1 - from, BYTES, game->rounds, game->traffic_class};

    CHECK(asim_messages_send(game->world, &ball) == 0);
}

static void on_wake(void *self, uint32_t rank)
{
    struct game *game = self;

    CHECK(rank == 0);
    game->woken_ns = asim_messages_now(game->world, 0);
    game->sent_ns = game->woken_ns;
    play(game, 0);
}

static void on_arrived(void *self, const struct asim_own_message *message)
{
    struct game *game = self;

    CHECK_U64(message->cookie, game->rounds);
    CHECK_U64(message->bytes, BYTES);
    CHECK_U64(message->traffic_class, game->traffic_class);
    CHECK(message->dst == 1 - message->src);
    if (!game->rounds)
        game->took_ns = asim_messages_now(game->world, message->dst) - game->sent_ns;
    if (++game->rounds < ROUNDS)
        play(game, message->dst);
}

/* Two ranks; n_ops of each. */
static struct asim_world *open_world(const char *folder, size_t n_ops, uint32_t threads)
{
    static const struct run_op op = {.type = ASIM_OP_COMP, .id = 1, .micros = 1};
    struct asim_settings settings = {0};
    struct asim_world *world = NULL;
    struct asim_err err = {0};
    char prefix[200];

    for (uint32_t r = 0; r < 2; r++)
        run_trace(folder, r, &op, n_ops);
    snprintf(prefix, sizeof prefix, "%s/w", folder);
    CHECK(asim_settings_init(&settings, sizeof settings, &err) == 0);
    settings.workload = prefix;
    settings.threads = threads;
    CHECK(asim_world_open(&world, &settings, NULL, &err) == 0);
    CHECK_STR(err.text, "");
    settings.workload = NULL;
    asim_settings_fini(&settings);
    return world;
}

static void ping_pong(const char *folder, uint8_t traffic_class)
{
    struct game game = {.world = open_world(folder, 0, 1), .traffic_class = traffic_class};
    const struct asim_messages_hooks hooks = {sizeof hooks, &game, on_wake, on_arrived,
                                              traffic_class != 0};
    const struct asim_own_message none = {0, 0, 1, 0, 0}, beyond = {0, 2, 1, 0, 0},
                                  empty = {0, 1, 0, 0, 0};
    const struct asim_own_message classless = {0, 1, 1, 0, traffic_class ? 8 : 1};
    struct asim_err err = {0};

    CHECK(asim_messages_hook(game.world, &hooks, &err) == 0);
    CHECK(asim_messages_wake(game.world, 0, 12345) == 0);
    CHECK(asim_messages_send(game.world, &none) == ASIM_EINVAL);
    CHECK(asim_messages_send(game.world, &beyond) == ASIM_EINVAL);
    CHECK(asim_messages_send(game.world, &empty) == ASIM_EINVAL);
    CHECK(asim_messages_send(game.world, &classless) == ASIM_EINVAL);
    CHECK(asim_world_run(game.world, &err) == 0);
    CHECK_U64(game.rounds, ROUNDS);
    CHECK_U64(game.woken_ns, 12345);
    /* At 200 Gb/s over two links of 500 ns there and back: a message is through with its last ACK.
     */
    CHECK(game.took_ns > 4 * 500 + BYTES * 8 / 200);
    CHECK(game.took_ns < 4 * 500 + BYTES * 8 / 200 + 500);
    asim_world_close(game.world);
}

static void refused(const char *folder, size_t n_ops, uint32_t threads, const char *why)
{
    struct asim_world *world = open_world(folder, n_ops, threads);
    const struct asim_messages_hooks hooks = {.size = sizeof hooks};
    struct asim_err err = {0};

    CHECK(asim_messages_hook(world, &hooks, &err) == ASIM_EUSAGE);
    CHECK(strstr(err.text, why) != NULL);
    asim_world_close(world);
}

int main(void)
{
    char folder[] = "messages-XXXXXX";

    CHECK(mkdtemp(folder) != NULL);
    ping_pong(folder, 0);
    ping_pong(folder, 5);
    refused(folder, 1, 1, "traces without nodes");
    refused(folder, 0, 2, "one thread");
    run_remove_reports(folder);
    return CHECK_DONE();
}
