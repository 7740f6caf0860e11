/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The order in which one rank runs the rows of a SimAI workload (simai.md#execution), as a stream
 * of items: a compute, a collective, a delay or a transfer between pipeline stages, with what it
 * waits for. Made on demand from a cursor; an item packs into 64 bits, so nothing is stored.
 */
#ifndef ASIM_TRACE_SIMAI_ITERATOR_H
#define ASIM_TRACE_SIMAI_ITERATOR_H

#include "trace/simai/workload.h"

enum asim_simai_item_type {
    ASIM_SIMAI_META, /* the communicator groups */
    ASIM_SIMAI_RECV,
    ASIM_SIMAI_COMP,
    ASIM_SIMAI_COLL,
    ASIM_SIMAI_DELAY,
    ASIM_SIMAI_SEND
};
enum { ASIM_SIMAI_FORWARD, ASIM_SIMAI_BACKWARD }; /* part of a RECV or SEND */

struct asim_simai_item {
    uint64_t id, dep; /* ids from 1 on; dep: how many ids back, 0 = waits for nothing */
    uint32_t row;
    uint8_t type, part; /* part: enum of trace/simai/workload.h, or a direction */
};
enum { ASIM_SIMAI_ID_BITS = 31 };
uint64_t asim_simai_pack(const struct asim_simai_item *item);
struct asim_simai_item asim_simai_unpack(uint64_t place);

struct asim_simai_action {
    uint8_t type, part, non_blocking; /* leaf: what follows does not wait for it */
};
struct asim_simai_pass {
    const struct asim_simai_action *actions;
    unsigned n;
    int down; /* rows last to first */
};

struct asim_simai_iterator {
    const struct asim_simai *w;
    struct asim_simai_layout layout;
    uint32_t rank, stage;
    uint32_t first_row, batch_rows, batches; /* of the micro-batches; 0 rows = no pipeline */
    struct asim_simai_pass passes[2];
    unsigned n_passes;
    int has_meta; /* set by the caller: the first item is META */
    /* the cursor */
    unsigned pass, action;
    uint32_t row;
    int replaying;
    uint32_t replay_row;
    unsigned replay_action;
    uint64_t id, chain; /* last item made, last one of the chain; 0 = none */
};

/* Fails for a policy whose order is not known. */
int asim_simai_iterator_start(struct asim_simai_iterator *it, const struct asim_simai *w,
                              const struct asim_simai_layout *layout, uint32_t rank,
                              struct asim_err *err);
/* 1 and *item, or 0 at the end. */
int asim_simai_iterator_next(struct asim_simai_iterator *it, struct asim_simai_item *item);
/* Bytes of a row's collective as they are run. */
uint64_t asim_simai_run_bytes(const struct asim_simai *w, uint32_t row, int part);
/* How often each row's forward part is run, once and once more for each recompute: [n_rows], to be
 * freed; NULL when out of memory. */
uint32_t *asim_simai_forwards(const struct asim_simai *w);

#endif
