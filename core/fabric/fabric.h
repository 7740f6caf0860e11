/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The packet network: hosts and switches are state machines with local time. They meet in the
 * receive rings of their links only (README.md). The clock is the caller's: ns-3, or
 * asim_fabric_run, calls asim_fabric_step.
 *
 * Times are ns since the start of the run. Nodes are numbered as in the topology; rank r lives on
 * host r.
 */
#ifndef ASIM_FABRIC_FABRIC_H
#define ASIM_FABRIC_FABRIC_H

#include "net/packets.h"

/* Builds the network; *fabric is the caller's to close, NULL on failure. Linear in nodes and
 * links. */
int asim_fabric_open(struct asim_fabric **fabric, const struct asim_fabric_config *config,
                     struct asim_err *err);
void asim_fabric_close(struct asim_fabric *fabric);

#endif
