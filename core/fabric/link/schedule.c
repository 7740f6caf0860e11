/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The heap of due nodes, which per-event mode alone uses.
 */
#include "base/heap.h"
#include "fabric/link/schedule.h"

/* A node's older entries stay in the heap; the reader skips an entry whose time is not the node's
 * next time any more. A node without events (ASIM_NEVER) needs no entry. */
void asim_node_push_due(struct asim_fabric *fabric, uint32_t node, uint64_t t)
{
    if (t != ASIM_NEVER &&
        asim_heap_push(fabric->schedule.due_nodes, (struct asim_heap_entry){t, node, node}))
        fabric->failed = ASIM_ENOMEM;
}
