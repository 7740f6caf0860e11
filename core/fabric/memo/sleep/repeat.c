/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Windows in which hosts and ports may sleep (repeat.h).
 *
 * Sleep begins to bring something once rings of long messages run, which may take any time. So it
 * is tried now and then, for LOOK windows; a try that brings less than it costs doubles the pause
 * to the next one.
 */
#include "fabric/memo/sleep/repeat.h"

#include <stdlib.h>

#include "fabric/link/schedule.h"
#include "fabric/memo/state/counters.h"
#include "fabric/memo/memo.h"
#include "fabric/memo/region/part_domains.h"
#include "fabric/memo/sleep/repeat_host.h"
#include "fabric/memo/sleep/repeat_port.h"
#include "fabric/memo/sleep/repeat_wire.h"
#include "fabric/clock/domains.h"
#include "fabric/clock/half_steps.h"
#include "fabric/clock/next_event.h"
#include "fabric/clock/window.h"
#include "fabric/switch/bulk/sleeping.h"

/* Windows between looks at what sleep brings. Window FIRST_LOOK tells whether a try goes on. */
enum { FIRST_LOOK = 8, LOOK = 128 };

/* Packet-hops for each call of a rank: a ring of packets has one or two, messages of 100 kB some
 * hundred. */
enum { LEAST_HOPS = 8 };

static int has_awake(const struct asim_repeat_switch *own, const struct asim_switch *sw)
{
    return own->port && own->n_asleep < sw->n_ports;
}

static struct asim_repeat_switch *switch_of(const struct asim_repeats *repeats,
                                            const struct asim_fabric *fabric, uint32_t node)
{
    return &repeats->sw[node - fabric->set.hosts];
}

/* --- begin and end of all ----------------------------------------------------------------------
 */

static void wake(struct asim_fabric *fabric, struct asim_repeat_unit unit)
{
    if (unit.node < fabric->set.hosts)
        asim_repeat_host_wake(fabric, &fabric->host[unit.node]);
    else
        asim_repeat_port_wake(fabric, unit);
}

static void add_awake(struct asim_fabric *fabric, uint32_t node, uint32_t port)
{
    if (ASIM_VEC_PUSH(fabric->repeats->awake, ((struct asim_repeat_unit){node, port})))
        fabric->run.failed = ASIM_ENOMEM;
}

/* All are awake, and nothing is known of any wire. */
static void start(struct asim_fabric *fabric, uint64_t t)
{
    struct asim_repeats *repeats = fabric->repeats;

    repeats->is_on = 1;
    repeats->begin = t;
    repeats->window = repeats->each_window = repeats->carried = repeats->skipped = 0;
    repeats->look_at = fabric->run.windows + LOOK;
    repeats->awake.n = 0;
    for (size_t w = 0; w < fabric->set.topo->n_links * 2; w++)
        asim_repeat_wire_reset(repeats, &fabric->wires[w]);
    for (uint32_t v = 0; v < fabric->set.hosts; v++) {
        repeats->host[v].state.since = repeats->host[v].state.taken_at = ASIM_NEVER;
        add_awake(fabric, v, 0);
    }
    for (uint32_t v = fabric->set.hosts; v < fabric->set.nodes; v++) {
        struct asim_switch *sw = &fabric->sw[v - fabric->set.hosts];
        struct asim_repeat_switch *own = switch_of(repeats, fabric, v);

        if (!own->port)
            continue;
        asim_repeat_switch_reset(own, sw);
        sw->sleeping = &own->sleeping;
        for (uint32_t p = 0; p < sw->n_ports; p++)
            add_awake(fabric, v, p);
    }
}

/* A window with events does not tell what started transmissions: no port falls asleep after it. */
void asim_repeats_wake_switch(struct asim_fabric *fabric, struct asim_switch *sw)
{
    for (uint32_t p = 0; p < sw->n_ports; p++) {
        asim_repeat_port_wake(fabric, (struct asim_repeat_unit){sw->node, p});
        sw->sleeping->start[p] = UINT64_MAX - 1 - fabric->repeats->window;
    }
}

