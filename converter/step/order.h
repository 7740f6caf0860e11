/* SPDX-License-Identifier: GPL-2.0-only
 *
 * In which order a stage runs its passes.
 */
#ifndef ASIM_CONVERTER_STEP_ORDER_H
#define ASIM_CONVERTER_STEP_ORDER_H

#include "step/step.h"

/* Fills the order of a stage; the caller frees order->list.at. */
int asim_step_order_make(struct asim_step_order *order, const struct asim_step *step,
                         uint32_t stage, struct asim_err *err);

/* For the schedules: appends one pass. */
static inline void asim_step_order_add(struct asim_step_order *order, struct asim_step_pass pass)
{
    if (order->failed || ASIM_VEC_PUSH(order->list, pass))
        order->failed = 1;
}

/* DualPipe's order (dualpipe.c). */
void asim_step_order_dualpipe(struct asim_step_order *order, const struct asim_step *step,
                              uint32_t stage);

#endif
