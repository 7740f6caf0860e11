/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Collectives whose algorithm is ncclTree, ncclPxn, …: the flows of coll/nccl.h become one op graph
 * per member, made on first use and kept for the run. `asim nccl` lists the same flows; a run of
 * its traces as a custom algorithm gives the same times, if no member begins after pieces have
 * come.
 *
 * Flows that begin at an NVSwitch are no nodes: the NVSwitch answers by the tags of the messages it
 * gets (nvswitch.c). A flow that ends at an NVSwitch has the number of members as its peer.
 *
 * Cost: a flow is two nodes and, behind the first step, a link, about 100 bytes with the list of
 * flows; 128 GPUs in servers of 8 have 260,000 flows for an all-reduce, 26 MB.
 *
 * The members' ranks tell which GPUs share a server (nccl_servers.h), so groups and logical
 * dimensions of any stride fit. All members see the same ring and so find the same graph. A ring of
 * n members on servers of L has 2 (n-1) n L flows: above ROOM flows the credit plan of the ring
 * replaces them, with a diagnostic.
 */
#include "coll/nccl.h"
#include "sim/collective/nccl_graph.h"
#include "sim/collective/nccl_servers.h"
#include "sim/collective/op_graph.h"
#include "sim/rank/rank_shard.h"
#include "sim/collective/nvswitch.h"
#include "sim/collective/uniform_phase.h"
#include "sim/world.h"
#include "topo/topo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* BY_NETWORK: members of a ring over single GPUs that the network carries by itself, if it can: at
 * the times of the flows. */
enum { ROOM = 1 << 22, BY_NETWORK = 512 };

/* --- the shape -------------------------------------------------------------------------------- */

/* Rates of NVLink and NIC of a GPU in GB/s, for the choice by size; 8e9 bits per second are 1 GB/s.
 */
static void find_rates(const struct asim_world *world, struct asim_nccl_spec *spec)
{
    const struct asim_topo *topo = &world->set.topo;

    if (world->set.shape.n) {
        spec->nv_gbytes = world->set.shape.at[0].bandwidth_gbps;
        spec->net_gbytes = world->set.shape.at[world->set.shape.n - 1].bandwidth_gbps;
        return;
    }
    for (uint32_t i = topo->nodes ? topo->first_port[0] : 0; topo->nodes && i < topo->first_port[1];
         i++) {
        const struct asim_port_ref *port = &topo->ports[i];
        double gbytes = (double)topo->links[port->link].rate_bps / 8e9;

        *(topo->node_type[port->peer] == ASIM_SWITCH ? &spec->net_gbytes : &spec->nv_gbytes) +=
            gbytes;
        spec->mesh |= topo->node_type[port->peer] == ASIM_HOST;
    }
    if (spec->nv_gbytes <= 0)
        spec->nv_gbytes = spec->net_gbytes;
    if (spec->net_gbytes <= 0)
        spec->net_gbytes = spec->nv_gbytes;
    spec->hopper = !strcmp(topo->gpu_type, "H100") || !strcmp(topo->gpu_type, "H800");
}

/* 1 for data-parallel and expert groups, which skip the ranks of a tensor-parallel group. */
static int has_gaps(const struct asim_ring_of *ring)
{
    return ring->members ? ring->members[ring->n - 1] - ring->members[0] + 1 != ring->n
                         : ring->stride > 1;
}

/* Describes the phase for coll/nccl.h. There `bytes` is the whole buffer, so an all-gather
 * multiplies its contribution by the members. Servers are numbered by position, so the members'
 * ranks, strides and groups no longer matter. */
static int describe(struct asim_rank *rank, const struct asim_coll_choice *word,
                    struct asim_phase *phase, struct asim_nccl_spec *spec)
{
    struct asim_world *world = rank->world;
    uint64_t n = phase->ring.n, unpartitioned = phase->kind == ASIM_ALL_GATHER ? n : 1;
    struct asim_nccl_spec servers = {.gpus_per_server = 1};

