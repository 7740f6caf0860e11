/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The fast paths of a packet run, each with a name, so that `--without=NAME` can turn it off alone.
 * No fast path changes a result: a result that changes with one of them turned off is a bug in that
 * fast path. core/fabric/README.md says for each one which slow path it replaces and when.
 */
#ifndef ASIM_NET_FAST_PATH_H
#define ASIM_NET_FAST_PATH_H

#include <stdint.h>
#include "asim/err.h"

/* A set of fast paths is the sum of these bits. */
enum asim_fast_path {
    ASIM_FAST_BULK_SWITCH = 1 << 0,   /* a switch's window port by port, not event by event */
    ASIM_FAST_HOST = 1 << 1,          /* frames of an uncongested host without the event loop */
    ASIM_FAST_UNIFORM_PHASE = 1 << 2, /* steps of a collective that are all alike */
    ASIM_FAST_MEMO = 1 << 3,          /* replay of recorded episodes */
    ASIM_FAST_STEADY_STATE = 1 << 4,  /* skip of periods inside long messages */
    ASIM_FAST_HALF_STEPS = 1 << 5,    /* windows of two delays, hosts and switches in turn */
    ASIM_FAST_DOMAINS = 1 << 6        /* windows of long links, scale-up domains one by one */
};

struct asim_fast_path_row {
    const char *name;
    enum asim_fast_path bit;
};

/* All fast paths; the last row's name is NULL. */
extern const struct asim_fast_path_row asim_fast_path_rows[];

/* Sets *set from names separated by commas; NULL and "" are the empty set. ASIM_EUSAGE for an
 * unknown name, with the nearest one and the list. */
int asim_fast_paths_parse(const char *names, uint32_t *set, struct asim_err *err);

#endif
