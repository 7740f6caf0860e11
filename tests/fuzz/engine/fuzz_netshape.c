/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Network YAML of the analytical backends.
 */
#include "fuzz/engine/target.h"
#include "conf/conf.h"

TARGET(".yml", struct asim_netshape, asim_netshape_read(&made, path, &err), (void)made)
