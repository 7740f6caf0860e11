/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Themis (Rashidi et al., "Themis: a network bandwidth-aware collective scheduling policy for
 * distributed training of DL models", ISCA 2022): the common part of offline greedy and its
 * flexible variant. See themis.c.
 *
 * The three calls go together per chunk: sort, look at the gap, charge what was chosen. Skipping
 * the charge would make every chunk take the same order.
 */
#ifndef ASIM_COLL_THEMIS_H
#define ASIM_COLL_THEMIS_H

#include "coll/dims.h"

/* Dimensions by ascending load (an all-gather: descending), ties by number. */
void asim_themis_sort(const struct asim_dims_context *context,
                      const struct asim_dims_cursor *cursor, struct asim_dims_choice *choice);
/* Bytes a chunk must have to fill the gap between the least and the most loaded dimension. */
double asim_themis_gap_bytes(const struct asim_dims_context *context,
                             const struct asim_dims_cursor *cursor,
                             const struct asim_dims_choice *choice);
/* Adds what the chunk costs each dimension on its way. */
void asim_themis_charge(const struct asim_dims_context *context, struct asim_dims_cursor *cursor,
                        const struct asim_dims_choice *choice);
/* 1 for the types Themis balances; an all-to-all visits the dimensions in ascending order. */
int asim_themis_does(int coll_type);

#endif
