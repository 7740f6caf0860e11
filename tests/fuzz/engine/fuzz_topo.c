/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Topology files of every flavour.
 */
#include "fuzz/engine/target.h"
#include "topo/topo.h"

TARGET(".txt", struct asim_topo, asim_topo_read(&made, path, &err), asim_topo_fini(&made))
