/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Set-up of the wires of a network.
 */
#ifndef ASIM_FABRIC_LINK_WIRES_H
#define ASIM_FABRIC_LINK_WIRES_H

#include <stdint.h>

struct asim_err;
struct asim_fabric;
struct asim_port;

/* Refuses rates at which a table cannot hold the time of the largest frame. */
int asim_wires_check_rates(const struct asim_fabric *fabric, struct asim_err *err);
/* Two wires a link, 2 x link for a to b and 2 x link + 1 for b to a. Also finds the lookahead, the
 * smallest delay, and opens their losses. The caller closes them in all cases. */
int asim_wires_open(struct asim_fabric *fabric, struct asim_err *err);
void asim_wires_close(struct asim_fabric *fabric);
/* Joins port i (0-based here, 1-based in the topology) of a node to its outgoing and its incoming
 * wire. */
void asim_port_open(struct asim_fabric *fabric, struct asim_port *port, uint32_t node, uint32_t i);

#endif
