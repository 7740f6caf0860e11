/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Parts in windows of the links between servers. Each server goes through such a window by itself,
 * in windows of its own short links (clock/domains.h), and with it its part: after each of
 * these the part records, compares, ends or begins. So a server that leads costs the others no
 * short windows.
 *
 * A part follows a log that is still being written only if its leader has gone through the present
 * window: leaders go first, then servers in the order of their first events. A part that begins
 * before all others, but goes after them, leads a log of its own.
 *
 *     leads    ====|== frames to the end of the window ==|
 *     follows  ====|- replays, compares after each short window -|
 *
 * Each thread has logs of its own, for the parts of its servers.
 */

#include "fabric/memo/memo.h"
#include "fabric/memo/region/parts.h"
#include "fabric/memo/region/record.h"
#include "fabric/memo/region/replay.h"
#include "fabric/clock/domains.h"

/* Of a domain that has one. */
static struct asim_part *part_of(const struct asim_fabric *fabric, const struct asim_domain *domain)
{
    return &fabric->memo->parts->at[domain->part - 1];
}

/* Gives the domain the part of its hosts. Returns how many it has. */
static uint32_t find_part(struct asim_fabric *fabric, struct asim_worker *worker, uint32_t d)
{
    struct asim_domain *domain = &worker->domains->at[d];
    uint32_t n = 0;

    domain->part = 0;
    for (uint32_t i = 0; i < domain->n_hosts; i++) {
        struct asim_part *part = asim_part_of(fabric, worker->node[domain->index[i]]);

        if (!part || domain->part == part - fabric->memo->parts->at + 1)
            continue;
        domain->part = (uint32_t)(part - fabric->memo->parts->at + 1);
        part->domain = d;
        n++;
    }
    return n;
}

/* A part whose links are not shorter than those between domains is in none. */
void asim_part_domains_open(struct asim_fabric *fabric)
{
    struct asim_fabric_engine *engine = asim_engine_of(fabric);
    const struct asim_parts *parts = fabric->memo->parts;
    uint32_t n = 0, most = 0;

    for (uint32_t w = 0; w < engine->workers.n; w++) {
        struct asim_worker *worker = &engine->workers.at[w];

        for (uint32_t d = 0; worker->domains && d < worker->domains->n; d++) {
            uint32_t found = find_part(fabric, worker, d);

            most = found > most ? found : most;
            n += found;
        }
    }
    for (uint32_t w = 0; w < engine->workers.n; w++)
        if (engine->workers.at[w].domains)
            engine->workers.at[w].domains->know_parts = most == 1 && n == parts->n_parts;
}

int asim_part_domains_may(const struct asim_fabric *fabric)
{
    const struct asim_parts *parts = fabric->memo->parts;
    const struct asim_domains *domains = asim_engine_of(fabric)->workers.at->domains;

    return parts && domains && domains->know_parts && !parts->suspended &&
           (asim_parts_in(parts, ASIM_PART_LEAD) || asim_parts_in(parts, ASIM_PART_FOLLOW) ||
            asim_memo_has_unknown(fabric));
}

static void set_domains(struct asim_fabric *fabric, int with_parts)
{
    struct asim_fabric_engine *engine = asim_engine_of(fabric);

    fabric->memo->parts->in_domains = with_parts;
    for (uint32_t w = 0; w < engine->workers.n; w++)
        engine->workers.at[w].domains->with_parts = with_parts;
}

void asim_part_domains_begin(struct asim_fabric *fabric, uint64_t from, uint64_t until)
{
    set_domains(fabric, 1);
    fabric->memo->parts->from = from;
    fabric->memo->parts->until = until;
}

void asim_part_domains_end(struct asim_fabric *fabric)
{
    set_domains(fabric, 0);
    asim_parts_after_domains(fabric);
}

int asim_part_goes_first(const struct asim_fabric *fabric, const struct asim_domain *domain)
{
    return domain->part && part_of(fabric, domain)->mode == ASIM_PART_LEAD;
}

/* The leader has gone through the window already: its log may have more, or have ended. */
void asim_part_domain_begins(struct asim_fabric *fabric, const struct asim_domain *domain)
{
    struct asim_part *part = part_of(fabric, domain);

    if (part->mode != ASIM_PART_FOLLOW)
        return;
    asim_part_after_window(fabric, part, fabric->memo->parts->from);
    if (part->mode == ASIM_PART_FOLLOW)
        asim_part_follow_more(fabric, part);
}

int asim_part_look(struct asim_fabric *fabric, const struct asim_domain *domain, uint64_t t)
{
    struct asim_part *part = part_of(fabric, domain);
    uint64_t at = asim_part_look_at(part);

    if (part->mode != ASIM_PART_FOLLOW || at >= t)
        return 0;
    asim_part_after_window(fabric, part, at + 1);
    return 1;
}

/* A send that does not come must be noticed before a completion can depend on it. */
uint64_t asim_part_inner_begins(struct asim_fabric *fabric, const struct asim_domain *domain,
                                uint64_t t, uint64_t end)
{
    struct asim_part *part = part_of(fabric, domain);
    uint64_t at = asim_part_look_at(part), least = t + fabric->set.lookahead;

    part->of_worker->inner++;
    if (part->mode == ASIM_PART_FOLLOW && at < end && end > least)
        end = at > least ? at : least;
    if (part->mode == ASIM_PART_LEAD)
        asim_part_lead_window(part, end);
    return end;
}

void asim_part_inner_over(struct asim_fabric *fabric, const struct asim_domain *domain,
                          uint64_t end)
{
    asim_part_after_window(fabric, part_of(fabric, domain), end);
}
