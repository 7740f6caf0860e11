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
#include "fabric/link/hash.h"
#include "net/net.h"
#include "net/net_traffic.h"
#include "base/divisor.h"

#include <math.h>
#include <stdlib.h>

enum { FIRST_SPORT = 40000, SPORTS = 20000, IDLE_LOOKS = 200 };
/* Draws of all hosts together, of incasts. */
#define ALL_HOSTS 0xffffffffull

/* A generator at a host. */
struct asim_traffic_source {
    uint32_t place;  /* of the host in traffic->hosts, UINT32_MAX: it takes no part */
    uint32_t number; /* flows begun */
    uint64_t draws;
    double next_ns,
        on_left_ns;    /* the flow or incast to come; on/off: what is left of the time on */
    uint32_t receiver; /* of the incast to come: a place */
    struct asim_traffic_use use;
};

struct asim_fabric_traffic {
    const struct asim_net_traffic *what;
    uint32_t n;
    struct asim_traffic_source *at; /* [hosts][n] */
    int is_stopped;
    uint64_t progress; /* of the ranks' messages at the last look */
    uint32_t idle;     /* looks since it changed */
};

static struct asim_traffic_source *source_of(const struct asim_fabric *fabric, uint32_t host,
                                             uint32_t index)
{
    return &fabric->traffic->at[(size_t)host * fabric->traffic->n + index];
}

static double draw(const struct asim_net_traffic *what, uint64_t who, uint64_t number)
{
    return asim_draw(what->seed, who, number);
}

