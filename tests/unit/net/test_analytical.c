/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The analytical backends: lone messages against ASTRA-sim's values
 * (analytical.md#congestion-unaware-in-several-dimensions and
 * analytical.md#congestion-aware-in-one-dimension), contention, and the contract over every row of
 * the family: each message arrives once, the sender is told first, time never goes back.
 */
#include "check.h"
#include "asim/net.h"
#include "net/net.h"

#include <stdlib.h>

struct seen {
    struct asim_net *net;
    const struct asim_net_backend *backend;
    uint64_t last, sent, arrived, bytes, woken;
};

static void on_sent(void *self, const struct asim_msg *msg)
{
    struct seen *seen = self;

    (void)msg;
    CHECK_U64(seen->sent, seen->arrived);
    seen->sent++;
}

static void on_arrived(void *self, const struct asim_msg *msg)
{
    struct seen *seen = self;
    uint64_t now = seen->backend->now(seen->net, msg->dst);

    CHECK(now >= seen->last);
    seen->last = now;
    seen->arrived++;
    seen->bytes += msg->bytes;
    CHECK_U64(seen->sent, seen->arrived);
}

static void on_wake(void *self, uint32_t rank)
{
    struct seen *seen = self;

    CHECK_U64(seen->woken % 4, rank); /* asked for in this order, at one time */
    seen->woken++;
}

static void on_receive_due(void *self, uint32_t rank, uint64_t cookie)
{
    CHECK_U64(cookie, 7 + rank);
    ((struct seen *)self)->woken++;
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

static const struct asim_net_backend *row(const char *name)
{
    struct asim_err err = {0};

    return (const void *)asim_family_find(asim_net_backend_table, "network", name, &err);
}

static void open_net(struct seen *seen, const char *name, const struct asim_netshape *shape)
{
    struct asim_net_config config = {.shape = shape, .ranks = 1};
    struct asim_err err = {0};

    for (size_t d = 0; d < shape->n; d++)
        config.ranks *= shape->at[d].npus;
    *seen = (struct seen){.backend = row(name)};
    config.user =
        (struct asim_net_user){seen, on_wake, on_sent, on_arrived, on_receive_due, never, settled};
    CHECK(!seen->backend->open(&seen->net, &config, &err));
}

static void run_net(struct seen *seen)
{
    struct asim_err err = {0};

    CHECK(!seen->backend->run(seen->net, &err));
    seen->backend->close(seen->net);
}

static const struct asim_netshape ring16 = {{{ASIM_NET_RING, 16, 50, 500}}, 1};
static const struct asim_netshape mesh16 = {{{ASIM_NET_FULLY_CONNECTED, 16, 50, 500}}, 1};
static const struct asim_netshape star16 = {{{ASIM_NET_SWITCH, 16, 50, 500}}, 1};
static const struct asim_netshape three = {{{ASIM_NET_RING, 2, 200, 50},
                                            {ASIM_NET_FULLY_CONNECTED, 8, 100, 500},
                                            {ASIM_NET_SWITCH, 4, 50, 2000}},
                                           3};

static void test_lone(void)
{
    static const struct {
        const char *name;
        const struct asim_netshape *shape;
        uint32_t src, dst;
        uint64_t want;
    } rows[] = {
        {"unaware", &ring16, 1, 4, 21031},
        {"unaware", &ring16, 4, 1, 21031},
        {"unaware", &ring16, 15, 1, 20531},
        {"unaware", &mesh16, 1, 4, 20031},
        {"unaware", &star16, 1, 4, 20531},
        {"unaware", &three, 0, 1, 4932},
        {"unaware", &three, 37, 41, 10265},
        {"unaware", &three, 26, 42, 23531},
        {"aware", &ring16, 1, 4, 60093},
        {"aware", &ring16, 4, 1, 60093},
        {"aware", &mesh16, 1, 4, 20031},
        {"aware", &star16, 1, 4, 40062},
        /* several dimensions, one after the other: 4932 + 10265 + 2 x 21531 */
        {"aware", &three, 0, 1, 4932},
        {"aware", &three, 0, 3, 4932 + 10265},
        {"aware", &three, 0, 19, 4932 + 10265 + 2 * 21531},
        {"aware", &three, 19, 0, 4932 + 10265 + 2 * 21531},
        {"unaware", &star16, 3, 3, 0},
        {"aware", &star16, 3, 3, 0},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct asim_msg msg = {.bytes = 1 << 20, .src = rows[i].src, .dst = rows[i].dst};
        struct seen seen;

        open_net(&seen, rows[i].name, rows[i].shape);
        CHECK(!seen.backend->send(seen.net, &msg));
        run_net(&seen);
        CHECK_U64(seen.arrived, 1);
        CHECK_U64(seen.last, rows[i].want);
    }
}

static uint64_t all_pairs(const char *name, const struct asim_netshape *shape, uint32_t n)
{
    struct seen seen;

    open_net(&seen, name, shape);
    for (uint32_t src = 0; src < n; src++)
        for (uint32_t dst = 0; dst < n; dst++)
            if (src != dst)
                CHECK(!seen.backend->send(
                    seen.net, &(struct asim_msg){.bytes = 1 << 20, .src = src, .dst = dst}));
    run_net(&seen);
    CHECK_U64(seen.arrived, (uint64_t)n * (n - 1));
    CHECK_U64(seen.bytes, ((uint64_t)n * (n - 1)) << 20);
    return seen.last;
}

/* Four wakes at one time keep their order; late ones come behind what is due by then. */
static void test_wakes(const char *name)
{
    struct seen seen;

    open_net(&seen, name, &ring16);
    for (uint32_t r = 0; r < 4; r++)
        CHECK(!seen.backend->wake_after(seen.net, r, 100));
    for (uint32_t r = 0; r < 4; r++)
        CHECK(!seen.backend->defer_receive(seen.net, r, 7 + r));
    run_net(&seen);
    CHECK_U64(seen.woken, 8);
}

int main(void)
{
    test_lone();
    CHECK_U64(all_pairs("aware", &ring16, 16), 704116);
    for (const struct asim_member *const *member = asim_net_backend_table; *member; member++) {
        if (((const struct asim_net_backend *)(const void *)*member)->traits &
            ASIM_NET_OVER_TOPOLOGY)
            continue; /* they have no shape */
        CHECK(all_pairs((*member)->name, &mesh16, 16) >= 20031);
        CHECK(all_pairs((*member)->name, &star16, 16) >= 20531);
        CHECK(all_pairs((*member)->name, &three, 64) >= 23531);
        test_wakes((*member)->name);
    }
    return CHECK_DONE();
}
