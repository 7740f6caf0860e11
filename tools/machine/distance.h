/* SPDX-License-Identifier: GPL-2.0-only
 *
 * How far a prediction is from the tables of its machine, and how wrong it is expected to be.
 */
#ifndef ASIM_TOOLS_MACHINE_DISTANCE_H
#define ASIM_TOOLS_MACHINE_DISTANCE_H

#include "asim/machine.h"

struct asim_distance {
    char text[96];  /* "inside", or what goes beyond the tables; without commas */
    double percent; /* nine in ten are expected within; 0 = nobody knows */
};

void asim_distance_find(struct asim_distance *distance, const struct asim_nccl_job *job);

#endif
