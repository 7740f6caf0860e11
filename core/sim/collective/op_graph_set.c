/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Checks the traces of all members of a custom algorithm together. Each rank runs the trace of
 * its own member only, so nothing else notices bytes that nobody receives, or an algorithm made
 * for more members. Reads the traces one after the other and keeps 24 bytes for each pair of
 * members and tag.
 *
 * The sizes are the algorithm's and not the workload's (system-layer.md#custom-algorithms), so one
 * algorithm gives one time for every comm_size. The sum of its messages tells whether it was made
 * for the size: an all-reduce of S bytes among n members sends at least 2 (n - 1) S bytes.
 */
#include "sim/collective/op_graph_set.h"
#include "sim/rank/rank_shard.h"
#include "sim/world.h"

#include <stdlib.h>
#include <string.h>

struct reading {
    struct asim_op_graph_set *set;
    struct asim_map sent, received; /* (source << 32 | destination, tag) -> bytes */
    uint64_t nodes;
    uint32_t member;
};

/* The peer's and the own number must be those of members. */
static int check_ends(const struct reading *r, const struct asim_trace *trace,
                      const struct asim_op *op, struct asim_err *err)
{
    int is_send = op->type == ASIM_OP_COMM_SEND;
    uint32_t peer = is_send ? op->comm_dst : op->comm_src;
    uint32_t own = is_send ? op->comm_src : op->comm_dst;
    unsigned long long id = op->id;

    if (peer >= r->set->members || peer == r->member)
        return asim_err_set(err, ASIM_EINVAL,
                            "collective algorithm %s: node %llu exchanges with member %u; it must "
                            "be another one, of 0 to %u",
                            trace->path, id, peer, r->set->members - 1);
    if (op->has & (is_send ? ASIM_HAS_COMM_SRC : ASIM_HAS_COMM_DST) && own != r->member)
        return asim_err_set(err, ASIM_EINVAL,
                            "collective algorithm %s: node %llu has comm_%s %u; it must be %u, the "
                            "member whose trace it is in",
                            trace->path, id, is_send ? "src" : "dst", own, r->member);
    return 0;
}

/* A message without bytes counts as one byte, as where messages are matched. */
static int add(struct reading *r, const struct asim_trace *trace, const struct asim_op *op,
               struct asim_err *err)
{
    int is_send = op->type == ASIM_OP_COMM_SEND;
    uint64_t ranks, *bytes;

    r->nodes++;
    if ((!is_send && op->type != ASIM_OP_COMM_RECV) || !(op->has & ASIM_HAS_COMM_SIZE))
        return 0;
    if (check_ends(r, trace, op, err))
        return ASIM_EINVAL;
    ranks = is_send ? (uint64_t)r->member << 32 | op->comm_dst
                    : (uint64_t)op->comm_src << 32 | r->member;
    bytes = asim_map_put(is_send ? &r->sent : &r->received, ranks, op->comm_tag);
    if (!bytes)
        return asim_err_nomem(err, "checking a collective algorithm");
    *bytes += op->comm_bytes ? op->comm_bytes : 1;
    r->set->bytes += is_send ? op->comm_bytes : 0;
    return 0;
}

static int read_member(struct reading *r, struct asim_err *err)
{
    struct asim_trace trace = {0};
    struct asim_op op;
    int rc = asim_trace_open(&trace, r->set->prefix, r->member, err);

    while (!rc && (rc = asim_trace_next(&trace, &op, err)) > 0)
        rc = add(r, &trace, &op, err);
    asim_trace_close(&trace);
    return rc;
}

/* The lowest key of `at` with other bytes than in `other`; NULL if there is none. */
static const struct asim_map_slot *find_difference(const struct asim_map *at,
                                                   const struct asim_map *other)
{
    const struct asim_map_slot *lowest = NULL;

    for (size_t i = 0; i < at->cap; i++) {
        const struct asim_map_slot *slot = &at->slots[i];
        const uint64_t *there = at->used[i] ? asim_map_get(other, slot->hi, slot->lo) : NULL;

        if (!at->used[i] || (there && *there == slot->value))
            continue;
        if (!lowest || slot->hi < lowest->hi || (slot->hi == lowest->hi && slot->lo < lowest->lo))
            lowest = slot;
    }
    return lowest;
}

/* What is sent and not received would stay in the network's inboxes, without effect on a time. */
static int check_pairs(const struct reading *r, struct asim_err *err)
{
    const struct asim_map_slot *slot = find_difference(&r->sent, &r->received);
    const uint64_t *sent, *received;

    if (!r->nodes)
        return asim_err_set(err, ASIM_EINVAL,
                            "collective algorithm %s: the traces of all %u members have no nodes",
                            r->set->prefix, r->set->members);
    if (!slot)
        slot = find_difference(&r->received, &r->sent);
    if (!slot)
        return 0;
    sent = asim_map_get(&r->sent, slot->hi, slot->lo);
    received = asim_map_get(&r->received, slot->hi, slot->lo);
    return asim_err_set(err, ASIM_EINVAL,
                        "collective algorithm %s: from member %u to member %u with tag %llu, %llu "
                        "bytes are sent and %llu are received",
                        r->set->prefix, (uint32_t)(slot->hi >> 32), (uint32_t)slot->hi,
                        (unsigned long long)slot->lo, (unsigned long long)(sent ? *sent : 0),
                        (unsigned long long)(received ? *received : 0));
}

static int read_set(struct asim_op_graph_set *set, struct asim_err *err)
{
    struct reading r = {.set = set};
    char *path;
    int rc = 0;

    asim_map_init(&r.sent);
    asim_map_init(&r.received);
    for (; r.member < set->members && !rc; r.member++)
        rc = read_member(&r, err);
    if (!rc)
        rc = check_pairs(&r, err);
    asim_map_fini(&r.sent);
    asim_map_fini(&r.received);
    if (!rc && !asim_trace_path(set->prefix, set->members, &path, NULL)) {
        set->has_more = 1;
        free(path);
    }
    return rc;
}

/* The least and the greatest number of bytes that a collective of n members can make use of; a
 * gather's size may be one rank's or all ranks'. 0: any number. */
static void range_of(int kind, double n, double bytes, double *least, double *most)
{
    *least = *most = 0;
    switch (kind) {
    case ASIM_ALL_REDUCE:
        *least = 2 * (n - 1) * bytes;
        *most = 2 * n * (n - 1) * bytes;
        return;
    case ASIM_ALL_GATHER:
    case ASIM_REDUCE_SCATTER:
    case ASIM_ALL_TO_ALL:
    case ASIM_BROADCAST:
    case ASIM_REDUCE:
        *least = (n - 1) * bytes;
        *most = 2 * n * (n - 1) * bytes;
        return;
    default:
        return;
    }
}

/* Remainders of divisions may be missing: a 64th. */
static void compare(struct asim_op_graph_set *set, const struct asim_op *op)
{
    double least, most, bytes = (double)set->bytes;
    int kind =
        op->comm_type == ASIM_REDUCE_SCATTER_BLOCK ? ASIM_REDUCE_SCATTER : (int)op->comm_type;

    set->has_dims |= op->has & ASIM_HAS_INVOLVED_DIM && op->involved != (1u << op->involved_n) - 1;
    range_of(kind, set->members, (double)op->comm_bytes, &least, &most);
    if (!most || (bytes >= least - least / 64 && bytes <= most + most / 64) ||
        (set->is_odd && set->op <= op->id))
        return;
    set->is_odd = 1;
    set->kind = kind;
    set->op = op->id;
    set->wanted = op->comm_bytes;
}

/* The place of the set in the list, where it is or belongs. */
static struct asim_op_graph_set **place_of(struct asim_world *world, const char *prefix,
                                           uint32_t members)
{
    struct asim_op_graph_set **at = &world->made.op_graph_sets;

    while (*at && (strcmp((*at)->prefix, prefix) < 0 ||
                   (!strcmp((*at)->prefix, prefix) && (*at)->members < members)))
        at = &(*at)->next;
    return at;
}

static struct asim_op_graph_set *find_or_read(struct asim_world *world, const char *prefix,
                                              uint32_t members, struct asim_err *err)
{
    struct asim_op_graph_set **at = place_of(world, prefix, members), *set = *at;

    if (set && !strcmp(set->prefix, prefix) && set->members == members)
        return set;
    set = calloc(1, sizeof *set);
    if (!set) {
        asim_err_nomem(err, "checking a collective algorithm");
        return NULL;
    }
    set->prefix = prefix;
    set->members = members;
    if (read_set(set, err)) {
        free(set);
        return NULL;
    }
    set->next = *at;
    *at = set;
    return set;
}

int asim_op_graph_set_check(struct asim_rank *rank, const char *prefix, uint32_t members,
                            const struct asim_op *op)
{
    struct asim_world *world = rank->world;
    struct asim_op_graph_set *set;

    pthread_mutex_lock(&world->made.lock);
    set = find_or_read(world, prefix, members, &rank->shard->scratch_err);
    if (set)
        compare(set, op);
    pthread_mutex_unlock(&world->made.lock);
    if (set)
        return 0;
    asim_rank_record_failure(rank);
    return ASIM_EINVAL;
}

static void diagnose_bytes(struct asim_world *world, const struct asim_op_graph_set *set)
{
    double least, most;
    int is_short;

    range_of(set->kind, set->members, (double)set->wanted, &least, &most);
    is_short = (double)set->bytes < least;
    asim_world_diagnose(world,
                        "the collective algorithm %s sends %llu bytes among its %u members, "
                        "whatever comm_size is; the %s of %llu bytes of op %llu needs at %s %.0f",
                        set->prefix, (unsigned long long)set->bytes, set->members,
                        asim_coll_type_name(set->kind), (unsigned long long)set->wanted,
                        (unsigned long long)set->op, is_short ? "least" : "most",
                        is_short ? least : most);
}

/* The list is sorted, so notes do not depend on threads. */
void asim_op_graph_set_diagnose(struct asim_world *world)
{
    const struct asim_op_graph_set *set = world->made.op_graph_sets;

    for (; set; set = set->next) {
        if (set->has_more)
            asim_world_diagnose(world,
                                "the collective algorithm %s has traces of more members than the "
                                "%u of the collective; those from member %u on are not used",
                                set->prefix, set->members, set->members);
        if (set->has_dims)
            asim_world_diagnose(world,
                                "the collective algorithm %s runs among all %u members, whatever "
                                "involved_dim is",
                                set->prefix, set->members);
        if (set->is_odd)
            diagnose_bytes(world, set);
    }
}

void asim_op_graph_set_fini(struct asim_world *world)
{
    while (world->made.op_graph_sets) {
        struct asim_op_graph_set *set = world->made.op_graph_sets;

        world->made.op_graph_sets = set->next;
        free(set);
    }
}
