/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Layer files (layers.h) as Chakra traces, one file per rank. What is written for the published
 * kinds has the bytes of chakra_converter Text; a collective NONE makes no node here (there it is
 * an all-reduce of 0 bytes, which costs time) unless compat. Kinds that converter refuses follow
 * the loops of ASTRA-sim 1.0.
 *
 * Which ranks a collective joins is lost in the published traces. Here `dims` (NPUs of each network
 * dimension, the first one fastest) adds involved_dim; without it, a kind whose file states the
 * model-parallel group gets communicator groups, as pg_name and a JSON file for the simulator.
 */
#ifndef ASIM_CONVERTER_TEXT_TEXT_H
#define ASIM_CONVERTER_TEXT_TEXT_H

#include "text/layers.h"

#define ASIM_TEXT_DIMS 10 /* most dimensions, as ASTRA-sim 1.0 */

struct asim_text_options {
    const char *output; /* prefix */
    uint32_t ranks, passes;
    uint32_t dims[ASIM_TEXT_DIMS];
    uint32_t n_dims; /* 0 = not said */
    int compat;
};

struct asim_text_result {
    uint64_t nodes, comms; /* of one rank */
    int has_groups;        /* <output>.groups.json was written */
};

/* Writes <output>.<rank>.et of all ranks. */
int asim_text_write(const struct asim_layers *layers, const struct asim_text_options *opt,
                    struct asim_text_result *result, struct asim_err *err);

#endif
