/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Scenario JSON.
 */
#include "fuzz/engine/target.h"
#include "asim/scenario.h"

TARGET(".json", struct asim_scenario *, asim_scenario_read(&made, path, &err),
       asim_scenario_close(made))
