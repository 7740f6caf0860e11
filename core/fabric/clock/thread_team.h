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

/* Ends the threads. NULL is fine. */
void asim_thread_team_close(struct asim_thread_team *team);

#endif
