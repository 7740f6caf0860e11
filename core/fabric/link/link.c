/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Wires and their timing. Serialization is rounded to the nearest ns for each frame and link, exact
 * halves down, as ns-3's DataRate does (rdma-network.md#rounding). Every hop needs the value, so
 * tables hold it by rate and size.
 *
 * A table holds one number for each frame size (4 kB at the usual payload), and all links of a rate
 * share it. The fabric frees tables and wires.
 */

#include <stdlib.h>
#include <string.h>
#include "fabric/ground/ground.h"
#include "fabric/ground/worker.h"
#include "fabric/link/link.h"
#include "fabric/link/schedule.h"
#include "net/watch.h"
#include "asim/topology.h"
#include "conf/netconf_keys.h"

enum { FIRST_FRAMES = 16 };

int asim_ring_grow(struct asim_ring *ring)
{
    uint32_t cap = ring->cap ? ring->cap * 2 : 16;
    struct asim_frame *at;

    if (!cap || !(at = asim_block((size_t)cap * sizeof *at)))
        return 0;
    for (uint32_t i = 0; i < ring->n; i++)
        at[i] = ring->at[(ring->head + i) & (ring->cap - 1)];
    free(ring->at);
    *ring = (struct asim_ring){.at = at, .n = ring->n, .cap = cap};
    return 1;
}

/* ceil(8e9 x ticks x bytes / bps - 1/2) in integers: (16e9 x … - bps) / (2 x bps), rounded up.
 * Bytes below 2^30 (2^20 with 1000 ticks) keep the product inside 64 bits. */
static uint64_t tx_time(uint64_t bytes, uint64_t bps, uint64_t ticks)
{
    uint64_t bits16 = bytes * 16000000000ull * ticks; /* 2 x 8e9 x bytes */

    return bits16 <= bps ? 0 : (bits16 - bps + 2 * bps - 1) / (2 * bps);
}

uint64_t asim_tx_ns(uint64_t bytes, uint64_t bps)
{
    return tx_time(bytes, bps, 1);
}

uint64_t asim_tx_ticks(const struct asim_fabric *fabric, uint64_t bytes, uint64_t bps)
{
    return tx_time(bytes, bps, fabric->set.tick);
}

static uint64_t divide(uint64_t most, uint64_t by)
{
    return by ? most / by * by : 0;
}

static uint64_t repeating_window(const struct asim_fabric *fabric, uint64_t bps, uint64_t most)
{
    uint32_t bytes = fabric->set.net->payload_bytes + fabric->set.data_overhead;
    uint64_t data = asim_tx_ticks(fabric, bytes, bps);
    uint64_t both = data + asim_tx_ticks(fabric, fabric->set.ack_wire, bps);
    uint64_t best = divide(most, data * both);

    return best ? best : divide(most, both);
}

uint64_t asim_repeating_window(const struct asim_fabric *fabric, uint64_t most)
{
    const struct asim_topo *topo = fabric->set.topo;

    for (uint32_t i = 0; i < topo->first_port[topo->hosts]; i++) {
        const struct asim_link *link = &topo->links[topo->ports[i].link];

        if (asim_fs_to_ticks(fabric, link->delay_fs) >= most)
            return repeating_window(fabric, link->rate_bps, most);
    }
    return 0;
}

/* Headers and the largest telemetry, with room to spare; control frames are far below 128 bytes. */
uint32_t asim_fabric_max_wire(const struct asim_fabric *fabric)
{
    uint32_t data = fabric->set.net->payload_bytes + 64 + 42 + fabric->set.net->frame_extra_bytes;

    return data > 128 ? data : 128;
}

/* A network has few rates, so a linear search at set-up is fine. Wires keep pointers to the tables,
 * which live as long as the fabric. */
const uint32_t *asim_rate_table_get(struct asim_fabric *fabric, uint64_t bps)
{
    uint32_t sizes = asim_fabric_max_wire(fabric) + 1;
    struct asim_rate_table *table;

    for (size_t i = 0; i < fabric->n_rates; i++)
        if (fabric->rates[i].bps == bps)
            return fabric->rates[i].tx;
    if (asim_grow(&fabric->rates, &fabric->cap_rates, fabric->n_rates + 1, sizeof *fabric->rates))
        return NULL;
    table = &fabric->rates[fabric->n_rates];
    table->bps = bps;
    table->tx = malloc(sizes * sizeof *table->tx);
    if (!table->tx)
        return NULL;
    for (uint32_t b = 0; b < sizes; b++)
        table->tx[b] = (uint32_t)asim_tx_ticks(fabric, b, bps);
    fabric->n_rates++;
    return table->tx;
}

