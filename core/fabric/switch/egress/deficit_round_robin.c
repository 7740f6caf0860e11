/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Deficit round robin (M. Shreedhar and G. Varghese, Efficient Fair Queueing using Deficit Round
 * Robin, SIGCOMM 1995): a queue sends in its turn as many bytes as its deficit counter allows. A
 * turn adds the queue's quantum to the counter, and an empty queue loses it. The quantum is the
 * weight times the largest frame, so that each turn sends a frame and a choice looks at each queue
 * at most once.
 *
 * The paper has no pauses. A queue that is paused keeps its counter, and its next turn adds the
 * quantum only if the counter does not allow its first frame: else a queue paused again and again
 * would save up. Without pauses a turn always begins in that state.
 */
#include "conf/netconf_keys.h"
#include "fabric/switch/egress/egress.h"
#include "fabric/switch/queue.h"

struct counters {
    uint32_t quantum[ASIM_QUEUES], deficit[ASIM_QUEUES]; /* bytes */
};

static void reset(void *state, const struct asim_netconf *net, uint32_t longest)
{
    struct counters *counters = state;

    for (uint32_t q = 0; q < ASIM_QUEUES; q++) {
        counters->quantum[q] = net->queue_weight[q] * longest;
        counters->deficit[q] = 0;
    }
}

static uint32_t next(struct asim_switch_port *port, uint32_t ready)
{
    struct counters *counters = port->scheduler;
    uint32_t q = port->rr;

    while (!(ready >> q & 1) || counters->deficit[q] < asim_ring_head(&port->queue[q])->wire) {
        q = asim_queue_behind(ready, q);
        if (counters->deficit[q] < asim_ring_head(&port->queue[q])->wire)
            counters->deficit[q] += counters->quantum[q];
    }
    counters->deficit[q] -= (uint32_t)asim_ring_head(&port->queue[q])->wire;
    if (port->queue[q].n == 1)
        counters->deficit[q] = 0;
    port->rr = (uint8_t)q;
    return q;
}

const struct asim_egress_scheduler asim_egress_deficit_round_robin = {
    .member = {.name = "deficit_round_robin", .about = "bytes by the weights of the queues"},
    .kind = ASIM_DEFICIT_ROUND_ROBIN,
    .state_size = sizeof(struct counters),
    .reset = reset,
    .next = next,
};
