/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The ops of one rank.
 */
#ifndef ASIM_CONVERTER_CHECK_OPS_H
#define ASIM_CONVERTER_CHECK_OPS_H

#include "check/check.h"

/* Checks every op of one rank and collects its collectives and messages. Returns 1 if the trace
 * cannot be read to its end: asim_check_graph has reported the reason. */
int asim_check_ops(struct asim_check *check, uint32_t rank, struct asim_err *err);

#endif
