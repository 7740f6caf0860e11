/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Figures of runs by name: as JSON, and held against thresholds (`--fail-if`).
 */
#ifndef ASIM_TOOLS_REPORT_THRESHOLD_H
#define ASIM_TOOLS_REPORT_THRESHOLD_H

#include <stdio.h>
#include "asim/err.h"

enum { ASIM_THRESHOLD_CROSSED = 4 }; /* exit code */

/* "time>12ms,drops>0": names, one of > >= < <=, and a value with the unit of the name. An error of
 * usage lists the names. */
int asim_threshold_check(const char *list, struct asim_err *err);
/* Reads the folders of runs. json: prints {"runs": […]} with the figures of each to stdout. list:
 * NULL, or thresholds; each that a run crosses is a line on stderr. Returns 0,
 * ASIM_THRESHOLD_CROSSED, also for a run that has not finished, or an error: a figure that the run
 * did not record. */
int asim_threshold_judge(const char *const *folders, size_t n, const char *list, int json,
                         struct asim_err *err);

#endif
