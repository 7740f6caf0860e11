/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The steps of one worker (ground/worker.h) in a window, each on the worker's thread.
 */
#ifndef ASIM_FABRIC_CLOCK_WORKER_H
#define ASIM_FABRIC_CLOCK_WORKER_H

#include <stdint.h>

struct asim_fabric;
struct asim_worker;

/* Fetches what other threads have written for this worker. */
void asim_worker_prefetch(struct asim_worker *worker);
/* Advances its nodes that have events before `until`. */
void asim_worker_advance(struct asim_worker *worker, uint64_t until);
/* Delivers the notifications of its nodes to nodes of the same worker. */
void asim_worker_deliver(struct asim_worker *worker);
/* The worker's last step: delivers, and sets half_next. */
void asim_worker_end(struct asim_worker *worker);
/* Advances node v to `until`; returns the time of its next event. */
uint64_t asim_node_advance(struct asim_fabric *fabric, uint32_t v, uint64_t until);

#endif
