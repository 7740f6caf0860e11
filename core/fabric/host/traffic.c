/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Draws and starts the flows of background traffic (rdma-network.md#background-traffic). A flow
 * takes a source port of its own range, so that the messages of ranks keep their ports and with
 * them their ECMP paths.
 *
 * Costs: an entry of the host's event heap and a few draws a flow. An incast is found by each host
 * on its own: a host looks at all incasts and takes part in fan_in of n.
 */
#include "fabric/host/traffic.h"
#include "fabric/host/host.h"
#include "net/net.h"
#include "net/traffic_source.h"

#include <stdlib.h>

enum { IDLE_LOOKS = 200 };
struct source {
    struct asim_traffic_source draws;
    struct asim_traffic_use use;
};

struct asim_fabric_traffic {
    const struct asim_net_traffic *what;
    uint32_t n;
    struct source *at; /* [hosts][n] */
    int is_stopped;
    uint64_t progress; /* of the ranks' messages at the last look */
    uint32_t idle;     /* looks since it changed */
};

static struct source *source_of(const struct asim_fabric *fabric, uint32_t host, uint32_t index)
{
    return &fabric->traffic->at[(size_t)host * fabric->traffic->n + index];
}

int asim_traffic_open(struct asim_fabric *fabric, const struct asim_net_traffics *traffics,
                      struct asim_err *err)
{
    size_t hosts = fabric->set.hosts;

    if (!traffics || !traffics->n)
        return 0;
    fabric->traffic = calloc(1, sizeof *fabric->traffic);
    if (!fabric->traffic)
        return asim_err_nomem(err, "preparing background traffic");
    fabric->traffic->what = traffics->at;
    fabric->traffic->n = (uint32_t)traffics->n;
    fabric->traffic->at = calloc(hosts * traffics->n, sizeof *fabric->traffic->at);
    if (!fabric->traffic->at)
        return asim_err_nomem(err, "preparing background traffic");
    for (size_t i = 0; i < hosts * traffics->n; i++)
        fabric->traffic->at[i].draws.place = UINT32_MAX;
    for (uint32_t i = 0; i < traffics->n; i++)
        for (uint32_t p = 0; p < traffics->at[i].n; p++)
            source_of(fabric, traffics->at[i].hosts[p], i)->draws.place = p;
    if (fabric->set.process_of && asim_traffic_is_endless(fabric))
        return asim_err_set(err, ASIM_EINVAL,
                            "background traffic that lasts until the ranks have finished needs one "
                            "process; give it an end (\"until\"), or use threads.");
    return 0;
}

void asim_traffic_close(struct asim_fabric *fabric)
{
    if (fabric->traffic)
        free(fabric->traffic->at);
    free(fabric->traffic);
}

uint64_t asim_traffic_ended(const struct asim_fabric *fabric, uint32_t host)
{
    uint64_t ended = 0;

    for (uint32_t i = 0; fabric->traffic && i < fabric->traffic->n; i++)
        ended += source_of(fabric, host, i)->use.finished;
    return ended;
}

int asim_traffic_is_endless(const struct asim_fabric *fabric)
{
    for (uint32_t i = 0; fabric->traffic && i < fabric->traffic->n; i++)
        if (fabric->traffic->what[i].until_ns == ASIM_NEVER)
            return 1;
    return 0;
}

/* Arms the timer of the next flow, if it begins before the end. */
static void arm(struct asim_fabric *fabric, struct asim_host *host, uint32_t index)
{
    const struct asim_net_traffic *what = &fabric->traffic->what[index];
    struct asim_traffic_source *source = &source_of(fabric, host->node, index)->draws;
    uint64_t ns;

    if (!asim_traffic_source_advance(what, source) || source->next_ns >= (double)ASIM_NS_MOST)
        return;
    ns = asim_to_ticks(fabric, (uint64_t)source->next_ns);
    if (asim_host_timer(host, ns > host->now ? ns : host->now,
                        (uint64_t)ASIM_TIMER_TRAFFIC << 56 | index))
        host->worker->failed = ASIM_ENOMEM;
}

void asim_traffic_begin(struct asim_fabric *fabric)
{
    for (uint32_t h = 0; fabric->traffic && h < fabric->set.hosts; h++)
        for (uint32_t i = 0; i < fabric->traffic->n && asim_fabric_owns(fabric, h); i++) {
            struct asim_traffic_source *source = &source_of(fabric, h, i)->draws;

            if (source->place == UINT32_MAX)
                continue;
            asim_traffic_source_begin(&fabric->traffic->what[i], source);
            arm(fabric, &fabric->host[h], i);
        }
}

/* --- flows --------------------------------------------------------------------------------------
 */

static int begin_flow(struct asim_fabric *fabric, struct asim_host *host, uint32_t index)
{
    struct source *source = source_of(fabric, host->node, index);
    struct asim_msg msg;
    uint16_t sport =
        asim_traffic_source_flow(&fabric->traffic->what[index], &source->draws, index, &msg);
    uint64_t slot;

    asim_traffic_use_begin(&source->use, msg.bytes);
    slot = asim_flow_alloc(host, &msg, sport);
    if (slot == ASIM_NEVER)
        return ASIM_ENOMEM;
    return asim_host_timer(host, host->now, (uint64_t)ASIM_TIMER_START << 56 | slot);
}

void asim_traffic_timer(struct asim_fabric *fabric, struct asim_host *host, uint32_t index)
{
    if (fabric->traffic->is_stopped)
        return;
    if (begin_flow(fabric, host, index))
        host->worker->failed = ASIM_ENOMEM;
    else
        arm(fabric, host, index);
}

void asim_traffic_finished(struct asim_fabric *fabric, struct asim_host *host,
                           const struct asim_flow *flow)
{
    const struct asim_msg *msg = &asim_rx_at(host, flow->slot)->msg;
    uint32_t index = asim_msg_generator(msg);
    struct asim_traffic_use *use = &source_of(fabric, host->node, index)->use;
    uint64_t ns = asim_to_ns(fabric, host->now) - asim_to_ns(fabric, flow->start);

    if (flow->aborted) {
        use->given_up++;
        return;
    }
    asim_traffic_use_finish(use, msg->bytes, ns, flow->ideal);
    asim_message_report_traffic(fabric, host, flow, index + 1);
}

/* --- the end ------------------------------------------------------------------------------------
 */

/* Whether a rank of this host waits for a time, a message that is there, or a timeout. */
static int has_timer(const struct asim_host *host)
{
    for (size_t i = 0; i < host->timers.n; i++) {
        uint64_t kind = host->timers.at[i].value >> 56;

        if (kind == ASIM_TIMER_WAKE || kind == ASIM_TIMER_ARRIVED ||
            kind == ASIM_TIMER_NOTIFICATION)
            return 1;
    }
    return 0;
}

/* Changes whenever a message of a rank gains bytes or ends. *is_open: one is under way. */
static uint64_t progress_of(const struct asim_host *host, int *is_open)
{
    uint64_t sum = (host->messages + host->counts.aborted) << 32;

    for (uint32_t s = 0; s < host->n_chunks * ASIM_FLOW_CHUNK; s++) {
        const struct asim_flow *flow = asim_own_flow(host, s);

        if (!flow->live || asim_msg_is_traffic(&asim_rx_at(host, s)->msg))
            continue;
        *is_open = 1;
        sum += flow->stage < 2 ? 1 : 2 + flow->snd_una;
    }
    return sum;
}

/* Whether a rank may go on. Messages that gain nothing for IDLE_LOOKS, which is longer than any
 * queue holds a frame, wait for a link or for each other. */
static int may_go_on(struct asim_fabric *fabric)
{
    struct asim_fabric_traffic *traffic = fabric->traffic;
    int has_timers = 0, is_open = 0;
    uint64_t progress = 0;

    for (uint32_t h = 0; h < fabric->set.hosts; h++) {
        has_timers |= has_timer(&fabric->host[h]);
        progress += progress_of(&fabric->host[h], &is_open);
    }
    traffic->idle = progress != traffic->progress ? 0 : traffic->idle + 1;
    traffic->progress = progress;
    return has_timers || (is_open && traffic->idle < IDLE_LOOKS);
}

/* The heap gets its entries back but for those of flows to come; it has room. */
static void drop_timers(struct asim_host *host)
{
    struct asim_event_entry *at = host->timers.at;

    for (size_t n = host->timers.n, i = host->timers.n = 0; i < n; i++) {
        struct asim_event_entry entry = at[i];

        if (entry.value >> 56 != ASIM_TIMER_TRAFFIC)
            asim_event_heap_push(&host->timers, entry);
    }
}

int asim_traffic_look(struct asim_fabric *fabric)
{
    if (!fabric->set.ranks_done(fabric->set.user.self) && may_go_on(fabric))
        return 0;
    fabric->traffic->is_stopped = 1;
    for (uint32_t h = 0; h < fabric->set.hosts; h++)
        drop_timers(&fabric->host[h]);
    return 1;
}

void asim_fabric_traffic_use(const struct asim_fabric *fabric, uint32_t index,
                             struct asim_traffic_use *use)
{
    *use = (struct asim_traffic_use){0};
    for (uint32_t h = 0; h < fabric->set.hosts; h++)
        asim_traffic_use_add(use, &source_of(fabric, h, index)->use);
}
