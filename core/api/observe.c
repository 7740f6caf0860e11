/* SPDX-License-Identifier: GPL-2.0-only
 *
 * asim/observe.h: an observer of the caller's behind one of the world's event bus.
 */
#include "asim/observe.h"
#include "api/exchange.h"
#include "sim/rank/event.h"
#include "sim/rank/event_bus.h"
#include "report/report.h"
#include "sim/world.h"
#include "topo/shape.h"

#include <stdlib.h>
#include <string.h>

static void on_op(const struct asim_observer *observer, const struct asim_event *event)
{
    int is_issue = event->kind == ASIM_EV_OP_ISSUE;
    struct asim_observed_op op = {.time_ns = event->t,
                                  .rank = event->rank,
                                  .index = event->of.op.index,
                                  .id = is_issue ? event->of.op.id : 0};

    (is_issue ? observer->op_issued : observer->op_ended)(observer->self, &op);
}

static void on_rank(const struct asim_observer *observer, const struct asim_world *world,
                    const struct asim_event *event)
{
    struct asim_rank_facts facts;
    struct asim_observed_rank rank = {.time_ns = event->t, .rank = event->rank};

    asim_event_rank(world, event, &facts);
    rank.ops = facts.ops;
    rank.comm_ns = facts.track.total[ASIM_SPAN_COMM];
    rank.compute_ns = facts.track.total[ASIM_SPAN_GPU];
    rank.exposed_ns = asim_rank_exposed(&facts);
    observer->rank_finished(observer->self, &rank);
}

static void on_message(const struct asim_observer *observer, const struct asim_event *event)
{
    struct asim_observed_message message = {.time_ns = event->t,
                                            .start_ns = event->of.fct.start,
                                            .ideal_ns = event->of.fct.ideal,
                                            .bytes = event->of.fct.bytes,
                                            .src = event->rank,
                                            .dst = event->of.fct.dst,
                                            .sport = event->of.fct.sport};

    observer->message_done(observer->self, &message);
}

static void on_pause(const struct asim_observer *observer, const struct asim_event *event)
{
    struct asim_observed_pause pause = {event->t, event->rank, event->of.pfc.port,
                                        event->of.pfc.pause};

    observer->paused(observer->self, &pause);
}

static void on_event(void *self, const struct asim_world *world, const struct asim_event *event)
{
    if (event->kind == ASIM_EV_RANK_DONE)
        on_rank(self, world, event);
    else if (event->kind == ASIM_EV_FCT)
        on_message(self, event);
    else if (event->kind == ASIM_EV_PFC)
        on_pause(self, event);
    else
        on_op(self, event);
}

static int on_close(void *self, const struct asim_world *world, struct asim_err *err)
{
    struct asim_observer *observer = self;
    int failed = world->run.failed || world->run.event_bus.lost;
    int code = observer->close ? observer->close(observer->self, failed, err) : 0;

    free(observer);
    return code;
}

static unsigned wanted(const struct asim_observer *observer)
{
    return (observer->op_issued ? 1u << ASIM_EV_OP_ISSUE : 0) |
           (observer->op_ended ? 1u << ASIM_EV_OP_END : 0) |
           (observer->rank_finished ? 1u << ASIM_EV_RANK_DONE : 0) |
           (observer->message_done ? 1u << ASIM_EV_FCT : 0) |
           (observer->paused ? 1u << ASIM_EV_PFC : 0);
}

/* The caller's struct may be smaller or larger than ours, from another header. */
int asim_world_observe(struct asim_world *world, const struct asim_observer *given,
                       struct asim_err *err)
{
    struct asim_observer *own = calloc(1, sizeof *own);
    struct asim_event_observer observer = {.self = own, .on_event = on_event, .close = on_close};

    if (!own)
        return asim_err_nomem(err, "adding an observer");
    memcpy(own, given, given->size < sizeof *own ? given->size : sizeof *own);
    observer.wants = wanted(own);
    if (own->exchange_done && asim_exchange_observe(world, own, err)) {
        free(own);
        return err ? err->code : ASIM_ENOMEM;
    }
    if (asim_event_bus_add(&world->run.event_bus, &observer)) {
        free(own);
        return asim_err_nomem(err, "adding an observer");
    }
    return 0;
}

uint64_t asim_world_rank_ops(const struct asim_world *world, uint32_t rank)
{
    if (rank >= world->set.n_ranks || !asim_rank_is_here(&world->run.ranks[rank]))
        return 0;
    return asim_feed_total(world->run.ranks[rank].feed);
}

int asim_world_check_output(const struct asim_world *world, const char *path, struct asim_err *err)
{
    return asim_report_check_place(world, path, err);
}

int asim_world_shape(const struct asim_world *world, struct asim_netshape *shape,
                     struct asim_err *err)
{
    return asim_shape_from_topo(shape, world->set.route, &world->set.dims,
                                asim_world_diagnostics(world), err);
}
