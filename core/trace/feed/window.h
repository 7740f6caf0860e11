/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Bodies of ops in use: a bounded cache in front of a trace's random access. Slot = index modulo
 * the window, the newer op displaces the older, so any window gives the same answers and only the
 * number of reads differs. Memory is taken as slots are first used and recycled when an op is
 * released: a rank costs as many bodies as it has in flight, not as its window allows.
 *
 * Borrows trace and index from its feed; owns the bodies.
 */
#ifndef ASIM_TRACE_FEED_WINDOW_H
#define ASIM_TRACE_FEED_WINDOW_H

#include "trace/feed/index.h"

struct asim_body;

struct asim_window {
    struct asim_trace *trace;       /* the feed's */
    const struct asim_index *index; /* the feed's */
    struct asim_body **slots;       /* made at the first use */
    size_t n;
    struct asim_body *spare;
};

/* n: most bodies kept; never more than the trace has ops. */
void asim_window_init(struct asim_window *window, size_t n, struct asim_trace *trace,
                      const struct asim_index *index);
/* Body of the op with that index; pointers in it are borrowed until the next call. */
int asim_window_get(struct asim_window *window, uint32_t i, struct asim_op *op,
                    struct asim_err *err);
/* The op will not be asked for again soon. */
void asim_window_release(struct asim_window *window, uint32_t i);
void asim_window_fini(struct asim_window *window);

#endif
