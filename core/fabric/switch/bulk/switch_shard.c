/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Shards, their receive rings, and the steps of a window (switch_shard.h).
 */
#include "fabric/switch/bulk/switch_shard.h"

#include <stdlib.h>

#include "fabric/switch/bulk/bulk.h"
#include "fabric/switch/bulk/egress_batch.h"
#include "fabric/ground/worker.h"
#include "fabric/switch/queue.h"
#include "net/ways.h"

void asim_switch_shards_close(struct asim_switch *sw)
{
    for (uint32_t d = 0; sw->shard && d < sw->n_shards; d++) {
        struct asim_switch_shard *shard = &sw->shard[d];

        for (uint32_t p = 0; shard->batch && p < sw->n_ports; p++)
            free(shard->batch[p].at);
        ASIM_FREE(shard->batch, shard->ordered.at, shard->deferred_updates.at, shard->active,
                  shard->pending);
    }
    ASIM_FREE(sw->shard, sw->shard_of, sw->last_arrival[0]);
    sw->shard = NULL;
    sw->shard_of = NULL;
    sw->last_arrival[0] = NULL;
    sw->n_shards = 0;
}

/* All lists of port numbers are one allocation, which `active` begins. */
static int open_shard(struct asim_switch *sw, uint32_t d, uint32_t before)
{
    struct asim_switch_shard *shard = &sw->shard[d];
    size_t n = sw->n_ports + (size_t)1;

    shard->sw = sw;
    shard->i = d;
    shard->batch = calloc(n, sizeof *shard->batch);
    shard->active = malloc(n * 4 * sizeof *shard->active);
    shard->pending = asim_calloc_lines(n / 64 + 1, sizeof *shard->pending);
    if (!shard->batch || !shard->active || !shard->pending)
        return ASIM_ENOMEM;
    shard->egress_ports = shard->active + n;
    shard->port = shard->egress_ports + n;
    shard->remote_egress = shard->port + n;
    for (uint32_t p = 0; p < sw->n_ports; p++) {
        if (sw->shard_of[p] != d)
            continue;
        shard->port[shard->n_ports++] = p;
        if (sw->ports[p].frames) /* opened again during a run */
            shard->pending[p / 64] |= 1ull << p % 64;
    }
    shard->last_arrival = sw->last_arrival[0] + before;
    shard->last_tx_start = sw->last_tx_start[0] + before;
    return 0;
}

int asim_switch_shards_open(struct asim_switch *sw, uint32_t n, const uint8_t *of)
{
    size_t ports = sw->n_ports + (size_t)1;
    uint32_t before = 0;

    asim_switch_shards_close(sw);
    sw->shard = calloc(n, sizeof *sw->shard);
    sw->shard_of = malloc(ports);
    sw->last_arrival[0] = malloc(ports * 4 * sizeof *sw->last_arrival[0]);
    if (!sw->shard || !sw->shard_of || !sw->last_arrival[0])
        return ASIM_ENOMEM;
    sw->n_shards = n;
    sw->last_arrival[1] = sw->last_arrival[0] + ports;
    sw->last_tx_start[0] = sw->last_arrival[1] + ports;
    sw->last_tx_start[1] = sw->last_tx_start[0] + ports;
    for (uint32_t p = 0; p < sw->n_ports; p++)
        sw->shard_of[p] = of ? of[p] : 0;
    for (uint32_t d = 0; d < n; before += sw->shard[d++].n_ports)
        if (open_shard(sw, d, before))
            return ASIM_ENOMEM;
    return 0;
}

/* The first departure of a queued frame. Other ends of transmissions are no events. */
static uint64_t first_departure(struct asim_switch_shard *shard)
{
    const struct asim_switch *sw = shard->sw;
    uint64_t next = ASIM_NEVER;

    for (uint32_t p = asim_pending_next(shard, 0); p < sw->n_ports;
         p = asim_pending_next(shard, p + 1)) {
        const struct asim_port *port = &sw->ports[p].port;

        if (port->busy && port->busy_until < next)
            next = port->busy_until;
    }
    return next;
}

