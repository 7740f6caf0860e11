/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Do the ranks wait for each other in a circle? Everything that can start starts at once: a node
 * ends when its parents have ended, a receive also needs the bytes of its sends, a collective also
 * the other members. Slots and times are left out, so a set that gets stuck here gets stuck in
 * every simulation; the opposite does not hold.
 *
 * Which collective of a group meets which depends on the order in which a rank starts them. The set
 * is followed by the order in which they become ready here, and by ascending ids; only a set that
 * gets stuck both ways is reported. Broadcasts and groups of one wait for nobody here, nor do
 * collectives without a group in a set where one is over some dimensions only.
 *
 * Memory: about 16 bytes a node, 4 a dependency and 64 a communication, of all ranks at once.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"
#include "check/check.h"

enum { NODES_MAX = 1 << 25, SHOWN = 3, BROADCAST = 5 };
#define NONE UINT32_MAX

struct comm {
    uint64_t id, bytes, key[2]; /* key: the place where it meets others */
    uint32_t rank, node, type;
    uint32_t group, position; /* of a collective; position: among those of its group, by id */
    uint32_t next;            /* the next that waits at the place */
    int waits;
};

/* Where messages of a pair and tag, or the members of a collective, meet. */
struct place {
    uint64_t bytes; /* sent and not received */
    uint32_t first, last, joined;
};

struct rank_nodes {
    uint32_t n;
    uint32_t *parents; /* number of each node; counted down in `left` */
    uint32_t *left;
    ASIM_VEC(uint32_t) comm;    /* index in comms, or NONE */
    uint32_t *first, *children; /* children of node i: [first[i], first[i + 1]) */
};

struct waits {
    struct asim_check *check;
    struct rank_nodes *ranks;
    ASIM_VEC(struct comm) comms;
    ASIM_VEC(struct place) places;
    ASIM_VEC(uint64_t) ready; /* rank << 32 | node, in the order in which they became ready */
    struct asim_map place_of; /* key -> 1 + index in places */
    struct asim_map joined;   /* (group, rank) -> collectives joined, by order of readiness */
    uint64_t nodes, ended;
    int by_id;
};

struct edge {
    uint32_t child;
    uint64_t parent; /* an id */
};
typedef ASIM_VEC(struct edge) edge_list;

/* --- reading --- */

static int meets_others(const struct asim_check *check, const struct asim_op *op, uint32_t group)
{
    const struct asim_check_group *of = &check->groups.at[group];
    uint32_t members = *of->name ? of->members.n : check->some_dims ? 1 : check->ranks;
    return op->comm_type != BROADCAST && members > 1;
}

/* Adds the communication of a node; other nodes have none. */
static int add_comm(struct waits *w, uint32_t rank, uint32_t node, const struct asim_op *op)
{
    struct comm comm = {.id = op->id, .rank = rank, .node = node, .type = op->type, .next = NONE};
    if (ASIM_VEC_PUSH(w->ranks[rank].comm, NONE))
        return ASIM_ENOMEM;
    comm.bytes = op->comm_bytes ? op->comm_bytes : 1;
    comm.key[1] = op->comm_tag;
    if (op->type == ASIM_OP_COMM_SEND) {
        comm.key[0] = (uint64_t)rank << 32 | op->comm_dst;
    } else if (op->type == ASIM_OP_COMM_RECV) {
        comm.key[0] = (uint64_t)op->comm_src << 32 | rank;
    } else if (op->type == ASIM_OP_COMM_COLL) {
        const char *name = op->pg_name && strcmp(op->pg_name, "0") ? op->pg_name : ASIM_CHECK_ALL;
        int64_t group = asim_check_group(w->check, name, rank);
        if (group < 0)
            return ASIM_ENOMEM;
        if (!meets_others(w->check, op, (uint32_t)group))
            return 0;
        comm.group = (uint32_t)group;
    } else {
        return 0;
    }
    w->ranks[rank].comm.at[node] = (uint32_t)w->comms.n;
    return ASIM_VEC_PUSH(w->comms, comm);
}

ASIM_ORDER(by_group_and_id, const struct comm *, [0] -> group, [0] -> id)

/* Numbers the rank's collectives, which are the communications from `from` on. */
static int number_collectives(struct waits *w, size_t from)
{
    struct comm **sorted = malloc((w->comms.n - from + 1) * sizeof *sorted);
    size_t n = 0;
    if (!sorted)
        return ASIM_ENOMEM;
    for (size_t i = from; i < w->comms.n; i++)
        if (w->comms.at[i].type == ASIM_OP_COMM_COLL)
            sorted[n++] = &w->comms.at[i];
    qsort(sorted, n, sizeof *sorted, by_group_and_id);
    for (size_t i = 1; i < n; i++)
        if (sorted[i]->group == sorted[i - 1]->group)
            sorted[i]->position = sorted[i - 1]->position + 1;
    free(sorted);
    return 0;
}

