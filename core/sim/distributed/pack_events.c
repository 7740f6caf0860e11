/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Events as bytes: what another process recorded, with what observers may ask of its ops and ranks
 * (event.h), since they cannot look there. Everything pending goes, in its order of insertion, and
 * is pending again on the other side; sorting is left to whoever shows it.
 *
 * Costs 64 bytes an event, the name of an op whose end is wanted, and 240 bytes a finished rank.
 */
#include "sim/rank/event.h"
#include "sim/rank/tensor.h"
#include "sim/distributed/distribution.h"

#include <stdlib.h>

enum { NAME_MAX_BYTES = 256 };

/* An op's body is read again for its name; where that fails the run does. At its issue only log.txt
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
        event->of.op.type = op.type;
    }
    ASIM_SERIALIZE(into, *event);
    asim_serialize_text(into, name);
}

/* Kinds that hold all there is to know go as they are. */
static void pack_one(struct asim_world *world, struct asim_event *event,
                     struct asim_serializer *into)
{
    struct asim_rank_facts facts;

    switch (event->kind) {
    case ASIM_EV_OP_ISSUE:
    case ASIM_EV_OP_END:
    case ASIM_EV_NO_TENSOR_LIST:
        pack_op(world, event, into);
        break;
    case ASIM_EV_RANK_DONE:
        asim_event_rank_peak(world, event, &facts);
        ASIM_SERIALIZE(into, *event);
        ASIM_SERIALIZE(into, facts);
        break;
    default:
        ASIM_SERIALIZE(into, *event);
    }
}

/* A failure to record earlier is told here, too. */
int asim_events_pack(struct asim_world *world, struct asim_serializer *into)
{
    struct asim_events *pending = &world->run.event_bus.pending;

    for (size_t i = 0; i < pending->n; i++)
        pack_one(world, &pending->at[i], into);
    pending->n = 0;
    return into->failed || pending->failed ? ASIM_ENOMEM : 0;
}

/* What hangs on it is its own; asim_event_fini frees it. */
static int unpack_one(struct asim_event *event, struct asim_deserializer *from)
{
    struct asim_rank_facts *facts;

    switch (event->kind) {
    case ASIM_EV_OP_ISSUE:
    case ASIM_EV_OP_END:
    case ASIM_EV_NO_TENSOR_LIST:
        event->of.op.name = strdup(asim_deserialize_text(from));
        return event->of.op.name ? 0 : ASIM_ENOMEM;
    case ASIM_EV_RANK_DONE:
        event->of.done.facts = facts = malloc(sizeof *facts);
        if (!facts)
            return ASIM_ENOMEM;
        ASIM_DESERIALIZE(from, *facts);
        return 0;
    default:
        return 0;
    }
}

/* To the end of the buffer; what came before a failure stays pending and is freed with the rest. */
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
