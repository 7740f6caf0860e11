/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Who waits for what: collected where the ranks live, put together and told in one place. Of every
 * kind only so many are kept as will be told.
 */
#ifndef ASIM_SIM_DISTRIBUTED_STALL_H
#define ASIM_SIM_DISTRIBUTED_STALL_H

#include "sim/sim.h"

enum { ASIM_STALL_RANKS = 8, ASIM_STALL_MESSAGES = 4, ASIM_STALL_TEXT = 1024 };

struct asim_stall_row { /* the oldest thing a rank waits for */
    uint32_t rank, from;
    /* Of a collective: whom of its members it waits for is told by what these have joined, or else
     * by `from`, the rank from which nothing came (UINT32_MAX: no receive is open). */
    int is_coll;
    uint64_t group, sequence;        /* group id + 1, 0 = all ranks; its n-th on that rank */
    const struct asim_group *listed; /* its members, NULL = all ranks */
    uint64_t bytes;                  /* its size, UINT64_MAX where members' may differ */
    uint64_t wanted, came;           /* bytes: of the message from `from` */
    char text[ASIM_STALL_TEXT];
};

/* Half of a mismatch: the other half is a rank that waits, or nobody at all. */
struct asim_stall_extra { /* a message nobody asked for */
    uint32_t rank;
    char text[256];
};

struct asim_stall { /* all lists in the order of ranks */
    struct asim_stall_row rows[ASIM_STALL_RANKS];
    struct asim_stall_extra extras[ASIM_STALL_RANKS];
    struct asim_unfinished messages[ASIM_STALL_MESSAGES];
    uint32_t n_rows, n_extras, n_messages; /* kept */
    uint64_t stuck, undelivered;           /* ranks, messages: all there are */
};

/* Of this process's ranks. Reads only; after the end. */
void asim_stall_collect(const struct asim_world *world, struct asim_stall *stall);
/* Adds another process's. */
void asim_stall_merge(struct asim_stall *into, const struct asim_stall *from);
/* Collectives of a group that a rank of this process has joined. */
uint64_t asim_stall_joined(const struct asim_rank *rank, uint64_t group);
/* The size of a collective; UINT64_MAX where members may have different sizes: a barrier, or an
 * all-to-all-v. */
uint64_t asim_stall_coll_bytes(const struct asim_coll_op *coll);

/* A bounded buffer: a text that is too long is cut. */
struct asim_stall_text {
    char *at;
    size_t size, n;
};
void asim_stall_append(struct asim_stall_text *text, const char *fmt, ...) ASIM_PRINTF(2, 3);

#endif
