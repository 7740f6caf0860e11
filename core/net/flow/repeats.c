/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Phases that repeat (net/net.h, flow.md#repeats): where all members start in one ns, and the links
 * between them, or to their NVSwitches, are idle, a phase takes as long as the first one of its
 * kind did on alike links, which was carried by messages and measured. A message of anyone else to
 * one of these links undoes that: the phase is carried by messages after all, from its start to
 * now, over links that nobody else has used since.
 */
#include "net/flow/repeats.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RECORDS = 64 };

struct asim_fluid_record {
    struct asim_fluid_record *next;
    struct asim_net_repeat like; /* its kind, bytes, n and n_others count */
    int is_known;
    uint64_t took_ns;
    struct asim_fluid_trust trust; /* what judged messages have added */
    const struct asim_fluid_site *site;
};

int asim_fluid_repeat_has(struct asim_net *net)
{
    const struct asim_fluid *fluid = asim_fluid_of(net);

    return asim_fluid_relay_has(net) && !fluid->events && !fluid->traffic && !fluid->is_sprayed;
}

static int is_same(const struct asim_net_repeat *a, const struct asim_net_repeat *b)
{
    return !memcmp(a->kind, b->kind, sizeof a->kind) && a->bytes == b->bytes && a->n == b->n &&
           a->n_others == b->n_others && a->each == b->each && a->is_ring == b->is_ring;
}

/* Members by rank. */
int asim_fluid_repeat_start(struct asim_net *net, const struct asim_net_repeat *spec)
{
    struct asim_fluid *fluid = asim_fluid_of(net);
    uint64_t *slot = asim_map_put(&fluid->repeats, spec->tag, spec->at);
    struct asim_repeat *phase = slot ? (void *)(uintptr_t)*slot : NULL;
    uint32_t i;

    if (slot && !phase) {
        phase = calloc(1, sizeof *phase + spec->n * sizeof *phase->members);
        if (!phase || ASIM_VEC_PUSH(fluid->starting, phase)) {
            free(phase);
            return ASIM_ENOMEM;
        }
        *slot = (uint64_t)(uintptr_t)phase;
        phase->spec = *spec;
        phase->is_even = 1;
        phase->due.kind = ASIM_FLUID_REPEAT;
    }
    if (!phase)
        return ASIM_ENOMEM;
    phase->is_even &= is_same(spec, &phase->spec) && phase->n < phase->spec.n;
    if (phase->n == phase->spec.n) { /* cannot occur */
        spec->begin(spec->self, NULL);
        return 0;
    }
    for (i = phase->n++; i && phase->members[i - 1].to.src > spec->src; i--)
        phase->members[i] = phase->members[i - 1];
    phase->members[i] = (struct asim_fluid_repeat_member){.to.src = spec->src, .self = spec->self};
    memcpy(phase->members[i].to.others, spec->others, sizeof spec->others);
    return 0;
}

/* --- sites ----------------------------------------------------------------------------------- */

/* Whether the site may share the links of another one: that of NVSwitches with that of rings. */
static int has_members_of(const struct asim_fluid_site *site, const struct asim_fluid_site *other)
{
    if (site->n != other->n)
        return 0;
    for (uint32_t m = 0; m < site->n; m++)
        if (site->members[m].src != other->members[m].src)
            return 0;
    return site->links == site || site->links == other;
}

/* 0: a link is of other members, or a hash has chosen the path, which reports want to know. */
static int add_path(struct asim_fluid *fluid, struct asim_fluid_site *site, uint32_t src,
                    uint32_t dst)
{
    const struct asim_msg msg = {.src = src, .dst = dst};
    struct asim_fluid_conn *conn = asim_fluid_conn(fluid, src, dst, 0);
    const struct asim_fluid_path *path =
        conn ? asim_fluid_path(fluid, conn, &msg, ASIM_FLUID_FIRST_SPORT) : NULL;

    if (!path || path->has_choice)
        return 0;
    if (ASIM_VEC_PUSH(site->conns, conn))
        return fluid->failed = ASIM_ENOMEM, 0;
    for (uint32_t i = 0; i < path->n + path->n_acks; i++) {
        struct asim_fluid_link *link = &fluid->link[path->link[i]];
        uint32_t first = 0;

        if (link->site && link->site != site->links) {
            if (!has_members_of(site, link->site))
                return 0;
            site->links = link->site;
        }
        link->site = site->links;
        while (first < site->places.n && site->places.at[first].link != path->link[i])
            first++;
        if (ASIM_VEC_PUSH(site->places, ((struct asim_fluid_repeat_link){path->link[i], first})))
            return fluid->failed = ASIM_ENOMEM, 0;
    }
    return 1;
}

static int are_alike(const struct asim_fluid *fluid, const struct asim_fluid_site *site,
                     const struct asim_fluid_site *other)
{
    size_t i = 0;

    for (; other->places.n == site->places.n && i < site->places.n; i++) {
        const struct asim_fluid_repeat_link *a = &site->places.at[i], *b = &other->places.at[i];
        const struct asim_fluid_link *x = &fluid->link[a->link], *y = &fluid->link[b->link];

        if (a->first != b->first || x->rate_bps != y->rate_bps || x->has_queue != y->has_queue ||
            memcmp(&x->delay_ns, &y->delay_ns, sizeof x->delay_ns))
            return 0;
    }
    return other->places.n == site->places.n;
}

static void find_like(const struct asim_fluid *fluid, struct asim_fluid_site *site)
{
    site->like = site;
    for (size_t s = 0; s < fluid->sites.cap && site->like == site; s++) {
        const struct asim_fluid_site *other = (void *)(uintptr_t)fluid->sites.slots[s].value;

        if (fluid->sites.used[s] && other && other->like == other && are_alike(fluid, site, other))
            site->like = other;
    }
}

static struct asim_fluid_site *add_site(struct asim_fluid *fluid, const struct asim_repeat *phase)
{
    const struct asim_net_repeat *spec = &phase->spec;
    struct asim_fluid_site *site = calloc(1, sizeof *site + phase->n * sizeof *site->members);

    if (!site) {
        fluid->failed = ASIM_ENOMEM;
        return NULL;
    }
    site->n = phase->n;
    site->n_others = spec->n_others;
    site->is_whole = 1;
    site->links = site;
    for (uint32_t m = 0; m < phase->n; m++)
        site->members[m] = phase->members[m].to;
    for (uint32_t m = 0; m < phase->n; m++) {
        const struct asim_fluid_peers *to = &site->members[m];

        for (uint32_t i = 0; i < spec->n_others && site->is_whole; i++)
            site->is_whole = add_path(fluid, site, to->src, to->others[i]) &&
                             (spec->is_ring || add_path(fluid, site, to->others[i], to->src));
    }
    find_like(fluid, site);
    return site;
}

/* NULL: other members have made it, or others have its links. */
static struct asim_fluid_site *find_site(struct asim_fluid *fluid, const struct asim_repeat *phase)
{
    uint64_t *slot = asim_map_put(&fluid->sites, phase->spec.at, phase->spec.is_ring);
    struct asim_fluid_site *site;

    if (slot && !*slot)
        *slot = (uint64_t)(uintptr_t)add_site(fluid, phase);
    site = slot ? (void *)(uintptr_t)*slot : NULL;
    if (!site || !site->is_whole || site->n != phase->n || site->n_others != phase->spec.n_others)
        return NULL;
    for (uint32_t m = 0; m < site->n; m++)
        if (memcmp(&site->members[m], &phase->members[m].to, sizeof *site->members))
            return NULL;
    return site;
}

/* And has had no queue from a time on. */
static int is_idle(const struct asim_fluid *fluid, const struct asim_fluid_site *site,
                   uint64_t since_ns)
{
    for (size_t i = 0; i < site->conns.n; i++)
        if (site->conns.at[i]->head)
            return 0;
    for (size_t i = 0; i < site->places.n; i++) {
        struct asim_fluid_link *link = &fluid->link[site->places.at[i].link];

        if (site->places.at[i].first != i)
            continue;
        asim_fluid_clean(fluid, link);
        if (link->flows.n || link->ack_flows.n || link->ack > 0 || link->wait_ns > 0 ||
            link->expected || link->slope > 0 || link->is_planned || link->is_stirred ||
            link->is_dirty || link->ring || link->queued_ns > since_ns)
            return 0;
    }
    return 1;
}

static void release_links(const struct asim_repeat *phase)
{
    if (phase->site && phase->site->links->phase == phase)
        phase->site->links->phase = NULL;
}

static int claim_links(struct asim_fluid *fluid, struct asim_repeat *phase)
{
    struct asim_fluid_site *site = find_site(fluid, phase);

    if (!site || site->links->phase || !is_idle(fluid, site, fluid->queue.now_ns))
        return 0;
    phase->site = site;
    site->links->phase = phase;
    return 1;
}

/* --- records --------------------------------------------------------------------------------- */

static void drop_record(struct asim_fluid *fluid, struct asim_fluid_record *record)
{
    struct asim_fluid_record **at = &fluid->records;

    while (*at != record)
        at = &(*at)->next;
    *at = record->next;
    free(record);
}

/* Of that kind on alike links, known or being measured; NULL: none. */
static struct asim_fluid_record *find_record(const struct asim_fluid *fluid,
                                             const struct asim_repeat *phase, int *n)
{
    struct asim_fluid_record *record = fluid->records;

    for (*n = 0; record; record = record->next, ++*n)
        if (record->site == phase->site->like && is_same(&record->like, &phase->spec))
            break;
    return record;
}

static struct asim_fluid_record *add_record(struct asim_fluid *fluid,
                                            const struct asim_repeat *phase)
{
    struct asim_fluid_record *record = calloc(1, sizeof *record);

    if (!record) {
        fluid->failed = ASIM_ENOMEM;
        return NULL;
    }
    record->like = phase->spec;
    record->site = phase->site->like;
    record->next = fluid->records;
    fluid->records = record;
    return record;
}

/* --- phases ---------------------------------------------------------------------------------- */

static void keep(struct asim_fluid *fluid, struct asim_repeat *phase)
{
    phase->next = fluid->phases;
    if (phase->next)
        phase->next->before = phase;
    fluid->phases = phase;
}

static void forget(struct asim_fluid *fluid, struct asim_repeat *phase)
{
    *(phase->before ? &phase->before->next : &fluid->phases) = phase->next;
    if (phase->next)
        phase->next->before = phase->before;
    free(phase);
}

void asim_fluid_repeat_begin(const struct asim_repeat *phase, struct asim_repeat *measured)
{
    for (uint32_t m = 0; m < phase->n; m++)
        phase->spec.begin(phase->members[m].self, measured);
}

static void decide(struct asim_fluid *fluid, struct asim_repeat *phase)
{
    int records, is_wanted = fluid->watch.fct && !fluid->watch.only_choices; /* each message */

    asim_map_delete(&fluid->repeats, phase->spec.tag, phase->spec.at);
    phase->start_ns = fluid->queue.now_ns;
    if (!phase->spec.is_carried && !is_wanted && phase->n == phase->spec.n && phase->is_even &&
        claim_links(fluid, phase)) {
        phase->record = find_record(fluid, phase, &records);
        phase->is_repeated = phase->record && phase->record->is_known;
        if (!phase->record && records < MOST_RECORDS)
            phase->record = add_record(fluid, phase);
        else if (!phase->is_repeated) /* another one is being measured */
            phase->record = NULL;
        if (!phase->record)
            release_links(phase);
    }
    if (!phase->record) {
        asim_fluid_repeat_begin(phase, NULL);
        free(phase);
        return;
    }
    keep(fluid, phase);
    if (phase->is_repeated) {
        fluid->n_repeated++;
        asim_fluid_add(fluid, phase->start_ns + phase->record->took_ns, &phase->due);
    } else {
        phase->measured = &phase->record->trust;
        asim_fluid_repeat_begin(phase, phase);
    }
}

/* All that start in this ns have. */
void asim_fluid_repeats_decide(struct asim_fluid *fluid)
{
    for (size_t i = 0; i < fluid->starting.n; i++)
        decide(fluid, fluid->starting.at[i]);
    fluid->starting.n = 0;
}

/* The phase that is measured was not alone. */
static void stop_measuring(struct asim_fluid *fluid, struct asim_repeat *phase)
{
    release_links(phase);
    drop_record(fluid, phase->record);
    phase->record = NULL;
    phase->measured = NULL;
}

/* All members must be over in one ns, have made no queue and leave idle links. */
void asim_fluid_repeat_over(struct asim_net *net, struct asim_repeat *phase)
{
    struct asim_fluid *fluid = asim_fluid_of(net);
    uint64_t now = fluid->queue.now_ns;

    if (!phase->over++)
        phase->over_ns = now;
    if (phase->record && phase->over_ns != now)
        stop_measuring(fluid, phase);
    if (phase->over < phase->n)
        return;
    /* A controller draws marks by the number of the message. */
    if (phase->record && (phase->record->trust.controlled_bytes > 0 ||
                          !is_idle(fluid, phase->site, phase->start_ns)))
        stop_measuring(fluid, phase);
    if (phase->record) {
        phase->record->is_known = 1;
        phase->record->took_ns = now - phase->start_ns;
        release_links(phase);
    }
    forget(fluid, phase);
}

/* Messages of a phase have one size, and so as many frames on each connection. */
static void count(struct asim_fluid *fluid, const struct asim_repeat *phase)
{
    struct asim_fluid_site *site = phase->site;
    struct asim_fluid_conn *conn = site->conns.at[0];
    uint64_t bytes = phase->spec.bytes ? phase->spec.bytes : 1;

    asim_fluid_shape(fluid, conn, conn->path, bytes, &conn->shape);
    site->frames += phase->spec.each * conn->shape.frames;
    site->bytes += phase->spec.each * (bytes + conn->shape.frames * fluid->overhead);
    fluid->counts.messages += phase->spec.each * site->conns.n;
    fluid->counts.last_ns = fluid->queue.now_ns;
}

/* In the order of the ranks. Members may start other phases as they are told. */
void asim_fluid_repeat_due(struct asim_fluid *fluid, struct asim_due *due)
{
    struct asim_repeat *phase = (void *)((char *)due - offsetof(struct asim_repeat, due));
    const struct asim_net_repeat *spec = &phase->spec;

    if (phase->is_gone) {
        forget(fluid, phase);
        return;
    }
    count(fluid, phase);
    asim_fluid_trust_add(&fluid->trust, &phase->record->trust, 1);
    release_links(phase);
    fluid->n_repeated--;
    for (uint32_t m = 0; m < phase->n; m++)
        spec->over(phase->members[m].self);
    forget(fluid, phase);
}

struct asim_repeat *asim_fluid_undo_repeat(struct asim_fluid *fluid,
                                           const struct asim_fluid_flow *flow)
{
    struct asim_repeat *phase;

    while ((phase = asim_fluid_repeat_of_others(fluid, flow))) {
        if (phase->measured) {
            stop_measuring(fluid, phase);
            continue;
        }
        release_links(phase);
        fluid->n_repeated--;
        phase->is_gone = 1;
        return phase;
    }
    return NULL;
}

void asim_fluid_repeats_close(struct asim_fluid *fluid)
{
    for (size_t i = 0; i < fluid->starting.n; i++)
        free(fluid->starting.at[i]);
    free(fluid->starting.at);
    while (fluid->phases)
        forget(fluid, fluid->phases);
    while (fluid->records)
        drop_record(fluid, fluid->records);
    for (size_t s = 0; s < fluid->sites.cap; s++) {
        struct asim_fluid_site *site = (void *)(uintptr_t)fluid->sites.slots[s].value;

        if (fluid->sites.used[s] && site)
            ASIM_FREE(site->conns.at, site->places.at, site);
    }
    asim_map_fini(&fluid->sites);
    asim_map_fini(&fluid->repeats);
    ASIM_FREE(fluid->held.at, fluid->joining.at);
}
