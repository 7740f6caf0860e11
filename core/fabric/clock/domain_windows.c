/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A window of long links, domain by domain (domains.h). A rank acts when one of its timers is due,
 * and when the last ACK of a message arrives. Only then, or while messages are under way inside the
 * domain, frames may enter its short links.
 */
#include <stdlib.h>

#include "fabric/host/advance.h"
#include "fabric/clock/hooks.h"
#include "fabric/clock/domains.h"
#include "fabric/link/schedule.h"
#include "fabric/clock/engine.h"
#include "fabric/clock/worker.h"
#include "fabric/host/host.h"
#include "net/ways.h"

/* Of least_unsent: no message has so many bytes. */
#define INSIDE (ASIM_NEVER - 1)

/* How far a message lies behind what its NIC could have sent, in 1/1024: rates are rounded. */
enum { SLACK = 16 };

/* Windows of a domain that are not asked whether they may be longer, after several that might not.
 */
enum { MOST_PAUSE = 31 };

static int is_inner(const struct asim_fabric *fabric, const struct asim_nic *nic)
{
    return nic->port.out->delay < asim_engine_of(fabric)->workers.domain_lookahead;
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
    const uint32_t *domain_of = asim_engine_of(fabric)->workers.domain_of;
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
            at = t + asim_engine_of(fabric)->workers.domain_lookahead +
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
        const struct asim_host *host = &worker->fabric->host[worker->node[domain->index[i]]];
        uint64_t at = completes_at(worker->fabric, host, t, known);

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
            if (is_inner(fabric, &host->nics[k]) && !asim_nic_is_still(&host->nics[k]))
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
    struct asim_fabric_engine *engine = asim_engine_of(fabric);

    for (uint32_t w = 0; w < engine->workers.n; w++)
        if (engine->workers.at[w].domains)
            forget(engine->workers.at[w].domains);
}

