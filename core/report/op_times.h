/* SPDX-License-Identifier: GPL-2.0-only
 *
 * From issue to end of each op: when the op gets its slot, when all its partners are ready, and
 * when it ends. A collective starts where its last member has issued it, a receive where its send
 * is issued, any other op at its issue.
 *
 * Memory follows the running ops, not the length of the run. A send is kept until its receive ends,
 * so sends without a receive accumulate here, as in the matching itself.
 */
#ifndef ASIM_REPORT_OP_TIMES_H
#define ASIM_REPORT_OP_TIMES_H

#include "base/map.h"
#include "sim/rank/event_bus.h"

struct asim_world;

/* The events to pass to asim_op_times_see. */
enum {
    ASIM_OP_TIMES_WANTS = 1u << ASIM_EV_OP_ISSUE | 1u << ASIM_EV_COLL_JOIN | 1u << ASIM_EV_OP_END |
                          1u << ASIM_EV_OP_LEFT
};

/* An op that has ended, or is under way. Times in ns of simulated time. */
struct asim_op_time {
    uint32_t rank, index; /* index: place in the trace of the rank */
    uint64_t id, bytes, tag;
    uint64_t done;              /* bytes, of a collective under way */
    uint64_t issue, start, end; /* of an op under way at the end of the run only issue is known */
    uint32_t type, peer;        /* enum asim_op_type; peer: of sends and receives */
    int is_cpu, is_ended;
    int kind; /* of a collective, enum asim_coll_type; else -1 */
    /* Of a collective. exchange: its group and first member, the same for its members alone. */
    uint64_t group, ordinal, members, exchange; /* group: id + 1, 0 = all ranks */
    const char *name;                           /* borrowed during the call; "" where not known */
};

struct asim_op_times {
    struct asim_pool kept, meetings, sents;
    struct asim_map running;  /* (rank, op index) -> struct kept * */
    struct asim_map groups;   /* (exchange, ordinal) -> struct meeting * */
    struct asim_map messages; /* (source << 32 | destination, tag) -> oldest struct sent * */
    int failed;               /* out of memory: rows are missing */
    /* Called with each op that ends, in order of time, and then with those under way. */
    void *self;
    void (*row)(void *self, const struct asim_op_time *op);
};

void asim_op_times_init(struct asim_op_times *times);
/* Any of the events wanted. */
void asim_op_times_see(struct asim_op_times *times, const struct asim_world *world,
                       const struct asim_event *event);
void asim_op_times_fini(struct asim_op_times *times);

#endif
