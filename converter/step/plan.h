/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Sizes of a training step, and where ranks stand in it.
 */
#ifndef ASIM_CONVERTER_STEP_PLAN_H
#define ASIM_CONVERTER_STEP_PLAN_H

#include "step/step.h"

/* Checks the options and derives sizes and parameters; times and routes stay empty. */
int asim_step_plan(struct asim_step *step, const struct asim_llm *llm, struct asim_err *err);

/* Coordinates of a rank. */
struct asim_step_place {
    uint32_t rank, stage, local; /* local: rank within its stage */
    uint32_t tensor, context, data;
    uint32_t expert_tensor, expert, expert_data;
};
struct asim_step_place asim_step_place_of(const struct asim_step *step, uint32_t rank);

/* The virtual stage that chunk `chunk` of a stage is, and back. */
uint32_t asim_step_virtual(const struct asim_step *step, uint32_t stage, uint32_t chunk);
uint32_t asim_step_stage(const struct asim_step *step, uint32_t virtual_stage, uint32_t chunk);
/* First layer of a virtual stage; virtuals gives the number of layers. */
uint32_t asim_step_first_layer(const struct asim_step *step, uint32_t virtual_stage);
/* Number of MoE layers before layer `layer`. */
uint32_t asim_step_moe_before(const struct asim_step *step, uint32_t layer);
int asim_step_is_moe(const struct asim_step *step, uint32_t layer);

/* Parameters of a layer or of a virtual stage's ends, of a rank: dense ones, and those of experts.
 */
struct asim_step_params {
    uint64_t dense, experts;
};
struct asim_step_params asim_step_layer_params(const struct asim_step *step, uint32_t layer);

#endif
