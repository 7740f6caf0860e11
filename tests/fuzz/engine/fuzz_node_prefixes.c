/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Per-node algorithm YAML.
 */
#include "fuzz/engine/target.h"
#include "conf/conf.h"
#include "conf/custom.h"

TARGET(".yml", struct asim_node_prefixes, asim_node_prefixes_read(&made, path, &err),
       asim_node_prefixes_fini(&made))
