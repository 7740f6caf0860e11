/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A window of long links, domain by domain (domains.h). A rank acts when one of its timers is due,
 * and when the last ACK of a message arrives. Only then, or while messages are under way inside the
 * domain, frames may enter its short links.
 */
#include <stdlib.h>

#include "fabric/host/fast/frame_loop.h"
#include "fabric/host/memo_hooks.h"
#include "fabric/parallel/domains.h"
#include "fabric/link/schedule.h"

/* Of least_unsent: no message has so many bytes. */
#define INSIDE (ASIM_NEVER - 1)

/* How far a message lies behind what its NIC could have sent, in 1/1024: rates are rounded. */
enum { SLACK = 16 };

/* Whether nothing is under way over this link inside the domain. Frames that the host has sent are
 * events of the switch. */
static int is_still(const struct asim_nic *nic)
{
    return nic->qps.n == nic->qps.n_finished && !nic->acks.n && nic->port.busy != ASIM_NIC_BUSY &&
           nic->wake_at == ASIM_NEVER && !asim_link_ring_count(nic->port.in);
}

static int is_inner(const struct asim_fabric *fabric, const struct asim_nic *nic)
{
    return nic->port.out->delay < fabric->workers.domain_lookahead;
}

/* All bytes of a message have been sent: its last ACK may be in a receive ring already. Frames that
 * are not there yet arrive at `known` or later; so do those that another thread puts there now,
 * into the ring or behind it. */
static uint64_t last_ack_at(const struct asim_host *host, uint64_t known)
{
    for (uint32_t k = 0; k < host->n_nics; k++) {
        const struct asim_wire *in = host->nics[k].port.in;
        uint32_t tail = atomic_load_explicit(&in->tail, memory_order_acquire);

        for (uint32_t i = atomic_load_explicit(&in->head, memory_order_relaxed); i != tail; i++) {
            const struct asim_frame *frame = &in->at[i & in->mask];

            if (frame->t >= known)
                break;
            if ((frame->type == ASIM_ACK || frame->type == ASIM_NACK) &&
                frame->seq >= asim_own_flow(host, frame->slot)->cc.size)
                known = frame->t;
        }
    }
    return known;
}

/* The least number of bytes that a message over this NIC has never sent; ASIM_NEVER: no message.
 * ACKs of a message inside the domain may take short links: INSIDE. */
static uint64_t least_unsent(const struct asim_fabric *fabric, const struct asim_host *host,
                             const struct asim_nic *nic)
{
    const uint32_t *domain_of = fabric->workers.domain_of;
    uint64_t least = ASIM_NEVER;

    for (uint32_t q = 0; (q = asim_qplist_next(&nic->qps, q)) != ASIM_QP_NONE; q++) {
        const struct asim_flow *flow = asim_qplist_at(&nic->qps, q);
        uint64_t unsent = flow->snd_high < flow->cc.size ? flow->cc.size - flow->snd_high : 0;

        if (!asim_flow_is_over(flow) && domain_of[flow->dst] == domain_of[host->node])
            return INSIDE;
        if (!asim_flow_is_over(flow) && unsent < least)
            least = unsent;
    }
    return least;
}

/* When a message of the host over links out of the domain may be acknowledged as a whole. Bytes
 * that it has never sent must pass the NIC and two links first. */
static uint64_t completes_at(const struct asim_fabric *fabric, const struct asim_host *host,
                             uint64_t t, uint64_t known)
{
    uint64_t first = ASIM_NEVER;

    for (uint32_t k = 0; k < host->n_nics; k++) {
        const struct asim_nic *nic = &host->nics[k];
        uint64_t least = ASIM_NEVER, at = ASIM_NEVER;

        if (!is_inner(fabric, nic))
            least = least_unsent(fabric, host, nic);
        if (least == INSIDE)
            return t;
        if (!least)
            known = last_ack_at(host, known);
        if (!least)
            at = known;
        else if (least != ASIM_NEVER)
            at = t + fabric->workers.domain_lookahead +
                 (uint64_t)((double)least * (1024 - SLACK) / 1024 * 8e9 / (double)nic->rate_bps *
                            fabric->set.tick);
        first = at < first ? at : first;
    }
    return first;
}