    if (phase->kind != ASIM_ALL_TO_ALL &&
        asim_nccl_servers_find(rank, word, &phase->ring, &servers))
        asim_rank_fail_nomem(rank, "finding the servers of a communicator");
    else if (asim_coll_can(word->algo, phase->kind, &rank->shard->scratch_err)) {
        asim_rank_record_failure(rank);
    } else if (!servers.gpus_per_server) {
        asim_rank_fail(rank,
                       "%s: the %u members of a collective of rank %u do not lie evenly and in "
                       "order on servers of %u GPUs; NCCL's channels need as many in each",
                       word->algo->member.name, phase->ring.n, rank->id, word->window);
    } else if (phase->bytes > UINT64_MAX / unpartitioned) {
        asim_rank_fail(rank,
                       "%s: an all-gather of %llu bytes from each of %u members is more "
                       "than 64 bits can count",
                       word->algo->member.name, (unsigned long long)phase->bytes, phase->ring.n);
    } else {
        *spec = (struct asim_nccl_spec){.coll_type = phase->kind,
                                        .bytes = phase->bytes * unpartitioned,
                                        .ranks = phase->ring.n,
                                        .root = phase->ring.root,
                                        .gpus_per_server = servers.gpus_per_server,
                                        .first = servers.first,
                                        .servers = servers.servers,
                                        .apart = has_gaps(&phase->ring),
                                        .by_ranks =
                                            !asim_nvswitch_serves(world, servers.gpus_per_server)};
        find_rates(world, spec);
        word->algo->flows(spec);
        if ((spec->algo == ASIM_NCCL_TUNED || world->set.machine) &&
            asim_nccl_choice(world, &phase->ring, spec, &phase->kernel, &rank->shard->scratch_err))
            asim_rank_record_failure(rank);
        if (spec->algo == ASIM_NCCL_TUNED) {
            spec->algo = phase->kernel.algo;
            spec->proto = phase->kernel.proto;
            spec->pxn = phase->kernel.pxn;
            spec->channels = phase->kernel.channels;
            if (phase->kernel.is_flat)
                asim_nccl_make_flat(spec);
        }
    }
    return rank->failed ? ASIM_EINVAL : 0;
}

int asim_nccl_graph_time(struct asim_rank *rank, struct asim_phase *phase)
{
    static const struct asim_coll_choice any = {0};
    struct asim_ring_of ring = phase->ring; /* the phase keeps its order */
    struct asim_nccl_spec spec = {.coll_type = phase->kind,
                                  .algo = ASIM_NCCL_DIRECT,
                                  .bytes = phase->bytes,
                                  .ranks = phase->ring.n};

    if (asim_nccl_servers_find(rank, &any, &ring, &spec)) {
        asim_rank_fail_nomem(rank, "finding the servers of a communicator");
        return ASIM_EINVAL;
    }
    if (!asim_nccl_choice(rank->world, &phase->ring, &spec, &phase->kernel,
                          &rank->shard->scratch_err))
        return 0;
    asim_rank_record_failure(rank);
    return ASIM_EINVAL;
}

/* --- from flows to op graphs --------------------------------------------------------------------
 */

/* An NVSwitch has no op graph (nvswitch.c). */
static int is_member(const struct asim_nccl *nccl, uint32_t position)
{
    return position < nccl->spec.ranks;
}

/* 1: in one server, and each member does the same with NVSwitches or with the next member. */
static int are_alike(const struct asim_op_graph *members, const struct asim_nccl *nccl)
{
    const struct asim_nccl_spec *spec = &nccl->spec;

    for (uint32_t p = 1; p < spec->ranks; p++) /* a chain has a first and a last member */
        if (members[p].n != members[0].n)
            return 0;
    return nccl->local == spec->ranks &&
           (spec->algo == ASIM_NCCL_NVLS || (spec->algo == ASIM_NCCL_RING && !spec->mesh));
}

