/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The grid behind the makers ring, mesh and torus.
 */
#ifndef ASIM_TOPO_GRID_H
#define ASIM_TOPO_GRID_H

#include "topo/build.h"

/* Each host has a router switch by default, because hosts do not forward packets. */
struct asim_grid_options {
    uint32_t gpus, ndims;
    char *dims; /* "4x4x2", or NULL: as square as the number of hosts allows */
    int direct; /* no routers: hosts wired to each other, as in ASTRA-sim's 8-host ring */
    uint64_t rate_bps, delay_fs, host_rate_bps, host_delay_fs;
    double error_rate;
};
/* The option rows of a grid without the end row; NDIMS is a string. ndims has no default in its
 * row, so that 0 stands for "not given". */
#define ASIM_GRID_ROW(...) ASIM_OPTION(struct asim_grid_options, __VA_ARGS__)
#define ASIM_GRID_OPTIONS(NDIMS)                                                                   \
    ASIM_GRID_ROW("g", U32, gpus, "hosts", .alias = "gpus", .max = 1 << 24),                       \
        ASIM_GRID_ROW("ndims", U32, ndims,                                                         \
                      "number of dimensions when dims is not given (default " NDIMS ")",           \
                      .alias = "d", .min = 1, .max = 8),                                           \
        ASIM_GRID_ROW("dims", STRING, dims, "size of each dimension, as 4x4x2", .alias = "shape"), \
        ASIM_GRID_ROW("direct", BOOL, direct,                                                      \
                      "wire hosts to each other without routers (only neighbours reach)",          \
                      .def = "0"),                                                                 \
        ASIM_GRID_ROW("bw", RATE, rate_bps, "rate of the links of the grid", .alias = "bandwidth", \
                      .def = "400Gbps", .min = 1, .max = 1e15),                                    \
        ASIM_GRID_ROW("l", TIME, delay_fs, "delay of the links of the grid", .alias = "latency",   \
                      .def = "0.0005ms"),                                                          \
        ASIM_GRID_ROW("hbw", RATE, host_rate_bps, "rate between host and router (default: as bw)", \
                      .alias = "host_bandwidth", .max = 1e15),                                     \
        ASIM_GRID_ROW("hl", TIME, host_delay_fs, "delay between host and router",                  \
                      .alias = "host_latency", .def = "0.0005ms"),                                 \
        ASIM_GRID_ROW("er", DOUBLE, error_rate, "packets lost on a link, 0..1",                    \
                      .alias = "error_rate", .def = "0", .max = 1)

/* What a maker brings: dimensions where none are given; wrap = 1 closes rows to rings. */
struct asim_grid_form {
    uint32_t ndims;
    int wrap;
};
int asim_grid_make(struct asim_topo *topo, uint32_t hosts, struct asim_grid_form form,
                   const struct asim_grid_options *opt, struct asim_err *err);

#endif
