/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The clock's side of the packet network: windows, and notices handed over between them. At W = 0 a
 * step is one node at one instant instead of all nodes over a window; the node logic is the same,
 * and so are the results.
 *
 * Why windows are exact: what a node puts on a wire at t arrives at t + serialization + delay, and
 * delay is at least W, so nothing sent inside a window is due inside it. Notices of completed
 * messages are made one link delay ahead for the same reason.
 */
#include "fabric/parallel/workers.h"
#include "fabric/parallel/distributed.h"
#include "fabric/memo/memo.h"
#include "fabric/parallel/half_steps.h"
#include "fabric/host/completion.h"
#include "fabric/host/fast/frame_loop.h"
#include "fabric/linkstate.h"

#include <stdlib.h>
#include <string.h>

struct asim_fabric_watch *asim_fabric_watcher(struct asim_fabric *fabric)
{
    return &fabric->watch;
}

uint64_t asim_fabric_window(const struct asim_fabric *fabric)
{
    return asim_to_ns(fabric, fabric->set.lookahead);
}

/* W = 0: the earliest entry that still says what next[] says. */
static uint64_t next_entry(struct asim_fabric *fabric)
{
    struct asim_heap *agenda = &fabric->run.due_nodes;

    while (agenda->n && agenda->at[0].key != *asim_next_of(fabric, (uint32_t)agenda->at[0].value))
        asim_heap_pop(agenda);
    return agenda->n ? agenda->at[0].key : ASIM_NEVER;
}

/* In windows a scan, of hosts by blocks: it costs less than keeping a heap in order, since most
 * nodes of a busy network are active in most windows. */
static uint64_t next_of_nodes(struct asim_fabric *fabric)
{
    if (fabric->run.per_event)
        return next_entry(fabric);
    if (!fabric->run.half_next_valid) {
        for (uint32_t l = 0; l < fabric->workers.n; l++)
            asim_worker_find_next(fabric, &fabric->workers.at[l]);
        asim_workers_find_next(fabric);
    }
    return fabric->run.half_next[fabric->run.half_next[1] < fabric->run.half_next[0]];
}

int asim_fabric_is_quiet(struct asim_fabric *fabric)
{
    return next_of_nodes(fabric) == ASIM_NEVER;
}

/* Link events are no node's; they go before all that happens at their time. */
uint64_t asim_fabric_next_tick(struct asim_fabric *fabric)
{
    uint64_t nodes = next_of_nodes(fabric), link = asim_linkstate_next(fabric);

    return link < nodes ? link : nodes;
}

uint64_t asim_fabric_next(struct asim_fabric *fabric)
{
    return asim_to_ns(fabric, asim_fabric_next_tick(fabric));
}

/* The returned time replaces whatever other nodes had min_arrival next[] to meanwhile: the
 * mailboxes they wrote to are part of what the node's own `next` looks at. */
uint64_t asim_node_advance(struct asim_fabric *fabric, uint32_t node, uint64_t until)
{
    if (node < fabric->set.hosts)
        return asim_host_advance(fabric, &fabric->host[node], until);
    return asim_switch_advance(fabric, &fabric->sw[node - fabric->set.hosts], until);
}

static int post(struct asim_fabric *fabric, const struct asim_notification *note)
{
    if (asim_fabric_owns(fabric, note->lost ? note->msg.src : note->msg.dst))
        return asim_notification_deliver(fabric, note);
    return asim_distributed_notification(fabric, note);
}

/* The first failure in the order of workers wins. */
static void settle_lane(struct asim_fabric *fabric, struct asim_worker *worker)
{
    uint64_t last = worker->last_notified;

    for (size_t i = 0; i < worker->overflowed.n; i++)
        if (asim_link_ring_merge_overflow(worker->overflowed.at[i]))
            worker->failed = ASIM_ENOMEM;
    for (size_t i = 0; i < worker->outbox.n; i++) {
        if (post(fabric, &worker->outbox.at[i]))
            worker->failed = ASIM_ENOMEM;
        last = worker->outbox.at[i].t > last ? worker->outbox.at[i].t : last;
    }
    if (fabric->memo && last > fabric->memo->last_completion)
        fabric->memo->last_completion = last;
    if (worker->pending_releases.n && asim_distributed_send_releases(fabric, worker))
        worker->failed = ASIM_ENOMEM;
    for (size_t i = 0; i < worker->deferred_frees.n; i++)
        free(worker->deferred_frees.at[i]);
    if (worker->overflowed.n | worker->outbox.n |
        worker->deferred_frees.n) /* else the line stays the worker's */
        worker->overflowed.n = worker->outbox.n = worker->deferred_frees.n = 0;
    if (worker->failed && !fabric->run.failed) {
        fabric->run.failed = worker->failed;
        fabric->run.failure = worker->failure;
    }
}

