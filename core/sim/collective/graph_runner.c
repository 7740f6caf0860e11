/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Runs an op graph as one phase of a chunk. An algorithm given as traces
 * (system-layer.md#custom-algorithms) is the only phase of the only chunk: the runner starts every
 * node whose parents have ended at once, without slots, endpoint delay or reduction cost, and a
 * computation takes its recorded time. The sizes are the algorithm's, not the workload's.
 *
 * NCCL graphs (nccl_graph.c) run here, too: their flows have the phase's size, each costs the
 * sender its endpoint delay first, and a chunk may have several such phases.
 *
 * Two differences from ASTRA-sim: free nodes start by ascending id (there: in the order of a hash
 * table), and each collective has tags of its own (there: the tags of the workload's sends and
 * receives, so that concurrent collectives can take each other's messages).
 *
 * A runner is one allocation. It ends when every node has ended, and then its phase is over; a
 * world that fails meanwhile frees it. A node may end in the call that starts it, as a receive
 * whose bytes are there; a stack keeps the order in which the children of such nodes start.
 */
#include "sim/collective/graph_runner.h"
#include "sim/collective/send.h"
#include "sim/parts.h"
#include "sim/rank/clock.h"
#include "sim/rank/rank_shard.h"
#include "sim/collective/nvswitch.h"
#include "sim/collective/op_graph.h"
#include "sim/collective/uniform_phase.h"
#include "base/divisor.h"
#include "net/net.h"

#include <stdlib.h>

struct asim_graph_runner {
    struct asim_graph_runner *next,
        *prev; /* all runners of the shard, for asim_graph_runner_fini */
    struct asim_rank *rank;
    struct asim_chunk *chunk;   /* NULL: the network has carried the phase to its end */
    struct asim_repeat *repeat; /* of the network; NULL: none */
    struct asim_ring_of ring;   /* of the phase, which may be gone, as the tags and the op */
    uint64_t tag;
    uint32_t op;
    uint8_t is_ring;
    const struct asim_op_graph *graph;
    uint64_t flow_bytes; /* of every send and receive; 0: the nodes have sizes */
    uint32_t left;       /* nodes that have not ended */
    uint64_t at_switch;  /* tags of messages to and from NVSwitches, without the node's bits */
    uint32_t *parents;   /* of each node: parents that have not ended; behind the channels */
    struct asim_channel {
        uint64_t pace_ns, free_ns; /* work of NCCL's kernel on a send; when it has time for one */
    } channels[];                  /* of the graph */
};

/* Bit 63: a collective; bit 61: an op graph; bits 44-60: group; 40-43: type; 20-39: number of the
 * chunk; 0-19: tag of the node, left out here. Chunk numbers wrap long after the collectives that
 * they tell apart have ended. Other collectives use bit 63 without bit 61, and rendezvous sets bit
 * 62, so the three never meet.
 */
static uint64_t tag_of(uint64_t chunk)
{
    uint64_t group = asim_tag_group(chunk), number = chunk & 0xfffff;
    uint64_t type = (uint64_t)asim_tag_coll_type(chunk);

    return 1ull << 63 | 1ull << 61 | group << 44 | type << ASIM_TAG_GRAPH_TYPE_SHIFT | number << 20;
}

/* Sends or receives. A peer is a position in the group, mapped through its members
 * (system-layer.md#custom-algorithms). 1: the node has ended. */
static int exchange(struct asim_rank *rank, struct asim_graph_runner *runner, uint32_t index)
{
    const struct asim_op_graph_node *node = &runner->graph->nodes[index];
    const struct asim_ring_of *ring = &runner->ring;
    int at_switch = runner->at_switch && node->peer >= ring->n;
    struct asim_deferred_action *action;
    uint32_t peer = rank->id, op = runner->op;
    uint64_t bytes = runner->flow_bytes ? runner->flow_bytes : node->bytes;
    uint64_t tag = (at_switch ? runner->at_switch : runner->tag) | node->tag;

    if (at_switch)
        peer = asim_nvswitch_host(rank->world, rank->id, node->tag & ASIM_NVSWITCH_SLOT_MASK);
    else if (node->peer < ring->n)
        peer = asim_ring_rank(ring, node->peer);
    if (peer == rank->id) {
        asim_rank_fail(rank,
                       "collective algorithm %s.%u.et: node %llu exchanges with member %u; it "
                       "must be another one, of 0 to %u",
                       runner->graph->prefix, runner->graph->member, (unsigned long long)node->id,
                       node->peer, ring->n - 1);
        return 0;
    }
    action = asim_deferred_action_keep(
        rank,
        &(struct asim_deferred_action){.kind = ASIM_DEFERRED_NODE, .node = index, .runner = runner},
        "running a collective algorithm");
    if (!action)
        return 0;
    if (node->type == ASIM_OP_COMM_SEND) {
        asim_send(rank,
                  &(struct asim_msg){.src = rank->id,
                                     .dst = peer,
                                     .bytes = bytes,
                                     .tag = tag,
                                     .is_uniform = runner->is_ring,
                                     .cookie = asim_deferred_action_cookie(action)},
                  op);
        return 0;
    }
    if (!asim_receive(rank,
                      &(struct asim_recv){
                          .bytes = bytes, .action = action, .op = op, .src = peer, .tag = tag}))
        return 0;
    asim_deferred_action_take(rank, action);
    return 1;
}

void asim_graph_runner_send_flow(struct asim_rank *rank, struct asim_graph_runner *runner,
                                 uint32_t node)
{
    exchange(rank, runner, node);
}

/* How long a send waits: for its endpoint delay, and for its channel. */
static uint64_t wait_ns(struct asim_rank *rank, struct asim_channel *channel)
{
    uint64_t now, begin;

    if (!channel->pace_ns)
        return rank->endpoint_ns;
    now = asim_rank_now(rank);
    begin = channel->free_ns > now ? channel->free_ns : now;
    channel->free_ns = begin + channel->pace_ns;
    return rank->endpoint_ns + begin - now;
}

/* All channels work as long as the kernel does. */
static void set_pace(struct asim_graph_runner *runner, uint64_t busy_ns)
{
    const struct asim_op_graph *graph = runner->graph;

    for (uint32_t i = 0; i < graph->n && busy_ns; i++)
        if (graph->nodes[i].type == ASIM_OP_COMM_SEND)
            runner->channels[graph->nodes[i].channel].pace_ns++;
    for (uint32_t c = 0; c < graph->channels; c++)
        if (runner->channels[c].pace_ns)
            runner->channels[c].pace_ns = busy_ns / runner->channels[c].pace_ns;
}

/* A computation ends by an event, an exchange by the network. 1: the node has ended already. */
static int issue(struct asim_rank *rank, struct asim_graph_runner *runner, uint32_t index)
{
    const struct asim_op_graph_node *node = &runner->graph->nodes[index];
    uint64_t ns = runner->flow_bytes && node->type == ASIM_OP_COMM_SEND
                      ? wait_ns(rank, &runner->channels[node->channel])
                      : 0;

    if (node->type == ASIM_OP_COMP)
        asim_clock_add(
            rank, node->ns,
            &(struct asim_rank_event){.kind = ASIM_RANK_EVENT_NODE, .op = index, .runner = runner});
    else if (ns)
        asim_clock_add(
            rank, ns,
            &(struct asim_rank_event){.kind = ASIM_RANK_EVENT_FLOW, .op = index, .runner = runner});
    else
        return exchange(rank, runner, index);
    return 0;
}

static void free_runner(struct asim_graph_runner *runner)
{
    *(runner->prev ? &runner->prev->next : &runner->rank->shard->runners) = runner->next;
    if (runner->next)
        runner->next->prev = runner->prev;
    free(runner);
}

/* Frees *runner if its last node has ended. */
static struct asim_chunk *end_if_over(struct asim_rank *rank, struct asim_graph_runner *runner)
{
    struct asim_chunk *chunk = runner->chunk;

    if (runner->left || rank->failed)
        return NULL;
    if (runner->repeat)
        rank->world->via.backend->extras->repeat_over(rank->world->via.carrier, runner->repeat,
                                                      rank->id);
    free_runner(runner);
    if (chunk)
        chunk->runner = NULL;
    return chunk;
}

/* Ends a node and pushes its children. */
static void end_node(struct asim_rank *rank, struct asim_graph_runner *runner, uint32_t node)
{
    const struct asim_op_graph_node *ended = &runner->graph->nodes[node];
    struct asim_children children = {ended->first_child, ended->first_child + ended->children};

    runner->left--;
    if (ended->children && ASIM_VEC_PUSH(rank->shard->ended_nodes, children))
        asim_rank_fail_nomem(rank, "running a collective algorithm");
}

/* Ends a node and starts the children that have no other parent left. A child that ends at once
 * starts its own children before the next child starts. */
static void end_nodes(struct asim_rank *rank, struct asim_graph_runner *runner, uint32_t node)
{
    const struct asim_op_graph *graph = runner->graph;

    rank->shard->ended_nodes.n = 0;
    end_node(rank, runner, node);
    while (rank->shard->ended_nodes.n && !rank->failed) {
        struct asim_children *top = &rank->shard->ended_nodes.at[rank->shard->ended_nodes.n - 1];
        uint32_t child = graph->links.at[top->next++].child;

        if (top->next == top->end)
            rank->shard->ended_nodes.n--;
        if (--runner->parents[child] == 0 && issue(rank, runner, child))
            end_node(rank, runner, child);
    }
}

/* The order in which the free nodes of a graph start: first, first + step, … modulo n. `step` has
 * no common divisor with n, so the order meets every node once. */
struct start_order {
    uint64_t first, step;
};

/* The listed order, or with flow-order-seed a random order that differs between ranks. Nodes that
 * are free at one instant have no order of their own; different seeds show how much it matters. */
static struct start_order draw_order(const struct asim_rank *rank, uint64_t n)
{
    uint64_t seed = rank->world->set.system.flow_order_seed, x = (seed << 32 | rank->id) + 1;
    struct start_order order = {0, 1};

    if (!seed || n < 3)
        return order;
    for (int i = 0; i < 3; i++)
        x = asim_mix64(x);
    order.first = x % n;
    order.step = 1 + (x >> 32) % (n - 1);
    while (asim_common_divisor(order.step, n) != 1)
        order.step = order.step % (n - 1) + 1;
    return order;
}

/* Starts the nodes without parents; of flows of NCCL all sends first: what has come already goes on
 * behind the member's own first piece. */
static struct asim_chunk *begin(struct asim_rank *rank, struct asim_graph_runner *runner)
{
    const struct asim_op_graph *graph = runner->graph;
    struct start_order order = draw_order(rank, graph->n);
    int rounds = runner->flow_bytes ? 2 : 1;

    for (int round = 0; round < rounds; round++) {
        uint64_t at = order.first;

        for (uint32_t i = 0; i < graph->n && !rank->failed; i++) {
            const struct asim_op_graph_node *node = &graph->nodes[at];
            int is_late = rounds > 1 && node->type != ASIM_OP_COMM_SEND;

            if (!node->parents && is_late == round && issue(rank, runner, (uint32_t)at))
                end_nodes(rank, runner, (uint32_t)at);
            at = (at + order.step) % graph->n;
        }
    }
    return end_if_over(rank, runner);
}

struct asim_rank *asim_graph_runner_begin(struct asim_graph_runner *runner,
                                          struct asim_repeat *repeat, struct asim_chunk **over)
{
    struct asim_rank *rank = runner->rank;

    runner->repeat = repeat;
    if (!runner->chunk) { /* its messages meet those of others after all */
        runner->left = runner->graph->n;
        rank->sent -= runner->graph->pieces;
    }
    *over = begin(rank, runner);
    return rank;
}

struct asim_rank *asim_graph_runner_over(struct asim_graph_runner *runner, struct asim_chunk **over)
{
    struct asim_rank *rank = runner->rank;

    *over = rank->failed ? NULL : runner->chunk;
    rank->sent += runner->graph->pieces;
    runner->chunk->runner = NULL;
    runner->chunk = NULL;
    return rank;
}

void asim_graph_runner_release(struct asim_graph_runner *runner)
{
    free_runner(runner);
}

/* 1: the network carries the phase, or says when to begin. */
static int is_repeat(struct asim_rank *rank, struct asim_graph_runner *runner)
{
    const struct asim_world *world = rank->world;
    int is_carried;
    const struct asim_net_extras *extras = asim_uniform_phase_repeats(world, &is_carried);
    const struct asim_op_graph *graph = runner->graph;
    const struct asim_phase *phase = asim_chunk_phase(runner->chunk);
    struct asim_net_repeat repeat = {
        .tag = graph->local ? runner->at_switch : runner->tag,
        .tag_mask = ~(uint64_t)(graph->local ? ASIM_NVSWITCH_WORD_MASK : ASIM_OP_GRAPH_TAG_MAX),
        .kind = {(uint64_t)(uintptr_t)(graph - graph->member), rank->endpoint_ns,
                 phase->kernel.busy_ns},
        .bytes = runner->flow_bytes,
        .at = asim_ring_rank(&phase->ring, 0),
        .n = phase->ring.n,
        .src = rank->id,
        .n_others = 1,
        .each = graph->pieces,
        .is_ring = !graph->local,
        .is_carried = (uint8_t)is_carried,
        .self = runner,
        .begin = world->repeat_begin,
        .over = world->repeat_over,
        .release = world->repeat_release};

    if (!extras || !graph->pieces || world->set.system.flow_order_seed ||
        (graph->local && graph->pieces > ASIM_NET_REPEAT_OTHERS))
        return 0;
    if (graph->local) {
        repeat.n_others = graph->pieces;
        repeat.each = 1;
        for (uint32_t i = 0; i < graph->pieces; i++)
            repeat.others[i] = asim_nvswitch_host(world, rank->id, i);
    } else {
        repeat.others[0] = asim_ring_rank(&phase->ring, (graph->member + 1) % phase->ring.n);
    }
    if (extras->repeat_start(world->via.carrier, &repeat))
        asim_rank_fail_nomem(rank, "running a collective algorithm");
    return 1;
}

/* parents[] is the runner's copy of the counts; the graph is shared and constant. */
struct asim_chunk *asim_graph_runner_start(struct asim_rank *rank, struct asim_chunk *chunk)
{
    const struct asim_op_graph *graph = asim_chunk_phase(chunk)->graph;
    struct asim_graph_runner *runner =
        calloc(1, sizeof *runner + graph->channels * sizeof *runner->channels +
                      graph->n * sizeof *runner->parents);

    if (!runner) {
        asim_rank_fail_nomem(rank, "running a collective algorithm");
        return NULL;
    }
    *runner = (struct asim_graph_runner){.rank = rank,
                                         .chunk = chunk,
                                         .graph = graph,
                                         .left = graph->n,
                                         .ring = asim_chunk_phase(chunk)->ring,
                                         .tag = tag_of(chunk->tag),
                                         .op = chunk->coll->op,
                                         .is_ring = asim_chunk_phase(chunk)->is_ring};
    runner->parents = (uint32_t *)(runner->channels + graph->channels);
    runner->flow_bytes = asim_chunk_phase(chunk)->flow_bytes;
    if (graph->local)
        runner->at_switch = asim_nvswitch_tag(
            rank, chunk, asim_ring_rank(&asim_chunk_phase(chunk)->ring, graph->first));
    chunk->runner = runner;
    runner->next = rank->shard->runners;
    if (runner->next)
        runner->next->prev = runner;
    rank->shard->runners = runner;
    for (uint32_t i = 0; i < graph->n; i++)
        runner->parents[i] = graph->nodes[i].parents;
    set_pace(runner, asim_chunk_phase(chunk)->kernel.busy_ns);
    return is_repeat(rank, runner) ? NULL : begin(rank, runner);
}

struct asim_chunk *asim_graph_runner_node_ended(struct asim_rank *rank,
                                                struct asim_graph_runner *runner, uint32_t node)
{
    end_nodes(rank, runner, node);
    return end_if_over(rank, runner);
}

/* Frees the runners of a world that ends early. */
void asim_graph_runner_fini(struct asim_rank_shard *shard)
{
    while (shard->runners) {
        struct asim_graph_runner *runner = shard->runners;

        shard->runners = runner->next;
        free(runner);
    }
}