static double exponential(double mean, double u)
{
    return -mean * log1p(-u);
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
        fabric->traffic->at[i].place = UINT32_MAX;
    for (uint32_t i = 0; i < traffics->n; i++)
        for (uint32_t p = 0; p < traffics->at[i].n; p++)
            source_of(fabric, traffics->at[i].hosts[p], i)->place = p;
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

/* --- when ---------------------------------------------------------------------------------------
 */

/* From so many on times to the next flow on, their sum and that of the off times are their means
 * within some tenths of a per cent, and are not drawn one by one. */
static const double many_times = 1e5;

/* The next flow of a Poisson process; of an on/off source, in the time that it is on. Times behind
 * the end are not drawn. */
static void advance_poisson(const struct asim_net_traffic *what, struct asim_traffic_source *source)
{
    uint64_t host = what->hosts[source->place];
    double share = what->off_ns > 0 ? what->on_ns / (what->on_ns + what->off_ns) : 1;
    double gap = exponential(what->gap_ns * share, draw(what, host, source->draws++));

    if (what->off_ns > 0 && gap > many_times * what->on_ns) {
        source->next_ns += gap * what->off_ns / what->on_ns;
        source->on_left_ns = gap + what->on_ns;
    } else {
        while (what->off_ns > 0 && gap > source->on_left_ns &&
               source->next_ns < (double)what->until_ns) {
            gap -= source->on_left_ns;
            source->next_ns += source->on_left_ns;
            source->next_ns += exponential(what->off_ns, draw(what, host, source->draws++));
            source->on_left_ns = exponential(what->on_ns, draw(what, host, source->draws++));
        }
    }
    source->on_left_ns -= gap;
    source->next_ns += gap;
}

/* Whether the place sends in incast k to the place `receiver`: senders are every stride-th place
 * behind it, for a stride that has no common divisor with n. */
static int takes_part(const struct asim_net_traffic *what, uint64_t k, uint32_t place,
                      uint32_t receiver)
{
    uint32_t stride = 1 + (uint32_t)(draw(what, ALL_HOSTS, 3 * k + 2) * what->n), at = receiver;

    while (asim_common_divisor(stride, what->n) != 1)
        stride++;
    for (uint32_t i = 0; i < what->fan_in; i++) {
        at = (uint32_t)(((uint64_t)at + stride) % what->n);
        if (at == place)
            return 1;
    }
    return 0;
}

static void advance_incast(const struct asim_net_traffic *what, struct asim_traffic_source *source)
{
    do {
        uint64_t k = source->draws++;

        source->next_ns += exponential(what->gap_ns, draw(what, ALL_HOSTS, 3 * k));
        source->receiver = (uint32_t)(draw(what, ALL_HOSTS, 3 * k + 1) * what->n);
        if (takes_part(what, k, source->place, source->receiver))
            return;
    } while (source->next_ns < (double)what->until_ns);
}

/* Arms the timer of the next flow, if it begins before the end. */
static void arm(struct asim_fabric *fabric, struct asim_host *host, uint32_t index)
{
    const struct asim_net_traffic *what = &fabric->traffic->what[index];
    struct asim_traffic_source *source = source_of(fabric, host->node, index);
    uint64_t ns;

    if (what->pattern == ASIM_TRAFFIC_INCAST)
        advance_incast(what, source);
    else
        advance_poisson(what, source);
    if (source->next_ns >= (double)what->until_ns || source->next_ns >= (double)ASIM_NS_MOST)
        return;
    ns = asim_to_ticks(fabric, (uint64_t)source->next_ns);
    if (asim_host_timer(host, ns > host->now ? ns : host->now,
                        (uint64_t)ASIM_TIMER_TRAFFIC << 56 | index))
        host->worker->failed = ASIM_ENOMEM;
}

/* An on/off source begins in a time that is on; the mean over hosts is the stationary one soon. */
void asim_traffic_begin(struct asim_fabric *fabric)
{
    for (uint32_t h = 0; fabric->traffic && h < fabric->set.hosts; h++)
        for (uint32_t i = 0; i < fabric->traffic->n && asim_fabric_owns(fabric, h); i++) {
            const struct asim_net_traffic *what = &fabric->traffic->what[i];
            struct asim_traffic_source *source = source_of(fabric, h, i);

            if (source->place == UINT32_MAX)
                continue;
            source->next_ns = (double)what->from_ns;
            if (what->off_ns > 0)
                source->on_left_ns = exponential(what->on_ns, draw(what, h, source->draws++));
            arm(fabric, &fabric->host[h], i);
        }
}

/* --- flows --------------------------------------------------------------------------------------
 */

/* A place other than the source's; for ACROSS in another group, which exists. */
static uint32_t destination(const struct asim_net_traffic *what, struct asim_traffic_source *source)
{
    uint64_t host = what->hosts[source->place];
    uint32_t place;

    if (what->pattern == ASIM_TRAFFIC_INCAST)
        return source->receiver;
    do
        place = (uint32_t)(draw(what, host, source->draws++) * what->n);
    while (place == source->place || (what->pattern == ASIM_TRAFFIC_ACROSS &&
                                      what->group[place] == what->group[source->place]));
    return place;
}

/* Incasts draw sizes apart, because source->draws counts incasts there. */
static uint64_t size_of(const struct asim_net_traffic *what, struct asim_traffic_source *source)
{
    uint64_t number = what->pattern == ASIM_TRAFFIC_INCAST ? source->number : source->draws++;

    return what->sizes
               ? asim_flow_sizes_at(what->sizes, draw(what, what->hosts[source->place], number))
               : what->bytes;
}

static int begin_flow(struct asim_fabric *fabric, struct asim_host *host, uint32_t index)
{
    const struct asim_net_traffic *what = &fabric->traffic->what[index];
    struct asim_traffic_source *source = source_of(fabric, host->node, index);
    const uint32_t numbers = 1u << ASIM_TRAFFIC_SHIFT;
    struct asim_msg msg = {.src = host->node,
                           .dst = what->hosts[destination(what, source)],
                           .bytes = size_of(what, source),
                           .cookie = ASIM_NEVER};
    uint16_t sport = (uint16_t)(FIRST_SPORT + (source->number + 977 * index) % SPORTS);
    uint64_t slot;

    msg.id = (uint64_t)host->node << 32 | ASIM_TRAFFIC_ID | (uint64_t)index << ASIM_TRAFFIC_SHIFT |
             source->number++ % numbers;
    source->use.started++;
    source->use.started_bytes += msg.bytes;
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

static uint32_t bin_of(double slowdown)
{
    double bin = slowdown > 1 ? 8 * log2(slowdown) : 0;

    return bin < ASIM_TRAFFIC_BINS - 1 ? (uint32_t)bin : ASIM_TRAFFIC_BINS - 1;
}

void asim_traffic_finished(struct asim_fabric *fabric, struct asim_host *host,
                           const struct asim_flow *flow)
{
    const struct asim_msg *msg = &asim_rx_at(host, flow->slot)->msg;
    uint32_t index = msg->id >> ASIM_TRAFFIC_SHIFT & (ASIM_TRAFFIC_MOST - 1);
    struct asim_traffic_use *use = &source_of(fabric, host->node, index)->use;
    uint64_t ns = asim_to_ns(fabric, host->now) - asim_to_ns(fabric, flow->start);

    if (flow->aborted) {
        use->given_up++;
        return;
    }
    use->finished++;
    use->finished_bytes += msg->bytes;
    asim_message_report_traffic(fabric, host, flow, index + 1);
    if (flow->ideal)
        use->slowdown[(msg->bytes > 100000) + (msg->bytes > 1000000)]
                     [bin_of((double)ns / (double)flow->ideal)]++;
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