/* Counts the sends and receives of all members and allocates their nodes. */
static int make_room(struct asim_op_graph *members, const struct asim_nccl *nccl)
{
    struct asim_nccl_layout at = asim_nccl_layout(nccl);
    int uses_nvswitch = 0, is_alike;

    for (size_t i = 0; i < nccl->flows.n; i++) {
        const struct asim_nccl_flow *flow = &nccl->flows.at[i];

        uses_nvswitch |= !is_member(nccl, flow->dst);
        if (is_member(nccl, flow->src))
            members[flow->src].n++;
        if (is_member(nccl, flow->dst))
            members[flow->dst].n++;
    }
    is_alike = are_alike(members, nccl);
    for (uint32_t p = 0; p < nccl->spec.ranks; p++) {
        members[p].member = p;
        members[p].first = asim_nccl_first(at, asim_nccl_server(at, p));
        members[p].local = uses_nvswitch ? asim_nccl_size(at, asim_nccl_server(at, p)) : 0;
        members[p].pieces = is_alike ? members[p].n / 2 : 0;
        members[p].nodes = calloc((size_t)members[p].n + 1, sizeof *members[p].nodes);
        if (!members[p].nodes)
            return ASIM_ENOMEM;
        members[p].n = 0;
    }
    return 0;
}

/* Nodes have ids in the order of the flows, so free nodes start in this order: channel 0 first. */
static uint32_t add_node(struct asim_op_graph *graph, enum asim_op_type type, uint32_t peer,
                         uint32_t tag, uint32_t channel)
{
    struct asim_op_graph_node *node = &graph->nodes[graph->n];

    *node = (struct asim_op_graph_node){
        .id = graph->n, .type = type, .peer = peer, .tag = tag, .channel = (uint16_t)channel};
    if (graph->channels <= channel)
        graph->channels = channel + 1;
    return graph->n++;
}

/* Chunks of a channel: channel and chunk together make a tag, one per pair and flow. */
static uint32_t count_chunks(const struct asim_nccl *nccl)
{
    uint32_t chunks = 0;

    for (size_t i = 0; i < nccl->flows.n; i++)
        chunks = nccl->flows.at[i].chunk + 1 > chunks ? nccl->flows.at[i].chunk + 1 : chunks;
    return chunks;
}

/* The tag of a flow to or from an NVSwitch (nvswitch.h). The head's message has its own role. The
 * slot tells pieces of one collective apart: quarters of NVLS, channels and chunks of a tree. */
static uint32_t word_of(const struct asim_nccl *nccl, const struct asim_nccl_flow *flow)
{
    struct asim_nccl_layout at = asim_nccl_layout(nccl);
    uint32_t gpu = is_member(nccl, flow->src) ? flow->src : flow->dst;
    uint32_t server = asim_nccl_server(at, gpu);
    int is_head = gpu - asim_nccl_first(at, server) == flow->channel % nccl->channels;

    if (nccl->spec.algo == ASIM_NCCL_NVLS)
        return asim_nvswitch_word(ASIM_NVSWITCH_ALL, nccl->local, flow->chunk);
    return asim_nvswitch_word(flow->chunk % 2 ? ASIM_NVSWITCH_DOWN
                              : is_head       ? ASIM_NVSWITCH_HEAD
                                              : ASIM_NVSWITCH_PART,
                              asim_nccl_size(at, server),
                              flow->channel * nccl->chunks + flow->chunk / 2);
}

/* ends[2 i], ends[2 i + 1]: the send node and the receive node of flow i. Every parent of a flow
 * has a node at the flow's source, in the same op graph. */
static int add_links(struct asim_op_graph *from, const struct asim_nccl *nccl, size_t i,
                     const uint32_t *ends)
{
    const struct asim_nccl_flow *flow = &nccl->flows.at[i];

    for (uint32_t k = 0; k < flow->parents; k++) {
        uint32_t parent = nccl->parents.at[flow->first_parent + k];
        int came = nccl->flows.at[parent].dst == flow->src;
        struct asim_op_graph_link link = {ends[2 * (size_t)parent + came], ends[2 * i]};

        if (ASIM_VEC_PUSH(from->links, link))
            return ASIM_ENOMEM;
    }
    return 0;
}

