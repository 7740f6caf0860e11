/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Remote memory JSON.
 */
#include "fuzz/engine/target.h"
#include "conf/conf.h"

TARGET(".json", struct asim_memory, asim_memory_read(&made, path, NULL, &err), (void)made)