uint64_t asim_domains_still_until(struct asim_fabric *fabric, uint64_t t)
{
    struct asim_fabric_engine *engine = asim_engine_of(fabric);
    uint64_t least = t + fabric->set.lookahead, until = t + engine->workers.domain_lookahead;

    for (uint32_t w = 0; w < engine->workers.n; w++) {
        struct asim_worker *worker = &engine->workers.at[w];

        notice_calls(worker);
        for (uint32_t d = 0; d < worker->domains->n; d++) {
            uint64_t still = still_until(worker, &worker->domains->at[d], t,
                                         t + engine->workers.domain_lookahead);

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

/* The earliest events of a domain's hosts and of its switches. */
struct firsts {
    uint64_t hosts, switches;
};

/* The earliest event of the nodes from the k-th to before the n-th, with frames that nodes have
 * sent to each other. */
static inline uint64_t first_of(const struct asim_worker *worker, const struct asim_domain *domain,
                                uint32_t k, uint32_t n)
{
    uint64_t *min_arrival = worker->min_arrival + worker->first_slot, first = ASIM_NEVER;

    for (; k < n; k++) {
        uint32_t i = domain->index[k];
        uint64_t t = worker->next[i];

        if (min_arrival[i] < t) {
            worker->next[i] = t = min_arrival[i];
            if (i < worker->n_hosts)
                worker->block_min[i / ASIM_BLOCK] = 0;
        }
        min_arrival[i] = ASIM_NEVER;
        first = t < first ? t : first;
    }
    return first;
}

/* Returns the earlier one. */
static uint64_t next_events(const struct asim_worker *worker, const struct asim_domain *domain,
                            struct firsts *first)
{
    first->hosts = first_of(worker, domain, 0, domain->n_hosts);
    first->switches = first_of(worker, domain, domain->n_hosts, domain->n);
    return first->hosts < first->switches ? first->hosts : first->switches;
}

static uint64_t next_event(const struct asim_worker *worker, const struct asim_domain *domain)
{
    struct firsts first;

    return next_events(worker, domain, &first);
}

/* A window of the domain that begins with an event at t, of its hosts, of its switches or of both.
 */
struct inner {
    uint64_t t, end;
    int has_hosts, has_switches;
};

static uint64_t earliest(uint64_t a, uint64_t b, uint64_t c)
{
    a = a < b ? a : b;
    return a < c ? a : c;
}

/* Hosts and switches in turn, twice as far: nothing reaches the half whose event is first sooner
 * than a link's delay behind the other half's event, or two delays behind its own. */
static void alternate(const struct asim_fabric *fabric, const struct firsts *first, uint64_t until,
                      struct inner *inner)
{
    uint64_t delay = fabric->set.lookahead, other;

    inner->has_switches = first->switches <= first->hosts;
    inner->has_hosts = !inner->has_switches;
    other = inner->has_hosts ? first->switches : first->hosts;
    inner->end = earliest(other < ASIM_NEVER - delay ? other + delay : ASIM_NEVER,
                          inner->t + 2 * delay, until);
}

/* The window is short. Ranks that send short messages leave hardly a long one; parts may wait for
 * one. */
static void pause_asking(const struct asim_domains *domains, struct asim_domain *domain)
{
    if (domains->with_parts)
        return;
    if (domain->unasked) {
        domain->unasked--;
    } else {
        domain->pause = domain->pause < MOST_PAUSE ? 2 * domain->pause + 1 : MOST_PAUSE;
        domain->unasked = domain->pause;
    }
}

/* The next window of the domain; the domain has no event before `until` if inner.t is not less. */
static struct inner next_inner(struct asim_worker *worker, struct asim_domain *domain,
                               uint64_t until)
{
    uint64_t delay = worker->fabric->set.lookahead;
    struct firsts first;
    struct inner inner = {next_events(worker, domain, &first), 0, 1, 1};
    int alternates = worker->domains->is_bipartite && worker->fabric->ways & ASIM_WAY_HALF_STEPS;

    if (inner.t >= until)
        return inner;
    inner.end = domain->unasked && !worker->domains->with_parts
                    ? 0
                    : still_until(worker, domain, inner.t, until);
    if (inner.end < inner.t + (alternates ? 2 : 1) * delay) {
        pause_asking(worker->domains, domain);
        domain->completes_at = 0;
        inner.end = inner.t + delay;
        if (alternates)
            alternate(worker->fabric, &first, until, &inner);
    } else {
        domain->pause = 0;
    }
    inner.end = inner.end < until ? inner.end : until;
    return inner;
}

static void advance_nodes(struct asim_worker *worker, const struct asim_domain *domain,
                          const struct inner *inner)
{
    uint32_t from = inner->has_hosts ? 0 : domain->n_hosts;
    uint32_t to = inner->has_switches ? domain->n : domain->n_hosts;

    for (uint32_t k = from; k < to; k++)
        if (worker->next[domain->index[k]] < inner->end)
            advance_node(worker, domain->index[k], inner->end);
    asim_worker_deliver(worker);
}

static void advance(struct asim_worker *worker, struct asim_domain *domain, uint64_t until)
{
    struct inner inner;

    while ((inner = next_inner(worker, domain, until)).t < until && !worker->failed)
        advance_nodes(worker, domain, &inner);
}

/* With its part, which is looked at when the hosts have advanced: then all completions that are due
 * are known. */
static void advance_part(struct asim_worker *worker, struct asim_domain *domain, uint64_t until)
{
    struct asim_fabric *fabric = worker->fabric;
    const struct asim_window_hooks *memo = fabric->window_hooks;
    struct inner inner;

    memo->domain_begins(fabric, domain);
    while (!worker->failed && !fabric->failed) {
        inner = next_inner(worker, domain, until);
        if (memo->look(fabric, domain, inner.t < until ? inner.t : until))
            continue;
        if (inner.t >= until)
            break;
        if (inner.has_hosts)
            inner.end = memo->inner_begins(fabric, domain, inner.t, inner.end);
        advance_nodes(worker, domain, &inner);
        memo->domain_window_over(worker);
        if (inner.has_hosts)
            memo->inner_over(fabric, domain, inner.end);
    }
}

void asim_domain_advance_again(struct asim_worker *worker, uint32_t domain, uint64_t until)
{
    const struct asim_fabric *fabric = worker->fabric;
    uint64_t t, lookahead = fabric->set.lookahead;

    worker->silent = 1;
    while ((t = next_event(worker, &worker->domains->at[domain])) < until && !worker->failed) {
        advance_nodes(worker, &worker->domains->at[domain],
                      &(struct inner){t, until - t > lookahead ? t + lookahead : until, 1, 1});
        fabric->window_hooks->domain_window_over(worker);
    }
    worker->silent = 0;
}

ASIM_ORDER(compare_turns, struct asim_domain_turn, ->key, ->domain)

/* Parts that others follow go first, then those whose ranks act first: others may follow them. */
static void advance_parts(struct asim_worker *worker, uint64_t until)
{
    struct asim_domains *domains = worker->domains;
    const struct asim_fabric *fabric = worker->fabric;

    for (uint32_t d = 0; d < domains->n; d++) {
        struct asim_domain *domain = &domains->at[d];
        int is_first = fabric->window_hooks->goes_first(fabric, domain);

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
