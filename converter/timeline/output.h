/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The events of the timeline.
 */
#ifndef ASIM_CONVERTER_TIMELINE_OUTPUT_H
#define ASIM_CONVERTER_TIMELINE_OUTPUT_H

#include "timeline/timeline.h"

/* An op that ran on an NPU. */
struct asim_timeline_event {
    uint64_t npu, id;
    const char *name;
    int track;
    uint64_t start, length; /* cycles */
};

/* Writes an event. */
int asim_timeline_event(struct asim_timeline *t, const struct asim_timeline_event *event,
                        struct asim_err *err);
/* Writes a message, which may overlap with others of its NPU. */
int asim_timeline_message(struct asim_timeline *t, const struct asim_timeline_event *event,
                          struct asim_err *err);

#endif
