/* SPDX-License-Identifier: GPL-2.0-only
 *
 * See show.h. Events are kept in one array per window and sorted by (time, insertion); for one
 * rank insertion is the order of its own events, and ranks are advanced in ascending order, so
 * the result is the same for every window length.
 *
 * Memory follows the events of one window. An event recorded at T is shown when everything before T
 * is settled, which may be much later in a run of long windows; the last ones at the close.
 */
#include "sim/show.h"

#include <stdlib.h>

/* The table is fixed: reports are few, and known before the start. */
int asim_show_add(struct asim_show *show, const struct asim_viewer *viewer)
{
    if (show->n == ASIM_VIEWERS)
        return ASIM_ENOMEM;
    show->viewers[show->n++] = *viewer;
    show->wants |= viewer->wants;
    return 0;
}

void asim_show_record(struct asim_show *show, const struct asim_event *event)
{
    struct asim_event copy = *event;

    if (!(show->wants & 1u << event->kind))
        return;
    copy.order = show->order++;
    if (ASIM_VEC_PUSH(show->pending, copy))
        show->failed = 1;
}

/* Same time: by rank, then by the rank's own order. */
static int compare(const void *a, const void *b)
{
    const struct asim_event *x = a, *y = b;

    if (x->t != y->t)
        return x->t < y->t ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* In the order in which the viewers were added. */
static void show_one(struct asim_show *show, const struct asim_world *world,
                     const struct asim_event *event)
{
    for (size_t v = 0; v < show->n; v++)
        if (show->viewers[v].wants & 1u << event->kind)
            show->viewers[v].see(show->viewers[v].self, world, event);
}

/* n log n in what is pending. What lies at or after `until` stays: other nodes may still add
 * earlier rows. */
void asim_show_settle(struct asim_show *show, const struct asim_world *world, uint64_t until)
{
    size_t shown = 0;

    if (!show->pending.n)
        return;
    qsort(show->pending.at, show->pending.n, sizeof *show->pending.at, compare);
    while (shown < show->pending.n && show->pending.at[shown].t < until)
        show_one(show, world, &show->pending.at[shown++]);
    for (size_t i = shown; i < show->pending.n; i++)
        show->pending.at[i - shown] = show->pending.at[i];
    show->pending.n -= shown;
}

/* Every viewer is closed even after a failure; the first one's code is returned. The show is empty
 * afterwards and can be closed again. */
int asim_show_close(struct asim_show *show, const struct asim_world *world, struct asim_err *err)
{
    int code = 0;

    asim_show_settle(show, world, UINT64_MAX);
    for (size_t v = 0; v < show->n; v++) {
        int one =
            show->viewers[v].close ? show->viewers[v].close(show->viewers[v].self, world, err) : 0;

        if (one && !code)
            code = one;
    }
    if (show->failed && !code)
        code = asim_err_nomem(err, "keeping events for the reports");
    free(show->pending.at);
    *show = (struct asim_show){.n = 0};
    return code;
}
