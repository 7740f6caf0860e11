/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Communicator groups JSON.
 */
#include "fuzz/engine/target.h"
#include "conf/conf.h"

TARGET(".json", struct asim_groups, asim_groups_read(&made, path, 8, 1, &err),
       asim_groups_fini(&made))
