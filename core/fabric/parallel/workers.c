/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Workers: the nodes of a process dealt to its threads. Nodes of different workers meet only in
 * mailboxes, and in the facts of flows whose frames pass (flow.h), so a window may be advanced
 * worker by worker or side by side with the same result. What a worker writes beside its nodes'
 * state is in struct asim_worker and merged by window.c.
 *
 * A worker's share is settled before the run: nodes that moved between threads would leave their
 * state in the wrong core's cache, which costs more than an uneven share.
 */
#include "fabric/parallel/workers.h"
#include "fabric/parallel/partition.h"
#include "fabric/parallel/distributed.h"
#include "fabric/parallel/sharded_switch.h"
#include "fabric/parallel/half_steps.h"
#include "fabric/parallel/thread_team.h"
#include "fabric/host/completion.h"

#include <stdlib.h>
#include <string.h>

/* Nodes with something to do in a window, below which one thread does it all: some 200 ns each, and
 * a round of the team takes as much as two of them. */
enum { CROWD = 8 };

/* Lets the compiler ask for a line to be written; a processor that cannot does nothing. */
#if defined(__x86_64__) && defined(__GNUC__)
#define FOR_WRITING __attribute__((target("prfchw")))
#else
#define FOR_WRITING
#endif

/* Of one wire and window, as far as it is worth it; and of wires: of more, few have anything on
 * them, and to ask all takes a tenth of a window (1,024 of them, between 1,024 hosts). */
enum { MOST_FETCHED = 32, MOST_JOINT = 512, FRAMES_A_LINE = 2 };

/* Neighbours the processor may have fetched ahead. */
enum { MOST_AHEAD = 8 };

void asim_workers_close(struct asim_fabric *fabric)
{
    for (uint32_t l = 0; fabric->workers.at && l < fabric->workers.n; l++) {
        struct asim_worker *worker = &fabric->workers.at[l];

        for (size_t i = 0; i < worker->deferred_frees.n; i++)
            free(worker->deferred_frees.at[i]);
        free(worker->deferred_frees.at);
        free(worker->node);
        free(worker->active);
        free(worker->cross);
        free(worker->min_arrival);
        free(worker->neighbour);
        free(worker->outbox.at);
        free(worker->overflowed.at);
        free(worker->pending_releases.at);
        free(worker->deferring.at);
    }
    free(fabric->workers.at);
    free(fabric->workers.of);
    fabric->workers.at = NULL;
    fabric->workers.of = NULL;
    fabric->workers.n = 0;
}

/* Both lists are as long as the network: with `min_arrival` 16 bytes a node and worker. */
static int open_lane(struct asim_fabric *fabric, struct asim_worker *worker)
{
    worker->fabric = fabric;
    worker->node = malloc((fabric->set.nodes + 1) * sizeof *worker->node);
    worker->active = malloc((fabric->set.nodes + 1) * sizeof *worker->active);
    return worker->node && worker->active ? 0 : ASIM_ENOMEM;
}

/* Of each row of neighbours the last few come first, and in no steady step. What lies behind
 * neighbours that are advanced one after the other is fetched ahead by the processor; behind the
 * end of a row that would be another worker's, which has it near and would have to get it back:
 * with leaves dealt in turn a tenth of all that went from core to core. */
static void turn_ends(uint32_t *node, uint32_t n)
{
    uint32_t from = 0, last[MOST_AHEAD];

    for (uint32_t to = 1; to <= n; to++) {
        uint32_t len = to - from, few = len / 2 < MOST_AHEAD ? len / 4 * 2 : MOST_AHEAD;

        if (to < n && node[to] == node[to - 1] + 1)
            continue;
        for (uint32_t i = 0; i < few; i++)
            last[i] = node[to - 1 - (i ^ 1)];
        memmove(node + from + few, node + from, (len - few) * sizeof *node);
        memcpy(node + from, last, few * sizeof *node);
        from = to;
    }
}

