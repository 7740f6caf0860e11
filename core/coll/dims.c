/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The functions all dimension orders share. An all-gather visits the dimensions in
 * reverse, so that it undoes a reduce-scatter: the data is smallest while it crosses the outer,
 * slower dimensions.
 *
 * Costs nothing per message: set-up of a chunk asks once for its order.
 */
#include "coll/dims.h"

#include <stdio.h>
#include <string.h>

static const struct asim_coll_dims *find(const char *name, struct asim_err *err)
{
    for (const struct asim_member *const *row = asim_coll_dims_table; *row; row++) {
        const struct asim_coll_dims *dims = (const struct asim_coll_dims *)*row;

        if (dims->alias && !strcmp(dims->alias, name))
            return dims;
    }
    return (const struct asim_coll_dims *)asim_family_find(asim_coll_dims_table,
                                                           "inter-dimension-scheduling", name, err);
}

int asim_dims_order_open(struct asim_dims_order *order, const char *text, struct asim_err *err)
{
    const char *words = strchr(text, ',');
    char name[64];

    snprintf(name, sizeof name, "%.*s", words ? (int)(words - text) : 63, text);
    order->options = NULL;
    order->row = find(name, err);
    if (!order->row)
        return ASIM_EINVAL;
    return asim_family_options(&order->options, &order->row->member, words ? words + 1 : NULL, ',',
                               err);
}

void asim_dims_order_close(struct asim_dims_order *order)
{
    if (order->row)
        asim_family_options_free(order->options, &order->row->member);
    order->options = NULL;
}

void asim_coll_dims_natural(const struct asim_dims_context *context,
                            struct asim_dims_choice *choice)
{
    for (uint32_t i = 0; i < context->n; i++)
        choice->order[i] = context->coll_type == ASIM_ALL_GATHER ? context->n - 1 - i : i;
}