/* Of all hosts: after one of them may have sent another message. */
static uint64_t find_completion(const struct asim_worker *worker, const struct asim_domain *domain,
                                uint64_t t, uint64_t known)
{
    uint64_t first = ASIM_NEVER;

    for (uint32_t i = 0; i < domain->n_hosts; i++) {
        uint64_t at = completes_at(worker->fabric,
                                   &worker->fabric->host[worker->node[domain->index[i]]], t, known);

        first = at < first ? at : first;
    }
    return first;
}

/* No frame enters a short link of the domain before the time returned, and none of its ranks acts;
 * t: it may at once. All frames over other links that arrive before `known` are in their rings. */
static uint64_t still_until(const struct asim_worker *worker, struct asim_domain *domain,
                            uint64_t t, uint64_t known)
{
    const struct asim_fabric *fabric = worker->fabric;
    uint64_t until = ASIM_NEVER;

    for (uint32_t i = domain->n_hosts; i < domain->n; i++)
        if (worker->next[domain->index[i]] != ASIM_NEVER)
            return t;
    for (uint32_t i = 0; i < domain->n_hosts; i++) {
        const struct asim_host *host = &fabric->host[worker->node[domain->index[i]]];

        if (host->timers.n && host->timers.at->t < until)
            until = host->timers.at->t;
        if (until <= t)
            return t;
        for (uint32_t k = 0; k < host->n_nics; k++)
            if (is_inner(fabric, &host->nics[k]) && !is_still(&host->nics[k]))
                return t;
    }
    if (domain->completes_at <= t)
        domain->completes_at = find_completion(worker, domain, t, known);
    return domain->completes_at < until ? domain->completes_at : until;
}

static void forget(struct asim_domains *domains)
{
    for (uint32_t d = 0; d < domains->n; d++)
        domains->at[d].completes_at = 0;
}

/* Ranks may have acted in windows of short links. */
static void notice_calls(struct asim_worker *worker)
{
    if (worker->calls != worker->domains->calls)
        forget(worker->domains);
    worker->domains->calls = worker->calls;
}

void asim_domains_forget(struct asim_fabric *fabric)
{
    for (uint32_t w = 0; w < fabric->workers.n; w++)
        if (fabric->workers.at[w].domains)
            forget(fabric->workers.at[w].domains);
}

uint64_t asim_domains_still_until(struct asim_fabric *fabric, uint64_t t)
{
    uint64_t least = t + fabric->set.lookahead, until = t + fabric->workers.domain_lookahead;

    for (uint32_t w = 0; w < fabric->workers.n; w++) {
        struct asim_worker *worker = &fabric->workers.at[w];

        notice_calls(worker);
        for (uint32_t d = 0; d < worker->domains->n; d++) {
            uint64_t still = still_until(worker, &worker->domains->at[d], t,
                                         t + fabric->workers.domain_lookahead);

            until = still < until ? still : until;
            if (until <= least)
                return least;
        }
    }
    return until;
}

/* --- a window --------------------------------------------------------------------------------- */

static void advance_node(struct asim_worker *worker, uint32_t i, uint64_t until)
{
    worker->next[i] = asim_node_advance(worker->fabric, worker->node[i], until);
}

/* The earliest event of the domain's nodes, with frames that they have sent to each other. */
static uint64_t next_event(const struct asim_worker *worker, const struct asim_domain *domain)
{
    uint64_t *min_arrival = worker->min_arrival + worker->first_slot, first = ASIM_NEVER;

    for (uint32_t k = 0; k < domain->n; k++) {
        uint32_t i = domain->index[k];

        if (min_arrival[i] < worker->next[i]) {
            worker->next[i] = min_arrival[i];
            if (i < worker->n_hosts)
                worker->block_min[i / ASIM_BLOCK] = 0;
        }
        min_arrival[i] = ASIM_NEVER;
        first = worker->next[i] < first ? worker->next[i] : first;
    }
    return first;
}

