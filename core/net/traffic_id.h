/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What tells messages of background traffic from those of ranks.
 */
#ifndef ASIM_NET_TRAFFIC_ID_H
#define ASIM_NET_TRAFFIC_ID_H

#include "asim/msg.h"

/* The id of a background flow: of its source, with this bit, the generator and a number. */
#define ASIM_TRAFFIC_ID (1ull << 31)
enum { ASIM_TRAFFIC_SHIFT = 24 };

static inline int asim_msg_is_traffic(const struct asim_msg *msg)
{
    return (msg->id & ASIM_TRAFFIC_ID) != 0;
}

#endif
