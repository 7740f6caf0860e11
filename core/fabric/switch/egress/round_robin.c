/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Round robin, packet by packet, as ns-3's QBB port in ASTRA-sim: asim_queue_next has it inline.
 */
#include "conf/netconf_keys.h"
#include "fabric/switch/egress/egress.h"

const struct asim_egress_scheduler asim_egress_round_robin = {
    .member = {.name = "round_robin", .about = "a packet of each queue in turn"},
    .kind = ASIM_ROUND_ROBIN,
};
