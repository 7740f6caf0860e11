/* SPDX-License-Identifier: GPL-2.0-only
 *
 * asim/netconf.h: settings of the packet network as an object of the caller's, and maps as text.
 */
#include "asim/netconf.h"
#include "conf/netconf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int asim_netconf_open(struct asim_netconf **net, const char *path, struct asim_err *err)
{
    int code;

    *net = calloc(1, sizeof **net);
    if (!*net)
        return asim_err_nomem(err, "reading the network configuration");
    code = path ? asim_netconf_read(*net, path, NULL, err) : asim_netconf_defaults(*net, err);
    if (code) {
        free(*net);
        *net = NULL;
    }
    return code;
}

void asim_netconf_close(struct asim_netconf *net)
{
    if (net)
        asim_netconf_fini(net);
    free(net);
}

size_t asim_netconf_map(const struct asim_netconf *net, const char *key, char *buf, size_t size)
{
    const struct {
        const char *key;
        const struct asim_rate_map *map;
        double unit;
    } rows[] = {{"KMIN_MAP", &net->kmin, 1000},
                {"KMAX_MAP", &net->kmax, 1000},
                {"PMAX_MAP", &net->pmax, 1}};
    size_t n = 0;

    if (size)
        *buf = 0;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        if (strcmp(rows[r].key, key))
            continue;
        n = (size_t)snprintf(buf, size, "%zu", rows[r].map->n);
        for (size_t i = 0; i < rows[r].map->n; i++)
            n += (size_t)snprintf(n < size ? buf + n : NULL, n < size ? size - n : 0, " %llu %g",
                                  (unsigned long long)rows[r].map->at[i].rate_bps,
                                  rows[r].map->at[i].value / rows[r].unit);
    }
    return n;
}