/* Ascending in a single worker: neighbours in memory are advanced one after the other. */
static void deal(struct asim_fabric *fabric)
{
    for (uint32_t v = 0; v < fabric->set.nodes; v++) {
        struct asim_worker *worker =
            &fabric->workers.at[fabric->workers.of ? fabric->workers.of[v] : 0];

        if (!asim_fabric_owns(fabric, v))
            continue;
        if (v < fabric->set.hosts) {
            fabric->host[v].worker = worker;
            worker->n_hosts++;
        } else {
            fabric->sw[v - fabric->set.hosts].worker = worker;
            if (fabric->sw[v - fabric->set.hosts].shard)
                fabric->sw[v - fabric->set.hosts].shard->worker = worker;
        }
        worker->node[worker->n_nodes++] = v;
    }
    for (uint32_t l = 0; fabric->workers.n > 1 && l < fabric->workers.n; l++) {
        struct asim_worker *worker = &fabric->workers.at[l];

        if (worker->n_hosts &&
            worker->node[worker->n_hosts - 1] - worker->node[0] >= worker->n_hosts)
            turn_ends(worker->node, worker->n_hosts);
        turn_ends(worker->node + worker->n_hosts, worker->n_nodes - worker->n_hosts);
    }
}

/* Also ends the workers there were: those of one thread, made with the fabric. */
int asim_workers_open(struct asim_fabric *fabric, uint32_t n, const uint32_t *of)
{
    asim_workers_close(fabric);
    fabric->workers.at = asim_calloc_lines(n, sizeof *fabric->workers.at);
    if (!fabric->workers.at)
        return ASIM_ENOMEM;
    fabric->workers.n = n;
    for (uint32_t l = 0; l < n; l++)
        if (open_lane(fabric, &fabric->workers.at[l]))
            return ASIM_ENOMEM;
    if (of) {
        fabric->workers.of = malloc((fabric->set.nodes + 1) * sizeof *fabric->workers.of);
        if (!fabric->workers.of)
            return ASIM_ENOMEM;
        for (uint32_t v = 0; v < fabric->set.nodes; v++)
            fabric->workers.of[v] = (uint16_t)(of[v] % n);
    }
    deal(fabric);
    return 0;
}

/* The wires on which threads of this process meet, those of frames to come first. Linear in links
 * for each worker. */
static int list_joints(struct asim_fabric *fabric, uint32_t l)
{
    struct asim_worker *worker = &fabric->workers.at[l];
    size_t wires = fabric->set.topo->n_links * 2;

    worker->cross = malloc((wires + 1) * sizeof(*worker->cross));
    if (!worker->cross)
        return ASIM_ENOMEM;
    for (int heard = 1; heard >= 0; heard--) {
        for (size_t w = 0; w < wires; w++) {
            struct asim_wire *wire = &fabric->wires[w];

            if (wire->cross_thread && fabric->workers.of[heard ? wire->to : wire->from] == l)
                worker->cross[worker->n_cross++] = wire;
        }
        worker->n_inbound = heard ? worker->n_cross : worker->n_inbound;
    }
    return 0;
}

/* A timeout is a way to act on another worker, too. */
static uint64_t stride_of(const struct asim_fabric *fabric, const uint32_t *of)
{
    struct asim_partition workers = {.of = (uint32_t *)of};
    uint64_t stride;

    asim_partition_measure(&workers, fabric->set.topo);
    stride = asim_fs_to_ticks(fabric, workers.lookahead_fs);
    return fabric->set.rto && fabric->set.rto < stride ? fabric->set.rto : stride;
}

/* Routes are searched now, all of them: look-ups of threads must change nothing. */
int asim_fabric_threads(struct asim_fabric *fabric, uint32_t n, const uint32_t *of,
                        struct asim_err *err)
{
    int code;

    if (n < 2 || fabric->run.per_event)
        return 0;
    if ((code = asim_route_fill_all(fabric->route, err)))
        return code;
    if (asim_workers_open(fabric, n, of))
        return asim_err_nomem(err, "dividing the network among threads");
    fabric->workers.lookahead = stride_of(fabric, of);
    if (asim_sharded_switches_open(fabric) || asim_workers_assign_slots(fabric))
        return asim_err_nomem(err, "dividing the network among threads");
    for (uint32_t l = 0; l < n; l++)
        if (list_joints(fabric, l) || asim_worker_list_neighbours(fabric, &fabric->workers.at[l]))
            return asim_err_nomem(err, "dividing the network among threads");
    fabric->workers.parallel_threshold = CROWD;
    return asim_thread_team_open(&fabric->workers.team, n, err);
}

