/* SPDX-License-Identifier: GPL-2.0-only
 *
 * NVSwitches as end points of flows, for NVLS (simai.md#nvls): an NVSwitch collects a piece
 * from all GPUs of a server and sends the sum on, to all of them or, in trees over servers, to one
 * of them, who later sends what is to be spread. As in SimAI it waits for the piece of everybody,
 * then the send latency, and only then sends; summing takes no time.
 *
 * Where it differs: SimAI gives each NVSwitch the workload and lets it walk the same collectives as
 * the GPUs. Here a message's tag says all there is to know (nvswitch.h), and a piece is forgotten
 * once it is through. Several NVSwitches in a server, of which SimAI uses the first, take quarters
 * or channels in turn.
 *
 * Tags: bits 63 and 61 as graph_runner.c's; 44-60 the group; 33-43 which chunk of it; 29-32 the
 * logical dimension; 20-28 the ring, by the port of its first member at the NVSwitch; 18-19 the
 * role, 9-17 how many are collected, 0-8 the slot. Rings of one dimension have different first
 * members, so no two pieces under way share a tag; if they do all the same (2048 chunks at once),
 * a member comes twice and the run ends with a sentence.
 *
 * Example, eight GPUs and 4 MiB: GPU g sends 1 MiB with role ALL, count 8, slot 0; the eighth to
 * come completes the piece, and after the latency eight messages go out under the same tag. A GPU's
 * next quarter, slot 1, leaves when its first is acknowledged. In a tree over servers GPU h is the
 * head of channel h: it alone sends HEAD and gets the sum; what it sends later, DOWN, goes to the
 * other seven.
 *
 * Cost: a map entry and 40 bytes a piece and 4 a GPU, for as long as the piece is under way. A
 * piece is found by one look-up a message, and its senders are kept in order by insertion.
 */
#include "sim/collective/nvswitch.h"
#include "sim/rank/rank_shard.h"
#include "sim/world.h"

#include <stdio.h>
#include <stdlib.h>

enum { CHUNK_BITS = 11, DIM_BITS = 4 };
#define ROLE_MASK (3ull << 18)

struct piece {          /* of one server, from the first message to the last */
    struct piece *next; /* waits for its latency behind the one before */
    uint64_t key, bytes, reply;
    uint32_t n, want, head;
    uint32_t from[]; /* [want] hosts, ascending: the order in which they are answered */
};

struct asim_nvswitch {
    struct asim_map pieces; /* (0, tag without role) -> struct piece * */
    struct piece *first, **last;
    uint32_t host, sent;
    int failed; /* it does nothing more */
};

/* --- who is there ------------------------------------------------------------------------------
 */

/* The i-th NVSwitch of a rank's own ports, in their order; UINT32_MAX behind the last. */
static uint32_t nvswitch_at(const struct asim_topo *topo, uint32_t rank, uint32_t i)
{
    for (uint32_t p = topo->first_port[rank]; p < topo->first_port[rank + 1]; p++)
        if (topo->node_type[topo->ports[p].peer] == ASIM_NVSWITCH && !i--)
            return topo->ports[p].peer;
    return UINT32_MAX;
}

/* Words that are no algorithm are told of later (coll_setup.c). */
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

/* 1 if it hangs on NVSwitches, all of a size the tags have room for. */
static int has_usable_nvswitches(const struct asim_topo *topo, uint32_t rank)
{
    uint32_t v, n = 0;

    for (; (v = nvswitch_at(topo, rank, n)) != UINT32_MAX; n++)
        if (topo->first_port[v + 1] - topo->first_port[v] > ASIM_NVSWITCH_MOST)
            return 0;
    return n > 0;
}

/* Says so where an algorithm was named that would use them and cannot. */
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

/* Pieces that wait for their latency are in the map, too. */
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

/* One GPU alone has nothing to meet for; more than the tag can count go by ranks. */
int asim_nvswitch_serves(const struct asim_world *world, uint32_t local)
{
    return world->run.nvswitches && local > 1 && local <= ASIM_NVSWITCH_MOST;
}

