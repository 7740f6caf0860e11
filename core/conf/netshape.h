/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The network of the analytical backends: one basic topology per dimension, as the YAML file of
 * ASTRA-sim's analytical programs states it (spec astra-system.md, section 2.2).
 */
#ifndef ASIM_CONF_NETSHAPE_H
#define ASIM_CONF_NETSHAPE_H

#include <stddef.h>
#include <stdint.h>
#include "asim/net.h"

/* "Ring", "FullyConnected", "Switch" */
const char *asim_net_topology_name(int topology);
int asim_netshape_read(struct asim_netshape *shape, const char *path, struct asim_err *err);

#endif
