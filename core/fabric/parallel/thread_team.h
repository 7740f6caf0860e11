/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A team of threads that does one thing together, again and again: the nodes of a window. A window
 * is some 10 to 300 us of work, so its members wait for the next one spinning, and sleep only when
 * that takes long (between windows of ns-3 models, or on a machine with fewer cores than threads).
 */
#ifndef ASIM_FABRIC_PARALLEL_THREAD_TEAM_H
#define ASIM_FABRIC_PARALLEL_THREAD_TEAM_H

#include <stdint.h>
#include "asim/err.h"

struct asim_thread_team;

/* n members, the caller being number 0: starts n - 1 threads. */
int asim_thread_team_open(struct asim_thread_team **team, uint32_t n, struct asim_err *err);
/* Calls job(self, i) for every member i, each on its own thread, but that of a member whose thread
 * does not get to it on the caller's; returns when all have returned.
 * What was written before is seen by all members, what they write by the caller afterwards. */
void asim_thread_team_run(struct asim_thread_team *team, void (*job)(void *self, uint32_t i),
                          void *self);
/* Errands: what need not be done at once, but in its order. Member 1 does them while it waits for
 * others, so they should be short against a window. errand(self) is called once for each post, one
 * call at a time, and sees what was written before the post. To be set before the first round. */
void asim_thread_team_set_task(struct asim_thread_team *team, void (*errand)(void *self),
                               void *self);
/* One errand more. The caller's, as asim_thread_team_run. */
void asim_thread_team_post(struct asim_thread_team *team);
/* Those posted and not done. */
unsigned asim_thread_team_pending(struct asim_thread_team *team);
/* Returns when at most `left` of them are not done, and what they wrote is seen by the caller, who
 * does what nobody else is at. */
void asim_thread_team_drain(struct asim_thread_team *team, unsigned left);
/* Ends the threads; errands that are left are not done. NULL is fine. */
void asim_thread_team_close(struct asim_thread_team *team);

#endif