/* Lays out the lists of children. Parents that do not exist are dropped, as a simulation does. */
static int link_nodes(struct rank_nodes *at, const struct asim_map *index, edge_list *edges)
{
    size_t kept = 0;
    at->parents = calloc((size_t)at->n + 1, sizeof *at->parents);
    at->left = malloc(((size_t)at->n + 1) * sizeof *at->left);
    at->first = calloc((size_t)at->n + 2, sizeof *at->first);
    at->children = malloc((edges->n + 1) * sizeof *at->children);
    if (!at->parents || !at->left || !at->first || !at->children)
        return ASIM_ENOMEM;
    for (size_t i = 0; i < edges->n; i++) {
        const uint64_t *parent = asim_map_get(index, 0, edges->at[i].parent);
        if (!parent)
            continue;
        edges->at[kept++] = (struct edge){edges->at[i].child, *parent};
        at->parents[edges->at[i].child]++;
        at->first[*parent + 2]++;
    }
    for (uint32_t i = 0; i < at->n; i++)
        at->first[i + 1] += at->first[i];
    for (size_t i = 0; i < kept; i++)
        at->children[at->first[edges->at[i].parent + 1]++] = edges->at[i].child;
    return 0;
}

static int add_node(struct waits *w, uint32_t rank, const struct asim_op *op,
                    struct asim_map *index, edge_list *edges)
{
    struct rank_nodes *at = &w->ranks[rank];
    uint64_t *slot = asim_map_put(index, 0, op->id);
    if (!slot || add_comm(w, rank, at->n, op))
        return ASIM_ENOMEM;
    *slot = at->n;
    for (size_t i = 0; i < op->data_dep_n + op->ctrl_dep_n; i++) {
        uint64_t parent = i < op->data_dep_n ? op->data_deps[i] : op->ctrl_deps[i - op->data_dep_n];
        if (ASIM_VEC_PUSH(*edges, ((struct edge){at->n, parent})))
            return ASIM_ENOMEM;
    }
    at->n++;
    w->nodes++;
    return 0;
}

/* asim_check_graph has reported a trace that cannot be read; then only short memory is an error. */
static int read_nodes(struct waits *w, uint32_t rank, struct asim_map *index, edge_list *edges)
{
    struct asim_trace trace = {0};
    struct asim_op op;
    struct asim_err own = {0};
    int rc = 0;
    if (!asim_trace_open(&trace, w->check->prefix, rank, &own))
        while (!rc && w->nodes < w->check->total.ops && asim_trace_next(&trace, &op, &own) > 0)
            rc = add_node(w, rank, &op, index, edges);
    asim_trace_close(&trace);
    return rc || own.code == ASIM_ENOMEM ? ASIM_ENOMEM : 0;
}

static int read_rank(struct waits *w, uint32_t rank)
{
    struct asim_map index;
    size_t from = w->comms.n;
    edge_list edges = {0};
    int rc;
    asim_map_init(&index);
    rc = read_nodes(w, rank, &index, &edges);
    if (!rc)
        rc = number_collectives(w, from);
    if (!rc)
        rc = link_nodes(&w->ranks[rank], &index, &edges);
    asim_map_fini(&index);
    free(edges.at);
    return rc;
}

/* --- following --- */

static void make_ready(struct waits *w, uint32_t rank, uint32_t node)
{
    w->ready.at[w->ready.n++] = (uint64_t)rank << 32 | node; /* each node once: there is room */
}

static void end_node(struct waits *w, uint32_t rank, uint32_t node)
{
    const struct rank_nodes *at = &w->ranks[rank];
    w->ended++;
    for (uint32_t i = at->first[node]; i < at->first[node + 1]; i++)
        if (--at->left[at->children[i]] == 0)
            make_ready(w, rank, at->children[i]);
}

/* NULL if memory is short. */
static struct place *find_place(struct waits *w, uint64_t high, uint64_t low)
{
    uint64_t *slot = asim_map_put(&w->place_of, high, low);
    if (!slot)
        return NULL;
    if (!*slot) {
        if (ASIM_VEC_PUSH(w->places, ((struct place){.first = NONE, .last = NONE})))
            return NULL;
        *slot = w->places.n;
    }
    return &w->places.at[*slot - 1];
}

static void wait_at(struct waits *w, struct place *place, uint32_t comm)
{
    w->comms.at[comm].waits = 1;
    w->comms.at[comm].next = NONE;
    *(place->first == NONE ? &place->first : &w->comms.at[place->last].next) = comm;
    place->last = comm;
}

static void release_first(struct waits *w, struct place *place)
{
    struct comm *comm = &w->comms.at[place->first];
    place->first = comm->next;
    comm->waits = 0;
    end_node(w, comm->rank, comm->node);
}

static int start_message(struct waits *w, uint32_t index)
{
    struct comm *comm = &w->comms.at[index];
    struct place *place = find_place(w, comm->key[0], comm->key[1]);
    if (!place)
        return ASIM_ENOMEM;
    if (comm->type == ASIM_OP_COMM_SEND) {
        place->bytes += comm->bytes;
        end_node(w, comm->rank, comm->node);
    } else {
        wait_at(w, place, index);
    }
    while (place->first != NONE && place->bytes >= w->comms.at[place->first].bytes) {
        place->bytes -= w->comms.at[place->first].bytes;
        release_first(w, place);
    }
    return 0;
}

