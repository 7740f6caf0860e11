/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What is wrong, or looks wrong, with a topology that can be read. An error is something a run
 * would fail or be silently wrong on; a warning is something a person should look at.
 */
#ifndef ASIM_TOPOLOGIES_LINT_H
#define ASIM_TOPOLOGIES_LINT_H

#include <stdio.h>
#include "asim/topology.h"

struct asim_lint {
    FILE *file; /* findings go here, one per line */
    unsigned errors, warnings;
    /* Findings of one kind beyond a few are only counted. */
    const char *kind;
    unsigned of_kind;
};

/* Runs every check. 0 or ASIM_ENOMEM. */
int asim_lint_run(struct asim_lint *lint, const struct asim_topo *topo, struct asim_err *err);

#endif
