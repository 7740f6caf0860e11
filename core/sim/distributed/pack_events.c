/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Events as bytes: the events that a process recorded, with the fields of ops and ranks that
 * observers may ask for (event.h), since process 0 cannot read these traces. All pending events go,
 * in their order of insertion, and become pending in process 0, where the bus sorts them.
 *
 * Costs 64 bytes an event, the name of an op where observers want its end, and 240 bytes a finished
 * rank.
 */
#include "base/serializer.h"
#include "sim/rank/event.h"
#include "sim/rank/tensor.h"
#include "sim/distributed/distribution.h"

#include <stdlib.h>

enum { NAME_MAX_BYTES = 256 };

/* Reads the op again for its name; a failure to read fails the run. Of an op's issue only log.txt
 * asks for the name. */
static void pack_op(const struct asim_world *world, struct asim_event *event,
                    struct asim_serializer *into)
{
    char name[NAME_MAX_BYTES] = "";
    struct asim_op op;

    if ((event->kind != ASIM_EV_OP_ISSUE || world->set.system.trace_enabled) &&
        !asim_event_op(world, event, &op)) {
        size_t n = strlen(op.name);

        n = n < sizeof name ? n : sizeof name - 1;
        memcpy(name, op.name, n);
        name[n] = '\0';
        event->of.op.id = op.id;
        event->of.op.type = (uint16_t)op.type;
    }
    ASIM_SERIALIZE(into, *event);
    asim_serialize_text(into, name);
}

/* Other kinds are complete as they are. */
static void pack_one(struct asim_world *world, struct asim_event *event,
                     struct asim_serializer *into)
{
    struct asim_rank_facts facts;

    if (asim_event_has_op(event)) {
        pack_op(world, event, into);
        return;
    }
    if (event->kind == ASIM_EV_RANK_DONE)
        asim_event_rank_peak(world, event, &facts);
    ASIM_SERIALIZE(into, *event);
    if (event->kind == ASIM_EV_RANK_DONE)
        ASIM_SERIALIZE(into, facts);
}

/* Also returns ASIM_ENOMEM where an event was lost earlier. */
int asim_events_pack(struct asim_world *world, struct asim_serializer *into)
{
    struct asim_events *pending = &world->run.event_bus.pending;

    for (size_t i = 0; i < pending->n; i++)
        pack_one(world, &pending->at[i], into);
    pending->n = 0;
    return into->failed || pending->failed ? ASIM_ENOMEM : 0;
}

/* The event owns its name or facts; asim_event_fini frees them. */
static int unpack_one(struct asim_event *event, struct asim_deserializer *from)
{
    struct asim_rank_facts *facts;

    if (asim_event_has_op(event)) {
        event->of.op.name = strdup(asim_deserialize_text(from));
        return event->of.op.name ? 0 : ASIM_ENOMEM;
    }
    if (event->kind != ASIM_EV_RANK_DONE)
        return 0;
    event->of.done.facts = facts = malloc(sizeof *facts);
    if (!facts)
        return ASIM_ENOMEM;
    ASIM_DESERIALIZE(from, *facts);
    return 0;
}

/* Reads to the end of the buffer. Events before a failure stay pending; the close frees them. */
int asim_events_unpack(struct asim_world *world, struct asim_deserializer *from)
{
    struct asim_events *pending = &world->run.event_bus.pending;

    while (from->at < from->end && !from->failed) {
        struct asim_event event;

        ASIM_DESERIALIZE(from, event);
        if (unpack_one(&event, from))
            return ASIM_ENOMEM;
        if (ASIM_VEC_PUSH(*pending, event)) {
            asim_event_fini(&event);
            return ASIM_ENOMEM;
        }
    }
    return from->failed ? ASIM_EBUG : 0;
}
