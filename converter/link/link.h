/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Linking: host trace + device trace = one trace with both ("ET+",
 * chakra.md#linking-host-and-device-traces). The state of one run, and its phases in order.
 */
#ifndef ASIM_CONVERTER_LINK_LINK_H
#define ASIM_CONVERTER_LINK_LINK_H

#include "link/host.h"
#include "link/kineto.h"

struct asim_link_options {
    const char *host, *device, *output;
    int compat; /* as Chakra's tools, defects included */
    int strict; /* an unlinked operation is an error */
    int alone;  /* there is no host trace: one is made of the device trace and written to `host` */
};

/* "target waits for GPU operation source": the target is a CPU op or a GPU operation. */
struct asim_sync_dep {
    uint32_t target, source;
    uint8_t on_gpu;
};

struct asim_link_counts {
    struct asim_launch_counts launches;
    uint64_t host_nodes, host_matched, gpu_linked, moved, not_in_host;
    uint64_t inter_thread, sync_deps, aligned;
    double waited_us; /* time CPU ops spent waiting for the GPU, subtracted from them */
};

struct asim_linking {
    const struct asim_link_options *opt;
    struct asim_kineto kin;
    struct asim_host_trace host;
    struct asim_key_index by_rf; /* CPU op by rf_id */
    uint32_t *host_of;           /* of each CPU op: its host node, or ASIM_NONE */
    uint32_t *gpu_order;         /* linked GPU operations in the order of the output */
    size_t gpu_order_n, gpu_order_cap;
    uint64_t next_id; /* number of numbered nodes */
    uint32_t *gpu_id; /* new id of each GPU operation, or ASIM_NONE */
    ASIM_VEC(struct asim_sync_dep) sync;
    struct asim_link_counts counts;
};

/* Runs all phases; *link holds the counts afterwards. */
int asim_link_run(struct asim_linking *link, const struct asim_link_options *opt,
                  struct asim_err *err);
void asim_link_fini(struct asim_linking *link);

/* Writes opt->host with the CPU ops and runtime calls of the device trace. */
int asim_link_make_host(struct asim_linking *link, struct asim_err *err);

/* Finds the CPU op of each host node, and parents for orphans. */
int asim_link_match(struct asim_linking *link, struct asim_err *err);

int asim_link_number(struct asim_linking *link, struct asim_err *err);

int asim_link_sync(struct asim_linking *link, struct asim_err *err);

/* For device traces without Record function ids (PyTorch before 2.1): matches ops thread by thread
 * by their sequence of names. names: for each host node a number of link->kin.names. */
int asim_link_align(struct asim_linking *link, const uint32_t *names, struct asim_err *err);

int asim_link_write(struct asim_linking *link, struct asim_err *err);

/* Prints the summary. */
void asim_link_report(const struct asim_linking *link, uint32_t rank, FILE *file);

#endif
