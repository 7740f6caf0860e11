/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The receiving side of a host (receiver.c).
 */
#ifndef ASIM_FABRIC_HOST_RECEIVER_H
#define ASIM_FABRIC_HOST_RECEIVER_H

#include "fabric/node.h"

/* A data frame reached its destination host. */
void asim_receiver_data(struct asim_fabric *fabric, struct asim_host *host,
                        const struct asim_frame *frame);
/* The NIC that sends the replies to *data: hashed like a flow of its own, with the ports exchanged.
 */
struct asim_nic *asim_nic_for_reply(struct asim_fabric *fabric, struct asim_host *host,
                                    const struct asim_frame *data, struct asim_rx *rx);

#endif
