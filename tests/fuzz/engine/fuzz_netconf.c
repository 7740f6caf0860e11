/* SPDX-License-Identifier: GPL-2.0-only
 *
 * config.txt of the RDMA network.
 */
#include "fuzz/engine/target.h"
#include "conf/netconf.h"

TARGET(".txt", struct asim_netconf, asim_netconf_read(&made, path, NULL, &err),
       asim_netconf_fini(&made))
