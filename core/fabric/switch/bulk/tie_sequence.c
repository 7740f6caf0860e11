/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The counts that arrivals and transmissions of a calm window leave behind, by which tie_key.h
 * tells the next ones apart: by the order found (tie_order.c), or, where everything came in
 * lockstep, by the order there was, which then nobody has to find. Desks of several lanes do the
 * latter without a look at each other's ports, whose cache lines would have to come from another
 * core and go back.
 */
#include "fabric/switch/bulk/egress_batch.h"

/* Whether all that two ports took in came at the same times for the same causes. */
static int came_alike(const struct asim_switch *sw, const struct asim_came *a,
                      const struct asim_came *b)
{
    uint32_t place = asim_batch_place(a->entry);

    return place == asim_batch_place(b->entry) &&
           asim_batch_is_alike(sw->in[a->port], sw->in[b->port], place + 1);
}

void asim_batch_see_step(struct asim_desk *desk)
{
    const struct asim_switch *sw = desk->sw;
    const struct asim_came *came = desk->came;
    uint32_t n = desk->n_came, i;

    if (!n)
        return;
    desk->seq_low = desk->seq_high = sw->in[came->port]->in_seq;
    for (i = 1; i < n && sw->in[came[i].port]->in_seq > desk->seq_high &&
                sw->kin[came[i].port] == sw->kin[came->port];
         i++)
        desk->seq_high = sw->in[came[i].port]->in_seq;
    desk->in_step = i == n && desk->seq_low > 0;
}

/* Whether no two of what a port took in came at the same time: then those of all its kin that did
 * have the same place. */
static int is_strict(const struct asim_switch *sw, const struct asim_came *came)
{
    const struct asim_link_ring_view mail = asim_link_ring_view_of(sw->in[came->port]);
    uint32_t n = asim_batch_place(came->entry) + 1, i = 1;

    while (i < n && asim_link_ring_view_nth(&mail, i - 1)->t < asim_link_ring_view_nth(&mail, i)->t)
        i++;
    return i == n;
}

/* Only those a desk deals first, and who came as they did: all of them in lockstep, which is the
 * case that is worth it. */
void asim_batch_link(struct asim_switch *sw)
{
    const struct asim_desk *first = sw->desk;
    uint64_t low = first->seq_low, high = first->seq_high;
    int in_step = first->in_step && first->n_came && is_strict(sw, first->came);

    for (uint32_t d = 1; d < sw->n_desks; d++) {
        struct asim_desk *desk = &sw->desk[d];

        desk->alike = desk->n_came && first->n_came && came_alike(sw, first->came, desk->came);
        if (!desk->n_came)
            continue;
        in_step &= desk->alike && desk->in_step;
        low = desk->seq_low < low ? desk->seq_low : low;
        high = desk->seq_high > high ? desk->seq_high : high;
    }
    sw->in_step = in_step && high - low < 1u << ASIM_IN_BITS;
    sw->step_from = low;
    for (uint32_t d = 1; d < sw->n_desks && !sw->in_step; d++) {
        const struct asim_desk *desk = &sw->desk[d];

        for (uint32_t i = desk->alike ? desk->n_came : 0; i-- > 0;)
            if (sw->kin[desk->came[i].port] == desk->came->port)
                sw->kin[desk->came[i].port] = first->came->port;
    }
}

/* Count of an entry's event: its time, then its place among those of its time, if it shares it. */
static inline uint64_t count_of(const struct asim_switch *sw, uint64_t entry, uint32_t place)
{
    return sw->seq + 1 + (entry >> ASIM_TICK_SHIFT << ASIM_IN_BITS) + place;
}

/* Who was served in this window goes behind the others by age; they are put there afterwards, in
 * the order found. Returns how many others there are. */
static uint32_t keep_others(struct asim_desk *desk)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < desk->n_ports; i++) {
        desk->by_age[kept] = desk->by_age[i];
        kept += desk->sw->kin[desk->by_age[i]] == UINT32_MAX;
    }
    return kept;
}

/* Without ties there is no lockstep, and no age is of use. */
static void age(struct asim_desk *desk)
{
    const struct asim_switch *sw = desk->sw;
    uint32_t kept = keep_others(desk);

    for (uint32_t i = 0; i < sw->n_came; i++)
        if (sw->n_desks == 1 || sw->desk_of[sw->came_order[i].port] == desk->i)
            desk->by_age[kept++] = sw->came_order[i].port;
}

/* A port has taken in what came, which is dropped now. */
static inline void take_in(struct asim_switch *sw, struct asim_came came, uint64_t count)
{
    struct asim_wire *wire = sw->in[came.port];

    sw->kin[came.port] = UINT32_MAX;
    wire->in_seq = count;
    asim_link_ring_drop_many(wire, asim_batch_place(came.entry) + 1);
}

static void settle_ordered(struct asim_desk *desk)
{
    struct asim_switch *sw = desk->sw;
    int alone = sw->n_desks == 1;

    if (sw->ties)
        age(desk);
    for (uint32_t i = 0; i < sw->n_started; i++) {
        struct asim_came started = sw->started_order[i];

        if (alone || sw->desk_of[started.port] == desk->i)
            sw->ports[started.port].port.start_seq = count_of(sw, started.entry, i);
    }
    for (uint32_t i = 0; i < sw->n_came; i++) {
        struct asim_came came = sw->came_order[i];

        if (alone || sw->desk_of[came.port] == desk->i)
            take_in(sw, came, count_of(sw, came.entry, i));
    }
}

/* Everybody keeps the place among the others that the last counts gave it: no look at other desks'
 * ports, but at the counts they had. */
static void settle_in_step(struct asim_desk *desk)
{
    struct asim_switch *sw = desk->sw;
    uint32_t kept;

    for (uint32_t i = 0; i < desk->n_started; i++) {
        struct asim_came started = desk->started[i];
        uint32_t in = asim_batch_in(started.entry);
        uint64_t before = sw->in_seq ? sw->in_seq[in] : sw->in[in]->in_seq;

        sw->ports[started.port].port.start_seq =
            count_of(sw, started.entry, (uint32_t)(before - sw->step_from));
    }
    if (desk->n_came < desk->n_ports) {
        kept = keep_others(desk);
        for (uint32_t i = 0; i < desk->n_came; i++)
            desk->by_age[kept++] = desk->came[i].port;
    }
    for (uint32_t i = 0; i < desk->n_came; i++) {
        struct asim_came came = desk->came[i];
        uint64_t before = sw->in[came.port]->in_seq;

        take_in(sw, came, count_of(sw, came.entry, (uint32_t)(before - sw->step_from)));
    }
}

/* Mailboxes are emptied last: what is put in order is looked up there. */
void asim_batch_settle(struct asim_desk *desk)
{
    if (desk->sw->in_step)
        settle_in_step(desk);
    else
        settle_ordered(desk);
    asim_batch_empty(desk);
    desk->n_came = desk->n_started = 0;
}

void asim_batch_end(struct asim_switch *sw, uint64_t ticks)
{
    for (uint32_t d = 0; d < sw->n_desks; d++) {
        sw->shared_used += sw->desk[d].shared;
        sw->desk[d].shared = 0;
        sw->desk[d].debits.n = 0;
    }
    sw->seq += (ticks + 1) << ASIM_IN_BITS;
}
