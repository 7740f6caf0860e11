/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Rates of links in bins: bytes are kept when bins double, the order of messages does not count,
 * and a range cuts messages.
 */
#include "../check.h"
#include "net/packets.h"
#include "report/timeline/link_rates.h"
#include "topo/topo.h"

enum { MESSAGES = 300, PORTS = 3 };

static uint32_t first_port[] = {0, 1, 2};
static const struct asim_topo topo = {.first_port = first_port};

/* Message i: starts in odd places, lasts up to 5 us, over one or two of the ports. */
static void add(struct asim_link_rates *rates, uint64_t i)
{
    const struct asim_hop hops[] = {{(uint32_t)(i % PORTS), 1, 1, 1},
                                    {(uint32_t)((i + 1) % PORTS), 1, 1, 1}};
    const uint64_t start = i * 37 % 4001;
    const struct asim_carried message = {.hops = hops,
                                         .n = (uint32_t)(1 + i % 2),
                                         .bytes = 1000 * (i + 1),
                                         .start = start,
                                         .end = start + 1 + i * 977 % 5000};

    asim_link_rates_add(rates, &topo, &message);
}

/* Bytes of the port from its cells: those in the bins of cells, and between them. */
static double bytes_of(const struct asim_link_rates *rates, uint32_t port, int64_t *rest)
{
    double bytes = 0;
    uint64_t during, after = 0, next = 0, width = rates->width_ns;

    *rest = 0;
    for (size_t i = 0; i < rates->cells.n; i++) {
        const struct asim_rate_cell *cell = &rates->cells.at[i];

        if (cell->port != port)
            continue;
        bytes += (double)after * (double)((cell->bin - next) * width) / 8e9;
        asim_link_rates_next(rates, cell, rest, &during, &after);
        bytes += (double)during * (double)width / 8e9;
        next = cell->bin + 1;
    }
    return bytes;
}

static void keeps_bytes(size_t most)
{
    struct asim_link_rates forth, back;
    double want[PORTS] = {0};

    asim_link_rates_init(&forth, 10);
    asim_link_rates_init(&back, 10);
    forth.most = back.most = most;
    for (uint64_t i = 0; i < MESSAGES; i++) {
        add(&forth, i);
        add(&back, MESSAGES - 1 - i);
        want[i % PORTS] += 1000 * (double)(i + 1);
        want[(i + 1) % PORTS] += i % 2 ? 1000 * (double)(i + 1) : 0;
    }
    asim_link_rates_finish(&forth);
    asim_link_rates_finish(&back);
    CHECK(forth.cells.n <= most && forth.cells.n > most / 4);
    CHECK_U64(forth.width_ns, back.width_ns);
    CHECK_U64(forth.cells.n, back.cells.n);
    for (size_t i = 0; i < forth.cells.n && i < back.cells.n; i++) {
        CHECK(forth.cells.at[i].area == back.cells.at[i].area);
        CHECK(forth.cells.at[i].change == back.cells.at[i].change);
    }
    for (uint32_t port = 0; port < PORTS; port++) {
        int64_t rest;
        double got = bytes_of(&forth, port, &rest);

        CHECK(rest == 0);
        CHECK(got > want[port] * 0.9999 && got < want[port] * 1.0001);
    }
    asim_link_rates_fini(&forth);
    asim_link_rates_fini(&back);
}

/* 1000 bytes from 0 to 100 ns are 80 Gbit/s; the range sees the half of them. */
static void a_range_cuts(void)
{
    const struct asim_hop hop = {0, 1, 1, 1};
    const struct asim_carried message = {
        .hops = &hop, .n = 1, .bytes = 1000, .start = 0, .end = 100};
    struct asim_link_rates rates;
    uint64_t during, after;
    int64_t level = 0;

    asim_link_rates_init(&rates, 50);
    rates.from = 25;
    rates.to = 75;
    asim_link_rates_add(&rates, &topo, &message);
    asim_link_rates_finish(&rates);
    CHECK_U64(rates.cells.n, 2);
    asim_link_rates_next(&rates, &rates.cells.at[0], &level, &during, &after);
    CHECK_U64(during, UINT64_C(40000000000));
    CHECK_U64(after, UINT64_C(80000000000));
    asim_link_rates_next(&rates, &rates.cells.at[1], &level, &during, &after);
    CHECK_U64(during, UINT64_C(40000000000));
    CHECK_U64(after, 0);
    asim_link_rates_fini(&rates);
}

int main(void)
{
    keeps_bytes(1000);
    keeps_bytes(40);
    a_range_cuts();
    return CHECK_DONE();
}
