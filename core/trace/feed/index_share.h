/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Sharing of the constant part of an index between ranks (index.h).
 */
#ifndef ASIM_TRACE_FEED_INDEX_SHARE_H
#define ASIM_TRACE_FEED_INDEX_SHARE_H

#include "trace/feed/index.h"

/* After the index was built: gives its constant arrays to a graph, or drops them where `like` (or
 * NULL) has the same. 0 or ASIM_ENOMEM; the index is closed by the caller then. */
int asim_index_share(struct asim_index *index, const struct asim_index *like);
/* Opens an index that equals `like` before its run began. 0 or ASIM_ENOMEM; close it in any case. */
int asim_index_copy(struct asim_index *index, const struct asim_index *like);
/* Leaves the graph; the last index frees it. */
void asim_index_graph_release(struct asim_index *index);

#endif
