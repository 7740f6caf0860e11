/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Phases that repeat (net/net.h, flow.md#repeats): where all members start in one ns, and the links
 * between them and their NVSwitches are idle, a phase takes as long as the first one of its kind
 * did on alike links, which was carried by messages and measured. A message of anyone else to one
 * of these links undoes that: the phase is carried by messages after all, from its start to now,
 * over links that nobody else has used since.
 */
#include "net/flow/rings.h"

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
    size_t n;
    struct asim_fluid_repeat_link places[];
};

int asim_fluid_repeat_has(struct asim_net *net)
{
    const struct asim_fluid *fluid = asim_fluid_of(net);

    return asim_fluid_relay_has(net) && !fluid->events && !fluid->traffic && !fluid->is_sprayed &&
           (!fluid->watch.fct || fluid->watch.only_choices);
}

static int is_same(const struct asim_net_repeat *a, const struct asim_net_repeat *b)
{
    return !memcmp(a->kind, b->kind, sizeof a->kind) && a->bytes == b->bytes && a->n == b->n &&
           a->n_others == b->n_others;
}

/* Members by rank. */
int asim_fluid_repeat_start(struct asim_net *net, const struct asim_net_repeat *spec)
{
    struct asim_fluid *fluid = asim_fluid_of(net);
    uint64_t *slot = asim_map_put(&fluid->repeats, spec->tag, spec->others[0]);
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
    phase->is_even &= is_same(spec, &phase->spec) && phase->n < phase->spec.n &&
                      !memcmp(spec->others, phase->spec.others, sizeof spec->others);
    if (phase->n == phase->spec.n) { /* cannot occur */
        spec->begin(spec->self, NULL);
        return 0;
    }
    for (i = phase->n++; i && phase->members[i - 1].src > spec->src; i--)
        phase->members[i] = phase->members[i - 1];
    phase->members[i] = (struct asim_fluid_repeat_member){spec->src, spec->self};
    return 0;
}

/* --- links ----------------------------------------------------------------------------------- */

static int is_idle(const struct asim_fluid_link *link)
{
    return !link->flows.n && !link->ack_flows.n && link->ack <= 0 && link->wait_ns <= 0 &&
           link->slope <= 0 && !link->is_planned && !link->is_stirred && !link->is_dirty &&
           !link->ring;
}

static void release_links(struct asim_fluid *fluid, const struct asim_repeat *phase)
{
    for (size_t i = 0; i < phase->places.n; i++)
        if (fluid->link[phase->places.at[i].link].repeat == phase)
            fluid->link[phase->places.at[i].link].repeat = NULL;
}

/* 0: someone else has one, or a hash has chosen the path, which reports want to know. */
static int claim_path(struct asim_fluid *fluid, struct asim_repeat *phase, uint32_t src,
                      uint32_t dst)
{
    const struct asim_msg msg = {.src = src, .dst = dst};
    struct asim_fluid_conn *conn = asim_fluid_conn(fluid, src, dst, 0);
    const struct asim_fluid_path *path =
        conn ? asim_fluid_path(fluid, conn, &msg, ASIM_FLUID_FIRST_SPORT) : NULL;

    if (!path || path->has_choice || conn->head)
        return 0;
    asim_fluid_shape(fluid, conn, path, phase->spec.bytes ? phase->spec.bytes : 1, &conn->shape);
    for (uint32_t i = 0; i < path->n + path->n_acks; i++) {
        struct asim_fluid_link *link = &fluid->link[path->link[i]];

        if (link->repeat != phase) {
            if (link->repeat || !is_idle(link))
                return 0;
            link->repeat = phase;
            link->as = (uint32_t)phase->places.n;
        }
        if (ASIM_VEC_PUSH(phase->places,
                          ((struct asim_fluid_repeat_link){path->link[i], link->as})))
            return fluid->failed = ASIM_ENOMEM, 0;
    }
    return 1;
}

static int claim_links(struct asim_fluid *fluid, struct asim_repeat *phase)
{
    const struct asim_net_repeat *spec = &phase->spec;
    int is_free = 1;

    for (uint32_t m = 0; m < phase->n && is_free; m++)
        for (uint32_t i = 0; i < spec->n_others && is_free; i++)
            is_free = claim_path(fluid, phase, phase->members[m].src, spec->others[i]) &&
                      claim_path(fluid, phase, spec->others[i], phase->members[m].src);
    if (!is_free)
        release_links(fluid, phase);
    return is_free;
}

static int are_alike(const struct asim_fluid *fluid, const struct asim_fluid_record *record,
                     const struct asim_repeat *phase)
{
    size_t i = 0;

    for (; record->n == phase->places.n && i < record->n; i++) {
        const struct asim_fluid_repeat_link *a = &record->places[i], *b = &phase->places.at[i];
        const struct asim_fluid_link *x = &fluid->link[a->link], *y = &fluid->link[b->link];

        if (a->first != b->first || x->rate_bps != y->rate_bps || x->has_queue != y->has_queue ||
            memcmp(&x->delay_ns, &y->delay_ns, sizeof x->delay_ns))
            return 0;
    }
    return record->n == phase->places.n;
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
        if (is_same(&record->like, &phase->spec) && are_alike(fluid, record, phase))
            break;
    return record;
}

