/* SPDX-License-Identifier: GPL-2.0-only
 *
 * asim/packet.h and asim/observe.h: a run that the caller steps and watches ends as one that runs
 * by itself, and frames, messages and link statistics add up.
 */
#include "asim/observe.h"
#include "asim/packet.h"
#include "sim/runs.h"

static char folder[128];

struct seen {
    struct asim_world *world;
    uint64_t sent, data, last_ns, messages, bytes;
    uint64_t issued, ended, finished, closed;
};

static void on_frame(void *self, const struct asim_frame_seen *frame)
{
    struct seen *seen = self;
    struct asim_decoded_headers headers;
    uint8_t head[ASIM_FRAME_HEAD_MAX];
    uint32_t total;

    CHECK(frame->time_ns >= seen->last_ns);
    seen->last_ns = frame->time_ns;
    asim_packet_decode(seen->world, frame, &headers);
    seen->sent += frame->event == ASIM_FRAME_TX;
    if (frame->event != ASIM_FRAME_TX || headers.protocol != ASIM_PROTOCOL_DATA ||
        frame->node != headers.from)
        return;
    seen->data += headers.payload;
    CHECK(asim_frame_head(&headers, head, &total) <= sizeof head);
    CHECK_U64(total, headers.wire);
}

static void on_issue(void *self, const struct asim_observed_op *op)
{
    ((struct seen *)self)->issued += op->id;
}

static void on_end(void *self, const struct asim_observed_op *op)
{
    ((struct seen *)self)->ended += 1 + op->index;
}

static void on_finish(void *self, const struct asim_observed_rank *rank)
{
    ((struct seen *)self)->finished++;
    CHECK_U64(rank->time_ns, asim_world_cycles(((struct seen *)self)->world, rank->rank));
    CHECK_U64(rank->ops, 1);
    CHECK_U64(rank->comm_ns, rank->time_ns);
}

static void on_message(void *self, const struct asim_observed_message *message)
{
    struct seen *seen = self;

    seen->messages++;
    seen->bytes += message->bytes;
    CHECK(message->start_ns < message->time_ns);
}

static int on_close(void *self, int failed, struct asim_err *err)
{
    (void)err;
    CHECK(!failed);
    ((struct seen *)self)->closed++;
    return 0;
}

static uint64_t alone(void)
{
    struct asim_world *world = NULL;
    struct asim_err err = {0};
    uint64_t cycles;

    CHECK(run_open(&world, folder, NULL, NULL, &err) == 0);
    CHECK(asim_world_run(world, &err) == 0);
    cycles = asim_world_cycles(world, 1);
    asim_world_close(world);
    return cycles;
}

static void check_links(const struct asim_world *world)
{
    struct asim_packet_counters counters;
    struct asim_link_use use;
    uint64_t frames = 0;

    asim_packet_stats(world, &counters);
    for (uint32_t d = 0; d < asim_packet_directions(world); d++) {
        asim_packet_link_use(world, d, &use);
        frames += use.frames;
    }
    CHECK_U64(frames, counters.hops);
    CHECK_U64(counters.retransmitted + counters.lost + counters.aborted_messages, 0);
}

static void watched(uint64_t cycles)
{
    struct asim_world *world = NULL;
    struct asim_err err = {0};
    struct seen seen = {0};
    struct asim_observer observer = {.size = sizeof observer,
                                     .self = &seen,
                                     .op_issued = on_issue,
                                     .op_ended = on_end,
                                     .rank_finished = on_finish,
                                     .message_done = on_message,
                                     .close = on_close};

    CHECK(run_open(&world, folder, NULL, NULL, &err) == 0);
    seen.world = world;
    CHECK(asim_packet_is_used(world));
    CHECK(asim_packet_is_here(world, 0));
    CHECK_U64(asim_packet_common_lookahead(world), 0);
    CHECK_U64(asim_packet_lookahead(world), 500);
    CHECK_U64(asim_world_rank_ops(world, 1), 1);
    CHECK(asim_world_observe(world, &observer, &err) == 0);
    CHECK(asim_packet_watch_frames(world, on_frame, &seen, &err) == 0);
    CHECK(asim_world_start(world, &err) == 0);
    while (asim_packet_next(world) != ASIM_NEVER && !asim_world_done(world))
        asim_packet_step(world, &err);
    CHECK(asim_world_finish(world, err.code, &err) == 0);
    CHECK_U64(asim_world_cycles(world, 1), cycles);
    CHECK_U64(seen.data, 2 * (1 << 20));
    CHECK_U64(seen.bytes, 2 * (1 << 20));
    CHECK_U64(seen.issued, 14);
    CHECK_U64(seen.ended, 2);
    CHECK_U64(seen.finished, 2);
    CHECK_U64(seen.closed, 1);
    check_links(world);
    asim_world_close(world);
}

/* An output must not take the place of an input. */
static void test_outputs(void)
{
    struct asim_world *world = NULL;
    struct asim_err err = {0};
    struct asim_netshape shape;
    char path[256];

    CHECK(run_open(&world, folder, NULL, NULL, &err) == 0);
    snprintf(path, sizeof path, "%s/w.0.et", folder);
    CHECK(asim_world_check_output(world, path, &err) == ASIM_EINVAL);
    CHECK(asim_world_check_output(world, "elsewhere.csv", NULL) == 0);
    CHECK(asim_world_shape(world, &shape, NULL) == 0);
    CHECK_U64(shape.n, 1);
    CHECK_U64(shape.at[0].npus, 2);
    asim_world_close(world);
}

/* The planned events of links, in order of time; LINK_UP is the first line. */
static void test_link_changes(void)
{
    const char *const events[] = {"LINK_UP", "30us 0 2", "LINK_DOWN", "20us 2 0", NULL};
    struct asim_world *world = NULL;
    struct asim_err err = {0};
    struct asim_link_change changes[3] = {{0}, {0}, {7, 7, 7}};

    CHECK(run_open(&world, folder, NULL, NULL, &err) == 0);
    CHECK_U64(asim_packet_link_changes(world, changes, 3), 0);
    asim_world_close(world);
    run_network = events;
    CHECK(run_open(&world, folder, NULL, NULL, &err) == 0);
    run_network = NULL;
    CHECK_U64(asim_packet_link_changes(world, NULL, 0), 2);
    CHECK_U64(asim_packet_link_changes(world, changes, 1), 2);
    CHECK(changes[0].time_ns == 20000 && !changes[0].is_up && changes[0].link == 0);
    CHECK_U64(changes[1].time_ns, 0);
    CHECK_U64(asim_packet_link_changes(world, changes, 3), 2);
    CHECK(changes[1].time_ns == 30000 && changes[1].is_up && changes[1].link == 0);
    CHECK_U64(changes[2].time_ns, 7);
    asim_world_close(world);
}

int main(void)
{
    struct run_op op = {
        .type = ASIM_OP_COMM_COLL, .id = 7, .comm_type = ASIM_ALL_REDUCE, .bytes = 1 << 20};

    run_folder(folder, sizeof folder);
    run_trace(folder, 0, &op, 1);
    run_trace(folder, 1, &op, 1);
    watched(alone());
    test_outputs();
    test_link_changes();
    run_remove(folder, 2);
    return CHECK_DONE();
}
