/* SPDX-License-Identifier: GPL-2.0-only
 *
 * See switch_shard.h. What desks of one switch must not do side by side is done between their
 * steps, or by each for its own ports: another desk's ingress queue is charged by note (bulk.c),
 * counts of order are given when all is ranked (tie_order.c), and queues are marked, stamped and
 * emptied by the desk whose ports they are of.
 */
#include "fabric/switch/bulk/switch_shard.h"
#include "fabric/switch/bulk/egress_batch.h"
#include "fabric/switch/queue.h"

#include <stdlib.h>

void asim_desk_close(struct asim_switch *sw)
{
    for (uint32_t d = 0; sw->desk && d < sw->n_desks; d++) {
        struct asim_desk *desk = &sw->desk[d];

        for (uint32_t p = 0; desk->batch && p < sw->n_ports; p++)
            free(desk->batch[p].at);
        free(desk->batch);
        free(desk->ordered.at);
        free(desk->debits.at);
        free(desk->active);
        free(desk->backlog);
    }
    free(sw->desk);
    free(sw->desk_of);
    free(sw->in_seq);
    free(sw->came[0]);
    sw->desk = NULL;
    sw->desk_of = NULL;
    sw->in_seq = NULL;
    sw->came[0] = NULL;
    sw->n_desks = 0;
}

/* Lists of numbers of ports are one allocation, which `active` begins. */
static int open_desk(struct asim_switch *sw, uint32_t d, uint32_t before)
{
    struct asim_desk *desk = &sw->desk[d];
    size_t n = sw->n_ports + (size_t)1;

    desk->sw = sw;
    desk->i = d;
    desk->batch = calloc(n, sizeof *desk->batch);
    desk->active = malloc(n * 4 * sizeof *desk->active);
    desk->backlog = asim_calloc_lines(n / 64 + 1, sizeof *desk->backlog);
    if (!desk->batch || !desk->active || !desk->backlog)
        return ASIM_ENOMEM;
    desk->ways_out = desk->active + n;
    desk->by_age = desk->ways_out + n;
    desk->foreign = desk->by_age + n;
    for (uint32_t p = 0; p < sw->n_ports; p++) {
        if (sw->desk_of[p] != d)
            continue;
        desk->by_age[desk->n_ports++] = p;
        if (sw->ports[p].frames) /* opened again, in the middle of a run */
            desk->backlog[p / 64] |= 1ull << p % 64;
    }
    desk->came = sw->came[0] + before;
    desk->started = sw->started[0] + before;
    return 0;
}

int asim_desk_open(struct asim_switch *sw, uint32_t n, const uint8_t *of)
{
    size_t ports = sw->n_ports + (size_t)1;
    uint32_t before = 0;

    asim_desk_close(sw);
    sw->desk = calloc(n, sizeof *sw->desk);
    sw->desk_of = malloc(ports);
    sw->came[0] = malloc(ports * 4 * sizeof *sw->came[0]);
    sw->in_seq = n > 1 ? asim_calloc_lines(ports, sizeof *sw->in_seq) : NULL;
    if (!sw->desk || !sw->desk_of || !sw->came[0] || (n > 1 && !sw->in_seq))
        return ASIM_ENOMEM;
    sw->n_desks = n;
    sw->came[1] = sw->came[0] + ports;
    sw->started[0] = sw->came[1] + ports;
    sw->started[1] = sw->started[0] + ports;
    for (uint32_t p = 0; p < sw->n_ports; p++)
        sw->desk_of[p] = of ? of[p] : 0;
    for (uint32_t d = 0; d < n; before += sw->desk[d++].n_ports)
        if (open_desk(sw, d, before))
            return ASIM_ENOMEM;
    return 0;
}

/* When the first frame that waits behind another begins. Ends of transmissions count only where
 * frames wait: nobody else asks when a port becomes free. */
static uint64_t first_departure(struct asim_desk *desk)
{
    const struct asim_switch *sw = desk->sw;
    uint64_t next = ASIM_NEVER;

    for (uint32_t p = asim_backlog_next(desk, 0); p < sw->n_ports;
         p = asim_backlog_next(desk, p + 1)) {
        const struct asim_port *port = &sw->ports[p].port;

        if (port->busy && port->busy_until < next)
            next = port->busy_until;
    }
    return next;
}