static int start_collective(struct waits *w, uint32_t index)
{
    struct comm *comm = &w->comms.at[index];
    const struct asim_check_group *group = &w->check->groups.at[comm->group];
    uint32_t members = *group->name ? group->members.n : w->check->ranks;
    uint64_t position = comm->position, *joined;
    struct place *place;
    if (!w->by_id) {
        joined = asim_map_put(&w->joined, comm->group, comm->rank);
        if (!joined)
            return ASIM_ENOMEM;
        position = (*joined)++;
    }
    place = find_place(w, UINT64_C(1) << 63 | comm->group, position);
    if (!place)
        return ASIM_ENOMEM;
    wait_at(w, place, index);
    if (++place->joined == members)
        while (place->first != NONE)
            release_first(w, place);
    return 0;
}

static int start(struct waits *w, uint32_t rank, uint32_t node)
{
    uint32_t comm = w->ranks[rank].comm.at[node];
    if (comm == NONE) {
        end_node(w, rank, node);
        return 0;
    }
    return w->comms.at[comm].type == ASIM_OP_COMM_COLL ? start_collective(w, comm)
                                                       : start_message(w, comm);
}

static int follow(struct waits *w)
{
    int rc = 0;
    w->ready.n = w->places.n = 0;
    w->ended = 0;
    for (size_t i = 0; i < w->comms.n; i++)
        w->comms.at[i].waits = 0;
    for (uint32_t r = 0; r < w->check->ranks; r++) {
        const struct rank_nodes *at = &w->ranks[r];
        for (uint32_t i = 0; i < at->n; i++)
            if (!(at->left[i] = at->parents[i]))
                make_ready(w, r, i);
    }
    asim_map_init(&w->place_of);
    asim_map_init(&w->joined);
    for (size_t i = 0; i < w->ready.n && !rc; i++)
        rc = start(w, (uint32_t)(w->ready.at[i] >> 32), (uint32_t)w->ready.at[i]);
    asim_map_fini(&w->place_of);
    asim_map_fini(&w->joined);
    return rc;
}

/* --- telling --- */

static const char *show(const struct waits *w, const struct comm *comm, char room[160])
{
    const char *group = w->check->groups.n ? w->check->groups.at[comm->group].name : "";
    if (comm->type == ASIM_OP_COMM_RECV)
        snprintf(room, 160, "for a message of rank %" PRIu64 " with tag %" PRIu64,
                 comm->key[0] >> 32, comm->key[1]);
    else if (*group)
        snprintf(room, 160, "for the other members of group %.60s", group);
    else
        snprintf(room, 160, "for all ranks");
    return room;
}

/* The first wait of the first few ranks. Communications are in the order of ranks. */
static void say_stuck(struct waits *w)
{
    char text[1024] = "", what[160];
    size_t used = 0;
    uint32_t ranks = 0, last = NONE;
    for (size_t i = 0; i < w->comms.n; i++) {
        const struct comm *comm = &w->comms.at[i];
        if (!comm->waits || comm->rank == last)
            continue;
        last = comm->rank;
        if (ranks++ < SHOWN)
            used += (size_t)snprintf(text + used, sizeof text - used,
                                     "%srank %" PRIu32 " at node %" PRIu64 " %s", used ? ", " : "",
                                     comm->rank, comm->id, show(w, comm, what));
    }
    if (ranks > SHOWN)
        snprintf(text + used, sizeof text - used, " and %" PRIu32 " more rank%s", ranks - SHOWN,
                 asim_text_s(ranks - SHOWN));
    asim_check_say(w->check, 1, "the ranks wait for each other, and none can go on: %s.", text);
}

static void fini(struct waits *w)
{
    for (uint32_t r = 0; w->ranks && r < w->check->ranks; r++) {
        ASIM_FREE(w->ranks[r].parents, w->ranks[r].left, w->ranks[r].comm.at, w->ranks[r].first,
                  w->ranks[r].children);
    }
    ASIM_FREE(w->ranks, w->comms.at, w->places.at, w->ready.at);
}

int asim_check_waits(struct asim_check *check, struct asim_err *err)
{
    struct waits w = {.check = check};
    int rc = 0;
    check->unfollowed = check->total.ops > NODES_MAX;
    if (check->unfollowed)
        return 0;
    w.ranks = calloc((size_t)check->ranks + 1, sizeof *w.ranks);
    if (!w.ranks || ASIM_VEC_RESERVE(w.ready, check->total.ops + 1))
        rc = ASIM_ENOMEM;
    for (uint32_t r = 0; r < check->ranks && !rc; r++)
        rc = read_rank(&w, r);
    if (!rc)
        rc = follow(&w);
    if (!rc && w.ended < w.nodes) {
        w.by_id = 1;
        rc = follow(&w);
    }
    if (!rc && w.ended < w.nodes)
        say_stuck(&w);
    fini(&w);
    return rc ? asim_err_nomem(err, "checking who waits for whom") : 0;
}