static int add_flows(struct asim_op_graph *members, const struct asim_nccl *nccl, uint32_t *ends)
{
    uint32_t chunks = count_chunks(nccl);

    for (size_t i = 0; i < nccl->flows.n; i++) {
        const struct asim_nccl_flow *flow = &nccl->flows.at[i];
        int from_gpu = is_member(nccl, flow->src), to_gpu = is_member(nccl, flow->dst);
        uint32_t tag = from_gpu && to_gpu
                           ? (flow->channel * chunks + flow->chunk) & ASIM_OP_GRAPH_TAG_MAX
                           : word_of(nccl, flow);

        if (from_gpu)
            ends[2 * i] =
                add_node(&members[flow->src], ASIM_OP_COMM_SEND, flow->dst, tag, flow->channel);
        if (to_gpu)
            ends[2 * i + 1] =
                add_node(&members[flow->dst], ASIM_OP_COMM_RECV, flow->src, tag, flow->channel);
        if (from_gpu && add_links(&members[flow->src], nccl, i, ends))
            return ASIM_ENOMEM;
    }
    for (uint32_t p = 0; p < nccl->spec.ranks; p++)
        asim_op_graph_index(&members[p]);
    return 0;
}

/* Tags of 20 bits wrap above a million pieces a member; pieces with one tag travel in order. */
static int fill(struct asim_nccl_graph *compiled, const struct asim_nccl *nccl)
{
    uint32_t *ends = malloc(2 * (nccl->flows.n + 1) * sizeof *ends);
    int rc = ASIM_ENOMEM;

    compiled->members = calloc(nccl->spec.ranks, sizeof *compiled->members);
    if (ends && compiled->members && !make_room(compiled->members, nccl))
        rc = add_flows(compiled->members, nccl, ends);
    free(ends);
    return rc;
}

/* --- the world's compiled graphs ----------------------------------------------------------------
 */

/* Bytes and protocol change the size of the flows, and the flows of trees only by the chunks. */
static int is_same(const struct asim_nccl_graph *made, const struct asim_nccl *chosen)
{
    const struct asim_nccl_spec *a = &made->shape, *b = &chosen->spec;

    return made->chunks == chosen->chunks && a->coll_type == b->coll_type && a->algo == b->algo &&
           a->pxn == b->pxn && a->ranks == b->ranks && a->gpus_per_server == b->gpus_per_server &&
           a->channels == b->channels && a->root == b->root && a->by_ranks == b->by_ranks &&
           a->mesh == b->mesh && a->servers == b->servers &&
           (!a->first || !memcmp(a->first, b->first, a->servers * sizeof *a->first));
}

/* For rings and direct exchanges, the only algorithms that outgrow memory at sizes of interest. */
static int use_credit_plan(struct asim_world *world, struct asim_nccl_graph *compiled,
                           const struct asim_nccl *nccl, struct asim_err *err)
{
    int pairs = nccl->spec.algo == ASIM_NCCL_DIRECT;
    const char *word = pairs ? "direct" : nccl->spec.pxn ? "ncclPxn" : "ncclRing";

    if (pairs)
        asim_world_diagnose(world,
                            "ncclDirect over %u members has too many flows to track; asim uses "
                            "direct, which charges no endpoint-delay per pair",
                            nccl->spec.ranks);
    else
        asim_world_diagnose(
            world,
            "NCCL rings of %u members have too many flows to track; asim lets pieces change "
            "channels, which makes such a collective up to 20 %% quicker",
            nccl->spec.ranks);
    if (asim_coll_choose(&compiled->credits, word, err))
        return ASIM_EINVAL;
    if (pairs)
        return 0;
    compiled->credits.window = nccl->local;
    compiled->credits.channels = nccl->channels;
    compiled->credits.servers = nccl->spec.servers;
    compiled->credits.first = nccl->spec.first;
    return 0;
}