/* The same NVSwitches in the same order, so that both take the same one for a slot. */
static int have_same_nvswitches(const struct asim_topo *topo, uint32_t a, uint32_t b)
{
    uint32_t i = 0, v;

    while ((v = nvswitch_at(topo, a, i)) == nvswitch_at(topo, b, i) && v != UINT32_MAX)
        i++;
    return v == nvswitch_at(topo, b, i);
}

/* Each rank looks after its own server: local x ports. */
int asim_nvswitch_check(struct asim_rank *rank, const struct asim_ring_of *ring, uint32_t local)
{
    uint32_t first = ring->index / local * local, p = first;

    while (p < first + local &&
           have_same_nvswitches(&rank->world->set.topo, rank->id, asim_ring_rank(ring, p)))
        p++;
    if (p == first + local)
        return 0;
    asim_rank_fail(rank,
                   "NVLS: ranks %u and %u should be GPUs of one server but are joined to different "
                   "NVSwitches; append the GPUs of a server to the algorithm's name (ncclNvls8)",
                   rank->id, asim_ring_rank(ring, p));
    return ASIM_EINVAL;
}

/* Asked for each of a rank's flows: ports squared at worst, of which there are a handful. */
uint32_t asim_nvswitch_host(const struct asim_rank *rank, uint32_t slot)
{
    const struct asim_topo *topo = &rank->world->set.topo;
    uint32_t n = 0;

    while (nvswitch_at(topo, rank->id, n) != UINT32_MAX)
        n++;
    return asim_topo_endpoint_of(topo, nvswitch_at(topo, rank->id, slot % n));
}

/* The first member's port at its first NVSwitch stands for the ring. */
uint64_t asim_nvswitch_tag(const struct asim_rank *rank, const struct asim_chunk *chunk,
                           uint32_t first)
{
    const struct asim_topo *topo = &rank->world->set.topo;
    uint64_t group = chunk->tag >> 32 & 0x1ffff, ring = 0;
    uint64_t number = chunk->tag & ((1u << CHUNK_BITS) - 1);
    uint64_t dim = chunk->phases[chunk->phase - 1].dim & ((1u << DIM_BITS) - 1);

    for (uint32_t p = topo->first_port[first + 1]; p-- > topo->first_port[first];)
        if (topo->node_type[topo->ports[p].peer] == ASIM_NVSWITCH)
            ring = topo->ports[p].peer_port;
    return 1ull << 63 | 1ull << 61 | group << 44 | number << 33 | dim << 29 | ring << 20;
}

/* --- what it does ------------------------------------------------------------------------------
 */

/* The i-th end point is the i-th of the hosts behind the GPUs (topo/endpoint.c). */
static struct asim_nvswitch *nvswitch_of(struct asim_world *world, uint32_t host)
{
    return &world->run.nvswitches[host - (world->set.topo.hosts - world->set.topo.endpoints)];
}

/* Of the last word about a piece, which is what is done with it. */
static enum asim_nvswitch_role role_of(uint64_t tag)
{
    return (enum asim_nvswitch_role)(tag >> 18 & 3);
}

/* Its shard's trial says why. */
static void fail(struct asim_world *world, struct asim_nvswitch *at)
{
    asim_node_record_failure(world, at->host, &at->failed);
}

static void fail_nomem(struct asim_world *world, struct asim_nvswitch *at, const char *doing)
{
    asim_err_nomem(&asim_rank_shard_of(world, at->host)->scratch_err, doing);
    fail(world, at);
}

/* Nobody is told that such a message is through. */
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

/* A piece that went to its head only is kept for what comes back from there. */
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

/* The latency is the same for all, so pieces come out in the order they went in. */
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

/* The latency of the oldest piece that waits is over: one wake was asked for each. */
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

/* Found by the tag without its role, or begun; NULL after failing its host. */
static struct piece *find(struct asim_world *world, struct asim_nvswitch *at,
                          const struct asim_msg *msg)
{
    uint32_t want = msg->tag >> 9 & ASIM_NVSWITCH_MOST;
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

/* Into its place; 0 if that host has sent before, or all are there. */
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

/* DOWN comes when the head has got the sum of all, so its piece is complete. */
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
