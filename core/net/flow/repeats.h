/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Phases of NVLS and of rings in a server that repeat, and where they do (flow.md#repeats).
 */
#ifndef ASIM_NET_FLOW_REPEATS_H
#define ASIM_NET_FLOW_REPEATS_H

#include "net/flow/rings.h"

/* A link of a site; first: the first place with the same link. */
struct asim_fluid_site_link {
    uint32_t link, first;
};

/* Where phases repeat: the members of a server, with the links between them, or to their
 * NVSwitches, and what phases that were not carried by messages add to each of its connections. */
struct asim_fluid_site {
    uint32_t n, n_others;
    uint32_t shape;   /* the same: links that are alike */
    uint8_t is_whole; /* its links are those of `links` alone, and no hash chooses them */
    struct asim_fluid_site *links; /* of the same members, that has the links: mostly itself */
    struct asim_repeat *phase;     /* of `links`: that has the links for itself; NULL: none */
    uint64_t frames, bytes;        /* of each connection */
    ASIM_VEC(struct asim_fluid_conn *) conns;
    ASIM_VEC(struct asim_fluid_site_link) places;
    struct asim_fluid_peers {
        uint32_t src, others[ASIM_NET_REPEAT_OTHERS]; /* a member, and whom it sends to */
    } members[];
};

/* How long a phase takes whose members start at these distances. */
struct asim_fluid_record {
    struct asim_fluid_record *next; /* with the same hash */
    uint64_t hash;
    struct asim_net_repeat like; /* its kind, bytes, n, n_others, each and is_ring count */
    uint32_t shape;
    int is_known;
    struct asim_fluid_trust trust; /* what judged messages have added */
    struct asim_fluid_times {
        uint64_t start_ns, end_ns; /* of a member, from the start of the first one */
    } times[];
};

/* Members start at their times and are told when they are over, unless they carry out the phase by
 * messages. */
enum asim_repeat_state {
    ASIM_REPEAT_NEW,
    ASIM_REPEAT_HELD,  /* some have started; it has the links for itself */
    ASIM_REPEAT_TIMED, /* all have started; a record has their ends */
    ASIM_REPEAT_CARRIED
};
struct asim_repeat {
    struct asim_repeat *next, *before; /* all of the network */
    struct asim_fluid_record *record;  /* NULL: none, or no more */
    struct asim_fluid_trust *measured; /* what messages are judged; NULL: it is not measured */
    struct asim_net_repeat spec;       /* of its first member */
    struct asim_due due;               /* a member is over */
    uint64_t start_ns;                 /* of the first member */
    enum asim_repeat_state state;
    uint32_t n, begun, over; /* members that have started, that carry it by messages, are over */
    uint8_t is_even;         /* all members do the same */
    uint8_t is_starting;     /* a member starts in this ns */
    uint8_t is_told;         /* members tell when they are over */
    uint8_t pending;         /* `due` is to come, or the phase is caught up with */
    struct asim_fluid_site *site;
    struct asim_fluid_repeat_member {
        struct asim_fluid_peers to;
        struct asim_due due; /* it starts, where the phase is caught up with */
        struct asim_repeat *phase;
        void *self;
        uint64_t start_ns;
        uint8_t is_new; /* it starts in this ns, and nothing has been decided about it */
        uint8_t waits;  /* for that */
        uint8_t is_over;
    } members[]; /* by rank */
};

static inline struct asim_repeat *asim_fluid_repeat_of(const struct asim_fluid_link *link)
{
    return link->site ? link->site->phase : NULL;
}

/* That has a link of the flow's path for itself, and is not the flow's own; NULL: none. */
static inline struct asim_repeat *asim_fluid_repeat_of_others(const struct asim_fluid *fluid,
                                                              const struct asim_fluid_flow *flow)
{
    const struct asim_fluid_path *path = flow->path;

    for (int i = 0; fluid->sites.n && i < path->n + path->n_acks; i++) {
        struct asim_repeat *phase = asim_fluid_repeat_of(&fluid->link[path->link[i]]);

        if (phase && (flow->msg.tag & phase->spec.tag_mask) != phase->spec.tag)
            return phase;
    }
    return NULL;
}

/* The longest queue of a link so far, and the marks that are to be expected. */
static inline double asim_fluid_peak(const struct asim_fluid *fluid,
                                     const struct asim_fluid_link *link)
{
    double also = link->ring ? fluid->link[link->as].peak_bytes : 0;

    return asim_fluid_max(asim_fluid_max(link->peak_bytes, link->peak_before), also);
}
static inline double asim_fluid_marks(const struct asim_fluid *fluid,
                                      const struct asim_fluid_link *link)
{
    const struct asim_fluid_link *from = link->ring ? &fluid->link[link->as] : link;

    return link->marks + (from == link ? 0 : from->marks);
}

int asim_fluid_repeat_has(struct asim_net *net);
int asim_fluid_repeat_start(struct asim_net *net, const struct asim_net_repeat *spec);
void asim_fluid_repeat_over(struct asim_net *net, struct asim_repeat *phase, uint32_t src);
/* All of this ns that may start a phase has happened. */
void asim_fluid_repeats_decide(struct asim_fluid *fluid);
/* Members of a phase are over. */
void asim_fluid_repeat_due(struct asim_fluid *fluid, struct asim_due *due);
/* A member starts. */
void asim_fluid_repeat_again(struct asim_fluid *fluid, struct asim_due *due);
/* Others come to the flow's path: phases that have links of it for themselves are carried by
 * messages. */
void asim_fluid_undo_repeats(struct asim_fluid *fluid, const struct asim_fluid_flow *flow);
/* run.c, by way of fluid->catch_up: carries it by messages from its start until this ns, with
 * events, ends and work of its own: nothing else has met it. */
void asim_fluid_catch_up(struct asim_fluid *fluid, struct asim_repeat *phase);
void asim_fluid_repeats_close(struct asim_fluid *fluid);

/* Whether two members, or phases, do the same. */
int asim_fluid_repeat_is_same(const struct asim_net_repeat *a, const struct asim_net_repeat *b);
/* sites.c. NULL: there is none yet and not all members have started, other members have made it, or
 * others have its links. */
struct asim_fluid_site *asim_fluid_site_of(struct asim_fluid *fluid,
                                           const struct asim_repeat *phase);
/* And has had no queue from a time on. */
int asim_fluid_site_is_idle(const struct asim_fluid *fluid, const struct asim_fluid_site *site,
                            uint64_t since_ns);
/* The phase's record; *is_new: it is to be measured. NULL: there is no room. */
struct asim_fluid_record *asim_fluid_record_of(struct asim_fluid *fluid,
                                               const struct asim_repeat *phase, int *is_new);
void asim_fluid_drop_record(struct asim_fluid *fluid, struct asim_fluid_record *record);
void asim_fluid_sites_close(struct asim_fluid *fluid);

#endif
