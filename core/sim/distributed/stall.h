/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The waits of a run that cannot go on. Each process collects rows for its own ranks, and process 0
 * merges them (results.c) and makes the report (stall_report.h). Of every kind only as many rows
 * are kept as the report shows.
 */
#ifndef ASIM_SIM_DISTRIBUTED_STALL_H
#define ASIM_SIM_DISTRIBUTED_STALL_H

#include "net/packets.h"
#include "sim/sim.h"

enum {
    ASIM_STALL_RANKS = 8,
    ASIM_STALL_MESSAGES = 4,
    ASIM_STALL_DROPS = 3,
    ASIM_STALL_TEXT = 1024
};

struct asim_stall_row { /* the oldest wait of a rank */
    uint32_t rank, from;
    /* Of a collective. The report names the members that have not joined it, or else `from`, the
     * rank from which nothing came (UINT32_MAX: no receive is open). */
    int is_coll;
    int is_empty_recv;               /* a receive of which no byte came from rank `from` */
    uint64_t group, sequence;        /* group id + 1, 0 = all ranks; number among the group's */
    const struct asim_group *listed; /* its members, NULL = all ranks */
    uint64_t bytes;                  /* asim_stall_coll_bytes */
    uint64_t wanted, came;           /* bytes of the message from `from` */
    char text[ASIM_STALL_TEXT];
};

/* A collective that a rank has begun and not finished. */
struct asim_open_coll {
    uint64_t group, sequence; /* as in a row */
    uint64_t bytes;           /* asim_stall_coll_bytes */
    uint32_t rank;
};

/* A message that no op receives. Mostly a waiting rank is the other half of the mismatch. */
struct asim_stall_extra {
    uint32_t rank;
    char text[256];
};

/* Frames that a switch port has dropped, of those that came from `peer`. */
struct asim_stall_drops {
    uint32_t node, port, peer;
    uint64_t frames;
};

struct asim_stall { /* all lists but `drops` are in the order of ranks */
    struct asim_stall_row rows[ASIM_STALL_RANKS];
    struct asim_stall_extra extras[ASIM_STALL_RANKS];
    struct asim_unfinished messages[ASIM_STALL_MESSAGES];
    struct asim_stall_drops drops[ASIM_STALL_DROPS]; /* the ports with most drops, most first */
    uint32_t n_rows, n_extras, n_messages, n_drops;  /* kept */
    uint64_t stuck, undelivered, dropped;            /* numbers of all ranks, messages, frames */
    uint64_t elsewhere; /* stuck ranks that wait for something else than a collective */
    /* Chunks of the collectives open on a rank of which a full queue keeps a chunk from starting;
     * the most of any rank, 0 = none. */
    uint64_t held;
};

/* Collects the waits of this process's ranks, after the end. Only reads. */
void asim_stall_collect(const struct asim_world *world, struct asim_stall *stall);
/* Adds the rows of another process. */
void asim_stall_merge(struct asim_stall *into, const struct asim_stall *from);
/* The number of collectives of a group that a rank of this process has joined. */
uint64_t asim_stall_joined(const struct asim_rank *rank, uint64_t group);
/* The size of a collective; UINT64_MAX where members may have different sizes: a barrier, or an
 * all-to-all-v. */
uint64_t asim_stall_coll_bytes(const struct asim_coll_op *coll);
/* The size of the row's collective on another rank; UINT64_MAX where that rank has not begun it. */
uint64_t asim_distribution_coll_bytes(const struct asim_world *world, uint32_t rank,
                                      const struct asim_stall_row *row);

/* A bounded buffer: a text that is too long is cut. */
struct asim_stall_text {
    char *at;
    size_t size, n;
};
void asim_stall_append(struct asim_stall_text *text, const char *fmt, ...) ASIM_PRINTF(2, 3);

#endif
