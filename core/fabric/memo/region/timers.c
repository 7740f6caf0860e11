/* SPDX-License-Identifier: GPL-2.0-only
 *
 * See timers.h.
 */
#include "fabric/memo/region/timers.h"

#include "fabric/link/schedule.h"

int asim_memo_cancel_completions(struct asim_host *host, struct asim_event_heap *kept)
{
    for (size_t i = 0; i < host->timers.n; i++)
        if (host->timers.at[i].value >> 56 != ASIM_TIMER_REPLAY &&
            asim_event_heap_push(kept, host->timers.at[i]))
            return ASIM_ENOMEM;
    host->timers.n = 0;
    return 0;
}

int asim_memo_restore_timers(struct asim_fabric *fabric, struct asim_host *host,
                             struct asim_event_heap *kept)
{
    for (size_t i = 0; i < kept->n; i++) {
        asim_node_schedule(fabric, host->node, kept->at[i].t);
        if (asim_event_heap_push(&host->timers, kept->at[i]))
            return ASIM_ENOMEM;
    }
    kept->n = 0;
    return 0;
}
