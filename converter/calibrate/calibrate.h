/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Compute times of converted traces. Strategy A: the times that the device trace measured. Strategy
 * B: one fixed time for every kernel. Each compute node gets compute_cycles (time × GPU clock) and
 * duration_micros, which are equal; simulators of the ASTRA-sim family use only the latter. A node
 * with duration_ns gets the same time there, because asim uses that first.
 */
#ifndef ASIM_CONVERTER_CALIBRATE_CALIBRATE_H
#define ASIM_CONVERTER_CALIBRATE_CALIBRATE_H

#include <stdio.h>
#include "catalogue/gpu.h"
#include "lib/rankfiles.h"
#include "link/kineto.h"

struct asim_calibrate_options {
    double gpu_mhz;        /* 0 = from the device trace, else 1000 */
    uint64_t force_avg_ns; /* strategy B; 0 = strategy A */
    int average;           /* strategy A: the average for every node */
    int cpu;               /* CPU computations too */
    /* Strategy C: the node's own time, moved to another GPU. NULL = not. */
    const struct asim_gpu *from, *to;
    int is_32bit; /* arithmetic at the 32-bit rate */
};

/* Measurements of the compute kernels in a device trace. */
struct asim_calibrate_device {
    double avg_ns, clock_mhz; /* clock 0 = not stated */
    uint64_t kernels;
};
void asim_calibrate_measure(struct asim_calibrate_device *device, const struct asim_kineto *kin);
int asim_calibrate_device(struct asim_calibrate_device *device, const char *path,
                          struct asim_err *err);

struct asim_calibrate_counts {
    uint64_t nodes, own, average, forced;
    uint64_t arithmetic, memory; /* moved to another GPU: what limited them */
    double mhz, avg_ns;
};
/* Writes the trace file->in with new durations to file->temp_name. device may be NULL: the average
 * duration is then the one of the GPU computations in the trace. */
int asim_calibrate_file(const struct asim_rankfile *file,
                        const struct asim_calibrate_device *device,
                        const struct asim_calibrate_options *opt,
                        struct asim_calibrate_counts *counts, struct asim_err *err);
void asim_calibrate_report(const struct asim_rankfile *file,
                           const struct asim_calibrate_counts *counts, FILE *out);

#endif
