/* SPDX-License-Identifier: GPL-2.0-only
 *
 * All members of a group must issue the same collective: members that issue theirs in different
 * orders would take each other's messages. ASTRA-sim does not check this. All-to-alls and
 * all-to-all-vs use the same tags, so the check tells these apart, too.
 *
 * Members live in different shards and processes, so an observer of the join events makes the
 * check. Events come in a fixed order, so the error names the first member that differs from
 * earlier ones. Costs an event per collective and rank, and a map entry per collective under way.
 */
#include "sim/collective/consistency.h"
#include "sim/rank/event_bus.h"
#include "sim/rank/rank_shard.h"
#include "sim/sim.h"

enum { ALL_TO_ALL_V = ASIM_COLL_TYPES + 1 };

/* The name in a trace. */
static const char *name_of(uint64_t kind)
{
    return kind == ALL_TO_ALL_V ? "ALL_TO_ALL with comm_sizes" : asim_coll_type_name((int)kind - 1);
}

/* The kind that this member issued, and the kind that earlier members issued. */
struct mismatch {
    uint64_t own, earlier;
};

static void refuse(struct asim_world *world, const struct asim_event *event, struct mismatch kinds)
{
    struct asim_err err = {0};
    uint64_t group = event->of.join.group;

    asim_err_set(&err, ASIM_EINVAL,
                 "rank %u's collective %llu of %s%lld is %s, but another member's is %s; all "
                 "members must issue their collectives in the same order",
                 event->rank, (unsigned long long)event->of.join.sequence + 1,
                 group ? "group " : "all ranks, group ", group ? (long long)group - 1 : 0ll,
                 name_of(kinds.own), name_of(kinds.earlier));
    asim_world_record_failure(world, event, &err);
}

/* The map's value is kind << 32 | members that have joined. The last member deletes the entry, so
 * the map holds only collectives under way. */
static void on_event(void *self, const struct asim_world *seen, const struct asim_event *event)
{
    struct asim_world *world = self;
    uint64_t who = (uint64_t)event->of.join.first << 32 | event->of.join.group;
    uint64_t sequence = event->of.join.sequence,
             *members_met = asim_map_put(&world->run.members_met, who, sequence);
    uint64_t kind = event->of.join.sized ? ALL_TO_ALL_V : (uint64_t)event->of.join.kind + 1;
    struct asim_err err = {0};

    (void)seen;
    if (!members_met) {
        asim_err_nomem(&err, "starting a collective");
        asim_world_record_failure(world, event, &err);
        return;
    }
    *members_met = *members_met ? *members_met : kind << 32;
    if (*members_met >> 32 != kind)
        refuse(world, event, (struct mismatch){.own = kind, .earlier = *members_met >> 32});
    else if ((++*members_met & UINT32_MAX) == event->of.join.members)
        asim_map_delete(&world->run.members_met, who, sequence);
}

/* The first observer, so that no report sees an inconsistent collective. */
int asim_consistency_open(struct asim_world *world)
{
    asim_map_init(&world->run.members_met);
    return asim_event_bus_add(&world->run.event_bus,
                              &(struct asim_event_observer){.wants = 1u << ASIM_EV_COLL_JOIN,
                                                            .self = world,
                                                            .on_event = on_event});
}

/* The map still holds collectives that some members never joined. */
void asim_consistency_fini(struct asim_world *world)
{
    asim_map_fini(&world->run.members_met);
}