/* Doubles the ring. Call only while no other thread advances nodes, or before the wire has a
 * reader. */
static int grow(struct asim_wire *wire)
{
    uint32_t cap = wire->at ? wire->mask + 1 : 0, more = cap ? 2 * cap : FIRST_FRAMES;
    uint32_t head = atomic_load(&wire->head), tail = atomic_load(&wire->tail);
    struct asim_frame *at = malloc(more * sizeof *at);

    if (!at)
        return ASIM_ENOMEM;
    for (uint32_t i = head; i != tail; i++)
        at[i & (more - 1)] = wire->at[i & wire->mask];
    free(wire->at);
    wire->at = at;
    wire->mask = more - 1;
    wire->in_at = at;
    wire->in_mask = more - 1;
    wire->limit = head + more;
    return 0;
}

/* Once a frame is in the overflow, `limit` stays at `tail`, so all frames that follow come here
 * too. */
struct asim_frame *asim_link_ring_slot_slow(struct asim_worker *worker, struct asim_wire *wire)
{
    const struct asim_frame blank = {.t = 0};
    uint32_t tail = atomic_load_explicit(&wire->tail, memory_order_relaxed);

    if (asim_link_ring_has_room(wire, 1))
        return &wire->at[tail & wire->mask];
    if (worker->fabric->set.threads == 1) {
        if (!grow(wire))
            return &wire->at[tail & wire->mask];
    } else if ((wire->overflow.n || !ASIM_VEC_PUSH(worker->overflowed, wire)) &&
               !ASIM_VEC_PUSH(wire->overflow, blank)) {
        return &wire->overflow.at[wire->overflow.n - 1];
    }
    worker->failed = ASIM_ENOMEM;
    return NULL;
}

/* Grows a ring that overflowed, even if it has room by now: the reader frees the places of a whole
 * window together. */
int asim_link_ring_merge_overflow(struct asim_wire *wire)
{
    uint32_t tail = atomic_load(&wire->tail);

    if (wire->overflow.n && grow(wire))
        return ASIM_ENOMEM;
    for (size_t i = 0; i < wire->overflow.n; i++) {
        if ((!wire->at || tail - atomic_load(&wire->head) > wire->mask) && grow(wire))
            return ASIM_ENOMEM;
        wire->at[tail++ & wire->mask] = wire->overflow.at[i];
        atomic_store(&wire->tail, tail);
    }
    wire->overflow.n = 0;
    wire->limit = atomic_load(&wire->head) + (wire->at ? wire->mask + 1 : 0);
    return 0;
}

/* For the audit: frames in the ring, then those in the overflow, in the order in which the reader
 * takes them. */
uint32_t asim_link_ring_count(const struct asim_wire *wire)
{
    return atomic_load(&wire->tail) - atomic_load(&wire->head) + (uint32_t)wire->overflow.n;
}

const struct asim_frame *asim_link_ring_peek(const struct asim_wire *wire, uint32_t i)
{
    uint32_t head = atomic_load(&wire->head), in_ring = atomic_load(&wire->tail) - head;

    return i < in_ring ? &wire->at[(head + i) & wire->mask] : &wire->overflow.at[i - in_ring];
}

/* The frame watcher is called at the node's own time, which in per-event mode is the time of all
 * nodes. */
void asim_port_report(struct asim_fabric *fabric, const struct asim_port *port,
                      const struct asim_frame *frame)
{
    if (fabric->watch->frame)
        fabric->watch->frame(fabric->watch->frame_self, ASIM_FRAME_TX,
                             (struct asim_port_id){port->out->from, port->in->to_port + 1}, frame,
                             asim_to_ns(fabric, port->tx_start));
}

void asim_port_schedule(struct asim_fabric *fabric, const struct asim_wire *wire, uint64_t t)
{
    asim_node_schedule(fabric, wire->to, t);
}

int asim_pause_holds(const struct asim_fabric *fabric, const struct asim_frame *frame)
{
    return frame->type == ASIM_PAUSE && fabric->set.pauses_hold;
}
