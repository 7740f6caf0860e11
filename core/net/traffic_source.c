/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Draws the flows of background traffic (rdma-network.md#background-traffic).
 *
 * Costs: a few draws a flow. An incast is found by each host on its own: a host looks at all
 * incasts and takes part in fan_in of n.
 */
#include "net/traffic_source.h"
#include "base/divisor.h"
#include "base/draw.h"

#include <math.h>

enum { FIRST_SPORT = 40000, SPORTS = 20000 };
/* Draws of all hosts together, of incasts. */
#define ALL_HOSTS 0xffffffffull

static double draw(const struct asim_net_traffic *what, uint64_t who, uint64_t number)
{
    return asim_draw(what->seed, who, number);
}

static double exponential(double mean, double u)
{
    return -mean * log1p(-u);
}

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

void asim_traffic_source_begin(const struct asim_net_traffic *what,
                               struct asim_traffic_source *source)
{
    uint32_t host = what->hosts[source->place];

    source->next_ns = (double)what->from_ns;
    if (what->off_ns > 0)
        source->on_left_ns = exponential(what->on_ns, draw(what, host, source->draws++));
}

int asim_traffic_source_advance(const struct asim_net_traffic *what,
                                struct asim_traffic_source *source)
{
    if (what->pattern == ASIM_TRAFFIC_INCAST)
        advance_incast(what, source);
    else
        advance_poisson(what, source);
    return source->next_ns < (double)what->until_ns;
}

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

uint16_t asim_traffic_source_flow(const struct asim_net_traffic *what,
                                  struct asim_traffic_source *source, uint32_t index,
                                  struct asim_msg *msg)
{
    const uint32_t numbers = 1u << ASIM_TRAFFIC_SHIFT;
    uint16_t sport = (uint16_t)(FIRST_SPORT + (source->number + 977 * index) % SPORTS);

    *msg = (struct asim_msg){.src = what->hosts[source->place], .cookie = ASIM_NEVER};
    msg->bytes = size_of(what, source);
    msg->dst = what->hosts[destination(what, source)];
    msg->id = (uint64_t)msg->src << 32 | ASIM_TRAFFIC_ID | (uint64_t)index << ASIM_TRAFFIC_SHIFT |
              source->number++ % numbers;
    return sport;
}

void asim_traffic_use_begin(struct asim_traffic_use *use, uint64_t bytes)
{
    use->started++;
    use->started_bytes += bytes;
}

static uint32_t bin_of(double slowdown)
{
    double bin = slowdown > 1 ? 8 * log2(slowdown) : 0;

    return bin < ASIM_TRAFFIC_BINS - 1 ? (uint32_t)bin : ASIM_TRAFFIC_BINS - 1;
}

void asim_traffic_use_finish(struct asim_traffic_use *use, uint64_t bytes, uint64_t ns,
                             uint64_t ideal_ns)
{
    use->finished++;
    use->finished_bytes += bytes;
    if (ideal_ns)
        use->slowdown[(bytes > 100000) + (bytes > 1000000)]
                     [bin_of((double)ns / (double)ideal_ns)]++;
}