void asim_repeats_stop(struct asim_fabric *fabric)
{
    struct asim_repeats *repeats = fabric->repeats;

    if (!asim_repeats_are_on(fabric))
        return;
    for (uint32_t v = 0; v < fabric->set.hosts; v++)
        asim_repeat_host_wake(fabric, &fabric->host[v]);
    for (uint32_t v = fabric->set.hosts; v < fabric->set.nodes; v++) {
        struct asim_switch *sw = &fabric->sw[v - fabric->set.hosts];

        if (!sw->sleeping)
            continue;
        asim_repeats_wake_switch(fabric, sw);
        sw->sleeping = NULL;
        asim_next_renew(fabric, v);
    }
    for (size_t w = 0; w < fabric->set.topo->n_links * 2; w++)
        asim_repeat_wire_fill(fabric, &fabric->wires[w]); /* wires without frames are left */
    repeats->is_on = 0;
    repeats->awake.n = 0;
    /* Where sleep brought something, it is tried again as soon as the memo allows it. */
    repeats->try_at = fabric->run.windows + (repeats->window > LOOK ? 0 : repeats->pause);
    fabric->run.half_next_valid = 0;
}

/* The whole network is neither recorded nor replayed nor near its rest. */
static int memo_allows(const struct asim_fabric *fabric)
{
    const struct asim_memo *memo = fabric->memo;

    return memo && memo->mode == ASIM_MEMO_RECORD && !memo->recording &&
           asim_memo_has_unknown(fabric) &&
           (asim_memo_is_dormant(fabric) || asim_part_domains_may(fabric));
}

/* Whether a window of this length may begin at t. */
static int allows(const struct asim_fabric *fabric, uint64_t t)
{
    return memo_allows(fabric) && !fabric->insertion && fabric->workers.n == 1 &&
           t + fabric->repeats->length <= fabric->livelock.look_at;
}

/* Whether sleep may bring something, by what the run did since the last call. It hides periods of
 * the whole network, and brings nothing if those saved most. Nor does it where messages are so
 * short that hosts seldom do the same in two windows. */
static int may_pay(struct asim_fabric *fabric)
{
    struct asim_repeats *repeats = fabric->repeats;
    uint64_t hops = asim_counters_hops(fabric) - repeats->hops;
    uint64_t by_periods = fabric->memo->steady.saved - repeats->by_periods;
    uint64_t calls = asim_memo_calls(fabric) - repeats->calls;

    repeats->hops += hops;
    repeats->by_periods += by_periods;
    repeats->calls += calls;
    return 2 * by_periods <= hops && calls * LEAST_HOPS <= hops;
}

/* Both halves of the network must be at one time (half_steps.h). */
static int may_start(struct asim_fabric *fabric, uint64_t t)
{
    if (fabric->run.windows < fabric->repeats->try_at || t > ASIM_NEVER / 2 || !allows(fabric, t))
        return 0;
    if (!may_pay(fabric)) {
        fabric->repeats->try_at = fabric->run.windows + fabric->repeats->pause;
        return 0;
    }
    if (!asim_half_steps_allowed(fabric))
        return 1;
    asim_memo_found_repeat(fabric);
    return fabric->run.horizon[0] == fabric->run.horizon[1] &&
           asim_half_steps_next(fabric) == ASIM_STEP_BOTH;
}

/* --- before a window ---------------------------------------------------------------------------
 */

/* Whether a sleeping host wakes: for a timer, a message of its own, or a frame on a short link.
 * Forgets the arrivals of frames on other links, which do not matter. */
static int must_wake(struct asim_fabric *fabric, struct asim_host *host, uint64_t until)
{
    uint32_t slot = fabric->run.slot[host->node];

    fabric->workers.at->min_arrival[slot] = ASIM_NEVER;
    if (fabric->run.next[slot] == host->sleeps_until)
        return host->sleeps_until < until;
    if (host->timers.n && host->timers.at->t < host->sleeps_until)
        host->sleeps_until = host->timers.at->t;
    fabric->run.next[slot] = host->sleeps_until;
    fabric->run.block_min[slot / ASIM_BLOCK] = 0;
    return host->sleeps_until < until || asim_repeat_host_is_reached(fabric, host);
}

