/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Flows: one queue pair per message, as ASTRA-sim creates them (rdma-network.md#queue-pairs). A
 * flow lives in a slot of its source host. A slot is reused under a new generation, so that a frame
 * of an earlier message can be told from a frame of the present one.
 *
 * The rank's send takes a slot; two events later the flow opens; the last ACK finishes it; the
 * NIC's scan drops it; the slot is free when no frame of it is under way. Each send that takes the
 * slot changes its generation, which frames and timers carry.
 */
#include "base/map.h"
#include "fabric/host/flow.h"
#include "fabric/host/host.h"
#include "fabric/host/recovery.h"
#include "net/net.h"

#include <stdlib.h>
#include <string.h>

enum {
    FIRST_SPORT = 10000, /* source ports count from here per pair (rdma-network.md#queue-pairs) */
    LOOK_BACK = 4        /* slots finished last that are looked at for a new message */
};

/* Other threads may read the old list in this window, so it is freed when the window is over. */
static int grow_rx(struct asim_host *host, size_t chunks)
{
    size_t cap = host->cap_rx ? 2 * host->cap_rx : 4;
    struct asim_rx **old = atomic_load(&host->rx), **list;

    while (cap < chunks)
        cap *= 2;
    list = calloc(cap, sizeof *list);
    if (!list || ASIM_VEC_PUSH(host->worker->deferred_frees, (void *)old)) {
        free(list);
        return ASIM_ENOMEM;
    }
    if (old)
        memcpy(list, old, host->cap_rx * sizeof *list);
    host->cap_rx = cap;
    atomic_store_explicit(&host->rx, list, memory_order_release);
    return 0;
}

int asim_rx_reserve(struct asim_host *host, uint32_t slot)
{
    size_t chunk = slot / ASIM_FLOW_CHUNK;
    struct asim_rx **list, *rx;

    if (chunk >= host->cap_rx && grow_rx(host, chunk + 1))
        return ASIM_ENOMEM;
    list = atomic_load(&host->rx);
    if (list[chunk])
        return 0;
    rx = asim_calloc_lines(ASIM_FLOW_CHUNK, sizeof *rx);
    if (!rx)
        return ASIM_ENOMEM;
    for (uint32_t i = 0; i < ASIM_FLOW_CHUNK; i++)
        atomic_flag_clear(&rx[i].seen_lock);
    list[chunk] = rx;
    if (!chunk)
        host->first_rx = rx;
    return 0;
}

/* Adds sixteen slots. Flows never move: frames and timers refer to them by number, and a callback
 * may start another flow while the caller holds a pointer to one. There are at most 2^24 slots,
 * which is the room beside the generation in a frame's slot word. */
static int add_chunk(struct asim_host *host)
{
    struct asim_flow *chunk;

    if (host->n_chunks * ASIM_FLOW_CHUNK >= 1u << 24 ||
        asim_grow(&host->chunks, &host->cap_chunks, host->n_chunks + 1, sizeof *host->chunks) ||
        asim_rx_reserve(host, (uint32_t)(host->n_chunks * ASIM_FLOW_CHUNK)) ||
        ASIM_VEC_RESERVE(host->free_slots, (host->n_chunks + 1) * ASIM_FLOW_CHUNK) ||
        ASIM_VEC_RESERVE(host->draining, (host->n_chunks + 1) * ASIM_FLOW_CHUNK))
        return ASIM_ENOMEM;
    chunk = asim_calloc_lines(ASIM_FLOW_CHUNK, sizeof *chunk);
    if (!chunk)
        return ASIM_ENOMEM;
    host->chunks[host->n_chunks] = chunk;
    host->first_flow = host->chunks[0];
    /* Downwards: the lowest slot is found first, and busy slots stay close together. */
    for (uint32_t i = ASIM_FLOW_CHUNK; i-- > 0;)
        host->free_slots.at[host->free_slots.n++] =
            (uint32_t)(host->n_chunks * ASIM_FLOW_CHUNK + i);
    host->n_chunks++;
    return 0;
}

static inline int is_drained(const struct asim_host *host, uint32_t slot)
{
    const struct asim_rx *rx = asim_rx_at(host, slot);
    uint32_t sent = asim_own_flow(host, slot)->tx_frames;

    return rx->released && sent + atomic_load_explicit(&rx->frames, memory_order_acquire) == 0;
}

/* Frees slots whose last frames have ended. The window in which that happens does not matter: no
 * result depends on the number of a slot. */
static void collect(struct asim_host *host)
{
    size_t keep = 0;

    for (size_t i = 0; i < host->draining.n; i++) {
        uint32_t slot = host->draining.at[i];

        if (is_drained(host, slot))
            host->free_slots.at[host->free_slots.n++] = slot;
        else
            host->draining.at[keep++] = slot;
    }
    host->draining.n = keep;
}

/* A free slot, a drained slot, or a new one; ASIM_NEVER when out of memory. Out of line, because
 * most messages do not come here. */
static __attribute__((noinline)) uint64_t alloc_slowly(struct asim_host *host)
{
    if (!host->free_slots.n)
        collect(host);
    if (!host->free_slots.n && add_chunk(host))
        return ASIM_NEVER;
    return host->free_slots.at[--host->free_slots.n];
}

/* One of the slots that finished last, if it is free: these are still in the cache. ASIM_NEVER when
 * out of memory. The very last slot often still waits for its destination, which learns of the end
 * at the same time as the source, so the search begins with the one before. Without the search a
 * host would use all slots of a chunk in turn, 10 kB, and find none in the cache. */
static inline uint64_t alloc_slot(struct asim_host *host)
{
    static const uint8_t back[LOOK_BACK] = {2, 1, 3, 4}; /* 1 is the last */
    uint32_t *list = host->draining.at;
    size_t n = host->draining.n;

    for (size_t k = 0; k < LOOK_BACK; k++) {
        uint32_t slot;

        if (n < back[k] || !is_drained(host, list[n - back[k]]))
            continue;
        slot = list[n - back[k]];
        list[n - back[k]] = list[n - 1];
        host->draining.n--;
        return slot;
    }
    return alloc_slowly(host);
}

/* Loads the count of another destination from the map, and stores the last one's. The last one's
 * key is in the map already, so storing it cannot fail. */
static __attribute__((noinline)) int count_to(struct asim_host *host, uint32_t dst)
{
    uint64_t *sent;

    if (host->sport_dst != UINT32_MAX)
        *asim_map_put(host->sports, 0, host->sport_dst) = host->sport_n;
    sent = asim_map_put(host->sports, 0, dst);
    if (!sent)
        return ASIM_ENOMEM;
    host->sport_dst = dst;
    host->sport_n = *sent;
    return 0;
}

/* Counted per destination, as ASTRA-sim does; the queue pairs of a connection take turns. In a ring
 * a host has one destination, and the map is not used. */
static inline uint64_t next_sport(struct asim_host *host, uint32_t dst)
{
    uint64_t n, qps = host->worker->fabric->set.qps;

    if (host->sport_dst != dst && count_to(host, dst))
        return ASIM_NEVER;
    n = host->sport_n++;
    return (uint16_t)(FIRST_SPORT + (qps ? n % qps : n));
}

uint64_t asim_flow_sport(struct asim_host *host, uint32_t dst)
{
    return next_sport(host, dst);
}

/* Sets the fields that a new message needs; congestion control and window follow in asim_flow_open
 * when the queue pair starts, two events later. The generation tells frames of the slot's last
 * message from frames of this one. */
static inline uint64_t alloc(struct asim_host *host, const struct asim_msg *msg, uint16_t sport)
{
    uint64_t found = alloc_slot(host);
    uint32_t slot = (uint32_t)found;
    struct asim_flow *flow;
    struct asim_rx *rx;

    if (found == ASIM_NEVER)
        return ASIM_NEVER;
    flow = asim_own_flow(host, slot);
    rx = asim_rx_at(host, slot);
    asim_msg_copy(&rx->msg, msg);
    rx->size = msg->bytes ? msg->bytes : 1;
    flow->dst = msg->dst;
    flow->sport = sport;
    flow->slot = slot;
    flow->generation++;
    rx->sport = sport;
    rx->dst = msg->dst;
    rx->generation = flow->generation;
    atomic_store_explicit(&rx->frames, 0, memory_order_relaxed);
    rx->released = (uint8_t)asim_fabric_owns(host->worker->fabric, msg->dst);
    rx->out_of_order.n = 0;
    flow->live = 1;
    flow->stage = 0;
    host->worker->open++;
    flow->snd_high = 0;
    flow->timeouts = flow->tx_frames = 0;
    if (flow->had_loss)
        flow->solicit_below = flow->last_gbn = flow->timed_out = 0;
    flow->aborted = flow->had_loss = 0;
    flow->queue = asim_class_queue(host->worker->fabric, msg->traffic_class) & (ASIM_QUEUES - 1);
    if (flow->sack)
        asim_recovery_reset(flow->sack);
    return slot;
}

uint64_t asim_flow_alloc(struct asim_host *host, const struct asim_msg *msg, uint16_t sport)
{
    return alloc(host, msg, sport);
}

uint64_t asim_flow_create(struct asim_host *host, const struct asim_msg *msg)
{
    uint64_t sport = next_sport(host, msg->dst);

    return sport == ASIM_NEVER ? ASIM_NEVER : alloc(host, msg, (uint16_t)sport);
}

/* The scan calls this when it meets the finished queue pair (rdma-network.md#host-transmit-order),
 * not at completion. Retransmissions and the notification to the destination may still be under
 * way, and their receivers and switches read the flow: the slot drains until a send wants it. An
 * aborted message keeps its slot for the report. */
void asim_flow_release(struct asim_host *host, uint32_t slot)
{
    if (asim_own_flow(host, slot)->aborted)
        return;
    /* The chunk reserved room for all its slots. */
    host->draining.at[host->draining.n++] = slot;
}

/* Does nothing before the destination was notified of the end, since the source does not ask before
 * that. Most flows are released once, because no frame follows their end. */
void asim_flow_add_release_slow(struct asim_worker *worker, uint32_t src, uint32_t slot)
{
    struct asim_rx *rx;

    if (asim_fabric_owns(worker->fabric, src))
        return;
    rx = asim_rx_of(worker->fabric, src, slot);
    if (!rx->notified || rx->release_pending)
        return;
    rx->release_pending = 1;
    if (ASIM_VEC_PUSH(worker->pending_releases,
                      ((struct asim_pending_release){src, slot & 0xffffff})))
        worker->failed = ASIM_ENOMEM;
}
