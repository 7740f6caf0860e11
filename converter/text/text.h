/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Turns layer files (layers.h) into Chakra traces, one file per rank. For chakra_converter's types
 * the bytes are those of chakra_converter Text; a collective NONE makes no node (in
 * chakra_converter an all-reduce of 0 bytes, which takes time) unless compat. Other types follow
 * the loops of ASTRA-sim 1.0.
 *
 * chakra_converter's traces lose the ranks of a collective. Here `dims` (NPUs of each network
 * dimension, the first one fastest) adds involved_dim. Without it, a type whose file states the
 * model-parallel group gets communicator groups, as pg_name and a JSON file for the simulator.
 */
#ifndef ASIM_CONVERTER_TEXT_TEXT_H
#define ASIM_CONVERTER_TEXT_TEXT_H

#include "text/layers.h"

#define ASIM_TEXT_DIMS 10 /* most dimensions, as in ASTRA-sim 1.0 */

struct asim_text_options {
    const char *output; /* prefix */
    uint32_t ranks, passes;
    uint32_t dims[ASIM_TEXT_DIMS];
    uint32_t n_dims; /* 0 = not given */
    int compat;
    int force; /* replace traces that exist */
};

struct asim_text_result {
    uint64_t nodes, comms; /* of one rank */
    int has_groups;        /* <output>.groups.json was written */
};

/* Writes <output>.<rank>.et for all ranks. */
int asim_text_write(const struct asim_layers *layers, const struct asim_text_options *opt,
                    struct asim_text_result *result, struct asim_err *err);

#endif