/* End of a step: notices made in it go to their hosts, now that none of them is running; then the
 * user hears how far everything is settled. Turns a latched failure into an error. */
static int settle(struct asim_fabric *fabric, uint64_t settled, struct asim_err *err)
{
    for (uint32_t l = 0; l < fabric->workers.n; l++)
        settle_lane(fabric, &fabric->workers.at[l]);
    if (fabric->memo && !fabric->run.failed)
        asim_memo_after_window(fabric, settled);
    if (fabric->run.half != ASIM_BOTH_HALVES) /* the other side may be behind */
        settled = next_of_nodes(fabric) < settled ? next_of_nodes(fabric) : settled;
    settled = asim_to_ns(fabric, settled);
    if (fabric->run.failure.code)
        return asim_err_set(err, fabric->run.failed, "%s", fabric->run.failure.text);
    if (fabric->run.failed)
        return asim_err_nomem(err, "carrying packets");
    if (settled > fabric->run.committed) {
        fabric->run.committed = settled;
        fabric->set.user.settled(fabric->set.user.self, settled);
    }
    return 0;
}

/* W = 0: the node with the earliest event, for one instant. */
static uint64_t step_event(struct asim_fabric *fabric, struct asim_err *err)
{
    uint64_t t = next_entry(fabric);
    uint32_t node;

    node = (uint32_t)asim_heap_pop(&fabric->run.due_nodes).value;
    fabric->run.windows++;
    fabric->workers.at->fast_ok = 0;
    *asim_next_of(fabric, node) = asim_node_advance(fabric, node, t + 1);
    asim_node_push_due(fabric, node, *asim_next_of(fabric, node));
    /* Other nodes may have more at t; of its ns only where a ns is one tick (kept as it was). */
    t += fabric->set.tick == 1;
    return settle(fabric, t, err) ? ASIM_NEVER : asim_fabric_next(fabric);
}

/* One window: which workers advance, in which order, or at once, has no influence on the result. */
static void window(struct asim_fabric *fabric, uint64_t until)
{
    fabric->run.windows++;
    fabric->run.half_next_valid = 0;
    asim_workers_advance(fabric, until);
}

/* For the memo: simulates again, window by window, without telling the user. */
static void advance(struct asim_fabric *fabric, uint64_t until)
{
    uint64_t t;

    fabric->run.half = ASIM_BOTH_HALVES;
    while (!fabric->run.failed && (t = next_of_nodes(fabric)) < until) {
        window(fabric, until - t > fabric->set.lookahead ? t + fabric->set.lookahead : until);
        for (uint32_t l = 0; l < fabric->workers.n; l++)
            settle_lane(fabric, &fabric->workers.at[l]);
    }
}

int asim_fabric_use_memo(struct asim_fabric *fabric)
{
    return asim_memo_open(fabric, advance);
}

int asim_fabric_advance_half(struct asim_fabric *fabric, int side, uint64_t until,
                             struct asim_err *err)
{
    next_of_nodes(fabric); /* `first` is known then */
    fabric->run.half = side;
    if (fabric->run.half_next[side] >= until)
        return fabric->run.failed;
    window(fabric, until);
    return settle(fabric, until - fabric->set.lookahead, err);
}

/* Where the next window ends that begins at t and is both sides'. */
static uint64_t end_of_window(const struct asim_fabric *fabric, uint64_t t)
{
    uint64_t link = asim_linkstate_next(fabric), stride = asim_workers_lookahead(fabric), until;

    until = stride > ASIM_NEVER - t ? ASIM_NEVER : t + stride;
    if (until > link)
        until = link;
    return until > fabric->dist.limit ? fabric->dist.limit : until;
}

/* Whether runs have put forward what comes next. They are idle where a side goes on alone, and
 * switches that follow hosts end nothing. */
static int ask_runs(struct asim_fabric *fabric, enum asim_half_step turn, uint64_t t,
                    uint64_t until)
{
    if (!fabric->memo || fabric->run.failed || t == ASIM_NEVER || turn == ASIM_STEP_SWITCHES)
        return 0;
    return turn == ASIM_STEP_ALONE ? asim_memo_detect(fabric, t)
                                   : asim_memo_before_window(fabric, t, until);
}

/* Where the next window begins and, returned, ends; *t is ASIM_NEVER where nothing is left. */
static uint64_t next_window(struct asim_fabric *fabric, uint64_t *t)
{
    enum asim_half_step turn;
    uint64_t until;

    do {
        *t = next_of_nodes(fabric);
        turn = asim_half_steps_next(fabric);
        until = turn == ASIM_STEP_HOSTS ? fabric->run.horizon[1] : end_of_window(fabric, *t);
    } while (ask_runs(fabric, turn, *t, until));
    return asim_half_steps_begin(fabric, turn, until);
}