/* A switch with awake ports goes through each window, for the order of its links (sleeping.h). */
static void renew_switch(struct asim_fabric *fabric, struct asim_switch *sw, uint64_t t)
{
    const struct asim_repeat_switch *own = switch_of(fabric->repeats, fabric, sw->node);

    if (!own->port)
        return;
    fabric->workers.at->min_arrival[fabric->run.slot[sw->node]] = ASIM_NEVER;
    *asim_next_of(fabric, sw->node) = has_awake(own, sw) ? t : ASIM_NEVER;
    sw->sleeping->begin = t;
}

/* The part of a server leads or follows: then all its hosts have events of their own. */
static void wake_server(struct asim_fabric *fabric, const struct asim_domain *domain)
{
    const struct asim_worker *worker = fabric->workers.at;

    if (!domain->part || !asim_part_is_busy(&fabric->memo->parts->at[domain->part - 1]))
        return;
    for (uint32_t i = 0; i < domain->n_hosts; i++)
        asim_repeat_host_wake(fabric, &fabric->host[worker->node[domain->index[i]]]);
}

/* Wakes the hosts whose time has come, and those of busy servers. */
static void wake_hosts(struct asim_fabric *fabric)
{
    struct asim_repeats *repeats = fabric->repeats;
    const struct asim_domains *domains = fabric->workers.at->domains;
    uint64_t until = asim_repeat_time(repeats, repeats->window + 1);

    for (uint32_t v = 0; v < fabric->set.hosts; v++) {
        struct asim_host *host = &fabric->host[v];

        if (host->sleeps_until && must_wake(fabric, host, until))
            asim_repeat_host_wake(fabric, host);
    }
    for (uint32_t d = 0; domains && d < domains->n; d++)
        wake_server(fabric, &domains->at[d]);
}

/* Such windows are over. */
static void pass(struct asim_repeats *repeats, uint64_t windows)
{
    repeats->skipped += windows * repeats->each_window;
    repeats->slept += windows * repeats->each_window;
    repeats->window += windows;
}

/* If all sleep, goes on to the window of the first event. Returns 0 if there is none. */
static int go_on(struct asim_fabric *fabric)
{
    struct asim_repeats *repeats = fabric->repeats;
    uint64_t first, window;

    for (;;) {
        wake_hosts(fabric);
        for (uint32_t s = 0; s < fabric->set.nodes - fabric->set.hosts; s++)
            renew_switch(fabric, &fabric->sw[s], asim_repeat_time(repeats, repeats->window));
        fabric->run.half_next_valid = 0;
        first = asim_earlier(asim_window_next_event(fabric), asim_memo_due(fabric));
        if (first == ASIM_NEVER)
            return 0;
        window = (asim_earlier(first, fabric->livelock.look_at) - repeats->begin) / repeats->length;
        if (repeats->awake.n || window <= repeats->window)
            return 1;
        pass(repeats, window - repeats->window);
    }
}

int asim_repeats_begin(struct asim_fabric *fabric, uint64_t *begin, uint64_t *until)
{
    struct asim_repeats *repeats = fabric->repeats;

    if (!repeats)
        return 0;
    if (!repeats->is_on && may_start(fabric, *begin))
        start(fabric, *begin);
    if (!repeats->is_on)
        return 0;
    if (!allows(fabric, asim_repeat_time(repeats, repeats->window)) || !go_on(fabric) ||
        !allows(fabric, asim_repeat_time(repeats, repeats->window))) {
        asim_repeats_stop(fabric);
        return 0;
    }
    *begin = asim_repeat_time(repeats, repeats->window);
    *until = *begin + repeats->length;
    fabric->run.half = ASIM_BOTH_HALVES;
    return 1;
}

/* --- after a window ----------------------------------------------------------------------------
 */

static void expand(struct asim_fabric *fabric)
{
    struct asim_repeats *repeats = fabric->repeats;

    for (uint32_t s = 0; s < fabric->set.nodes - fabric->set.hosts; s++)
        if ((repeats->sw[s].is_due = has_awake(&repeats->sw[s], &fabric->sw[s])))
            asim_repeat_ports_expand(fabric, &fabric->sw[s]);
    for (size_t i = 0; i < repeats->awake.n; i++) {
        const struct asim_host *host = &fabric->host[repeats->awake.at[i].node];

        if (repeats->awake.at[i].node >= fabric->set.hosts)
            continue;
        for (uint32_t k = 0; k < host->n_nics; k++)
            if (asim_repeat_wire_of(repeats, host->nics[k].port.in)->sender_since != ASIM_NEVER)
                asim_repeat_wire_expand(fabric, host->nics[k].port.in);
    }
}

