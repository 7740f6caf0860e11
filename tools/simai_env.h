/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The variables SimAI reads (simai.md#send-latency and simai.md#environment-variables), where
 * options say nothing.
 */
#ifndef ASIM_TOOLS_SIMAI_ENV_H
#define ASIM_TOOLS_SIMAI_ENV_H

#include "asim/err.h"

/* The longest AS_SEND_LAT, us: a delay of the core has 31 bits of ns. */
#define ASIM_SIMAI_LATENCY_US 2e6

/* AS_NVLS_ENABLE and AS_PXN_ENABLE: a number above 0 sets the switch. Returns 0, or an error for a
 * value that is not a number. */
int asim_simai_env_switches(int *nvls, int *pxn, struct asim_err *err);
/* AS_SEND_LAT in us, unless *us is 0 or more already. */
int asim_simai_env_latency(double *us, struct asim_err *err);

#endif
