/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Bucketing the arrivals of a bulk window (egress_batch.h).
 */
#include "fabric/ground/worker.h"
#include "fabric/switch/bulk/egress_batch.h"

#include "fabric/switch/bulk/bulk.h"
#include "fabric/switch/ecmp.h"
#include "fabric/switch/mmu.h"
#include "fabric/host/flow.h"

int asim_egress_batch_grow(struct asim_egress_batch *batch, uint32_t n)
{
    size_t cap = batch->cap;
    int failed = asim_grow(&batch->at, &cap, n, sizeof *batch->at);

    batch->cap = (uint32_t)cap;
    return failed;
}

int asim_egress_batch_expand(const struct asim_switch *sw, struct asim_egress_batch *batch,
                             uint64_t begin)
{
    const struct asim_link_ring_view ring = asim_link_ring_view_of(sw->in[batch->in]);
    uint32_t n = batch->burst;

    if (batch->cap < n && asim_egress_batch_grow(batch, n))
        return ASIM_ENOMEM;
    for (uint32_t i = 0; i < n; i++)
        batch->at[i] =
            asim_arrival_entry(batch->in, i, asim_link_ring_view_nth(&ring, i)->t - begin);
    batch->n += n;
    batch->burst = 0;
    return 0;
}

/* The first arrival for egress port `out`. */
static inline void begin_batch(struct asim_switch_shard *shard, uint32_t out)
{
    shard->egress_ports[shard->n_egress_ports++] = out;
    if (shard->sw->n_shards > 1 && shard->sw->shard_of[out] != shard->i)
        shard->remote_egress[shard->n_remote_egress++] = out;
    shard->batch[out].ingress_runs = 1;
    shard->batch[out].second_run = 0;
}

/* Appends an entry to a batch. Ingress ports come one after the other, each in order of time: an
 * entry of another port begins another run. 0 or ASIM_ENOMEM. */
static inline int bucket(struct asim_switch_shard *shard, uint32_t out, uint64_t entry,
                         uint64_t begin)
{
    struct asim_egress_batch *batch = &shard->batch[out];
    uint32_t in = asim_arrival_port(entry);

    if (batch->burst && asim_egress_batch_expand(shard->sw, batch, begin))
        return ASIM_ENOMEM;
    if (batch->n == batch->cap && asim_egress_batch_grow(batch, batch->n + 1))
        return ASIM_ENOMEM;
    if (!batch->n) {
        begin_batch(shard, out);
    } else if (batch->in != in) {
        batch->ingress_runs++;
        batch->second_run = batch->ingress_runs == 2 ? batch->n : batch->second_run;
    }
    batch->in = in;
    batch->at[batch->n++] = entry;
    return 0;
}

/* Appends the first n frames of a port to a batch that is not empty. */
static int bucket_behind(struct asim_switch_shard *shard, uint32_t out, uint32_t in, uint32_t n,
                         uint64_t begin)
{
    const struct asim_link_ring_view ring = asim_link_ring_view_of(shard->sw->in[in]);
    int failed = 0;

    for (uint32_t i = 0; i < n && !failed; i++)
        failed =
            bucket(shard, out,
                   asim_arrival_entry(in, i, asim_link_ring_view_nth(&ring, i)->t - begin), begin);
    return failed;
}

/* Appends the first n frames of a port to a batch, as a burst if possible. */
static inline int bucket_burst(struct asim_switch_shard *shard, uint32_t out, uint32_t in,
                               uint32_t n, uint64_t begin)
{
    struct asim_egress_batch *batch = &shard->batch[out];

    if (batch->n | batch->burst)
        return bucket_behind(shard, out, in, n, begin);
    begin_batch(shard, out);
    batch->burst = n;
    batch->in = in;
    return 0;
}

/* Ports in lockstep are often neighbours. A port whose n frames are identical to those of the port
 * before it joins that port's group. Else it begins a group of its own. */
