/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Logical topology JSON.
 */
#include "fuzz/engine/target.h"
#include "conf/conf.h"

TARGET(".json", struct asim_dims, asim_logical_read(&made, path, &err), (void)made)