/* The end of a window of the domain that begins at t. */
static uint64_t inner_end(struct asim_worker *worker, struct asim_domain *domain, uint64_t t,
                          uint64_t until)
{
    uint64_t end = still_until(worker, domain, t, until);

    if (end < t + worker->fabric->set.lookahead) {
        end = t + worker->fabric->set.lookahead;
        domain->completes_at = 0;
    }
    return end < until ? end : until;
}

static void advance_nodes(struct asim_worker *worker, const struct asim_domain *domain,
                          uint64_t end)
{
    for (uint32_t k = 0; k < domain->n; k++)
        if (worker->next[domain->index[k]] < end)
            advance_node(worker, domain->index[k], end);
    asim_worker_deliver(worker);
}

static void advance(struct asim_worker *worker, struct asim_domain *domain, uint64_t until)
{
    uint64_t t;

    while ((t = next_event(worker, domain)) < until && !worker->failed)
        advance_nodes(worker, domain, inner_end(worker, domain, t, until));
}

/* With its part. */
static void advance_part(struct asim_worker *worker, struct asim_domain *domain, uint64_t until)
{
    struct asim_fabric *fabric = worker->fabric;
    const struct asim_memo_hooks *memo = fabric->memo_hooks;
    uint64_t t, end;

    memo->domain_begins(fabric, domain);
    while (!worker->failed && !fabric->run.failed) {
        t = next_event(worker, domain);
        if (memo->look(fabric, domain, t < until ? t : until))
            continue;
        if (t >= until)
            break;
        end = memo->inner_begins(fabric, domain, t, inner_end(worker, domain, t, until));
        advance_nodes(worker, domain, end);
        memo->domain_window_over(worker);
        memo->inner_over(fabric, domain, end);
    }
}

void asim_domain_advance_again(struct asim_worker *worker, uint32_t domain, uint64_t until)
{
    const struct asim_fabric *fabric = worker->fabric;
    uint64_t t, lookahead = fabric->set.lookahead;

    while ((t = next_event(worker, &worker->domains->at[domain])) < until && !worker->failed) {
        advance_nodes(worker, &worker->domains->at[domain],
                      until - t > lookahead ? t + lookahead : until);
        fabric->memo_hooks->domain_window_over(worker);
    }
}

static int compare_turns(const void *a, const void *b)
{
    const struct asim_domain_turn *x = a, *y = b;

    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->domain < y->domain ? -1 : x->domain > y->domain;
}

/* Parts that others follow go first, then those whose ranks act first: others may follow them. */
static void advance_parts(struct asim_worker *worker, uint64_t until)
{
    struct asim_domains *domains = worker->domains;
    const struct asim_fabric *fabric = worker->fabric;

    for (uint32_t d = 0; d < domains->n; d++) {
        struct asim_domain *domain = &domains->at[d];
        int is_first = fabric->memo_hooks->goes_first(fabric, domain);

        domains->turn[d] =
            (struct asim_domain_turn){is_first ? 0 : next_event(worker, domain) / 2 + 1, d};
    }
    qsort(domains->turn, domains->n, sizeof *domains->turn, compare_turns);
    for (uint32_t i = 0; i < domains->n; i++) {
        struct asim_domain *domain = &domains->at[domains->turn[i].domain];

        if (domain->part)
            advance_part(worker, domain, until);
        else
            advance(worker, domain, until);
        domain->reached = until;
    }
}

void asim_domains_advance(struct asim_worker *worker, uint64_t until)
{
    struct asim_domains *domains = worker->domains;

    worker->fast_ok = asim_host_fast_ok(worker->fabric);
    notice_calls(worker);
    for (uint32_t b = 0; b < worker->n_hosts; b += ASIM_BLOCK)
        if (worker->block_min[b / ASIM_BLOCK] < until)
            worker->block_min[b / ASIM_BLOCK] = 0;
    if (domains->with_parts)
        advance_parts(worker, until);
    for (uint32_t d = 0; !domains->with_parts && d < domains->n; d++)
        advance(worker, &domains->at[d], until);
    domains->calls = worker->calls;
    for (uint32_t k = 0; k < domains->n_others; k++)
        if (worker->next[domains->others[k]] < until)
            advance_node(worker, domains->others[k], until);
}
