/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Phases of NVLS and of rings in a server that repeat, and where they do (flow.md#repeats).
 */
#ifndef ASIM_NET_FLOW_REPEATS_H
#define ASIM_NET_FLOW_REPEATS_H

#include "net/flow/rings.h"

/* A link of a site; first: the first place with the same link. */
struct asim_fluid_repeat_link {
    uint32_t link, first;
};

/* Where phases repeat: the members of a server, with the links between them, or to their
 * NVSwitches, and what phases that were not carried by messages add to each of its connections. */
struct asim_fluid_site {
    const struct asim_fluid_site *like; /* the first one with links alike */
    uint32_t n, n_others;
    uint8_t is_whole; /* its links are those of `links` alone, and no hash chooses them */
    struct asim_fluid_site
        *links;                /* the site of the same members that has the links: mostly itself */
    struct asim_repeat *phase; /* of `links`: that has the links for itself; NULL: none */
    uint64_t frames, bytes;    /* of each connection */
    ASIM_VEC(struct asim_fluid_conn *) conns;
    ASIM_VEC(struct asim_fluid_repeat_link) places;
    struct asim_fluid_peers {
        uint32_t src, others[ASIM_NET_REPEAT_OTHERS]; /* a member, and whom it sends to */
    } members[];
};

/* A phase of all members: it starts, is measured, or is repeated. */
struct asim_repeat {
    struct asim_repeat *next, *before; /* of those that have their links for themselves */
    struct asim_fluid_record *record;  /* NULL: no more */
    struct asim_fluid_trust *measured; /* what messages are judged; NULL: it is not measured */
    struct asim_net_repeat spec;       /* of its first member */
    struct asim_due due;               /* it is over */
    uint64_t start_ns, over_ns;        /* over_ns: of the first member */
    uint32_t n, over;                  /* members that have started, and that are over */
    uint8_t is_even;                   /* all members do the same */
    uint8_t is_repeated;               /* not carried by messages */
    uint8_t is_gone;                   /* `due` means nothing */
    struct asim_fluid_site *site;
    struct asim_fluid_repeat_member {
        struct asim_fluid_peers to;
        void *self;
    } members[];
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

    for (int i = 0; fluid->phases && i < path->n + path->n_acks; i++) {
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
void asim_fluid_repeat_over(struct asim_net *net, struct asim_repeat *phase);
/* All of this ns that may start a phase has happened. */
void asim_fluid_repeats_decide(struct asim_fluid *fluid);
/* A phase that is repeated is over. */
void asim_fluid_repeat_due(struct asim_fluid *fluid, struct asim_due *due);
/* The members carry the phase by messages; measured: NULL, or the phase. */
void asim_fluid_repeat_begin(const struct asim_repeat *phase, struct asim_repeat *measured);
/* The next phase of others with links of the flow's path that is to be carried by messages from its
 * start; NULL: none. */
struct asim_repeat *asim_fluid_undo_repeat(struct asim_fluid *fluid,
                                           const struct asim_fluid_flow *flow);
void asim_fluid_repeats_close(struct asim_fluid *fluid);

#endif
