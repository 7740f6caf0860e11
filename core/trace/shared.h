/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Workloads that are one file for all ranks; the public part is in asim/trace.h.
 */
#ifndef ASIM_TRACE_SHARED_H
#define ASIM_TRACE_SHARED_H

#include "asim/trace.h"
#include "base/diagnostics.h"

/* The format of the file `prefix` that serves all ranks, or NULL. */
const struct asim_trace_format *asim_trace_shared(const char *prefix);
/* What is legal in the file `prefix` that serves all ranks, and seldom meant. */
void asim_trace_shared_diagnose(const char *prefix, const struct asim_diagnostics *diagnostics);
/* 0, or an error if the file `prefix` exists and no format for all ranks reads it. */
int asim_trace_shared_refuse(const char *prefix, struct asim_err *err);

#endif
