/* SPDX-License-Identifier: GPL-2.0-only
 *
 * --bandwidth and --latency: links of a finished topology with another rate or delay. NVLink keeps
 * its own: whoever doubles the network does not change the servers.
 */
#include "base/override.h"
#include "topo/topo.h"

#include <inttypes.h>

static int is_nvlink(const struct asim_topo *topo, const struct asim_link *link)
{
    return topo->node_type[link->a] == ASIM_NVSWITCH || topo->node_type[link->b] == ASIM_NVSWITCH;
}

/* One value for links of several values would flatten the network without a word. */
static int refuse_several(const struct asim_topo *topo, const char *option, uint64_t low,
                          uint64_t high, struct asim_err *err)
{
    int is_rate = option[0] == 'b';
    double unit = is_rate ? 1e9 : 1e6;

    return asim_err_set(err, ASIM_EINVAL,
                        "--%s gives one value, but the links of %s have several, from %g%s to "
                        "%g%s; give a factor such as --%s=2x, or change the topology.",
                        option, topo->source, (double)low / unit, is_rate ? "Gbps" : "ns",
                        (double)high / unit, is_rate ? "Gbps" : "ns", option);
}

int asim_topo_override(struct asim_topo *topo, const char *option, const char *text,
                       struct asim_err *err)
{
    int is_rate = option[0] == 'b';
    uint64_t low = UINT64_MAX, high = 0;
    struct asim_override override;

    if (asim_override_parse(&override, option, is_rate ? ASIM_T_RATE : ASIM_T_TIME, text, err))
        return ASIM_EINVAL;
    for (size_t l = 0; l < topo->n_links; l++) {
        struct asim_link *link = &topo->links[l];
        uint64_t *value = is_rate ? &link->rate_bps : &link->delay_fs;

        if (is_nvlink(topo, link))
            continue;
        low = *value < low ? *value : low;
        high = *value > high ? *value : high;
        *value = asim_override_apply(&override, *value);
        if (!*value && is_rate)
            return asim_err_set(err, ASIM_EINVAL, "--bandwidth=%s leaves links without a rate.",
                                text);
    }
    if (override.factor <= 0 && low < high)
        return refuse_several(topo, option, low, high, err);
    return 0;
}
