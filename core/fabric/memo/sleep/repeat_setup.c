/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Whether and how a network allows sleep, and the memory for it (repeat.h).
 */
#include <stdlib.h>

#include "fabric/memo/sleep/repeat.h"
#include "fabric/memo/sleep/repeat_port.h"
#include "fabric/memo/sleep/repeat_wire.h"

/* The first and the longest pause between two tries, in windows. */
enum { FIRST_PAUSE = 1 << 10, MOST_PAUSE = 1 << 11 };

/* Congestion control that ACKs without a mark leave alone, and nothing that looks at single frames
 * or at absolute times. */
static int may_repeat(const struct asim_fabric *fabric)
{
    return !(fabric->set.without & (ASIM_FAST_REPEATS | ASIM_FAST_BULK_SWITCH)) &&
           !fabric->set.cc->needs && (fabric->set.cc_idle || fabric->set.cc_by_cnp) &&
           !fabric->watch.queue && !fabric->watch.rate && !fabric->dist.part_of &&
           !fabric->traffic && !fabric->datagrams;
}

static void set_depth(struct asim_repeats *repeats, const struct asim_fabric *fabric,
                      const struct asim_wire *wire)
{
    uint64_t most = wire->delay + wire->tx[asim_fabric_max_wire(fabric)];
    struct asim_repeat_wire *own = asim_repeat_wire_of(repeats, wire);

    own->depth = (uint32_t)((most + repeats->length - 1) / repeats->length);
    if (own->depth > repeats->depth)
        repeats->depth = own->depth;
}

/* The links of a switch either all take part or none does. Returns 0 where they differ. */
static int open_switch(struct asim_repeats *repeats, const struct asim_fabric *fabric,
                       const struct asim_switch *sw, int *failed)
{
    uint32_t parts = 0;

    for (uint32_t p = 0; p < sw->n_ports; p++)
        parts += asim_repeat_wire_of(repeats, sw->ports[p].port.out)->depth != 0;
    if (parts && parts == sw->n_ports && !sw->first)
        *failed |= asim_repeat_switch_open(&repeats->sw[sw->node - fabric->set.hosts], sw);
    return !parts || (parts == sw->n_ports && !sw->first);
}

static int open_all(struct asim_fabric *fabric, struct asim_repeats *repeats, uint64_t most)
{
    size_t wires = fabric->set.topo->n_links * 2;
    uint32_t n = fabric->set.nodes - fabric->set.hosts;
    int fits = 1, failed = 0;

    repeats->wire = calloc(wires + 1, sizeof *repeats->wire);
    repeats->host = asim_calloc_lines(fabric->set.hosts + (size_t)1, sizeof *repeats->host);
    repeats->sw = calloc(n + (size_t)1, sizeof *repeats->sw);
    repeats->words = malloc(ASIM_REPEAT_WORDS * sizeof *repeats->words);
    if (!repeats->wire || !repeats->host || !repeats->sw || !repeats->words)
        return ASIM_ENOMEM;
    for (size_t w = 0; w < wires; w++)
        if (fabric->wires[w].delay >= most)
            set_depth(repeats, fabric, &fabric->wires[w]);
    for (uint32_t s = 0; s < n; s++)
        fits &= open_switch(repeats, fabric, &fabric->sw[s], &failed);
    if (!fits)
        repeats->length = 0;
    return failed;
}

void asim_repeats_pause(struct asim_repeats *repeats, uint64_t least, uint64_t most)
{
    repeats->pause = repeats->least_pause = repeats->try_at = least;
    repeats->most_pause = most;
}

int asim_repeats_open(struct asim_fabric *fabric)
{
    uint64_t most = fabric->workers.domain_lookahead, length;

    if (fabric->repeats || !may_repeat(fabric))
        return 0;
    length = asim_repeating_window(fabric, most);
    if (2 * length < most)
        return 0;
    fabric->repeats = calloc(1, sizeof *fabric->repeats);
    if (!fabric->repeats)
        return ASIM_ENOMEM;
    fabric->repeats->length = length;
    asim_repeats_pause(fabric->repeats, FIRST_PAUSE, MOST_PAUSE);
    if (open_all(fabric, fabric->repeats, most))
        return ASIM_ENOMEM;
    if (!fabric->repeats->length)
        asim_repeats_close(fabric);
    return 0;
}

void asim_repeats_close(struct asim_fabric *fabric)
{
    struct asim_repeats *repeats = fabric->repeats;

    if (!repeats)
        return;
    for (size_t w = 0; repeats->wire && w < fabric->set.topo->n_links * 2; w++) {
        free(repeats->wire[w].frame);
        free(repeats->wire[w].arrival);
        free(repeats->wire[w].step_of);
    }
    for (uint32_t v = 0; repeats->host && v < fabric->set.hosts; v++)
        free(repeats->host[v].state.words);
    for (uint32_t s = 0; repeats->sw && s < fabric->set.nodes - fabric->set.hosts; s++) {
        asim_repeat_switch_close(&repeats->sw[s], &fabric->sw[s]);
        fabric->sw[s].sleeping = NULL;
    }
    free(repeats->wire);
    free(repeats->host);
    free(repeats->sw);
    free(repeats->awake.at);
    free(repeats->waking.at);
    free(repeats->frames.at);
    free(repeats->words);
    free(repeats);
    fabric->repeats = NULL;
}