static void compare_wire(struct asim_fabric *fabric, struct asim_wire *wire)
{
    struct asim_repeats *repeats = fabric->repeats;

    if (!asim_repeat_wire_of(repeats, wire)->depth || asim_repeat_wire_compare(fabric, wire))
        return;
    if (wire->to >= fabric->set.hosts)
        asim_repeat_ports_disturb(fabric, wire);
    else if (fabric->host[wire->to].sleeps_until &&
             ASIM_VEC_PUSH(repeats->waking, ((struct asim_repeat_unit){wire->to, 0})))
        fabric->run.failed = ASIM_ENOMEM;
}

static void compare_all(struct asim_fabric *fabric)
{
    struct asim_repeats *repeats = fabric->repeats;

    for (size_t i = 0; i < repeats->awake.n; i++) {
        struct asim_repeat_unit unit = repeats->awake.at[i];

        if (unit.node >= fabric->set.hosts) {
            compare_wire(fabric,
                         fabric->sw[unit.node - fabric->set.hosts].ports[unit.port].port.out);
            continue;
        }
        for (uint32_t k = 0; k < fabric->host[unit.node].n_nics; k++)
            compare_wire(fabric, fabric->host[unit.node].nics[k].port.out);
    }
}

static void fall_asleep(struct asim_fabric *fabric)
{
    struct asim_repeats *repeats = fabric->repeats;
    size_t kept = 0;

    for (size_t i = 0; i < repeats->awake.n; i++) {
        struct asim_repeat_unit unit = repeats->awake.at[i];

        if (!(unit.node < fabric->set.hosts
                  ? asim_repeat_host_sleep(fabric, &fabric->host[unit.node])
                  : asim_repeat_port_sleep(fabric, unit)))
            repeats->awake.at[kept++] = unit;
    }
    repeats->awake.n = kept;
}

/* Switches that had or have awake ports. */
static void visit_switches(struct asim_fabric *fabric,
                           void (*visit)(struct asim_fabric *fabric, struct asim_switch *sw))
{
    for (uint32_t s = 0; s < fabric->set.nodes - fabric->set.hosts; s++) {
        const struct asim_repeat_switch *own = &fabric->repeats->sw[s];

        if (own->is_due || has_awake(own, &fabric->sw[s]))
            visit(fabric, &fabric->sw[s]);
    }
}

/* Whether half of the packet-hops is slept through: then sleep costs less than it saves. */
static int pays(struct asim_fabric *fabric)
{
    struct asim_repeats *repeats = fabric->repeats;
    int enough = repeats->skipped > repeats->carried;

    if (repeats->window == FIRST_LOOK)
        repeats->carried = repeats->skipped = 0;
    if (repeats->window == FIRST_LOOK + 1)
        return enough;
    if (fabric->run.windows < repeats->look_at)
        return 1;
    repeats->look_at = fabric->run.windows + LOOK;
    repeats->carried = repeats->skipped = 0;
    if (enough)
        repeats->pause = repeats->least_pause / 16; /* it may soon pay again */
    return enough;
}

static void give_up(struct asim_fabric *fabric)
{
    struct asim_repeats *repeats = fabric->repeats;

    asim_repeats_stop(fabric);
    repeats->pause *= 2;
    if (repeats->pause > repeats->most_pause)
        repeats->pause = repeats->most_pause;
    repeats->try_at = fabric->run.windows + repeats->pause;
}

void asim_repeats_end(struct asim_fabric *fabric)
{
    struct asim_repeats *repeats = fabric->repeats;

    if (!asim_repeats_are_on(fabric) || fabric->run.failed)
        return;
    expand(fabric);
    compare_all(fabric);
    pass(repeats, 1);
    for (size_t i = 0; i < repeats->waking.n; i++)
        wake(fabric, repeats->waking.at[i]);
    repeats->waking.n = 0;
    visit_switches(fabric, asim_repeat_ports_settle);
    /* Before that, frames sent earlier come in. */
    if (repeats->window > repeats->depth + 1) {
        fall_asleep(fabric);
        visit_switches(fabric, asim_repeat_ports_empty);
    }
    if (!pays(fabric))
        give_up(fabric);
}