static struct asim_fluid_record *add_record(struct asim_fluid *fluid,
                                            const struct asim_repeat *phase)
{
    size_t bytes = phase->places.n * sizeof *phase->places.at;
    struct asim_fluid_record *record = calloc(1, sizeof *record + bytes);

    if (!record) {
        fluid->failed = ASIM_ENOMEM;
        return NULL;
    }
    record->like = phase->spec;
    record->n = phase->places.n;
    memcpy(record->places, phase->places.at, bytes);
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

static void free_phase(struct asim_repeat *phase)
{
    free(phase->places.at);
    free(phase);
}

static void forget(struct asim_fluid *fluid, struct asim_repeat *phase)
{
    *(phase->before ? &phase->before->next : &fluid->phases) = phase->next;
    if (phase->next)
        phase->next->before = phase->before;
    free_phase(phase);
}

void asim_fluid_repeat_begin(const struct asim_repeat *phase, struct asim_repeat *measured)
{
    for (uint32_t m = 0; m < phase->n; m++)
        phase->spec.begin(phase->members[m].self, measured);
}

static void decide(struct asim_fluid *fluid, struct asim_repeat *phase)
{
    int records;

    asim_map_delete(&fluid->repeats, phase->spec.tag, phase->spec.others[0]);
    phase->start_ns = fluid->queue.now_ns;
    if (phase->n == phase->spec.n && phase->is_even && claim_links(fluid, phase)) {
        phase->record = find_record(fluid, phase, &records);
        phase->is_repeated = phase->record && phase->record->is_known;
        if (!phase->record && records < MOST_RECORDS)
            phase->record = add_record(fluid, phase);
        else if (!phase->is_repeated) /* another one is being measured */
            phase->record = NULL;
        if (!phase->record)
            release_links(fluid, phase);
    }
    if (!phase->record) {
        asim_fluid_repeat_begin(phase, NULL);
        free_phase(phase);
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
    release_links(fluid, phase);
    drop_record(fluid, phase->record);
    phase->record = NULL;
    phase->measured = NULL;
}

/* All members must be over in one ns, and leave idle links. */
void asim_fluid_repeat_over(struct asim_net *net, struct asim_repeat *phase)
{
    struct asim_fluid *fluid = asim_fluid_of(net);
    uint64_t now = fluid->queue.now_ns;
    int is_idle_now = 1;

    if (!phase->over++)
        phase->over_ns = now;
    if (phase->record && phase->over_ns != now)
        stop_measuring(fluid, phase);
    if (phase->over < phase->n)
        return;
    /* A controller draws marks by the number of the message. */
    if (phase->record && phase->record->trust.controlled_bytes > 0)
        stop_measuring(fluid, phase);
    for (size_t i = 0; phase->record && is_idle_now && i < phase->places.n; i++)
        is_idle_now = is_idle(&fluid->link[phase->places.at[i].link]);
    if (!is_idle_now)
        stop_measuring(fluid, phase);
    if (phase->record) {
        phase->record->is_known = 1;
        phase->record->took_ns = now - phase->start_ns;
        release_links(fluid, phase);
    }
    forget(fluid, phase);
}

static void count(struct asim_fluid *fluid, uint32_t src, uint32_t dst)
{
    const struct asim_fluid_conn *conn = asim_fluid_conn(fluid, src, dst, 0);
    const struct asim_fluid_shape *shape = &conn->shape;

    conn->path->frames += shape->frames;
    conn->path->bytes += shape->bytes + shape->frames * fluid->overhead;
    fluid->counts.messages++;
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
    for (uint32_t m = 0; m < phase->n; m++)
        for (uint32_t i = 0; i < spec->n_others; i++) {
            count(fluid, phase->members[m].src, spec->others[i]);
            count(fluid, spec->others[i], phase->members[m].src);
        }
    fluid->counts.last_ns = fluid->queue.now_ns;
    asim_fluid_trust_add(&fluid->trust, &phase->record->trust, 1);
    release_links(fluid, phase);
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
        release_links(fluid, phase);
        fluid->n_repeated--;
        phase->is_gone = 1;
        return phase;
    }
    return NULL;
}

void asim_fluid_repeats_close(struct asim_fluid *fluid)
{
    for (size_t i = 0; i < fluid->starting.n; i++)
        free_phase(fluid->starting.at[i]);
    free(fluid->starting.at);
    while (fluid->phases)
        forget(fluid, fluid->phases);
    while (fluid->records)
        drop_record(fluid, fluid->records);
    asim_map_fini(&fluid->repeats);
    free(fluid->held.at);
}
