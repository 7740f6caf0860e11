/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Phases that repeat (net/net.h, flow.md#repeats): where the links between the members, or to their
 * NVSwitches, are idle as the first one starts, a phase takes as long as the first one of its kind
 * did on alike links whose members started at the same distances, which was carried by messages and
 * measured. Members wait until the last one has started, since none is over before. A message of
 * anyone else to one of these links undoes that: the phase is carried by messages after all, from
 * its start to now, over links that nobody else has used since.
 */
#include "net/flow/repeats.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

int asim_fluid_repeat_has(struct asim_net *net)
{
    const struct asim_fluid *fluid = asim_fluid_of(net);

    return asim_fluid_relay_has(net) && !fluid->events && !fluid->traffic && !fluid->is_sprayed;
}

/* --- members start --------------------------------------------------------------------------- */

static struct asim_repeat *add_phase(struct asim_fluid *fluid, const struct asim_net_repeat *spec)
{
    struct asim_repeat *phase = calloc(1, sizeof *phase + spec->n * sizeof *phase->members);

    if (!phase)
        return NULL;
    phase->spec = *spec;
    phase->is_even = 1;
    phase->due.kind = ASIM_FLUID_REPEAT;
    phase->next = fluid->phases;
    if (phase->next)
        phase->next->before = phase;
    fluid->phases = phase;
    return phase;
}

static void forget(struct asim_fluid *fluid, struct asim_repeat *phase)
{
    *(phase->before ? &phase->before->next : &fluid->phases) = phase->next;
    if (phase->next)
        phase->next->before = phase->before;
    free(phase);
}

/* 0 or ASIM_ENOMEM. */
static int will_decide(struct asim_fluid *fluid, struct asim_repeat *phase)
{
    if (!phase->is_starting && ASIM_VEC_PUSH(fluid->starting, phase))
        return ASIM_ENOMEM;
    phase->is_starting = 1;
    return 0;
}

static void add_member(struct asim_fluid *fluid, struct asim_repeat *phase,
                       const struct asim_net_repeat *spec)
{
    struct asim_fluid_repeat_member *at = &phase->members[phase->n++];

    for (; at > phase->members && at[-1].to.src > spec->src; at--)
        *at = at[-1];
    *at = (struct asim_fluid_repeat_member){.to.src = spec->src,
                                            .due.kind = ASIM_FLUID_REPEAT_AGAIN,
                                            .phase = phase,
                                            .self = spec->self,
                                            .start_ns = fluid->queue.now_ns,
                                            .is_new = 1};
    memcpy(at->to.others, spec->others, sizeof spec->others);
}

int asim_fluid_repeat_start(struct asim_net *net, const struct asim_net_repeat *spec)
{
    struct asim_fluid *fluid = asim_fluid_of(net);
    uint64_t *slot = asim_map_put(&fluid->repeats, spec->tag, spec->at);
    struct asim_repeat *phase = slot ? (void *)(uintptr_t)*slot : NULL;

    if (slot && !phase) {
        phase = add_phase(fluid, spec);
        *slot = (uint64_t)(uintptr_t)phase;
    }
    if (!phase || will_decide(fluid, phase))
        return ASIM_ENOMEM;
    phase->is_even &= asim_fluid_repeat_is_same(spec, &phase->spec);
    add_member(fluid, phase, spec);
    if (phase->n == phase->spec.n)
        asim_map_delete(&fluid->repeats, spec->tag, spec->at);
    return 0;
}

/* --- by messages ----------------------------------------------------------------------------- */

static void release_links(struct asim_repeat *phase)
{
    if (phase->site && phase->site->links->phase == phase)
        phase->site->links->phase = NULL;
}

static void forget_if_over(struct asim_fluid *fluid, struct asim_repeat *phase)
{
    if (phase->begun == phase->spec.n && !phase->pending && !phase->is_told)
        forget(fluid, phase);
}

/* Those that start in this ns. */
static void begin_new(struct asim_repeat *phase)
{
    for (uint32_t m = 0; m < phase->n; m++) {
        struct asim_fluid_repeat_member *member = &phase->members[m];

        if (!member->is_new || member->waits)
            continue;
        member->is_new = 0;
        phase->begun++;
        phase->spec.begin(member->self, phase->is_told ? phase : NULL);
    }
}

/* From its start. Those about which nothing has been decided begin behind the messages of this ns. */
static void carry(struct asim_fluid *fluid, struct asim_repeat *phase)
{
    uint64_t now = fluid->queue.now_ns;
    uint8_t is_starting = phase->is_starting;

    if (phase->state != ASIM_REPEAT_NEW)
        fluid->n_repeated--;
    phase->state = ASIM_REPEAT_CARRIED;
    if (!phase->measured)
        release_links(phase);
    for (uint32_t m = 0; m < phase->n; m++)
        phase->members[m].waits = phase->members[m].is_new;
    phase->pending++;
    if (phase->start_ns < now) {
        phase->is_starting = 0;
        fluid->catch_up(fluid, phase);
        phase->is_starting = is_starting;
    }
    for (uint32_t m = 0; m < phase->n; m++)
        phase->members[m].is_new |= phase->members[m].start_ns == now;
    begin_new(phase);
    for (uint32_t m = 0; m < phase->n; m++) {
        if (phase->members[m].waits && will_decide(fluid, phase))
            fluid->failed = ASIM_ENOMEM;
        phase->members[m].waits = 0;
    }
    phase->pending--;
    forget_if_over(fluid, phase);
}

void asim_fluid_repeat_again(struct asim_fluid *fluid, struct asim_due *due)
{
    struct asim_fluid_repeat_member *member = ASIM_FLUID_WITH(due, repeat_member, due);

    member->is_new = 1;
    if (will_decide(fluid, member->phase))
        fluid->failed = ASIM_ENOMEM;
}

/* The phase that is measured was not alone. */
static void stop_measuring(struct asim_fluid *fluid, struct asim_repeat *phase)
{
    release_links(phase);
    asim_fluid_drop_record(fluid, phase->record);
    phase->record = NULL;
    phase->measured = NULL;
}

/* All members must have made no queue and leave idle links. */
void asim_fluid_repeat_over(struct asim_net *net, struct asim_repeat *phase, uint32_t src)
{
    struct asim_fluid *fluid = asim_fluid_of(net);
    uint32_t m = 0;

    while (phase->members[m].to.src != src)
        m++;
    if (phase->record)
        phase->record->times[m].end_ns = fluid->queue.now_ns - phase->start_ns;
    if (++phase->over < phase->n)
        return;
    /* A controller draws marks by the number of the message. */
    if (phase->record && (phase->record->trust.controlled_bytes > 0 ||
                          !asim_fluid_site_is_idle(fluid, phase->site, phase->start_ns)))
        stop_measuring(fluid, phase);
    if (phase->record) {
        phase->record->is_known = 1;
        release_links(phase);
    }
    phase->is_told = 0;
    forget_if_over(fluid, phase);
}

void asim_fluid_undo_repeats(struct asim_fluid *fluid, const struct asim_fluid_flow *flow)
{
    struct asim_repeat *phase;

    while ((phase = asim_fluid_repeat_of_others(fluid, flow)))
        if (phase->measured)
            stop_measuring(fluid, phase);
        else
            carry(fluid, phase);
}

/* --- by a record ----------------------------------------------------------------------------- */

static void set_decided(struct asim_repeat *phase)
{
    for (uint32_t m = 0; m < phase->n; m++)
        phase->members[m].is_new = 0;
}

/* The next member is over. */
static void plan(struct asim_fluid *fluid, struct asim_repeat *phase)
{
    uint64_t next_ns = UINT64_MAX;

    for (uint32_t m = 0; m < phase->n; m++)
        if (!phase->members[m].is_over && phase->record->times[m].end_ns < next_ns)
            next_ns = phase->record->times[m].end_ns;
    phase->pending++;
    asim_fluid_add(fluid, phase->start_ns + next_ns, &phase->due);
}

/* All have started, and nobody else has met them. */
static void resolve(struct asim_fluid *fluid, struct asim_repeat *phase)
{
    int is_new;

    if (asim_fluid_site_of(fluid, phase) != phase->site) { /* it was of those who had started */
        carry(fluid, phase);
        return;
    }
    phase->record = asim_fluid_record_of(fluid, phase, &is_new);
    if (phase->record && !is_new) {
        phase->state = ASIM_REPEAT_TIMED;
        set_decided(phase);
        plan(fluid, phase);
        return;
    }
    if (phase->record) {
        phase->measured = &phase->record->trust;
        phase->is_told = 1;
    }
    carry(fluid, phase);
}

static int claim_links(struct asim_fluid *fluid, struct asim_repeat *phase)
{
    struct asim_fluid_site *site = asim_fluid_site_of(fluid, phase);
    struct asim_repeat *other = site ? site->links->phase : NULL;

    if (other && other->state != ASIM_REPEAT_CARRIED) /* its messages go before those to come */
        carry(fluid, other);
    if (!site || other || !asim_fluid_site_is_idle(fluid, site, fluid->queue.now_ns))
        return 0;
    phase->site = site;
    site->links->phase = phase;
    return 1;
}

static int is_carried(const struct asim_fluid *fluid, const struct asim_repeat *phase)
{
    return phase->spec.is_carried || /* each message is wanted */
           (fluid->watch.fct && !fluid->watch.only_choices);
}

/* 0: it begins, and may be gone. */
static int hold(struct asim_fluid *fluid, struct asim_repeat *phase)
{
    phase->start_ns = fluid->queue.now_ns;
    set_decided(phase);
    if (is_carried(fluid, phase) || !claim_links(fluid, phase)) {
        carry(fluid, phase);
        return 0;
    }
    phase->state = ASIM_REPEAT_HELD;
    fluid->n_repeated++;
    return 1;
}

static void begin_late(struct asim_fluid *fluid, struct asim_repeat *phase)
{
    if (!is_carried(fluid, phase) && phase->n == phase->spec.n)
        asim_fluid_site_of(fluid, phase); /* for later phases */
    phase->pending++;
    begin_new(phase);
    phase->pending--;
    forget_if_over(fluid, phase);
}

static void decide(struct asim_fluid *fluid, struct asim_repeat *phase)
{
    phase->is_starting = 0;
    if (phase->state == ASIM_REPEAT_CARRIED) {
        begin_late(fluid, phase);
        return;
    }
    if (phase->state == ASIM_REPEAT_NEW && !hold(fluid, phase))
        return;
    if (!phase->is_even)
        carry(fluid, phase);
    else if (phase->n == phase->spec.n)
        resolve(fluid, phase);
    else
        set_decided(phase);
}

void asim_fluid_repeats_decide(struct asim_fluid *fluid)
{
    size_t n = fluid->starting.n;

    for (size_t i = 0; i < n; i++)
        decide(fluid, fluid->starting.at[i]);
    fluid->starting.n -= n;
    memmove(fluid->starting.at, fluid->starting.at + n,
            fluid->starting.n * sizeof *fluid->starting.at);
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

/* The phase is over. */
static void end(struct asim_fluid *fluid, struct asim_repeat *phase)
{
    count(fluid, phase);
    asim_fluid_trust_add(&fluid->trust, &phase->record->trust, 1);
    release_links(phase);
    fluid->n_repeated--;
}

/* In the order of the ranks. Members may start other phases as they are told. */
void asim_fluid_repeat_due(struct asim_fluid *fluid, struct asim_due *due)
{
    struct asim_repeat *phase = (void *)((char *)due - offsetof(struct asim_repeat, due));
    uint64_t took_ns = fluid->queue.now_ns - phase->start_ns;

    phase->pending--;
    if (phase->state != ASIM_REPEAT_TIMED) {
        forget_if_over(fluid, phase);
        return;
    }
    for (uint32_t m = 0; m < phase->n; m++)
        phase->over += !phase->members[m].is_over && phase->record->times[m].end_ns == took_ns;
    if (phase->over == phase->n)
        end(fluid, phase);
    for (uint32_t m = 0; m < phase->n; m++) {
        if (phase->members[m].is_over || phase->record->times[m].end_ns != took_ns)
            continue;
        phase->members[m].is_over = 1;
        phase->spec.over(phase->members[m].self);
    }
    if (phase->over < phase->n) {
        plan(fluid, phase);
        return;
    }
    for (uint32_t m = 0; m < phase->n; m++)
        phase->spec.release(phase->members[m].self);
    forget(fluid, phase);
}

void asim_fluid_repeats_close(struct asim_fluid *fluid)
{
    while (fluid->phases)
        forget(fluid, fluid->phases);
    asim_map_fini(&fluid->repeats);
    asim_fluid_sites_close(fluid);
    ASIM_FREE(fluid->starting.at, fluid->held.at, fluid->joining.at);
}
