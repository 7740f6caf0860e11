/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Lets NVSwitches take part in collectives as end points of flows, for NVLS (simai.md#nvls): an
 * NVSwitch collects a piece of data from all GPUs of a server and sends the sum to all of them
 * or, in trees over servers, to one head, which later sends the result back for the others. As
 * in SimAI the NVSwitch waits for the pieces of all, then for the send latency, and only then
 * sends; summing takes no time.
 *
 * SimAI gives each NVSwitch the workload and lets it walk the same collectives as the GPUs. Here
 * the tag of a message holds everything, and the NVSwitch forgets a piece after sending it. SimAI
 * uses the first of several NVSwitches in a server; here quarters or channels use them in turn.
 *
 * Tags: bits 63 and 61 as in graph_runner.c; 44-60 the group; 37-43 the chunk; 33-36 the logical
 * dimension; 24-32 the ring, by the port of its first member at the NVSwitch; 22-23 the role; 13-21
 * the number of messages to collect; 0-12 the slot. Rings of one dimension have different first
 * members, so no two pieces under way share a tag. With 128 chunks at once they could: then a
 * member sends twice, and the run ends with an error.
 *
 * Example, eight GPUs and 4 MiB: GPU g sends 1 MiB with role ALL, count 8, slot 0. The eighth
 * message completes the piece, and after the latency eight messages leave under the same tag. A
 * GPU's next quarter, slot 1, leaves when its first is acknowledged. In a tree over servers GPU h
 * is the head of channel h: it alone sends HEAD and gets the sum; its later message, DOWN, goes to
 * the other seven.
 *
 * Cost: a map entry, 40 bytes a piece and 4 a GPU, while the piece is under way. A message costs
 * one look-up; insertion keeps the senders of a piece in order.
 */
#include "sim/collective/nvswitch.h"
#include "sim/collective/op_graph.h"
#include "sim/rank/rank_shard.h"
#include "sim/world.h"

#include <stdio.h>
#include <stdlib.h>

enum { CHUNK_BITS = 7, DIM_BITS = 4 };
#define ROLE_MASK (3ull << ASIM_NVSWITCH_ROLE_SHIFT)

struct piece {          /* data of one server and slot, from its first message to its last */
    struct piece *next; /* next piece that waits for its latency */
    uint64_t key, bytes, reply;
    uint32_t n, want, head;
    uint32_t from[]; /* [want] hosts, ascending: the order of the answers */
};

struct asim_nvswitch {
    struct asim_map pieces; /* (0, tag without role) -> struct piece * */
    struct piece *first, **last;
    uint32_t host, sent;
    int failed; /* does nothing more */
};

/* --- NVSwitches of a topology --------------------------------------------------------------------
 */

/* The i-th NVSwitch in the order of the rank's ports; UINT32_MAX behind the last. */
static uint32_t nvswitch_at(const struct asim_topo *topo, uint32_t rank, uint32_t i)
{
    for (uint32_t p = topo->first_port[rank]; p < topo->first_port[rank + 1]; p++)
        if (topo->node_type[topo->ports[p].peer] == ASIM_NVSWITCH && !i--)
            return topo->ports[p].peer;
    return UINT32_MAX;
}

/* coll_setup.c reports words that name no algorithm. */
int asim_nvswitch_wanted(const struct asim_world *world)
{
    const struct asim_words *words = &world->set.system.impl[ASIM_ALL_REDUCE];
    int wanted = 0;

    for (size_t i = 0; i < words->n; i++) {
        struct asim_coll_choice choice = {0};
        struct asim_err err = {0};

        if (!asim_coll_choose(&choice, words->at[i], &err) && choice.algo->nvswitch > wanted)
            wanted = choice.algo->nvswitch;
    }
    return wanted;
}

/* 1 if the rank has NVSwitches, and none has too many ports for a tag. */
static int has_usable_nvswitches(const struct asim_topo *topo, uint32_t rank)
{
    uint32_t v, n = 0;

    for (; (v = nvswitch_at(topo, rank, n)) != UINT32_MAX; n++)
        if (topo->first_port[v + 1] - topo->first_port[v] > ASIM_NVSWITCH_MOST)
            return 0;
    return n > 0;
}

/* Reports a named algorithm that would use NVSwitches and cannot. */
int asim_nvswitch_open(struct asim_world *world, struct asim_err *err)
{
    uint32_t n = world->set.topo.endpoints, without = 0;

    while (n && without < world->set.n_ranks && has_usable_nvswitches(&world->set.topo, without))
        without++;
    if (without < world->set.n_ranks && asim_nvswitch_wanted(world) > 1)
        asim_world_diagnose(
            world,
            "rank %u is joined to no NVSwitch%s, so NVLS goes from GPU to GPU: the same bytes on "
            "every link, without waiting for all; topologies of SimAI's flavour have NVSwitches",
            without, n ? " of at most 511 ports" : "");
    if (without < world->set.n_ranks)
        return 0;
    world->run.nvswitches = calloc(n, sizeof *world->run.nvswitches);
    if (!world->run.nvswitches)
        return asim_err_nomem(err, "setting up NVSwitches");
    for (uint32_t i = 0; i < n; i++) {
        asim_map_init(&world->run.nvswitches[i].pieces);
        world->run.nvswitches[i].last = &world->run.nvswitches[i].first;
        world->run.nvswitches[i].host = world->set.topo.hosts - n + i;
    }
    return 0;
}

/* The map also holds the pieces that wait for their latency. */
void asim_nvswitch_close(struct asim_world *world)
{
    for (uint32_t i = 0; world->run.nvswitches && i < world->set.topo.endpoints; i++) {
        struct asim_map *pieces = &world->run.nvswitches[i].pieces;

        for (size_t at = 0; at < pieces->cap; at++)
            if (pieces->used[at])
                free((void *)(uintptr_t)pieces->slots[at].value);
        asim_map_fini(pieces);
    }
    free(world->run.nvswitches);
    world->run.nvswitches = NULL;
}

/* One GPU alone needs no NVSwitch, and more GPUs than a tag can count go by ranks. */
int asim_nvswitch_serves(const struct asim_world *world, uint32_t local)
{
    return world->run.nvswitches && local > 1 && local <= ASIM_NVSWITCH_MOST;
}

/* 1 if both have the same NVSwitches in the same order, and so the same one for each slot. */
static int have_same_nvswitches(const struct asim_topo *topo, uint32_t a, uint32_t b)
{
    uint32_t i = 0, v;

    while ((v = nvswitch_at(topo, a, i)) == nvswitch_at(topo, b, i) && v != UINT32_MAX)
        i++;
    return v == nvswitch_at(topo, b, i);
}

/* Each rank checks its own server. Costs local x ports. */
int asim_nvswitch_check(struct asim_rank *rank, const struct asim_ring_of *ring,
                        const struct asim_op_graph *graph)
{
    uint32_t p = graph->first;

    while (p < graph->first + graph->local &&
           have_same_nvswitches(&rank->world->set.topo, rank->id, asim_ring_rank(ring, p)))
        p++;
    if (p == graph->first + graph->local)
        return 0;
    asim_rank_fail(rank,
                   "NVLS: ranks %u and %u should be GPUs of one server but are joined to different "
                   "NVSwitches; append the GPUs of a server to the algorithm's name (ncclNvls8)",
                   rank->id, asim_ring_rank(ring, p));
    return ASIM_EINVAL;
}

/* For each flow of a rank. Costs ports squared at worst, of a handful of ports. */
uint32_t asim_nvswitch_host(const struct asim_world *world, uint32_t rank, uint32_t slot)
{
    const struct asim_topo *topo = &world->set.topo;
    uint32_t n = 0;

    while (nvswitch_at(topo, rank, n) != UINT32_MAX)
        n++;
    return asim_topo_endpoint_of(topo, nvswitch_at(topo, rank, slot % n));
}

/* The port of the first member at its first NVSwitch identifies the ring. */
uint64_t asim_nvswitch_tag(const struct asim_rank *rank, const struct asim_chunk *chunk,
                           uint32_t first)
{
    const struct asim_topo *topo = &rank->world->set.topo;
    uint64_t group = asim_tag_group(chunk->tag), ring = 0;
    uint64_t number = chunk->tag & ((1u << CHUNK_BITS) - 1);
    uint64_t dim = chunk->phases[chunk->phase - 1].dim & ((1u << DIM_BITS) - 1);

    for (uint32_t p = topo->first_port[first + 1]; p-- > topo->first_port[first];)
        if (topo->node_type[topo->ports[p].peer] == ASIM_NVSWITCH)
            ring = topo->ports[p].peer_port;
    return 1ull << 63 | 1ull << 61 | group << 44 | number << 37 | dim << 33 | ring << 24;
}

/* --- messages ------------------------------------------------------------------------------------
 */

/* End point i is host i behind the GPUs (topo/endpoint.c). */
static struct asim_nvswitch *nvswitch_of(struct asim_world *world, uint32_t host)
{
    return &world->run.nvswitches[host - (world->set.topo.hosts - world->set.topo.endpoints)];
}

static enum asim_nvswitch_role role_of(uint64_t tag)
{
    return (enum asim_nvswitch_role)(tag >> ASIM_NVSWITCH_ROLE_SHIFT & 3);
}

/* Fails the NVSwitch with the scratch error of its shard. */
static void fail(struct asim_world *world, struct asim_nvswitch *at)
{
    asim_node_record_failure(world, at->host, &at->failed);
}

static void fail_nomem(struct asim_world *world, struct asim_nvswitch *at, const char *doing)
{
    asim_err_nomem(&asim_rank_shard_of(world, at->host)->scratch_err, doing);
    fail(world, at);
}

/* No rank waits for the end of such a message. */
static void send(struct asim_world *world, struct asim_nvswitch *at, const struct piece *piece,
                 uint32_t dst)
{
    struct asim_msg msg = {.id = (uint64_t)at->host << 32 | at->sent++,
                           .bytes = piece->bytes,
                           .tag = piece->reply,
                           .cookie = ASIM_NEVER,
                           .src = at->host,
                           .dst = dst};

    if (world->via.backend->send(world->via.carrier, &msg))
        fail_nomem(world, at, "sending a message");
}

/* Keeps a piece that went to its head only: the result comes back from there. */
static void answer(struct asim_world *world, struct asim_nvswitch *at, struct piece *piece)
{
    enum asim_nvswitch_role role = role_of(piece->reply);

    if (role == ASIM_NVSWITCH_HEAD) {
        send(world, at, piece, piece->head);
        return;
    }
    for (uint32_t i = 0; i < piece->n; i++)
        if (role == ASIM_NVSWITCH_ALL || piece->from[i] != piece->head)
            send(world, at, piece, piece->from[i]);
    asim_map_delete(&at->pieces, 0, piece->key);
    free(piece);
}

/* All pieces have the same latency, so they leave in the order of arrival. */
static void delay_answer(struct asim_world *world, struct asim_nvswitch *at, struct piece *piece)
{
    if (!world->set.endpoint_ns) {
        answer(world, at, piece);
        return;
    }
    piece->next = NULL;
    *at->last = piece;
    at->last = &piece->next;
    if (world->via.backend->wake_after(world->via.carrier, at->host,
                                       (uint64_t)world->set.endpoint_ns))
        fail_nomem(world, at, "waiting before a flow");
}

/* Each waiting piece has one wake: the latency of the oldest is over. */
void asim_nvswitch_wake(struct asim_world *world, uint32_t host)
{
    struct asim_nvswitch *at = nvswitch_of(world, host);
    struct piece *piece = at->first;

    if (at->failed)
        return;
    at->first = piece->next;
    if (!at->first)
        at->last = &at->first;
    answer(world, at, piece);
}

/* Finds the piece by its tag without the role, or makes it; NULL after failing the NVSwitch. */
static struct piece *find(struct asim_world *world, struct asim_nvswitch *at,
                          const struct asim_msg *msg)
{
    uint32_t want = msg->tag >> ASIM_NVSWITCH_SLOT_BITS & ASIM_NVSWITCH_MOST;
    uint64_t key = msg->tag & ~ROLE_MASK, *slot = asim_map_put(&at->pieces, 0, key);
    struct piece *piece = slot ? (struct piece *)(uintptr_t)*slot : NULL;

    if (slot && !piece) {
        piece = malloc(sizeof *piece + want * sizeof piece->from[0]);
        *slot = (uint64_t)(uintptr_t)piece;
        if (piece)
            *piece = (struct piece){.key = key,
                                    .bytes = msg->bytes,
                                    .reply = msg->tag,
                                    .want = want,
                                    .head = UINT32_MAX};
    }
    if (!piece)
        fail_nomem(world, at, "collecting in an NVSwitch");
    return piece;
}

/* Inserts the sender; 0 if it has sent before, or all have. */
static int take(struct piece *piece, uint32_t host)
{
    uint32_t i = piece->n;

    for (uint32_t k = 0; k < piece->n; k++)
        if (piece->from[k] == host || piece->n == piece->want)
            return 0;
    for (; i > 0 && piece->from[i - 1] > host; i--)
        piece->from[i] = piece->from[i - 1];
    piece->from[i] = host;
    piece->n++;
    return 1;
}

/* DOWN arrives after the head has got the sum, so its piece is complete. */
void asim_nvswitch_arrived(struct asim_world *world, const struct asim_msg *msg)
{
    struct asim_nvswitch *at = nvswitch_of(world, msg->dst);
    struct piece *piece = at->failed ? NULL : find(world, at, msg);
    enum asim_nvswitch_role role = role_of(msg->tag);
    int down = role == ASIM_NVSWITCH_DOWN;

    if (!piece)
        return;
    if (msg->bytes != piece->bytes || (down ? piece->head != msg->src : !take(piece, msg->src))) {
        asim_err_set(&asim_rank_shard_of(world, at->host)->scratch_err, ASIM_EINVAL,
                     "NVSwitch %u got a piece of %llu bytes from rank %u that does not fit the "
                     "collective under way there: more than %u chunks run at once",
                     asim_topo_external_id(&world->set.topo, msg->dst),
                     (unsigned long long)msg->bytes, msg->src, 1u << CHUNK_BITS);
        fail(world, at);
        return;
    }
    if (role == ASIM_NVSWITCH_HEAD)
        piece->head = msg->src;
    if (role != ASIM_NVSWITCH_PART)
        piece->reply = msg->tag;
    if (down || piece->n == piece->want)
        delay_answer(world, at, piece);
}
