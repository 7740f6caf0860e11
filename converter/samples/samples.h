/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The sample traces of chakra_generator, byte for byte: one small set of ranks for every node type.
 * Their sends and receives name no partner, so these two sets cannot be simulated (asim trace
 * generate makes sets that can).
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

/* Writes all sets; *files is their number. */
int asim_samples_write(const struct asim_samples_options *opt, uint64_t *files,
                       struct asim_err *err);
/* Fails if there are traces of one of the sets. */
int asim_samples_refuse_existing(const char *folder, struct asim_err *err);

/* The attributes of the node that has one of each of the 30 types. */
const struct asim_chakra_attr *asim_samples_attrs(size_t *n);

#endif
