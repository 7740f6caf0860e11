/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Encodes the value of an attribute, for write.c.
 */
#ifndef ASIM_TRACE_CHAKRA_VALUE_H
#define ASIM_TRACE_CHAKRA_VALUE_H

#include "asim/trace.h"
#include "trace/chakra/encode.h"

/* Appends the oneof member of attr. Returns 0 if its type is unknown or the value does not fit; the
 * caller then drops the record. */
int asim_chakra_value(struct asim_encode *out, const struct asim_chakra_attr *attr);

#endif
