/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Messages that are longer than their windows, and go from queue to queue, do so in pieces of a
 * part of the window (flow.md#bursts), as packets are clocked by their ACKs: the next piece begins
 * as the first ACK of the piece a window before is back, and is sent no sooner than its last one
 * comes.
 */
#include "net/flow/bursts.h"

static void take_piece(struct asim_fluid_flow *flow)
{
    const double last = 1.5; /* pieces */
    struct asim_fluid_train *train = flow->train;

    flow->left = train->unsent < last * train->piece ? train->unsent : train->piece;
    train->unsent -= flow->left;
    train->begun++;
}

int asim_fluid_begin_train(struct asim_fluid *fluid, struct asim_fluid_flow *flow, uint32_t beside)
{
    double window = flow->conn->window, pieces = ASIM_FLUID_PIECES / (double)beside;
    struct asim_fluid_train *train = flow->train = asim_pool_take(&fluid->train_pool);

    if (!train)
        return fluid->failed = ASIM_ENOMEM;
    *train = (struct asim_fluid_train){.unsent = flow->shape.packets, .paced = ASIM_FLUID_NONE};
    train->most = (uint32_t)asim_fluid_max(1, asim_fluid_min(pieces, window));
    train->piece = window / train->most;
    take_piece(flow);
    if (fluid->has_traffic && fluid->cc)
        asim_fluid_begin_control(fluid, flow);
    return 0;
}

/* The present piece is sent no sooner than the last ACK of one before is back. */
static void wait_for(struct asim_fluid_flow *flow, double now, double ready_ns)
{
    flow->most = flow->train->paced;
    if (ready_ns > now + 1)
        flow->most = asim_fluid_min(flow->most, asim_fluid_max(0, flow->left) / (ready_ns - now));
}

static void begin_piece(struct asim_fluid *fluid, struct asim_fluid_flow *flow)
{
    struct asim_fluid_train *train = flow->train;
    double now = (double)fluid->queue.now_ns, ready_ns = 0;

    train->is_waiting = flow->is_sent = train->begun >= train->acked + train->most;
    if (train->is_waiting)
        return;
    if (train->is_stale) {
        struct asim_fluid_path *path = asim_fluid_path(fluid, flow->conn, &flow->msg, flow->sport);

        if (!path)
            return;
        asim_fluid_take_path(fluid, flow, path);
        train->is_stale = 0;
    }
    if (train->begun >= train->most)
        ready_ns = train->ready_ns[(train->begun - train->most) % ASIM_FLUID_PIECES];
    take_piece(flow);
    wait_for(flow, now, ready_ns);
    asim_fluid_join(fluid, flow);
}

int asim_fluid_next_piece(struct asim_fluid *fluid, struct asim_fluid_flow *flow)
{
    if (!flow->train || !(flow->train->unsent > 0))
        return 0;
    begin_piece(fluid, flow);
    return 1;
}

void asim_fluid_piece_came(struct asim_fluid *fluid, struct asim_fluid_burst *burst)
{
    struct asim_fluid_flow *flow = burst->flow;
    struct asim_fluid_train *train = flow->train;
    double *ready_ns = &train->ready_ns[burst->number % ASIM_FLUID_PIECES];
    double now = (double)fluid->queue.now_ns, was = *ready_ns;

    burst->ended_ns = now + fluid->link[burst->path->link[burst->path->n - 1]].delay_ns;
    if (train->acked <= burst->number)
        return;
    *ready_ns = burst->ended_ns + burst->back_ns;
    if (*ready_ns < was - 1 && train->begun == burst->number + 1 + train->most && !flow->is_sent &&
        flow->burst) {
        asim_fluid_touch(fluid, flow);
        wait_for(flow, now, *ready_ns);
        asim_fluid_mark(fluid, flow->path->link[0]);
    }
}

void asim_fluid_piece_acked(struct asim_fluid *fluid, struct asim_fluid_burst *burst)
{
    struct asim_fluid_train *train = burst->flow->train;
    double now = (double)fluid->queue.now_ns;
    double ns = burst->packets > 1 ? burst->packets / burst->front_rate : 0;

    burst->back_ns = now - burst->came_ns;
    train->ready_ns[train->acked++ % ASIM_FLUID_PIECES] =
        burst->ended_ns > 0 ? burst->ended_ns + burst->back_ns : now + ns;
    if (train->is_waiting)
        begin_piece(fluid, burst->flow);
}
