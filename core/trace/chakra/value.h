/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The value of an attribute on the wire, for chakra/write.c.
 */
#ifndef ASIM_TRACE_CHAKRA_VALUE_H
#define ASIM_TRACE_CHAKRA_VALUE_H

#include "asim/trace.h"
#include "trace/chakra/encode.h"

/* Appends the oneof member of attr. 0 if its kind is unknown or the value does not fit. */
int asim_chakra_value(struct asim_encode *out, const struct asim_chakra_attr *attr);

#endif
