/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Lines of logs and of fct.txt.
 */
#ifndef ASIM_CONVERTER_TIMELINE_LINES_H
#define ASIM_CONVERTER_TIMELINE_LINES_H

#include "timeline/timeline.h"

/* Both handle the line in t->text. */
int asim_timeline_log(struct asim_timeline *t, struct asim_err *err);
int asim_timeline_fct(struct asim_timeline *t, struct asim_err *err);
/* Returns the track of a node by its Chakra name ("COMM_…"), else by its type ("4" or "COMP_NODE";
 * may be NULL), or 0 if both are unknown. */
int asim_timeline_track(const char *name, const char *type);

#endif