const uint16_t *asim_fabric_worker_of(const struct asim_fabric *fabric, uint32_t *n)
{
    *n = fabric->workers.n;
    return fabric->workers.of;
}

int asim_distributed_is_local(const struct asim_fabric *fabric, uint32_t node)
{
    return asim_fabric_owns(fabric, node);
}

/* A switch has as much to do as there are ports by which something came in the last time. */
static uint32_t load_of(const struct asim_fabric *fabric, uint32_t v)
{
    uint32_t came = v < fabric->set.hosts ? 1 : fabric->sw[v - fabric->set.hosts].n_last_arrivals;

    return came ? came : 1;
}

/* Whether there is enough to do in this window for waking the others to be worth it. Where the
 * caller does alone what others did before, all of that has to come from their caches, and to go
 * back; so switches are asked first, which have the most, and the caller's own nodes. */
static int is_crowded(const struct asim_fabric *fabric, uint64_t until)
{
    uint32_t load = 0;

    for (uint32_t i = 0; i < fabric->workers.n_sharded; i++)
        load +=
            fabric->workers.sharded[i]->due ? load_of(fabric, fabric->workers.sharded[i]->node) : 0;
    for (uint32_t l = 0; l < fabric->workers.n; l++) {
        const struct asim_worker *worker = &fabric->workers.at[l];

        for (uint32_t i = worker->n_nodes; i-- > 0 && load < fabric->workers.parallel_threshold;) {
            if (i < worker->n_hosts && worker->block_min[i / ASIM_BLOCK] >= until)
                i = i / ASIM_BLOCK * ASIM_BLOCK; /* nobody in the block */
            else if (worker->next[i] < until && asim_half_steps_includes(fabric, worker->node[i]))
                load += load_of(fabric, worker->node[i]);
        }
    }
    return load >= fabric->workers.parallel_threshold;
}

/* Frames another core has written lie in its cache, and the places of those to come were read there
 * last: each line takes some 50 ns, if it is waited for. So all that this window is likely to need
 * is asked for at once, before it is needed. */
FOR_WRITING static void fetch(struct asim_worker *worker)
{
    for (uint32_t i = 0; i < worker->n_inbound; i++) {
        struct asim_wire *wire = worker->cross[i];
        uint32_t head = atomic_load_explicit(&wire->head, memory_order_relaxed);
        uint32_t n = atomic_load_explicit(&wire->tail, memory_order_relaxed) - head;

        for (uint32_t f = 0; f < n && f < MOST_FETCHED; f += FRAMES_A_LINE)
            __builtin_prefetch(&wire->at[(head + f) & wire->mask], 0);
    }
    for (uint32_t i = worker->n_inbound; i < worker->n_cross; i++) {
        struct asim_wire *wire = worker->cross[i];
        uint32_t tail = atomic_load_explicit(&wire->tail, memory_order_relaxed);
        uint32_t n = tail - wire->fetched;

        wire->fetched = tail;
        for (uint32_t f = 0; wire->at && f < n && f < MOST_FETCHED; f += FRAMES_A_LINE)
            __builtin_prefetch(&wire->at[(tail + f) & wire->mask], 1);
    }
}

/* Whether hosts may take their short way, which nothing changes inside a window. Nothing is owed to
 * another process on it (asim_flow_add_release): only frames that come after the message's
 * end are, and those are not the expected ones. At W = 0 they never may. */
static int is_plain(const struct asim_fabric *fabric)
{
    return !fabric->losses && !fabric->run.per_event && !fabric->watch.frame &&
           !fabric->set.cc->needs && !fabric->set.net->nic_total_pause_count &&
           !fabric->set.net->l2_back_to_zero;
}

/* Who is active does not change inside a window: what its nodes do to each other is due behind it.
 * So they are listed first, without a branch on what is as good as random. Asking for the memory of
 * those to come, three turns ahead, has been tried and brings nothing: a turn's misses overlap. */