static inline uint32_t lockstep_group_of(const struct asim_switch_shard *shard, uint32_t p,
                                         uint32_t n)
{
    const struct asim_switch *sw = shard->sw;
    const struct asim_port_event *last =
        shard->n_last_arrivals ? &shard->last_arrival[shard->n_last_arrivals - 1] : NULL;

    if (!last || asim_arrival_index(last->entry) + 1 != n ||
        !asim_arrivals_are_identical(sw->in[p], sw->in[last->port], n))
        return p;
    return sw->lockstep_group[last->port];
}

struct span {
    uint64_t begin, until;
};

static uint64_t fail(struct asim_switch_shard *shard)
{
    shard->worker->failed = ASIM_ENOMEM;
    return UINT64_MAX;
}

/* The egress port of a frame. UINT32_MAX excludes a bulk window: no route, or a PFC frame. */
static inline uint32_t egress_of(struct asim_fabric *fabric, struct asim_switch_shard *shard,
                                 const struct asim_frame *frame)
{
    if (frame->type >= ASIM_PAUSE)
        return UINT32_MAX;
    return asim_ecmp_egress(fabric, shard, frame);
}

/* The number of frames at the front of the ring that arrive before `until`, and have the flow and
 * the direction of the first one: at least 1. Adds up their bytes. */
static inline uint32_t first_burst(const struct asim_link_ring_view *ring, uint32_t available,
                                   uint64_t until, uint64_t *bytes)
{
    const struct asim_frame *first = asim_link_ring_view_nth(ring, 0), *frame = first;
    uint64_t sum = 0;
    uint32_t n = 0;

    do {
        sum += frame->wire;
        n++;
        frame = asim_link_ring_view_next(ring, frame);
    } while (n != available && frame->t < until && frame->flow == first->flow &&
             frame->type == first->type);
    *bytes = sum;
    return n;
}

/* Buckets the arrivals at port p. Each frame is routed once, here. Returns their bytes; UINT64_MAX
 * excludes a bulk window. */
static uint64_t bucket_port(struct asim_fabric *fabric, struct asim_switch_shard *shard, uint32_t p,
                            const struct span *span)
{
    struct asim_switch *sw = shard->sw;
    struct asim_wire *wire = sw->in[p];
    const struct asim_link_ring_view ring = asim_link_ring_view_of(wire);
    uint64_t bytes = 0, begin = span->begin, until = span->until;
    uint32_t available = wire->avail - ring.head, n = first_burst(&ring, available, until, &bytes),
             out;

    if (available >= 1u << ASIM_INDEX_BITS)
        return UINT64_MAX;
    out = egress_of(fabric, shard, asim_link_ring_view_nth(&ring, 0));
    if (out == UINT32_MAX)
        return UINT64_MAX;
    if (bucket_burst(shard, out, p, n, begin))
        return fail(shard);
    for (; n != available; n++) {
        const struct asim_frame *frame = asim_link_ring_view_nth(&ring, n);

        if (frame->t >= until)
            break;
        out = egress_of(fabric, shard, frame);
        if (out == UINT32_MAX)
            return UINT64_MAX;
        if (bucket(shard, out, asim_arrival_entry(p, n, frame->t - begin), begin))
            return fail(shard);
        bytes += frame->wire;
    }
    sw->lockstep_group[p] = lockstep_group_of(shard, p, n);
    shard->last_arrival[shard->n_last_arrivals++] = (struct asim_port_event){
        asim_arrival_entry(p, n - 1, asim_link_ring_view_nth(&ring, n - 1)->t - begin), p,
        (uint32_t)bytes};
    wire->received += n;
    wire->received_bytes += bytes;
    return bytes;
}

void asim_arrivals_unbucket(struct asim_switch_shard *shard)
{
    struct asim_switch *sw = shard->sw;

    asim_egress_batches_clear(shard);
    for (uint32_t i = 0; i < shard->n_last_arrivals; i++) {
        struct asim_wire *wire = sw->in[shard->last_arrival[i].port];

        wire->received -= asim_arrival_index(shard->last_arrival[i].entry) + 1;
        wire->received_bytes -= shard->last_arrival[i].bytes;
    }
    shard->n_last_arrivals = shard->n_last_tx_starts = 0;
}

