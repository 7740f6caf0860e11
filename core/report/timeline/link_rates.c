/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Sums up the rates of links in intervals. A message is two changes of the rate, up at its start
 * and down at its end; each is a cell, whatever its length.
 */
#include "report/timeline/link_rates.h"
#include "net/packets.h"
#include "topo/topo.h"

#include <stdlib.h>

enum { MOST = 200000, FRACTION = 20 };

void asim_link_rates_init(struct asim_link_rates *rates, uint64_t width_ns)
{
    *rates = (struct asim_link_rates){.width_ns = width_ns, .to = UINT64_MAX, .most = MOST};
    asim_map_init(&rates->at);
}

static void put(struct asim_link_rates *rates, const struct asim_rate_cell *more)
{
    uint64_t *slot = asim_map_put(&rates->at, more->port, more->bin);

    if (!slot || (!*slot && ASIM_VEC_PUSH(rates->cells, *more))) {
        rates->failed = 1;
        return;
    }
    if (*slot) {
        rates->cells.at[*slot - 1].area += more->area;
        rates->cells.at[*slot - 1].change += more->change;
    }
    *slot = *slot ? *slot : rates->cells.n;
}

/* Of two bins that become one, what the first adds to the rate holds throughout the second. */
static void widen(struct asim_link_rates *rates)
{
    size_t n = rates->cells.n;

    asim_map_fini(&rates->at);
    asim_map_init(&rates->at);
    rates->cells.n = 0;
    for (size_t i = 0; i < n && !rates->failed; i++) {
        struct asim_rate_cell cell = rates->cells.at[i];

        if (!(cell.bin & 1))
            cell.area += cell.change * (int64_t)rates->width_ns;
        cell.bin /= 2;
        put(rates, &cell);
    }
    rates->width_ns *= 2;
}

static void change(struct asim_link_rates *rates, uint32_t port, uint64_t t, int64_t by)
{
    uint64_t bin = t / rates->width_ns, rest = (bin + 1) * rates->width_ns - t;

    put(rates, &(struct asim_rate_cell){
                   .bin = bin, .area = by * (int64_t)rest, .change = by, .port = port});
    while (rates->cells.n > rates->most && !rates->failed)
        widen(rates);
}

void asim_link_rates_add(struct asim_link_rates *rates, const struct asim_topo *topo,
                         const struct asim_carried *message)
{
    uint64_t start = message->start > rates->from ? message->start : rates->from;
    uint64_t end = message->end < rates->to ? message->end : rates->to;
    int64_t rate;

    if (start >= end)
        return;
    rate = (int64_t)((double)message->bytes * (1 << FRACTION) /
                     (double)(message->end - message->start));
    for (uint32_t i = 0; i < message->n && !rates->failed; i++) {
        const struct asim_hop *hop = &message->hops[i];
        uint32_t port = topo->first_port[hop->node] + hop->port - 1;

        change(rates, port, start, rate);
        change(rates, port, end, -rate);
    }
}

ASIM_ORDER(compare, struct asim_rate_cell, ->port, ->bin)

void asim_link_rates_finish(struct asim_link_rates *rates)
{
    if (rates->cells.n)
        qsort(rates->cells.at, rates->cells.n, sizeof *rates->cells.at, compare);
}

static uint64_t bits_per_s(double bytes_per_ns)
{
    return bytes_per_ns > 0 ? (uint64_t)(bytes_per_ns * 8e9 / (1 << FRACTION) + 0.5) : 0;
}

void asim_link_rates_next(const struct asim_link_rates *rates, const struct asim_rate_cell *cell,
                          int64_t *level, uint64_t *during, uint64_t *after)
{
    *during = bits_per_s((double)*level + (double)cell->area / (double)rates->width_ns);
    *level += cell->change;
    *after = bits_per_s((double)*level);
}

void asim_link_rates_fini(struct asim_link_rates *rates)
{
    free(rates->cells.at);
    asim_map_fini(&rates->at);
}
