/* SPDX-License-Identifier: GPL-2.0-only
 *
 * All members of a group must issue the same collective: members that issue theirs in different
 * orders would take each other's messages. ASTRA-sim does not check this. All-to-alls and
 * all-to-all-vs use the same tags, so the check tells these apart, too.
 *
 * Sizes may differ by what the division into chunks and messages drops; a note says so. Larger
 * differences end as a stall, whose report names them.
 *
 * Members live in different shards and processes, so an observer of the join events makes the
 * check. Events come in a fixed order, so the error names the first member that differs from
 * earlier ones. Costs an event per collective and rank, and 64 bytes per collective under way.
 */
#include "sim/collective/consistency.h"
#include "base/diagnostics.h"
#include "sim/rank/event_bus.h"
#include "sim/rank/rank_shard.h"
#include "sim/world.h"

#include <stdio.h>
#include <stdlib.h>

/* A collective that some members have joined: what the first of them issued. */
struct meeting {
    uint64_t bytes;
    uint32_t rank, root, joined;
    uint32_t next_free; /* of a free meeting */
    uint8_t kind, sized;
    uint8_t is_unequal;
};

struct asim_consistency {
    struct asim_map by_coll; /* (first member, group; sequence) -> 1 + index in meetings */
    ASIM_VEC(struct meeting) meetings;
    uint32_t free; /* 1 + index, 0 = none */
    /* Collectives whose members have different sizes, and the first of them. */
    uint64_t unequal, other_bytes;
    struct meeting first;
    uint32_t other_rank;
};

/* The name in a trace. */
static const char *name_of(int kind, int sized)
{
    return sized ? "ALL_TO_ALL with comm_sizes" : asim_coll_type_name(kind);
}

static void refuse(struct asim_world *world, const struct asim_event *event,
                   const struct meeting *met)
{
    struct asim_err err = {0};
    uint64_t group = event->of.join.group;
    char own[64], other[64];

    snprintf(own, sizeof own, "%s", name_of(event->of.join.kind, event->of.join.sized));
    snprintf(other, sizeof other, "%s", name_of(met->kind, met->sized));
    if (event->of.join.kind == met->kind && event->of.join.sized == met->sized) {
        snprintf(own, sizeof own, "%s with root %u", name_of(met->kind, 0), event->of.join.root);
        snprintf(other, sizeof other, "%s with root %u", name_of(met->kind, 0), met->root);
    }
    asim_err_set(&err, ASIM_EINVAL,
                 "rank %u's collective %llu of %s%lld is %s, but another member's is %s; all "
                 "members must issue their collectives in the same order",
                 event->rank, (unsigned long long)event->of.join.sequence + 1,
                 group ? "group " : "all ranks, group ", group ? (long long)group - 1 : 0ll, own,
                 other);
    asim_world_record_failure(world, event, &err);
}

/* 1 + index of a new meeting; 0 = out of memory. */
static uint64_t make_meeting(struct asim_consistency *all, const struct asim_event *event)
{
    struct meeting made = {.bytes = event->of.join.bytes,
                           .rank = event->rank,
                           .root = event->of.join.root,
                           .kind = event->of.join.kind,
                           .sized = event->of.join.sized};
    uint64_t at = all->free;

    if (!at)
        return ASIM_VEC_PUSH(all->meetings, made) ? 0 : all->meetings.n;
    all->free = all->meetings.at[at - 1].next_free;
    all->meetings.at[at - 1] = made;
    return at;
}

/* Counts a collective once. */
static void compare_sizes(struct asim_consistency *all, struct meeting *met,
                          const struct asim_event *event)
{
    if (met->sized || met->is_unequal || met->bytes == event->of.join.bytes)
        return;
    met->is_unequal = 1;
    if (all->unequal++)
        return;
    all->first = *met;
    all->other_rank = event->rank;
    all->other_bytes = event->of.join.bytes;
}

/* The last member deletes the entry, so the map holds only collectives under way. */
static void on_event(void *self, const struct asim_world *seen, const struct asim_event *event)
{
    struct asim_world *world = self;
    struct asim_consistency *all = world->run.consistency;
    uint64_t who = (uint64_t)event->of.join.first << 32 | event->of.join.group;
    uint64_t sequence = event->of.join.sequence, *at = asim_map_put(&all->by_coll, who, sequence);
    struct asim_err err = {0};
    struct meeting *met;

    (void)seen;
    if (at && !*at)
        *at = make_meeting(all, event);
    if (!at || !*at) {
        asim_err_nomem(&err, "starting a collective");
        asim_world_record_failure(world, event, &err);
        return;
    }
    met = &all->meetings.at[*at - 1];
    if (met->kind != event->of.join.kind || met->sized != event->of.join.sized ||
        met->root != event->of.join.root) {
        refuse(world, event, met);
        return;
    }
    compare_sizes(all, met, event);
    if (++met->joined < event->of.join.members)
        return;
    met->next_free = all->free;
    all->free = (uint32_t)*at;
    asim_map_delete(&all->by_coll, who, sequence);
}

/* The first observer, so that no report sees an inconsistent collective. */
int asim_consistency_open(struct asim_world *world)
{
    world->run.consistency = calloc(1, sizeof *world->run.consistency);
    if (!world->run.consistency)
        return ASIM_ENOMEM;
    asim_map_init(&world->run.consistency->by_coll);
    return asim_event_bus_add(&world->run.event_bus,
                              &(struct asim_event_observer){.wants = 1u << ASIM_EV_COLL_JOIN,
                                                            .self = world,
                                                            .on_event = on_event});
}

void asim_consistency_diagnose(struct asim_world *world)
{
    const struct asim_consistency *all = world->run.consistency;

    if (all->unequal)
        asim_world_diagnose(world,
                            "the members of %llu collectives have different sizes; the first is "
                            "%s of %llu bytes for rank %u and of %llu bytes for rank %u",
                            (unsigned long long)all->unequal, name_of(all->first.kind, 0),
                            (unsigned long long)all->first.bytes, all->first.rank,
                            (unsigned long long)all->other_bytes, all->other_rank);
}

/* The map still holds collectives that some members never joined. */
void asim_consistency_fini(struct asim_world *world)
{
    struct asim_consistency *all = world->run.consistency;

    if (!all)
        return;
    asim_map_fini(&all->by_coll);
    ASIM_FREE(all->meetings.at, all);
    world->run.consistency = NULL;
}