/* Loads the flows of a port's frames, which their hashes need. Mostly the frames of a port all go
 * by a choice, or none: the first one tells. */
static inline void prefetch(const struct asim_fabric *fabric, const struct asim_switch_shard *shard,
                            uint32_t p, uint64_t until)
{
    const struct asim_wire *wire = shard->sw->in[p];

    if (!asim_ecmp_cached(shard, asim_link_ring_oldest(wire)))
        asim_rx_prefetch(fabric, wire, until);
}

int asim_arrivals_bucket(struct asim_fabric *fabric, struct asim_switch_shard *shard,
                         uint64_t begin, uint64_t until)
{
    const struct span span = {begin, until};

    shard->bytes_in = shard->most_in = 0;
    if ((until - begin) >> (64 - ASIM_TICK_SHIFT) || shard->sw->n_ports >= 1u << ASIM_PORT_BITS)
        return 0;
    for (uint32_t i = 0; i < shard->n_active; i++) {
        uint64_t bytes;

        if (shard->sw->ecmp_bypassed && i + 1 < shard->n_active)
            prefetch(fabric, shard, shard->active[i + 1], until);
        bytes = bucket_port(fabric, shard, shard->active[i], &span);

        if (bytes == UINT64_MAX) {
            asim_arrivals_unbucket(shard);
            return 0;
        }
        shard->most_in = bytes > shard->most_in ? bytes : shard->most_in;
        shard->bytes_in += bytes;
    }
    return 1;
}

/* The free bytes that keep the fullest ingress queue below its threshold, if it keeps its frames
 * and gets all arrivals. PFC frames in queue 0 take no shared buffer. */
static uint64_t most_level(const struct asim_switch_shard *shard, uint32_t group)
{
    const struct asim_switch *sw = shard->sw;
    uint64_t most = 0;

    for (uint32_t i = 0; i < shard->n_last_arrivals; i++) {
        const struct asim_switch_port *port = &sw->ports[shard->last_arrival[i].port];
        uint64_t level = (port->occupancy[group].ingress + shard->last_arrival[i].bytes + 1)
                         << port->shift;

        most = level > most ? level : most;
    }
    return most;
}

/* Looks at ports only if the buffer is so full that some port can be near its threshold. */
int asim_arrivals_fit_buffer(const struct asim_switch *sw, uint32_t group)
{
    uint64_t used = sw->shared_used, most_in = 0, most = 0;

    for (uint32_t d = 0; d < sw->n_shards; d++) {
        used += sw->shard[d].bytes_in;
        most_in = sw->shard[d].most_in > most_in ? sw->shard[d].most_in : most_in;
    }
    most = (ASIM_RESERVE_BYTES + sw->shared_used + most_in + 1) << sw->most_shift;
    if (used + most <= sw->shareable)
        return 1;
    most = 0;
    for (uint32_t d = 0; d < sw->n_shards; d++) {
        uint64_t level = most_level(&sw->shard[d], group);

        most = level > most ? level : most;
    }
    return used + most <= sw->shareable;
}

void asim_arrivals_collect(struct asim_switch_shard *shard, const struct asim_switch_shard *other,
                           uint64_t begin)
{
    for (uint32_t i = 0; i < other->n_remote_egress; i++) {
        uint32_t out = other->remote_egress[i];
        const struct asim_egress_batch *batch = &other->batch[out];
        int failed = 0;

        if (shard->sw->shard_of[out] != shard->i)
            continue;
        if (batch->burst)
            failed = bucket_burst(shard, out, batch->in, batch->burst, begin);
        for (uint32_t k = 0; k < batch->n && !failed; k++)
            failed = bucket(shard, out, batch->at[k], begin);
        if (failed)
            shard->worker->failed = ASIM_ENOMEM;
    }
}
