/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The egress port of a frame (rdma-network.md#routing-and-ecmp): the hash of its flow selects one
 * of the equal-cost ports, or packet spraying takes them in turn.
 *
 * The tuple of a flow lies with the flow, in another node's memory. So a switch caches the choices
 * of recent flows. A cache entry names a generation of a slot, and generations repeat after 256
 * messages. An entry therefore expires if no frame has used it for FRESH_WINDOWS windows. Where
 * more flows meet than the cache holds, as in an all-to-all, the switch bypasses it for a while.
 */
#include "conf/netconf_keys.h"
#include "fabric/ground/ground.h"
#include "fabric/ground/worker.h"
#include "fabric/switch/ecmp.h"

#include <stdlib.h>
#include <string.h>

#include "fabric/link/hash.h"
#include "fabric/host/flow.h"
#include "topo/topo.h"

/* The choice of one direction of a flow. */
struct asim_ecmp_choice {
    uint64_t fresh_until; /* ticks; 0: an empty entry */
    uint32_t src, slot;   /* as in the frames of the flow; the slot with its generation */
    uint32_t type, port;  /* type: never of a datagram, whose token names no flow; port: 1-based */
};

enum { ENTRIES = 1024, FRESH_WINDOWS = 128 };
enum { MOST_MISSES = ENTRIES, BYPASSED = 64 * ENTRIES };

/* Index among n ports, from the hash of the tuple, seeded with the number of the switch. */
static uint32_t hash_choice(const struct asim_fabric *fabric, const struct asim_switch *sw,
                            const struct asim_frame *frame, uint32_t n)
{
    struct asim_tuple tuple = asim_frame_tuple(fabric, frame);

    return asim_tuple_hash(fabric, &tuple, asim_topo_external_id(fabric->set.topo, sw->node)) % n;
}

/* The first choice allocates the cache, because most switches have none. NULL: no memory, no cache.
 */
static struct asim_ecmp_choice *cache_entry(struct asim_switch *sw, const struct asim_frame *frame)
{
    uint32_t back = frame->type != ASIM_DATA;
    uint32_t hash = (frame->src * 64 + (frame->slot & 0xffffff) * 2 + back) * 0x9e3779b1u;

    if (!sw->ecmp_cache)
        sw->ecmp_cache = calloc(ENTRIES, sizeof *sw->ecmp_cache);
    return sw->ecmp_cache ? &sw->ecmp_cache[hash >> 22] : NULL;
}

/* The shortest message takes four windows there and back, so 256 messages take far more than
 * FRESH_WINDOWS. */
static inline uint64_t fresh(const struct asim_fabric *fabric, const struct asim_frame *frame)
{
    return frame->t + FRESH_WINDOWS * fabric->set.lookahead;
}

static uint32_t cached_choice(const struct asim_fabric *fabric, struct asim_switch *sw,
                              const struct asim_frame *frame)
{
    struct asim_ecmp_choice *entry =
        sw->ecmp_cache && !sw->ecmp_bypassed ? cache_entry(sw, frame) : NULL;

    if (!entry || entry->src != frame->src || entry->slot != frame->slot ||
        entry->type != frame->type || frame->t >= entry->fresh_until)
        return 0;
    sw->ecmp_misses -= sw->ecmp_misses != 0;
    entry->fresh_until = fresh(fabric, frame);
    return entry->port;
}

/* Packet spraying ignores flows, so the cache does not keep its choices. */
static uint32_t choose(const struct asim_fabric *fabric, struct asim_switch *sw,
                       const struct asim_frame *frame, const uint32_t *ports, uint32_t n)
{
    struct asim_ecmp_choice *entry;
    uint32_t port;

    if (fabric->set.net->load_balance == ASIM_SPRAY && frame->type == ASIM_DATA)
        return ports[sw->sprayed++ % n];
    port = ports[hash_choice(fabric, sw, frame, n)];
    if (frame->type == ASIM_DATAGRAM) /* its token names no flow */
        return port;
    if (sw->ecmp_bypassed) {
        sw->ecmp_bypassed--;
        return port;
    }
    if (++sw->ecmp_misses == MOST_MISSES) {
        sw->ecmp_bypassed = BYPASSED;
        sw->ecmp_misses = 0;
    }
    entry = cache_entry(sw, frame);
    if (entry)
        *entry = (struct asim_ecmp_choice){.fresh_until = fresh(fabric, frame),
                                           .src = frame->src,
                                           .slot = frame->slot,
                                           .type = frame->type,
                                           .port = port};
    return port;
}

uint32_t asim_ecmp_route(struct asim_fabric *fabric, struct asim_switch_shard *shard,
                         const struct asim_frame *frame)
{
    struct asim_switch *sw = shard->sw;
    uint32_t n = 0, dst = asim_frame_goal(frame), known = cached_choice(fabric, sw, frame);
    const uint32_t *ports;

    if (known)
        return known - 1;
    ports = asim_route_ports(fabric->route, sw->node, dst, &n);
    if (!n && asim_route_error(fabric->route, &shard->worker->failure))
        shard->worker->failed = shard->worker->failure.code;
    if (n == 1)
        shard->route_cache[dst % ASIM_CACHED_ROUTES] = (struct asim_cached_route){dst, ports[0]};
    if (n < 2)
        return n ? ports[0] - 1 : UINT32_MAX;
    return choose(fabric, sw, frame, ports, n) - 1;
}

void asim_ecmp_forget(struct asim_switch *sw)
{
    for (uint32_t d = 0; d < sw->n_shards; d++)
        memset(sw->shard[d].route_cache, 0, sizeof sw->shard[d].route_cache);
    if (sw->ecmp_cache)
        memset(sw->ecmp_cache, 0, ENTRIES * sizeof *sw->ecmp_cache);
}