/* Link events are between windows; runs may put the begin of the next one forward (memo.c). */
uint64_t asim_fabric_step(struct asim_fabric *fabric, struct asim_err *err)
{
    uint64_t t, link = asim_linkstate_next(fabric), until;

    if (link != ASIM_NEVER && link <= next_of_nodes(fabric)) {
        fabric->run.half_next_valid = 0;
        asim_linkstate_apply(fabric);
        return settle(fabric, link, err) ? ASIM_NEVER : asim_fabric_next(fabric);
    }
    if (fabric->run.per_event && next_of_nodes(fabric) != ASIM_NEVER)
        return step_event(fabric, err);
    until = next_window(fabric, &t);
    if (t == ASIM_NEVER)
        return ASIM_NEVER;
    window(fabric, until);
    return settle(fabric, until, err) ? ASIM_NEVER : asim_fabric_next(fabric);
}

/* The clock for callers without ns-3; ends early when the user's done() says so. */
int asim_fabric_run(struct asim_fabric *fabric, struct asim_err *err)
{
    while (asim_fabric_next(fabric) != ASIM_NEVER &&
           !fabric->set.user.done(fabric->set.user.self)) {
        asim_fabric_step(fabric, err);
        if (fabric->run.failed)
            return fabric->run.failed;
    }
    return 0;
}

void asim_fabric_stats(const struct asim_fabric *fabric, struct asim_fabric_stats *stats)
{
    memset(stats, 0, sizeof *stats);
    stats->windows = fabric->run.windows;
    for (size_t w = 0; w < fabric->set.topo->n_links * 2; w++) {
        stats->hops += fabric->wires[w].frames;
        stats->hop_bytes += fabric->wires[w].bytes;
        if (fabric->wires[w].at)
            stats->memory_bytes += (fabric->wires[w].mask + 1ull) * sizeof(struct asim_frame);
    }
    for (uint32_t v = 0; v < fabric->set.hosts; v++) {
        stats->messages += fabric->host[v].messages;
        stats->pauses += fabric->host[v].pcie_pauses;
    }
    for (uint32_t v = 0; v < fabric->set.nodes - fabric->set.hosts; v++) {
        stats->drops += fabric->sw[v].drops;
        stats->pauses += fabric->sw[v].pauses;
        for (uint32_t p = 0; fabric->sw[v].ports && p < fabric->sw[v].n_ports; p++)
            stats->marks += fabric->sw[v].ports[p].marks;
    }
    for (uint32_t i = 0; i < fabric->set.topo->first_port[fabric->set.nodes]; i++)
        if (fabric->ports[i] && asim_to_ns(fabric, fabric->ports[i]->busy_until) > stats->last_ns)
            stats->last_ns = asim_to_ns(fabric, fabric->ports[i]->busy_until);
    asim_audit_losses(fabric, stats);
}

void asim_fabric_link_use(const struct asim_fabric *fabric, uint32_t wire_id,
                          struct asim_link_use *use)
{
    const struct asim_wire *wire = &fabric->wires[wire_id];
    const struct asim_link *link = &fabric->set.topo->links[wire_id / 2];
    const struct asim_switch_port *port;

    *use = (struct asim_link_use){.from = wire_id % 2 ? link->b : link->a,
                                  .to = wire_id % 2 ? link->a : link->b,
                                  .port = wire_id % 2 ? link->port_b : link->port_a,
                                  .rate_bps = link->rate_bps,
                                  .frames = wire->frames,
                                  .bytes = wire->bytes};
    if (!asim_fabric_owns(fabric, use->from))
        return;
    if (use->from < fabric->set.hosts) { /* of several NICs only their sum is known */
        const struct asim_host *host = &fabric->host[use->from];

        use->pauses = host->n_nics == 1 ? host->pcie_pauses : 0;
        return;
    }
    port = &fabric->sw[use->from - fabric->set.hosts].ports[use->port - 1];
    use->peak_queue_bytes = port->peak_bytes;
    use->marks = port->marks;
    use->pauses = port->pauses;
    use->drops = port->drops;
}

uint64_t asim_fabric_buffered(const struct asim_fabric *fabric)
{
    uint64_t bytes = 0;

    for (uint32_t v = 0; v < fabric->set.nodes - fabric->set.hosts; v++)
        for (uint32_t p = 0; p < fabric->sw[v].n_ports; p++)
            for (int q = 0; q < ASIM_QUEUES; q++)
                bytes += fabric->sw[v].ports[p].occupancy[q].egress;
    return bytes;
}
