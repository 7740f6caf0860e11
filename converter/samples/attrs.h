/* SPDX-License-Identifier: GPL-2.0-only
 *
 * One attribute of every type.
 */
#ifndef ASIM_CONVERTER_SAMPLES_ATTRS_H
#define ASIM_CONVERTER_SAMPLES_ATTRS_H

#include "samples/samples.h"

/* The attributes of the node that has one of each of the 30 types. */
const struct asim_chakra_attr *asim_samples_attrs(size_t *n);

#endif