/* Whether the receive ring holds frames. Reads nothing else of an empty one. */
static inline int has_mail(const struct asim_wire *wire)
{
    return atomic_load_explicit(&wire->tail, memory_order_acquire) !=
           atomic_load_explicit(&wire->head, memory_order_relaxed);
}

/* Lists the rings with frames in `active`, and returns their number: without a branch on random
 * data. */
static uint32_t list_mail(const struct asim_switch_shard *shard)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < shard->n_ports; i++) {
        shard->active[n] = shard->port[i];
        n += (uint32_t)has_mail(shard->sw->in[shard->port[i]]);
    }
    return n;
}

/* Lists rings with frames first. The rings do not depend on each other, so their cache misses
 * overlap. */
uint64_t asim_switch_shard_open_rings(struct asim_switch_shard *shard, uint64_t until)
{
    struct asim_wire *const *in = shard->sw->in;
    uint64_t begin = first_departure(shard), later = ASIM_NEVER;
    uint32_t *active = shard->active, n = 0;
    uint32_t n_mail = list_mail(shard);

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
    shard->n_active = n;
    shard->later = later;
    return begin;
}

void asim_switch_shard_note_first(struct asim_switch_shard *shard)
{
    struct asim_first_arrivals *first = shard->sw->first;

    for (uint32_t i = 0; i < shard->n_active; i++) {
        const struct asim_wire *in = shard->sw->in[shard->active[i]];
        const struct asim_frame *frame = asim_link_ring_oldest(in);
        struct asim_first_arrival arrival = {frame->t, asim_wire_tie_key(in, frame), in->in_seq,
                                             shard->active[i]};

        if (in->in_seq <= first->since && ASIM_VEC_PUSH(first->list, arrival))
            shard->worker->failed = ASIM_ENOMEM;
    }
}

uint64_t asim_switch_shard_next(struct asim_switch_shard *shard)
{
    uint64_t next = first_departure(shard);

    next = shard->later < next ? shard->later : next;
    for (uint32_t i = 0; i < shard->n_active; i++) {
        struct asim_wire *in = shard->sw->in[shard->active[i]];
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

    for (uint32_t d = 0; d < sw->n_shards; d++) {
        uint64_t t = asim_switch_shard_open_rings(&sw->shard[d], 0);

        begin = t < begin ? t : begin;
    }
    return begin;
}

void asim_switch_shard_bucket(struct asim_fabric *fabric, struct asim_switch_shard *shard,
                              uint64_t begin, uint64_t until)
{
    shard->bucketed = fabric->ways & ASIM_WAY_BULK_SWITCH && !shard->sw->maybe_paused &&
                      shard->sw->arrivals_before_departures &&
                      asim_arrivals_bucket(fabric, shard, begin, until);
}

/* If one shard cannot bucket its arrivals, all others undo it. */
int asim_switch_decide_bulk(struct asim_switch *sw, uint32_t group)
{
    int bulk = 1;

    for (uint32_t d = 0; d < sw->n_shards; d++)
        bulk &= sw->shard[d].bucketed;
    sw->bulk = bulk && asim_arrivals_fit_buffer(sw, group);
    for (uint32_t d = 0; d < sw->n_shards && !sw->bulk; d++)
        if (sw->shard[d].bucketed)
            asim_arrivals_unbucket(&sw->shard[d]);
    return sw->bulk;
}

void asim_switch_shard_serve(struct asim_fabric *fabric, struct asim_switch_shard *shard,
                             uint64_t begin, uint64_t until)
{
    for (uint32_t d = 0; d < shard->sw->n_shards; d++)
        if (d != shard->i)
            asim_arrivals_collect(shard, &shard->sw->shard[d], begin);
    asim_bulk_serve(fabric, shard, begin, until);
}

void asim_switch_shard_settle(struct asim_switch_shard *shard)
{
    for (uint32_t d = 0; d < shard->sw->n_shards; d++)
        if (d != shard->i)
            asim_bulk_apply_deferred(shard, &shard->sw->shard[d]);
    asim_tie_sequence_assign(shard);
}
