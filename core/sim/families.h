/* SPDX-License-Identifier: GPL-2.0-only
 *
 * See families.c.
 */
#ifndef ASIM_SIM_FAMILIES_H
#define ASIM_SIM_FAMILIES_H

#include "asim/err.h"

/* 0, or ASIM_EBUG with a sentence that names the row. Reports are checked by asim_reports_open. */
int asim_families_check(struct asim_err *err);

#endif
