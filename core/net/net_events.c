/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Links that LINK_DOWN and LINK_UP of the network configuration name.
 */
#include "net/net_events.h"
#include "conf/netconf_keys.h"
#include "base/mem.h"
#include "topo/topo.h"

/* One line concerns every link between its two nodes. */
static int add_line(struct asim_net_event_list *list, const struct asim_topo *topo,
                    const struct asim_link_down *line, struct asim_err *err)
{
    size_t before = list->n;

    for (uint32_t l = 0; l < topo->n_links; l++) {
        const struct asim_link *link = &topo->links[l];
        uint32_t a = asim_topo_external_id(topo, link->a), b = asim_topo_external_id(topo, link->b);

        if (!(a == line->a && b == line->b) && !(a == line->b && b == line->a))
            continue;
        if (asim_grow(&list->at, &list->cap, list->n + 1, sizeof *list->at))
            return asim_err_nomem(err, "planning events");
        list->at[list->n++] =
            (struct asim_net_event){.at_ns = line->at_ns,
                                    .kind = line->up ? ASIM_NET_LINK_UP : ASIM_NET_LINK_DOWN,
                                    .of = l};
    }
    if (list->n > before)
        return 0;
    return asim_err_set(err, ASIM_EINVAL,
                        "LINK_%s names nodes %u and %u, which no link of the topology joins.",
                        line->up ? "UP" : "DOWN", line->a, line->b);
}

int asim_net_events_of(struct asim_net_event_list *list, const struct asim_netconf *net,
                       const struct asim_topo *topo, struct asim_err *err)
{
    int code = 0;

    for (size_t i = 0; !code && i < net->link_downs; i++)
        code = add_line(list, topo, &net->link_down[i], err);
    return code;
}
