/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Ring, mesh and torus in any number of dimensions. Hosts never forward packets (simulators of the
 * HPCC family search routes over switches only), so in a ring of bare hosts only neighbours
 * communicate, as in ASTRA-sim's 8-host ring. Here each host gets its own router switch, as in a
 * real torus machine; direct=1 gives bare hosts.
 *
 * Host h has the coordinates of h in the mixed radix of dims, first dimension fastest. Links: h –
 * router of h for every h, then for every router and dimension the link to the next router. A
 * dimension of size 2 has one link, not two parallel ones. Routing keeps all shortest paths of a
 * torus as equal-cost next hops.
 */
#include "topo/grid.h"

#include <inttypes.h>
#include <stdlib.h>
#include "base/text.h"

enum { MAX_DIMS = 8 };

/* dims[0] varies fastest; wrap = 1 closes rows to rings. */
struct grid {
    uint32_t dims[MAX_DIMS], n;
    uint64_t hosts;
    int wrap;
};

/* Checks the product at each step, so that it cannot overflow. */
static int parse_dims(struct grid *grid, const char *text, struct asim_err *err)
{
    char shown[64];
    grid->hosts = 1;
    for (const char *at = text;; at++) {
        char *end;
        unsigned long long size = *at >= '0' && *at <= '9' ? strtoull(at, &end, 10) : 0;
        if (!size || size > ASIM_BUILD_MAX_NODES || (*end && *end != 'x') || grid->n == MAX_DIMS)
            return asim_err_set(err, ASIM_EINVAL,
                                "dims '%s' is not a list of sizes as 4x4x2: at most %d numbers "
                                "above zero, joined by x.",
                                asim_text_safe(shown, sizeof shown, text), MAX_DIMS);
        grid->dims[grid->n++] = (uint32_t)size;
        grid->hosts *= size;
        if (grid->hosts > ASIM_BUILD_MAX_NODES)
            return asim_err_set(err, ASIM_EINVAL, "dims '%s' ask for more than %" PRIu64 " hosts.",
                                asim_text_safe(shown, sizeof shown, text), ASIM_BUILD_MAX_NODES);
        at = end;
        if (!*at)
            return 0;
    }
}

/* 1 if k^n <= value. */
static int power_fits(uint64_t k, uint32_t n, uint64_t value)
{
    uint64_t product = 1;
    while (n--) {
        if (product > value / k)
            return 0;
        product *= k;
    }
    return 1;
}

/* Makes the dimensions as equal as the divisors of the number of hosts allow: each takes the
 * largest divisor up to the root of the rest. 16 hosts in two dimensions become 4 x 4, 12 become 4
 * x 3, 13 become 13 x 1. */
static void square_dims(struct grid *grid, uint32_t hosts, uint32_t ndims)
{
    uint64_t left = hosts;
    grid->n = ndims;
    grid->hosts = hosts;
    for (uint32_t d = ndims; d-- > 0;) {
        uint64_t best = d ? 1 : left;
        for (uint64_t k = 2; d && power_fits(k, d + 1, left); k++)
            if (left % k == 0)
                best = k;
        grid->dims[d] = (uint32_t)best;
        left /= best;
    }
}

/* Counts the links that link_neighbours makes. */
static uint64_t grid_links(const struct grid *grid)
{
    uint64_t links = 0;
    for (uint32_t d = 0; d < grid->n; d++) {
        uint64_t size = grid->dims[d];
        uint64_t per_row = grid->wrap && size > 2 ? size : size - 1;
        links += grid->hosts / size * per_row;
    }
    return links;
}

/* Makes the links from node h upwards, one per dimension. first: the first router, or 0 if hosts
 * are wired to each other. */
static int link_neighbours(struct asim_topo *topo, const struct grid *grid, uint32_t h,
                           const struct asim_link_spec *wire, struct asim_err *err)
{
    uint32_t first = topo->nodes > grid->hosts ? (uint32_t)grid->hosts : 0;
    uint32_t stride = 1;
    for (uint32_t d = 0; d < grid->n; d++) {
        uint32_t size = grid->dims[d], at = h / stride % size, next = h + stride;
        int edge = at + 1 == size;
        if (edge)
            next = h - (size - 1) * stride;
        if (!edge || (grid->wrap && size > 2)) {
            int rc = asim_build_link(topo, first + h, first + next, wire, err);
            if (rc)
                return rc;
        }
        stride *= size;
    }
    return 0;
}

/* Host links first, so that port 1 of every router leads to its host. */
static int wire_grid(struct asim_topo *topo, const struct grid *grid,
                     const struct asim_grid_options *opt, struct asim_err *err)
{
    uint32_t hosts = (uint32_t)grid->hosts;
    struct asim_link_spec wire = {opt->rate_bps, opt->delay_fs, opt->error_rate};
    struct asim_link_spec drop = {opt->host_rate_bps ? opt->host_rate_bps : opt->rate_bps,
                                  opt->host_delay_fs, opt->error_rate};
    int rc = 0;
    for (uint32_t h = 0; h < hosts && !opt->direct && !rc; h++)
        rc = asim_build_link(topo, h, hosts + h, &drop, err);
    for (uint32_t h = 0; h < hosts && !rc; h++)
        rc = link_neighbours(topo, grid, h, &wire, err);
    return rc;
}

/* Options that say the same thing twice must agree. */
static int check_options(const struct grid *grid, const struct asim_grid_options *opt,
                         struct asim_err *err)
{
    if (opt->dims && opt->gpus && opt->gpus != grid->hosts)
        return asim_err_set(err, ASIM_EINVAL,
                            "dims '%s' have %" PRIu64 " hosts but g says %u: give one of the two.",
                            opt->dims, grid->hosts, opt->gpus);
    if (opt->dims && opt->ndims && opt->ndims != grid->n)
        return asim_err_set(err, ASIM_EINVAL,
                            "dims '%s' are %u dimensions but ndims says %u: give one of the two.",
                            opt->dims, grid->n, opt->ndims);
    if (opt->direct && opt->host_rate_bps)
        return asim_err_set(err, ASIM_EINVAL,
                            "direct=1 makes no links between hosts and routers: leave out hbw.");
    return 0;
}

int asim_grid_make(struct asim_topo *topo, uint32_t hosts, struct asim_grid_form form,
                   const struct asim_grid_options *opt, struct asim_err *err)
{
    struct grid grid = {.wrap = form.wrap};
    uint32_t n;
    int rc = opt->dims ? parse_dims(&grid, opt->dims, err) : 0;
    if (!rc)
        rc = check_options(&grid, opt, err);
    if (rc)
        return rc;
    rc = asim_build_hosts(opt->dims ? (uint32_t)grid.hosts : opt->gpus, hosts, 16, &n, err);
    if (rc)
        return rc;
    if (!opt->dims)
        square_dims(&grid, n, opt->ndims ? opt->ndims : form.ndims);
    struct asim_build_size size = {.hosts = n,
                                   .switches = opt->direct ? 0 : n,
                                   .links = grid_links(&grid) + (opt->direct ? 0 : n)};
    rc = asim_build_nodes(topo, &size, err);
    if (!rc)
        rc = wire_grid(topo, &grid, opt, err);
    return rc ? rc : asim_topo_finish(topo, err);
}
