/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Throwaway dimension order with a knob: every chunk starts `by` dimensions further on.
 */
#include "coll/dims.h"

struct rotated_options {
    uint32_t by;
};

static const struct asim_option options[] = {
    {.key = "by",
     .type = ASIM_T_U32,
     .offset = offsetof(struct rotated_options, by),
     .def = "0",
     .max = 15,
     .help = "dimensions to skip"},
    {.key = NULL},
};

static void order(const struct asim_dims_context *context, struct asim_dims_cursor *cursor,
                  struct asim_dims_choice *choice)
{
    const struct rotated_options *opt = context->options;
    struct asim_dims_choice natural;

    (void)cursor;
    asim_coll_dims_natural(context, &natural);
    for (uint32_t i = 0; i < context->n; i++)
        choice->order[i] = natural.order[(i + opt->by) % context->n];
}

const struct asim_coll_dims asim_coll_dims_rotated = {
    .member = {.name = "rotated",
               .about = "natural order, some dimensions further on",
               .options = options,
               .options_size = sizeof(struct rotated_options)},
    .order = order,
};
