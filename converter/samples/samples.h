/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The sample traces of chakra_generator: one small set of ranks for every kind of node. Samples
 * of the schema, byte for byte theirs; the sends and receives among them name no partner, so
 * those two sets show the node and cannot be simulated (asim trace generate makes ones that can).
 */
#ifndef ASIM_CONVERTER_SAMPLES_SAMPLES_H
#define ASIM_CONVERTER_SAMPLES_SAMPLES_H

#include <stdint.h>
#include "asim/trace.h"

struct asim_samples_options {
    const char *folder;
    uint32_t ranks;
    uint64_t micros, tensor_bytes, comm_bytes;
};

/* Writes all sets; *files = how many. */
int asim_samples_write(const struct asim_samples_options *opt, uint64_t *files,
                       struct asim_err *err);

/* The attributes of the node that has one of each of the 30 kinds. */
const struct asim_chakra_attr *asim_samples_attrs(size_t *n);

#endif
