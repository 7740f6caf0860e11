/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Flow lists.
 */
#include "fuzz/engine/target.h"
#include "schedule/schedule.h"

TARGET(".txt", struct asim_schedule, asim_schedule_read_flows(&made, path, 0, &err),
       asim_schedule_fini(&made))
