/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A row of messages (net.h) is the same as its messages sent one by one: the same ids arrive in the
 * same order at the same times, in every backend that has rows and over every kind of topology,
 * also where the row's last message is still away when the next is sent, or when the row is closed.
 */
#include "check.h"
#include "asim/net.h"
#include "net/net.h"

enum { MESSAGES = 12, RANKS_MOST = 64, LOG_MOST = MESSAGES * RANKS_MOST };

struct arrival {
    uint64_t t, id;
};

struct run {
    const struct asim_net_backend *backend;
    struct asim_net *net;
    int in_rows;
    uint32_t n, count;
    uint32_t done[RANKS_MOST]; /* messages sent so far */
    struct asim_msg_train *rows[RANKS_MOST];
    struct arrival log[LOG_MOST];
};

/* To a neighbour, across the middle, to the next dimension, and to oneself. */
static struct asim_msg message(const struct run *run, uint32_t rank)
{
    static const uint32_t away[] = {1, 5, 8, 3, 0};
    uint32_t dst = (rank + away[rank % 5]) % run->n;

    return (struct asim_msg){.bytes = (uint64_t)1000 << rank % 4,
                             .src = rank,
                             .dst = dst,
                             .id = (uint64_t)rank << 32 | run->done[rank],
                             .cookie = ASIM_NEVER};
}

/* Every rank sends one message, and is woken for the next now long after, now long before the
 * last one can have arrived. */
static void on_wake(void *self, uint32_t rank)
{
    static const uint64_t pauses_ns[] = {1, 4000, 0, 700, 20};
    struct run *run = self;
    struct asim_msg msg = message(run, rank);

    if (!run->in_rows)
        CHECK(!run->backend->send(run->net, &msg));
    else if (!run->rows[rank])
        CHECK((run->rows[rank] = run->backend->train_open(run->net, &msg)) != NULL);
    if (run->in_rows)
        run->backend->train_send(run->net, run->rows[rank]);
    if (++run->done[rank] < MESSAGES)
        CHECK(!run->backend->wake_after(run->net, rank,
                                        pauses_ns[(rank + run->done[rank]) % 5] + rank % 3));
    else if (run->in_rows)
        run->backend->train_close(run->net, run->rows[rank]);
}

static void on_arrived(void *self, const struct asim_msg *msg)
{
    struct run *run = self;

    CHECK(run->count < LOG_MOST);
    run->log[run->count++] = (struct arrival){run->backend->now(run->net, msg->dst), msg->id};
}

/* Nobody asked to be told. */
static void on_sent(void *self, const struct asim_msg *msg)
{
    (void)self, (void)msg;
    CHECK(0);
}

static int never(void *self)
{
    (void)self;
    return 0;
}

static void settled(void *self, uint64_t t)
{
    (void)self, (void)t;
}

static void carry(struct run *run, const struct asim_net_backend *backend,
                  const struct asim_netshape *shape, int in_rows)
{
    struct asim_net_config config = {.shape = shape, .ranks = 1};
    struct asim_err err = {0};

    for (size_t d = 0; d < shape->n; d++)
        config.ranks *= shape->at[d].npus;
    *run = (struct run){.backend = backend, .in_rows = in_rows, .n = config.ranks};
    config.user = (struct asim_net_user){run, on_wake, on_sent, on_arrived, NULL, never, settled};
    CHECK(!backend->open(&run->net, &config, &err));
    for (uint32_t r = 0; r < run->n; r++)
        CHECK(!backend->wake_after(run->net, r, 0));
    CHECK(!backend->run(run->net, &err));
    backend->close(run->net);
}

static void compare(const struct asim_net_backend *backend, const struct asim_netshape *shape)
{
    static struct run alone, rows;

    carry(&alone, backend, shape, 0);
    carry(&rows, backend, shape, 1);
    CHECK_U64(alone.count, (uint64_t)alone.n * MESSAGES);
    CHECK_U64(rows.count, alone.count);
    for (uint32_t i = 0; i < alone.count; i++) {
        CHECK_U64(rows.log[i].t, alone.log[i].t);
        CHECK_U64(rows.log[i].id, alone.log[i].id);
    }
}

/* Ends with rows that are open and messages that are away: closing frees them. */
static void test_close(const struct asim_net_backend *backend, const struct asim_netshape *shape)
{
    struct asim_net_config config = {.shape = shape, .ranks = 16};
    struct asim_msg msg = {.bytes = 100, .src = 1, .dst = 2, .cookie = ASIM_NEVER};
    struct asim_err err = {0};
    struct asim_net *net;
    struct asim_msg_train *row;

    CHECK(!backend->open(&net, &config, &err));
    row = backend->train_open(net, &msg);
    CHECK(row != NULL);
    CHECK(backend->train_open(net, &msg) != NULL);
    backend->train_send(net, row);
    backend->train_send(net, row);
    backend->train_close(net, row);
    backend->close(net);
}

int main(void)
{
    static const struct asim_netshape shapes[] = {
        {{{ASIM_NET_RING, 16, 50, 500}}, 1},
        {{{ASIM_NET_FULLY_CONNECTED, 16, 50, 500}}, 1},
        {{{ASIM_NET_SWITCH, 16, 50, 500}}, 1},
        {{{ASIM_NET_SWITCH, 16, 50, 0}}, 1},
        {{{ASIM_NET_RING, 2, 200, 50},
          {ASIM_NET_FULLY_CONNECTED, 8, 100, 500},
          {ASIM_NET_SWITCH, 4, 50, 2000}},
         3},
    };
    int with_rows = 0;

    for (const struct asim_member *const *member = asim_net_backend_table; *member; member++) {
        const struct asim_net_backend *backend = (const void *)*member;

        if (!backend->train_open)
            continue;
        with_rows++;
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
            compare(backend, &shapes[i]);
        test_close(backend, &shapes[0]);
    }
    CHECK(with_rows > 0);
    return CHECK_DONE();
}