/* Whether there is anything in the mailbox; if not, it is open as it is. */
static inline int has_mail(const struct asim_wire *wire)
{
    return atomic_load_explicit(&wire->tail, memory_order_acquire) !=
           atomic_load_explicit(&wire->head, memory_order_relaxed);
}

/* Mailboxes are looked at in the order in which they were served last, because ports in lockstep
 * will be served so again (egress_batch.c). Those with something in them are listed first, without
 * a branch on what is as good as random. Nothing hangs on what was found at the port before, so
 * that they are waited for together. */
uint64_t asim_desk_look(struct asim_desk *desk, uint64_t until)
{
    struct asim_wire *const *in = desk->sw->in;
    const uint32_t *by_age = desk->by_age;
    uint64_t begin = first_departure(desk), later = ASIM_NEVER;
    uint32_t *active = desk->active, n_mail = 0, n = 0;

    for (uint32_t i = 0; i < desk->n_ports; i++) {
        active[n_mail] = by_age[i];
        n_mail += (uint32_t)has_mail(in[by_age[i]]);
    }
    for (uint32_t i = 0; i < n_mail; i++) {
        uint32_t p = active[i];
        uint64_t t, after;

        asim_link_ring_open(in[p]);
        t = asim_link_ring_oldest(in[p])->t;
        after = t | (0 - (uint64_t)(t < until));
        active[n] = p;
        n += t < until;
        begin = t < begin ? t : begin;
        later = after < later ? after : later;
    }
    desk->n_active = n;
    desk->later = later;
    return begin;
}

/* Mailboxes are those of the turn's beginning. */
uint64_t asim_desk_rest(struct asim_desk *desk)
{
    uint64_t next = first_departure(desk);

    next = desk->later < next ? desk->later : next;
    for (uint32_t i = 0; i < desk->n_active; i++) {
        struct asim_wire *in = desk->sw->in[desk->active[i]];
        const struct asim_frame *head = asim_link_ring_head(in);

        if (!head)
            asim_link_ring_reset(in);
        else if (head->t < next)
            next = head->t;
    }
    return next;
}

uint64_t asim_switch_next(struct asim_switch *sw)
{
    uint64_t begin = ASIM_NEVER;

    for (uint32_t d = 0; d < sw->n_desks; d++) {
        uint64_t t = asim_desk_look(&sw->desk[d], 0);

        begin = t < begin ? t : begin;
    }
    return begin;
}

void asim_desk_deal(struct asim_fabric *fabric, struct asim_desk *desk, uint64_t begin,
                    uint64_t until)
{
    desk->dealt = asim_calm_may(fabric, desk->sw) && asim_batch_deal(fabric, desk, begin, until);
}

/* What has been dealt in vain is taken back. */
int asim_switch_is_calm(struct asim_switch *sw, uint32_t group)
{
    int calm = 1;

    for (uint32_t d = 0; d < sw->n_desks; d++)
        calm &= sw->desk[d].dealt;
    sw->calm = calm && asim_batch_fits(sw, group);
    for (uint32_t d = 0; d < sw->n_desks && !sw->calm; d++)
        if (sw->desk[d].dealt)
            asim_batch_take_back(&sw->desk[d]);
    return sw->calm;
}

void asim_desk_serve(struct asim_fabric *fabric, struct asim_desk *desk, uint64_t begin,
                     uint64_t until)
{
    for (uint32_t d = 0; d < desk->sw->n_desks; d++)
        if (d != desk->i)
            asim_batch_collect(desk, &desk->sw->desk[d], begin);
    asim_calm_serve(fabric, desk, begin, until);
}

void asim_desk_settle(struct asim_desk *desk)
{
    for (uint32_t d = 0; d < desk->sw->n_desks; d++)
        if (d != desk->i)
            asim_calm_charge(desk, &desk->sw->desk[d]);
    asim_batch_settle(desk);
}
