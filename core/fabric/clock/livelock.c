/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Ends a run without progress. A run is livelocked at a look if since the last one no message has
 * ended or was given up, LEAST_REPEATS packets or more were sent again, and messages have gained
 * less than one packet for each REPEATS_A_GAIN of these. So long computations, tiny rates and
 * paused ports never count: they repeat no packets. A message that gains nothing and has timeouts
 * is given up by RTO_RETRIES, and the look leaves it to that. The look does not judge
 *
 * - while an event is planned that may help (any but a link that goes down), nor in the first
 *   interval behind it;
 * - the interval of a replay or a skip of the memo, which advances messages at its end only. Frame
 *   by frame, messages gain bytes in such an interval, so both ways give the same verdict.
 *
 * The interval is NO_PROGRESS_LIMIT, or more where the network is slow: FRAMES frames of the
 * slowest link or of MIN_RATE, or TIMEOUTS of RTO.
 */
#include "base/text.h"
#include "fabric/clock/livelock.h"
#include "fabric/clock/hooks.h"
#include "fabric/events/events.h"
#include "fabric/host/traffic.h"
#include "net/packets.h"
#include "fabric/host/host.h"
#include "fabric/clock/engine.h"
#include "asim/topology.h"
#include "conf/netconf_keys.h"

#include <string.h>

enum { LEAST_REPEATS = 100, REPEATS_A_GAIN = 10000, FRAMES = 1000, TIMEOUTS = 128 };

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t times(uint64_t n, uint64_t ticks)
{
    return ticks < ASIM_NEVER / 4 / n ? n * ticks : ASIM_NEVER / 4;
}

/* A frame of the largest size over the slowest link, with its delay, or at MIN_RATE. */
static uint64_t slowest_frame(const struct asim_fabric *fabric)
{
    const struct asim_topo *topo = fabric->set.topo;
    uint64_t most = 0, bytes = asim_fabric_max_wire(fabric);

    for (size_t l = 0; l < topo->n_links; l++)
        most = larger(most, asim_tx_ticks(fabric, bytes, topo->links[l].rate_bps) +
                                asim_fs_to_ticks(fabric, topo->links[l].delay_fs));
    if (!fabric->set.cc_idle && fabric->set.net->min_rate_bps)
        most = larger(most, asim_tx_ticks(fabric, bytes, fabric->set.net->min_rate_bps));
    return most;
}

/* Whole ns, because the looks of several processes lie in windows of whole ns. */
void asim_livelock_open(struct asim_fabric *fabric)
{
    struct asim_livelock *livelock = &asim_engine_of(fabric)->livelock;
    uint64_t tick = fabric->set.tick, ticks;

    livelock->look_at = ASIM_NEVER;
    ticks = asim_to_ticks(fabric, fabric->set.net->no_progress_fs / ASIM_FS_PER_NS);
    if (!ticks)
        return;
    ticks = larger(ticks, times(FRAMES, slowest_frame(fabric)));
    ticks = larger(ticks, times(TIMEOUTS, fabric->set.rto));
    livelock->interval = livelock->look_at = (ticks + tick - 1) / tick * tick;
}

/* A flow whose queue pair has not opened (stage < 2) has no snd_una of its own. */
static void sum(const struct asim_fabric *fabric, struct asim_livelock_sums *sums)
{
    memset(sums, 0, sizeof *sums);
    sums->replays = fabric->window_hooks && fabric->window_hooks->is_replaying(fabric);
    for (uint32_t v = 0; v < fabric->set.hosts; v++) {
        const struct asim_host *host = &fabric->host[v];

        sums->acked += host->counts.completed;
        sums->ended += host->messages + host->counts.aborted + asim_traffic_ended(fabric, v);
        sums->retransmits += host->counts.retransmits;
        sums->timeouts += host->counts.timeouts;
        for (uint32_t s = 0; s < host->n_chunks * ASIM_FLOW_CHUNK; s++) {
            const struct asim_flow *flow = asim_own_flow(host, s);

            sums->live += flow->live;
            sums->acked += flow->live && flow->stage >= 2 ? flow->snd_una : 0;
        }
    }
}

void asim_livelock_sum(struct asim_fabric *fabric)
{
    sum(fabric, &asim_engine_of(fabric)->livelock.own);
}

static int waits_for_event(const struct asim_fabric *fabric)
{
    const struct asim_fabric_events *events = fabric->events;

    for (size_t i = events ? events->next : 0; events && i < events->n; i++)
        if (events->at[i].what.kind != ASIM_NET_LINK_DOWN)
            return 1;
    return 0;
}

/* Where all nodes have gone past several looks, nothing has happened between these. */
static void set_next(struct asim_livelock *livelock, uint64_t first_event)
{
    uint64_t interval = livelock->interval, at = livelock->look_at;

    if (first_event != ASIM_NEVER && first_event >= at + interval)
        at += (first_event - at) / interval * interval;
    else
        at += interval;
    livelock->look_at = at > livelock->look_at && at < ASIM_NEVER - interval ? at : ASIM_NEVER;
}

static int is_livelock(const struct asim_fabric *fabric, const struct asim_livelock_sums *since)
{
    uint64_t gained = since->acked / fabric->set.net->payload_bytes;

    if (!since->live || since->ended || since->retransmits < LEAST_REPEATS)
        return 0;
    return since->acked ? gained * REPEATS_A_GAIN < since->retransmits : !since->timeouts;
}

void asim_livelock_look(struct asim_fabric *fabric, uint64_t first_event)
{
    struct asim_livelock *livelock = &asim_engine_of(fabric)->livelock;
    const struct asim_livelock_sums *last = &livelock->last;
    struct asim_livelock_sums now;
    int may_judge;

    sum(fabric, &now);
    asim_livelock_add(&now, &livelock->others);
    may_judge = !waits_for_event(fabric) && !now.replays;
    livelock->since =
        (struct asim_livelock_sums){.acked = now.acked - last->acked,
                                    .ended = now.ended - last->ended,
                                    .live = now.live,
                                    .retransmits = now.retransmits - last->retransmits,
                                    .timeouts = now.timeouts - last->timeouts};
    livelock->is_found = livelock->is_known && may_judge && is_livelock(fabric, &livelock->since);
    livelock->is_known = may_judge && livelock->skipped_to <= livelock->look_at;
    livelock->last = now;
    memset(&livelock->others, 0, sizeof livelock->others);
    livelock->is_closing = 0;
    if (!livelock->is_found)
        set_next(livelock, first_event);
}

int asim_fabric_no_progress(const struct asim_fabric *fabric, struct asim_no_progress *found)
{
    const struct asim_livelock *livelock = &asim_engine_of(fabric)->livelock;

    if (!livelock->is_found)
        return 0;
    *found = (struct asim_no_progress){
        .from_ns = asim_to_ns(fabric, livelock->look_at - livelock->interval),
        .to_ns = asim_to_ns(fabric, livelock->look_at),
        .gained = livelock->since.acked,
        .retransmits = livelock->since.retransmits};
    return 1;
}
