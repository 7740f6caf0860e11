/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Tables of nccl-tests and rccl-tests, as text, JSON and CSV.
 */
#include "fuzz/engine/target.h"
#include "tools/machine/measured.h"

TARGET(".table", struct asim_measured, asim_measured_read(&made, path, &err),
       asim_measured_fini(&made))