/* Frees the list of flows after the members have their nodes. */
static int make(struct asim_world *world, struct asim_nccl_graph *compiled,
                const struct asim_nccl *chosen, struct asim_err *err)
{
    struct asim_nccl nccl = {0};
    int rc;

    if ((chosen->spec.algo == ASIM_NCCL_RING || chosen->spec.algo == ASIM_NCCL_DIRECT) &&
        asim_nccl_ring_flows(chosen) > ROOM)
        return use_credit_plan(world, compiled, chosen, err);
    rc = asim_nccl_make(&nccl, &chosen->spec, err);
    if (!rc && fill(compiled, &nccl))
        rc = asim_err_nomem(err, "laying out a collective as flows");
    asim_nccl_fini(&nccl);
    return rc;
}

static void free_compiled(struct asim_nccl_graph *compiled)
{
    for (uint32_t p = 0; compiled->members && p < compiled->shape.ranks; p++) {
        ASIM_FREE(compiled->members[p].nodes, compiled->members[p].links.at);
    }
    ASIM_FREE(compiled->members, compiled);
}

/* Finds the graph of a shape, or makes it and keeps it for the run. Linear in shapes, of which a
 * run has a handful. The caller holds the world's lock. A graph that cannot be made is not kept, so
 * every caller gets the same error. */
static struct asim_nccl_graph *find(struct asim_world *world, const struct asim_nccl *chosen,
                                    struct asim_err *err)
{
    struct asim_nccl_graph *compiled = world->made.nccl_graphs;

    while (compiled && !is_same(compiled, chosen))
        compiled = compiled->next;
    if (compiled)
        return compiled;
    compiled = calloc(1, sizeof *compiled);
    if (!compiled) {
        asim_err_nomem(err, "laying out a collective as flows");
        return NULL;
    }
    compiled->shape = chosen->spec;
    compiled->chunks = chosen->chunks;
    if (make(world, compiled, chosen, err)) {
        free_compiled(compiled);
        return NULL;
    }
    compiled->next = world->made.nccl_graphs;
    world->made.nccl_graphs = compiled;
    return compiled;
}

/* An empty piece counts as one byte, or its receiver would not wait for it. */
int asim_nccl_graph_compile(struct asim_rank *rank, const struct asim_coll_choice *word,
                            struct asim_phase *phase)
{
    struct asim_world *world = rank->world;
    struct asim_nccl_spec spec = {0};
    struct asim_nccl chosen;
    struct asim_nccl_graph *compiled;
    uint64_t piece;

    if (describe(rank, word, phase, &spec))
        return ASIM_EINVAL;
    if (asim_nccl_choose(&chosen, &spec, &rank->shard->scratch_err)) {
        asim_rank_record_failure(rank);
        return ASIM_EINVAL;
    }
    piece = asim_nccl_piece(&chosen);
    phase->flow_bytes = asim_nccl_wire(chosen.spec.proto, piece ? piece : 1);
    phase->is_ring =
        chosen.spec.algo == ASIM_NCCL_RING && chosen.local == 1 && chosen.spec.ranks >= BY_NETWORK;
    if (phase->is_ring && asim_uniform_phase_has_relays(rank)) {
        phase->choice = &world->set.ring;
        phase->step = 1;
        return 0;
    }
    pthread_mutex_lock(&world->made.lock);
    compiled = find(world, &chosen, &rank->shard->scratch_err);
    pthread_mutex_unlock(&world->made.lock);
    if (!compiled) {
        asim_rank_record_failure(rank);
        return ASIM_EINVAL;
    }
    if (!compiled->members) {
        phase->choice = &compiled->credits;
        phase->flow_bytes = 0;
        return 0;
    }
    phase->graph = &compiled->members[phase->ring.index];
    return phase->graph->local ? asim_nvswitch_check(rank, &phase->ring, phase->graph) : 0;
}

/* Call it at the world's end, when no chunk points into a graph any more. */
void asim_nccl_graph_fini(struct asim_world *world)
{
    while (world->made.nccl_graphs) {
        struct asim_nccl_graph *compiled = world->made.nccl_graphs;

        world->made.nccl_graphs = compiled->next;
        free_compiled(compiled);
    }
    asim_nccl_servers_fini(world);
}
