/* SPDX-License-Identifier: GPL-2.0-only
 *
 * SimAI / AICB workload text.
 */
#include "asim/simai.h"
#include "fuzz/engine/target.h"

TARGET(".txt", struct asim_simai, asim_simai_read(&made, path, &err), asim_simai_fini(&made))
