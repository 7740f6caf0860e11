/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Approximates a physical network by an analytical one: a basic topology, a bandwidth and a latency
 * per logical dimension. shape.c has the rules. Notes say where formulas cannot follow.
 */
#ifndef ASIM_TOPO_SHAPE_H
#define ASIM_TOPO_SHAPE_H

#include "conf/conf.h"
#include "asim/net.h"
#include "topo/route.h"

int asim_shape_from_topo(struct asim_netshape *shape, struct asim_route *route,
                         const struct asim_dims *dims, const struct asim_diagnostics *notes,
                         struct asim_err *err);

#endif
