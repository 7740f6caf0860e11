/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Estimates the time left from a run's latest speed. The last quarter is long enough to even out
 * single messages and short enough to follow a change of phase. The start counts as a sample with
 * nothing done.
 */
#include "cli/eta.h"

static const double LATE = 0.25;

/* Keeps every second sample where all places are taken, and from then on takes half as many. */
static void thin_out(struct asim_eta *eta)
{
    unsigned n = 0;

    for (unsigned i = 1; i < eta->n; i += 2)
        eta->past[n++] = eta->past[i];
    eta->n = n;
    eta->step_s = eta->past[1].s - eta->past[0].s;
}

void asim_eta_note(struct asim_eta *eta, double s, double share)
{
    eta->now = (struct asim_eta_sample){s, share};
    if (eta->n == ASIM_ETA_SAMPLES)
        thin_out(eta);
    if (!eta->n || s >= eta->past[eta->n - 1].s + eta->step_s)
        eta->past[eta->n++] = eta->now;
}

double asim_eta_left(const struct asim_eta *eta)
{
    struct asim_eta_sample from = {0, 0};

    for (unsigned i = 0; i < eta->n && eta->past[i].s <= eta->now.s * (1 - LATE); i++)
        from = eta->past[i];
    if (eta->now.share <= from.share)
        return -1;
    return (1 - eta->now.share) * (eta->now.s - from.s) / (eta->now.share - from.share);
}
