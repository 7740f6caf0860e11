/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A team of threads that runs one job together, again and again: the nodes of a lookahead window. A
 * window is some 10 to 300 us of work, so threads wait for the next job spinning. They sleep only
 * when it takes long: between windows of ns-3 models, or on a machine with fewer cores than
 * threads.
 */
#ifndef ASIM_FABRIC_CLOCK_THREAD_TEAM_H
#define ASIM_FABRIC_CLOCK_THREAD_TEAM_H

#include <stdint.h>
#include "asim/err.h"

struct asim_thread_team;

/* n threads, of which the caller is number 0: starts n - 1. */
int asim_thread_team_open(struct asim_thread_team **team, uint32_t n, struct asim_err *err);
/* Calls job(self, i) for every i below n, each on thread i, and returns when all calls have
 * returned. The caller's thread takes over the call of a thread that is late, and all calls for
 * some time where other programs take the threads' cores. Each call sees what the caller wrote
 * before; the caller sees what each call wrote. */
void asim_thread_team_run(struct asim_thread_team *team, void (*job)(void *self, uint32_t i),
                          void *self);

/* Background tasks have an order but no deadline. Thread 1 runs them while it waits for a job, so a
 * task should be short against a window. task(self) is called once for each post, one call at a
 * time, and sees what was written before the post. Set the task before the first job. */
void asim_thread_team_set_task(struct asim_thread_team *team, void (*task)(void *self), void *self);
/* Posts one more task. By the caller of asim_thread_team_run only, as all below. */
void asim_thread_team_post(struct asim_thread_team *team);
/* Tasks posted and not done. */
unsigned asim_thread_team_pending(struct asim_thread_team *team);
/* Returns when at most `left` tasks are pending. The caller runs tasks that no thread is running,
 * and sees what the done ones wrote. */
void asim_thread_team_drain(struct asim_thread_team *team, unsigned left);

/* Ends the threads and drops pending tasks. NULL is fine. */
void asim_thread_team_close(struct asim_thread_team *team);

#endif
