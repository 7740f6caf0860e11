/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Finds errors and suspicious values in a topology that can be read. An error makes a run fail or
 * give silently wrong results; a warning deserves a look.
 */
#ifndef ASIM_TOPOLOGIES_LINT_H
#define ASIM_TOPOLOGIES_LINT_H

#include <stdio.h>
#include "asim/topology.h"

struct asim_lint {
    FILE *file; /* receives the findings, one per line */
    unsigned errors, warnings;
    /* After a few findings of one type the others are only counted. */
    const char *kind;
    unsigned of_kind;
};

/* Runs every check. Returns 0 or ASIM_ENOMEM. */
int asim_lint_run(struct asim_lint *lint, const struct asim_topo *topo, struct asim_err *err);

#endif
