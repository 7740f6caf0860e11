/* SPDX-License-Identifier: GPL-2.0-only
 *
 * System JSON.
 */
#include "fuzz/engine/target.h"
#include "conf/conf.h"

TARGET(".json", struct asim_system, asim_system_read(&made, path, NULL, &err),
       asim_system_fini(&made))
