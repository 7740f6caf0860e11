/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Trees for all-reduce, after NCCL: inside a server a chain (or, for nvls_tree, the NVSwitch), over
 * one rank of each server a binary tree. Every rank is head of two channels, as every NIC of NCCL
 * has two: the second uses the mirror image of the first one's tree (shifted where it would be the
 * same), so that a server inside one is a leaf of the other (Sanders, Speck, Träff, "Two-tree
 * algorithms", 2009) and the NIC carries as much as in a ring. The tree reduces the data on the way
 * up and copies the result on the way down, chunk after chunk. SimAI has such builders and never
 * chooses them.
 */
#include "coll/nccl.h"

#include <stdlib.h>

/* Chunks that an edge of a tree has under way: the steps of NCCL's FIFO. */
enum { WINDOW = 8 };

struct tree {
    struct asim_nccl *nccl;
    struct asim_nccl_flow flow; /* bytes, channel and chunk */
    uint32_t chunk, per_chunk;  /* being laid out; flows of one chunk of a channel */
    uint32_t *up, *down;        /* [servers] flow that left a head upwards, that reached it */
    uint32_t *reached;          /* [servers] last flow into a head from its own server */
    int is_straight;            /* all ranks send to the head, one after the other */
};

/* The ring's entry rank is the head of two channels. */
static uint32_t ring_of(const struct tree *t)
{
    return t->flow.channel % t->nccl->channels;
}

static uint32_t head_of(const struct tree *t, uint32_t server)
{
    return asim_nccl_first(asim_nccl_layout(t->nccl), server) + ring_of(t);
}

/* The i-th GPU of a server from the head on. */
static uint32_t place_of(const struct tree *t, uint32_t server, uint32_t i)
{
    return asim_nccl_place(asim_nccl_layout(t->nccl), server, ring_of(t), i);
}

static uint32_t size_of(const struct tree *t, uint32_t server)
{
    return asim_nccl_size(asim_nccl_layout(t->nccl), server);
}

/* A flow with the tree's bytes and channel. All chunks have the same flows, so that the one that
 * must have left before, WINDOW chunks ago, is as many flows back. */
static uint32_t send(struct tree *t, uint32_t from, uint32_t to, uint32_t parent)
{
    uint32_t flow;

    t->flow.src = from;
    t->flow.dst = to;
    flow = asim_nccl_add(t->nccl, &t->flow, parent);
    if (flow != ASIM_NCCL_NONE && t->chunk >= WINDOW && from < t->nccl->spec.ranks &&
        asim_nccl_wait(t->nccl, flow - WINDOW * t->per_chunk))
        return ASIM_NCCL_NONE;
    return flow;
}

/* Chain towards the head; 0 or ASIM_ENOMEM. Each link carries the sum of what is behind it, so all
 * NVLinks of the server carry the same, and the latency grows with its GPUs.
 */
static int gather_chain(struct tree *t, uint32_t server)
{
    uint32_t before = ASIM_NCCL_NONE;
    for (uint32_t i = size_of(t, server) - 1; i > 0; i--) {
        uint32_t from = place_of(t, server, i), to = place_of(t, server, i - 1);
        before = send(t, from, to, before);
        if (before == ASIM_NCCL_NONE)
            return ASIM_ENOMEM;
    }
    t->reached[server] = before;
    return 0;
}

/* All ranks to the NVSwitch, the sum from there to the head. */
static int gather_switch(struct tree *t, uint32_t server)
{
    uint32_t size = size_of(t, server), nvswitch = t->nccl->spec.ranks + server;
    uint32_t base = asim_nccl_first(asim_nccl_layout(t->nccl), server);
    uint32_t first = (uint32_t)t->nccl->flows.n;
    for (uint32_t i = 0; i < size; i++)
        if (send(t, base + i, nvswitch, ASIM_NCCL_NONE) == ASIM_NCCL_NONE)
            return ASIM_ENOMEM;
    t->reached[server] = send(t, nvswitch, head_of(t, server), first);
    int rc = t->reached[server] == ASIM_NCCL_NONE;
    for (uint32_t i = 1; i < size && !rc; i++)
        rc = asim_nccl_wait(t->nccl, first + i);
    return rc ? ASIM_ENOMEM : 0;
}

/* The same where no flow may end at the NVSwitch: all ranks send to the head. Each rank is head of
 * equally many channels, so the NVLinks carry as much as a reduction in the switch leaves on the
 * busier direction. */
static int gather_head(struct tree *t, uint32_t server)
{
    uint32_t size = size_of(t, server), base = asim_nccl_first(asim_nccl_layout(t->nccl), server);
    for (uint32_t i = 1; i < size; i++) {
        uint32_t from = base + (ring_of(t) + i) % size;
        t->reached[server] = send(t, from, head_of(t, server), ASIM_NCCL_NONE);
        if (t->reached[server] == ASIM_NCCL_NONE)
            return ASIM_ENOMEM;
    }
    return 0;
}

/* The flow last added waits for all that its server sent to the head. */
static int wait_for_server(struct tree *t, uint32_t server)
{
    int rc = 0;
    for (uint32_t i = t->is_straight ? size_of(t, server) - 1 : 1;
         i-- > 0 && t->reached[server] != ASIM_NCCL_NONE && !rc;)
        rc = asim_nccl_wait(t->nccl, t->reached[server] - i);
    return rc;
}

/* The tree over the servers' heads, which is NCCL's (trees.cc): a place whose lowest bit is b is
 * above the places b / 2 before and behind it, and place 0 above the greatest power of two. So half
 * of the edges join neighbours, which often share a leaf. Behind the last place the next smaller
 * distance counts. The second tree is the first one mirrored, or shifted by one where servers are
 * odd in number. */
static uint32_t server_at(const struct tree *t, uint32_t place)
{
    uint32_t servers = t->nccl->servers;

    if (t->flow.channel < t->nccl->channels)
        return place;
    return servers % 2 ? (place + 1) % servers : servers - 1 - place;
}

static uint32_t parent_of(const struct tree *t, uint32_t place)
{
    uint32_t low = place & -place, parent = (place ^ low) | 2 * low;

    return parent < t->nccl->servers ? parent : place ^ low;
}

/* Waits for what the places below have sent up. */
static int wait_for_children(struct tree *t, uint32_t place)
{
    uint32_t servers = t->nccl->servers, far = place ? (place & -place) / 2 : servers;
    int rc = place && far ? asim_nccl_wait(t->nccl, t->up[server_at(t, place - far)]) : 0;

    for (far = place ? far : 1u << 31; far && place + far >= servers;)
        far /= 2;
    return rc || !far ? rc : asim_nccl_wait(t->nccl, t->up[server_at(t, place + far)]);
}

/* Every server's head sends up once its own server and the places below have come. Low bits rise
 * towards the root, so children are before parents. */
static int go_up(struct tree *t)
{
    uint32_t servers = t->nccl->servers;
    for (uint32_t low = 1; low < servers; low *= 2)
        for (uint32_t place = low; place < servers; place += 2 * low) {
            uint32_t server = server_at(t, place), parent = server_at(t, parent_of(t, place));
            uint32_t flow = send(t, head_of(t, server), head_of(t, parent), ASIM_NCCL_NONE);
            if (flow == ASIM_NCCL_NONE || wait_for_server(t, server) || wait_for_children(t, place))
                return ASIM_ENOMEM;
            t->up[server] = flow;
        }
    return 0;
}

/* The root's sends wait for its own server and its child. */
static int wait_for_all(struct tree *t)
{
    int rc = wait_for_server(t, server_at(t, 0));
    return rc ? rc : wait_for_children(t, 0);
}

/* The way back, from the root's places to the leaves. The root's children wait for everything that
 * was reduced at the root, all others for what reached their parent. */
static int go_down(struct tree *t)
{
    uint32_t servers = t->nccl->servers, low = 1;
    while (low < servers)
        low *= 2;
    for (; low; low /= 2)
        for (uint32_t place = low; place < servers; place += 2 * low) {
            uint32_t above = parent_of(t, place), server = server_at(t, place);
            uint32_t parent = server_at(t, above);
            uint32_t before = above ? t->down[parent] : ASIM_NCCL_NONE;
            t->down[server] = send(t, head_of(t, parent), head_of(t, server), before);
            if (t->down[server] == ASIM_NCCL_NONE || (!above && wait_for_all(t)))
                return ASIM_ENOMEM;
        }
    return 0;
}

/* From the head to its server: along the chain, or to all: by the NVSwitch, or straight. */
static int spread(struct tree *t, uint32_t server)
{
    uint32_t head = head_of(t, server), before = t->down[server];
    int root = server == server_at(t, 0), to_all = t->nccl->spec.algo == ASIM_NCCL_NVLS_TREE;
    int by_switch = to_all && !t->nccl->spec.by_ranks;
    uint32_t last = before, from = head, nvswitch = t->nccl->spec.ranks + server;
    if (by_switch) {
        t->flow.chunk++; /* tells the NVSwitch the way down from the way up */
        last = send(t, head, nvswitch, root ? ASIM_NCCL_NONE : before);
        if (last == ASIM_NCCL_NONE || (root && wait_for_all(t)))
            return ASIM_ENOMEM;
        from = nvswitch;
    }
    for (uint32_t i = 1; i < size_of(t, server); i++) {
        uint32_t to = place_of(t, server, i);
        int first_of_root = root && !by_switch && (to_all || i == 1);
        uint32_t flow = send(t, from, to, first_of_root ? ASIM_NCCL_NONE : last);
        if (flow == ASIM_NCCL_NONE || (first_of_root && wait_for_all(t)))
            return ASIM_ENOMEM;
        last = to_all ? last : flow;
        from = to_all ? from : to;
    }
    t->flow.chunk -= (uint32_t)by_switch;
    return 0;
}

/* One chunk of a channel. The second channel of a head uses the second tree; where servers have
 * one rank, these are the channels 0 and 1. */
static int one_chunk(struct tree *t)
{
    struct asim_nccl *nccl = t->nccl;
    uint32_t servers = nccl->servers;
    int (*gather)(struct tree *, uint32_t) = nccl->spec.algo != ASIM_NCCL_NVLS_TREE ? gather_chain
                                             : nccl->spec.by_ranks                  ? gather_head
                                                                                    : gather_switch;
    int rc = 0;
    for (uint32_t s = 0; s < servers && !rc; s++)
        rc = gather(t, s);
    if (!rc)
        rc = go_up(t);
    if (!rc)
        rc = go_down(t);
    for (uint32_t s = 0; s < servers && !rc; s++)
        rc = spread(t, s);
    return rc;
}

/* Chunks one after the other in a channel, whose flows are then as far apart as `send` says. */
static int one_channel(struct tree *t)
{
    size_t before = t->nccl->flows.n;
    int switched = t->nccl->spec.algo == ASIM_NCCL_NVLS_TREE && !t->nccl->spec.by_ranks;
    int rc = 0;

    for (t->chunk = 0; t->chunk < t->nccl->chunks && !rc; t->chunk++) {
        t->flow.chunk = switched ? 2 * t->chunk : t->chunk;
        rc = one_chunk(t);
        if (!t->chunk)
            t->per_chunk = (uint32_t)(t->nccl->flows.n - before);
    }
    return rc;
}

/* Memory beside the flows: three small arrays over the servers. */
int asim_nccl_tree(struct asim_nccl *nccl)
{
    size_t servers = nccl->servers;
    uint32_t channels = 2 * nccl->channels;
    uint32_t *memory = malloc(3 * servers * sizeof *memory);
    struct tree t = {.nccl = nccl,
                     .flow = {.bytes = asim_nccl_piece(nccl)},
                     .is_straight = nccl->spec.algo == ASIM_NCCL_NVLS_TREE && nccl->spec.by_ranks};
    int rc = memory ? 0 : ASIM_ENOMEM;
    if (!rc) {
        t.up = memory;
        t.down = memory + servers;
        t.reached = memory + 2 * servers;
        for (size_t i = 0; i < 3 * servers; i++)
            memory[i] = ASIM_NCCL_NONE;
    }
    for (t.flow.channel = 0; t.flow.channel < channels && !rc; t.flow.channel++)
        rc = one_channel(&t);
    free(memory);
    return rc;
}
