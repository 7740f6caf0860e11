/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The functions all dimension orders share. See dims.h. An all-gather visits the dimensions in
 * reverse, so that it undoes a reduce-scatter: the data is smallest while it crosses the outer,
 * slower dimensions.
 *
 * Costs nothing per message: set-up of a chunk asks once for its order.
 */
#include "coll/dims.h"

#include <string.h>

const struct asim_coll_dims *asim_coll_dims_find(const char *name, struct asim_err *err)
{
    for (const struct asim_member *const *row = asim_coll_dims_table; *row; row++) {
        const struct asim_coll_dims *dims = (const struct asim_coll_dims *)*row;

        if (dims->alias && !strcmp(dims->alias, name))
            return dims;
    }
    return (const struct asim_coll_dims *)asim_family_find(asim_coll_dims_table,
                                                           "inter-dimension-scheduling", name, err);
}

void asim_coll_dims_natural(const struct asim_dims_context *context,
                            struct asim_dims_choice *choice)
{
    for (uint32_t i = 0; i < context->n; i++)
        choice->order[i] = context->coll_type == ASIM_ALL_GATHER ? context->n - 1 - i : i;
}
