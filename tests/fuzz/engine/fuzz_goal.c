/* SPDX-License-Identifier: GPL-2.0-only
 *
 * GOAL schedules.
 */
#include "fuzz/engine/target.h"
#include "schedule/schedule.h"

TARGET(".goal", struct asim_schedule, asim_schedule_read_goal(&made, path, &err),
       asim_schedule_fini(&made))
