/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Times, sizes, nodes and links as people read them.
 */
#ifndef ASIM_TOOLS_REPORT_SHOW_H
#define ASIM_TOOLS_REPORT_SHOW_H

#include "tools/report/run.h"

enum { ASIM_SHOW_BYTES = 32, ASIM_LINK_NAME_BYTES = 80 };

/* "183.8 µs", "1.2 MB", "400 Gb/s" in buf of ASIM_SHOW_BYTES; all return buf. */
const char *asim_show_time(char *buf, double ns);
const char *asim_show_bytes(char *buf, double bytes);
const char *asim_show_rate(char *buf, uint64_t bps);
/* "1,234,567" */
const char *asim_show_count(char *buf, uint64_t count);
/* "+1.5 %" of 0.015; never "-0.0 %". */
const char *asim_show_difference(char *buf, double share);
/* "within 1 % in 9 of 10 tests" of a run at the flow level. */
const char *asim_show_expected_error(char *buf, const struct asim_run *run);
/* "leaf 8 → spine 12" in buf of ASIM_LINK_NAME_BYTES. */
const char *asim_show_link(char *buf, const struct asim_run *run, const struct asim_run_link *link);
/* "leaf switches: 2 : 1 built, 1.6 : 1 seen". How flows met on equal ways; "" where none had a
 * choice. */
const char *asim_show_ratio(char *buf, size_t size, const struct asim_run_ratio *ratio);
const char *asim_show_ways(char *buf, size_t size, const struct asim_run_ways *ways);
const char *asim_show_node(char *buf, size_t size, const struct asim_run *run, uint32_t id);

#endif
