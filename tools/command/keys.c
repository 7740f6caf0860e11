/* SPDX-License-Identifier: GPL-2.0-only
 *
 * asim keys: the keys of the network configuration (config.txt) with their defaults, those of every
 * congestion control included.
 */
#include <stdio.h>
#include <stdlib.h>
#include "asim/ext/command.h"
#include "asim/netconf.h"
#include "cli/args.h"

static const struct asim_option options[] = {{.key = NULL}};

static int print_keys(const struct asim_args *args, struct asim_err *err)
{
    size_t n = asim_netconf_keys(NULL, 0);
    const struct asim_option **rows = calloc(n, sizeof *rows);

    (void)args;
    if (!rows)
        return asim_err_nomem(err, "listing the keys");
    asim_netconf_keys(rows, n);
    for (size_t i = 0; i < n; i++)
        printf("%-26s %-10s %s%s\n", rows[i]->key, rows[i]->def ? rows[i]->def : "-", rows[i]->help,
               rows[i]->flags & ASIM_F_NOOP ? " (no effect)" : "");
    puts("KMIN_MAP, KMAX_MAP, PMAX_MAP: ECN thresholds; LINK_DOWN, LINK_UP: link events");
    free(rows);
    return 0;
}

static const struct asim_args_job job = {
    .name = "keys",
    .usage = "usage: asim keys\n\nLists the keys of the network configuration: name, default, "
             "meaning.\n",
    .options = options,
    .work = print_keys,
};

const struct asim_command asim_command_keys = {
    .member = {.name = "keys", .about = "List the keys of the network configuration."},
    .job = &job,
    .topic = ASIM_TOPIC_OTHER,
};
