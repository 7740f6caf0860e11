/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The time that a run still takes, from its speed of late. The mean since the start would mislead:
 * fast-forward passes a phase that repeats a thousand times as fast as one that does not.
 */
#ifndef ASIM_CLI_ETA_H
#define ASIM_CLI_ETA_H

enum { ASIM_ETA_SAMPLES = 64 };

struct asim_eta_sample {
    double s, share;
};

/* Zeroed: the start. */
struct asim_eta {
    struct asim_eta_sample now, past[ASIM_ETA_SAMPLES]; /* in order of time */
    double step_s;                                      /* least time between two of past */
    unsigned n;
};

/* Notes that `share` of the run, 0 to 1, was done after `s` seconds. */
void asim_eta_note(struct asim_eta *eta, double s, double share);
/* Seconds left, at the speed of the last quarter of the time passed; below 0 where nothing was done
 * in that time. */
double asim_eta_left(const struct asim_eta *eta);

#endif
