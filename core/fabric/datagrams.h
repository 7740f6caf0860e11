/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The door for datagrams of another simulator (asim/datagram.h).
 */
#ifndef ASIM_FABRIC_DATAGRAMS_H
#define ASIM_FABRIC_DATAGRAMS_H

#include "asim/datagram.h"

struct asim_fabric;

int asim_fabric_datagrams_open(struct asim_fabric *fabric, asim_datagram_hook *hook, void *self,
                               struct asim_err *err);
int asim_fabric_datagram_send(struct asim_fabric *fabric, uint64_t now_ns,
                              const struct asim_datagram *datagram, struct asim_err *err);
uint32_t asim_fabric_datagram_max(const struct asim_fabric *fabric);
uint64_t asim_fabric_datagrams_under_way(const struct asim_fabric *fabric);
void asim_fabric_datagrams_close(struct asim_fabric *fabric);

#endif
