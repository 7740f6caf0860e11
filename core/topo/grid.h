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
#define ASIM_GRID_OPTIONS(NDIMS)                                                                    \
    {"g", "gpus",  "hosts", NULL, ASIM_T_U32, offsetof(struct asim_grid_options, gpus),             \
     0,   1 << 24, NULL,    0},                                                                     \
        {"ndims", "d",        "number of dimensions when dims is not given (default " NDIMS ")",    \
         NULL,    ASIM_T_U32, offsetof(struct asim_grid_options, ndims),                            \
         1,       8,          NULL,                                                                 \
         0},                                                                                        \
        {"dims",                                                                                    \
         "shape",                                                                                   \
         "size of each dimension, as 4x4x2",                                                        \
         NULL,                                                                                      \
         ASIM_T_STRING,                                                                             \
         offsetof(struct asim_grid_options, dims),                                                  \
         0,                                                                                         \
         0,                                                                                         \
         NULL,                                                                                      \
         0},                                                                                        \
        {"direct", NULL,        "wire hosts to each other without routers (only neighbours reach)", \
         "0",      ASIM_T_BOOL, offsetof(struct asim_grid_options, direct),                         \
         0,        0,           NULL,                                                               \
         0},                                                                                        \
        {"bw",      "bandwidth", "rate of the links of the grid",                                   \
         "400Gbps", ASIM_T_RATE, offsetof(struct asim_grid_options, rate_bps),                      \
         1,         1e15,        NULL,                                                              \
         0},                                                                                        \
        {"l",        "latency",   "delay of the links of the grid",                                 \
         "0.0005ms", ASIM_T_TIME, offsetof(struct asim_grid_options, delay_fs),                     \
         0,          0,           NULL,                                                             \
         0},                                                                                        \
        {"hbw",                                                                                     \
         "host_bandwidth",                                                                          \
         "rate between host and router (default: as bw)",                                           \
         NULL,                                                                                      \
         ASIM_T_RATE,                                                                               \
         offsetof(struct asim_grid_options, host_rate_bps),                                         \
         0,                                                                                         \
         1e15,                                                                                      \
         NULL,                                                                                      \
         0},                                                                                        \
        {"hl",                                                                                      \
         "host_latency",                                                                            \
         "delay between host and router",                                                           \
         "0.0005ms",                                                                                \
         ASIM_T_TIME,                                                                               \
         offsetof(struct asim_grid_options, host_delay_fs),                                         \
         0,                                                                                         \
         0,                                                                                         \
         NULL,                                                                                      \
         0},                                                                                        \
    {                                                                                               \
        "er", "error_rate", "packets lost on a link, 0..1", "0", ASIM_T_DOUBLE,                     \
            offsetof(struct asim_grid_options, error_rate), 0, 1, NULL, 0                           \
    }

/* What a maker brings: dimensions where none are given; wrap = 1 closes rows to rings. */
struct asim_grid_form {
    uint32_t ndims;
    int wrap;
};
int asim_grid_make(struct asim_topo *topo, uint32_t hosts, struct asim_grid_form form,
                   const struct asim_grid_options *opt, struct asim_err *err);

#endif
