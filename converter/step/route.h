/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Which experts the tokens of each rank go to, layer by layer.
 */
#ifndef ASIM_CONVERTER_STEP_ROUTE_H
#define ASIM_CONVERTER_STEP_ROUTE_H

#include "step/step.h"

/* Fills step->routes from the options' distribution; nothing without experts. Close it in any case.
 */
int asim_step_routes_make(struct asim_step *step, struct asim_err *err);
void asim_step_routes_close(struct asim_step *step);

/* The rank within its stage of member `member` of the expert group of `local`. */
uint32_t asim_step_member(const struct asim_step *step, uint32_t local, uint32_t member);

/* A recorded matrix (recorded.c): for each MoE layer and each source rank of a stage, tokens to
 * each expert. The caller frees `counts`: layers x sources x experts. */
int asim_step_recorded(const struct asim_step *step, const char *path, uint32_t **counts,
                       struct asim_err *err);

#endif
