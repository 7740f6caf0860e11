/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Where phases repeat, and how long each kind of them takes there (flow.md#repeats).
 */
#include "net/flow/repeats.h"

#include <stdlib.h>
#include <string.h>

/* Of some hundred bytes. */
enum { MOST_RECORDS = 1 << 16 };

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
        if (ASIM_VEC_PUSH(site->places, ((struct asim_fluid_site_link){path->link[i], first})))
            return fluid->failed = ASIM_ENOMEM, 0;
    }
    return 1;
}

static int are_alike(const struct asim_fluid *fluid, const struct asim_fluid_site *site,
                     const struct asim_fluid_site *other)
{
    size_t i = 0;

    for (; other->places.n == site->places.n && i < site->places.n; i++) {
        const struct asim_fluid_site_link *a = &other->places.at[i], *b = &site->places.at[i];
        const struct asim_fluid_link *x = &fluid->link[a->link], *y = &fluid->link[b->link];

        if (a->first != b->first || x->rate_bps != y->rate_bps || x->has_queue != y->has_queue ||
            memcmp(&x->delay_ns, &y->delay_ns, sizeof x->delay_ns))
            return 0;
    }
    return other->places.n == site->places.n;
}

/* Linear in shapes, of which a cluster has a few. */
static void find_shape(struct asim_fluid *fluid, struct asim_fluid_site *site)
{
    while (site->shape < fluid->shapes.n &&
           !are_alike(fluid, site, fluid->shapes.at[site->shape]))
        site->shape++;
    if (site->shape == fluid->shapes.n && ASIM_VEC_PUSH(fluid->shapes, site))
        fluid->failed = ASIM_ENOMEM;
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
    if (site->is_whole)
        find_shape(fluid, site);
    return site;
}

/* Whether all that have started are members of the site. Both are in the order of ranks. */
static int has_all(const struct asim_fluid_site *site, const struct asim_repeat *phase)
{
    uint32_t at = 0;

    for (uint32_t m = 0; m < phase->n; m++, at++) {
        while (at < site->n && site->members[at].src < phase->members[m].to.src)
            at++;
        if (at == site->n ||
            memcmp(&site->members[at], &phase->members[m].to, sizeof *site->members))
            return 0;
    }
    return site->n == phase->spec.n && site->n_others == phase->spec.n_others;
}

struct asim_fluid_site *asim_fluid_site_of(struct asim_fluid *fluid,
                                           const struct asim_repeat *phase)
{
    uint64_t *slot = asim_map_put(&fluid->sites, phase->spec.at, phase->spec.is_ring);
    struct asim_fluid_site *site;

    if (slot && !*slot && phase->n == phase->spec.n)
        *slot = (uint64_t)(uintptr_t)add_site(fluid, phase);
    site = slot ? (void *)(uintptr_t)*slot : NULL;
    return site && site->is_whole && has_all(site, phase) ? site : NULL;
}

int asim_fluid_site_is_idle(const struct asim_fluid *fluid, const struct asim_fluid_site *site,
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

/* --- records --------------------------------------------------------------------------------- */

static uint64_t hash_of(const struct asim_repeat *phase)
{
    const struct asim_net_repeat *spec = &phase->spec;
    uint64_t hash = asim_mix64(spec->bytes ^ (uint64_t)phase->site->shape << 48);

    for (uint32_t i = 0; i < ASIM_NET_REPEAT_KIND; i++)
        hash = asim_mix64(hash ^ spec->kind[i]);
    for (uint32_t m = 0; m < phase->n; m++)
        hash = asim_mix64(hash ^ (phase->members[m].start_ns - phase->start_ns));
    return hash;
}

int asim_fluid_repeat_is_same(const struct asim_net_repeat *a, const struct asim_net_repeat *b)
{
    return !memcmp(a->kind, b->kind, sizeof a->kind) && a->bytes == b->bytes && a->n == b->n &&
           a->n_others == b->n_others && a->each == b->each && a->is_ring == b->is_ring;
}

static int is_of(const struct asim_fluid_record *record, const struct asim_repeat *phase)
{
    if (record->shape != phase->site->shape ||
        !asim_fluid_repeat_is_same(&record->like, &phase->spec))
        return 0;
    for (uint32_t m = 0; m < phase->n; m++)
        if (record->times[m].start_ns != phase->members[m].start_ns - phase->start_ns)
            return 0;
    return 1;
}

static struct asim_fluid_record *add_record(struct asim_fluid *fluid,
                                            const struct asim_repeat *phase, uint64_t hash)
{
    uint64_t *slot = asim_map_put(&fluid->records, hash, 0);
    struct asim_fluid_record *record =
        calloc(1, sizeof *record + phase->n * sizeof *record->times);

    if (!slot || !record) {
        fluid->failed = ASIM_ENOMEM;
        free(record);
        return NULL;
    }
    *record = (struct asim_fluid_record){.next = (void *)(uintptr_t)*slot,
                                         .hash = hash,
                                         .like = phase->spec,
                                         .shape = phase->site->shape};
    for (uint32_t m = 0; m < phase->n; m++)
        record->times[m].start_ns = phase->members[m].start_ns - phase->start_ns;
    *slot = (uint64_t)(uintptr_t)record;
    fluid->n_records++;
    return record;
}

struct asim_fluid_record *asim_fluid_record_of(struct asim_fluid *fluid,
                                               const struct asim_repeat *phase, int *is_new)
{
    uint64_t hash = hash_of(phase), *slot = asim_map_get(&fluid->records, hash, 0);
    struct asim_fluid_record *record = slot ? (void *)(uintptr_t)*slot : NULL;

    while (record && !is_of(record, phase))
        record = record->next;
    *is_new = !record;
    if (record)
        return record->is_known ? record : NULL; /* another one is being measured */
    return fluid->n_records < MOST_RECORDS ? add_record(fluid, phase, hash) : NULL;
}

void asim_fluid_drop_record(struct asim_fluid *fluid, struct asim_fluid_record *record)
{
    uint64_t *slot = asim_map_get(&fluid->records, record->hash, 0);
    struct asim_fluid_record *first = (void *)(uintptr_t)*slot, **at = &first;

    while (*at != record)
        at = &(*at)->next;
    *at = record->next;
    *slot = (uint64_t)(uintptr_t)first;
    if (!first)
        asim_map_delete(&fluid->records, record->hash, 0);
    free(record);
    fluid->n_records--;
}

void asim_fluid_sites_close(struct asim_fluid *fluid)
{
    for (size_t s = 0; s < fluid->records.cap; s++) {
        struct asim_fluid_record *record = (void *)(uintptr_t)fluid->records.slots[s].value;

        while (fluid->records.used[s] && record) {
            struct asim_fluid_record *next = record->next;

            free(record);
            record = next;
        }
    }
    for (size_t s = 0; s < fluid->sites.cap; s++) {
        struct asim_fluid_site *site = (void *)(uintptr_t)fluid->sites.slots[s].value;

        if (fluid->sites.used[s] && site)
            ASIM_FREE(site->conns.at, site->places.at, site);
    }
    free(fluid->shapes.at);
    asim_map_fini(&fluid->records);
    asim_map_fini(&fluid->sites);
}