static void advance_nodes(struct asim_fabric *fabric, struct asim_worker *worker, uint64_t until)
{
    uint32_t *active = worker->active, n = 0, hosts = worker->n_hosts;
    uint64_t *next = worker->next;

    worker->fast_ok = is_plain(fabric);
    for (uint32_t from = 0; fabric->run.half != 1 && from < hosts; from += ASIM_BLOCK) {
        uint32_t end = from + asim_block_hosts(worker, from);

        if (worker->block_min[from / ASIM_BLOCK] >= until)
            continue;
        worker->block_min[from / ASIM_BLOCK] = 0;
        for (uint32_t i = from; i < end; i++) {
            active[n] = i;
            n += next[i] < until;
        }
    }
    for (uint32_t i = hosts; i < worker->n_nodes; i++) {
        active[n] = i;
        n += (next[i] < until) & asim_half_steps_includes(fabric, worker->node[i]);
    }
    for (uint32_t i = 0; i < n; i++)
        next[active[i]] = asim_node_advance(fabric, worker->node[active[i]], until);
}

static int is_inside(const struct asim_fabric *fabric, const struct asim_worker *worker, uint32_t v)
{
    return asim_fabric_owns(fabric, v) && &fabric->workers.at[fabric->workers.of[v]] == worker;
}

/* What a worker has for itself takes effect at the end of its own windows, the rest at the end of
 * all workers' (window.c). */
static void settle_inside(struct asim_fabric *fabric, struct asim_worker *worker)
{
    size_t keep = 0;

    for (size_t i = 0; i < worker->overflowed.n; i++) {
        if (!is_inside(fabric, worker, worker->overflowed.at[i]->to))
            worker->overflowed.at[keep++] = worker->overflowed.at[i];
        else if (asim_link_ring_merge_overflow(worker->overflowed.at[i]))
            worker->failed = ASIM_ENOMEM;
    }
    worker->overflowed.n = keep;
    keep = 0;
    for (size_t i = 0; i < worker->outbox.n; i++) {
        const struct asim_notification *note = &worker->outbox.at[i];

        if (!is_inside(fabric, worker, note->lost ? note->msg.src : note->msg.dst))
            worker->outbox.at[keep++] = *note;
        else if (asim_notification_deliver(fabric, note))
            worker->failed = ASIM_ENOMEM;
        worker->last_notified = note->t > worker->last_notified ? note->t : worker->last_notified;
    }
    worker->outbox.n = keep;
}

void asim_worker_end(struct asim_fabric *fabric, struct asim_worker *worker)
{
    settle_inside(fabric, worker);
    asim_worker_find_next(fabric, worker);
}

/* Order of nodes inside the window has no influence on the result. */
static void advance(void *self, uint32_t l)
{
    struct asim_fabric *fabric = self;
    struct asim_worker *worker = &fabric->workers.at[l];
    uint64_t until = fabric->run.until, t;

    if (fabric->workers.team && worker->n_cross <= MOST_JOINT)
        fetch(worker);
    asim_sharded_switches_distribute(fabric, worker);
    if (asim_workers_lookahead(fabric) == fabric->set.lookahead) {
        advance_nodes(fabric, worker, until);
        if (!fabric->run.shards_due && fabric->workers.n > 1)
            asim_worker_end(fabric, worker);
        return;
    }
    while ((t = asim_worker_next(fabric, worker)) < until && !worker->failed) {
        advance_nodes(fabric, worker,
                      until - t > fabric->set.lookahead ? t + fabric->set.lookahead : until);
        settle_inside(fabric, worker);
    }
}

/* Workers are no threads: where the team is not worth its round, the caller runs them in turn. */
void asim_workers_run(struct asim_fabric *fabric, void (*step)(void *fabric, uint32_t worker),
                      int together)
{
    if (together)
        asim_thread_team_run(fabric->workers.team, step, fabric);
    else
        for (uint32_t l = 0; l < fabric->workers.n; l++)
            step(fabric, l);
}

void asim_workers_advance(struct asim_fabric *fabric, uint64_t until)
{
    int together;

    fabric->run.until = until;
    asim_sharded_switches_begin(fabric);
    together = fabric->workers.team && is_crowded(fabric, until);
    asim_workers_run(fabric, advance, together);
    asim_sharded_switches_end(fabric, together);
    if (fabric->workers.n > 1)
        asim_workers_find_next(fabric);
}
