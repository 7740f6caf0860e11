/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Start-up check of every family a world uses. A mistake in a new member's row (no name, a name
 * used twice, a missing hook, options outside their struct, a key that contradicts another row)
 * ends the first run with a sentence that names the row. Costs microseconds.
 */
#include "sim/families.h"

#include "cc/cc.h"
#include "coll/coll.h"
#include "conf/netconf.h"
#include "net/net.h"
#include "scenario/place.h"
#include "topo/topo.h"
#include "trace/format.h"

int asim_families_check(struct asim_err *err)
{
    int code = asim_family_check(asim_topo_format_table, "topology format", err);

    if (!code)
        code = asim_family_check(asim_topo_maker_table, "topology maker", err);
    if (!code)
        code = asim_family_check(asim_trace_format_table, "trace format", err);
    if (!code)
        code = asim_family_check(asim_net_backend_table, "analytical network", err);
    if (!code)
        code = asim_family_check(asim_scenario_section_table, "section of a scenario", err);
    if (!code)
        code = asim_family_check(asim_scenario_placement_table, "placement", err);
    if (!code)
        code = asim_coll_check(err);
    if (!code)
        code = asim_cc_check(err);
    return code ? code : asim_netconf_check(err);
}
