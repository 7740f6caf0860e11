/* SPDX-License-Identifier: GPL-2.0-only
 *
 * How fast messages are carried over each link, in bins of time. A message counts with its mean
 * rate from its start to its last ACK on each port of its path: payload, without headers and
 * without what is sent again.
 *
 * The table is bounded: where it would grow beyond its limit, the interval doubles. Sums are of
 * whole numbers, so they do not depend on the order in which messages come.
 */
#ifndef ASIM_REPORT_TIMELINE_LINK_RATES_H
#define ASIM_REPORT_TIMELINE_LINK_RATES_H

#include <stdint.h>

#include "base/map.h"
#include "base/mem.h"

struct asim_topo;
struct asim_hop;

/* Where rates change. Of a bin of w ns: sent = area + w x (changes of earlier bins of the port). */
struct asim_rate_cell {
    uint64_t bin;
    int64_t area, change; /* 2^-20 bytes; 2^-20 bytes per ns, all of it from the next bin on */
    uint32_t port;        /* of the topology */
};

struct asim_link_rates {
    ASIM_VEC(struct asim_rate_cell) cells;
    struct asim_map at;          /* (port, bin) -> index + 1 of its cell */
    uint64_t width_ns, from, to; /* what is outside [from, to] ns does not count */
    size_t most;                 /* cells; the interval doubles beyond */
    int failed;                  /* out of memory */
};

/* A message, and the hops it took. Times in ns. */
struct asim_carried {
    const struct asim_hop *hops;
    uint32_t n;
    uint64_t bytes, start, end;
};

/* Of all times. width_ns: of a bin at first. */
void asim_link_rates_init(struct asim_link_rates *rates, uint64_t width_ns);
void asim_link_rates_add(struct asim_link_rates *rates, const struct asim_topo *topo,
                         const struct asim_carried *message);
/* Sorts the cells by port and time. */
void asim_link_rates_finish(struct asim_link_rates *rates);
/* Bits per second in the bin of a cell and after it, from *level, the sum of changes of the port's
 * earlier cells, which gets this cell's, too. After finish. */
void asim_link_rates_next(const struct asim_link_rates *rates, const struct asim_rate_cell *cell,
                          int64_t *level, uint64_t *during, uint64_t *after);
void asim_link_rates_fini(struct asim_link_rates *rates);

#endif
