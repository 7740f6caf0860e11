/* SPDX-License-Identifier: GPL-2.0-only
 *
 * network.json: the settings of the packet network as the run understood them, under the keys of
 * config.txt, with units: for `asim report`, and to see what a default was. Keys without effect and
 * those of congestion controls that the run does not use are left out.
 */
#include "asim/netconf.h"
#include "base/io/quote.h"
#include "cc/cc.h"
#include "conf/netconf.h"
#include "report/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MOST_KEYS = 512, SHOWN = 64 };

/* The n-th word of "a|b|c". */
static void choice(char *shown, const char *words, int n)
{
    while (n-- > 0 && strchr(words, '|'))
        words = strchr(words, '|') + 1;
    snprintf(shown, SHOWN, "%.*s", (int)strcspn(words, "|"), words);
}

/* Numbers with their unit; u64 of whole ns or us and bytes too. */
static void show(char *shown, const struct asim_option *row, const void *field)
{
    const char *unit = row->flags & ASIM_F_NS      ? " ns"
                       : row->flags & ASIM_F_US    ? " us"
                       : row->flags & ASIM_F_BYTES ? " bytes"
                                                   : "";

    switch (row->type) {
    case ASIM_T_BOOL:
        snprintf(shown, SHOWN, "%d", *(const int *)field);
        break;
    case ASIM_T_U32:
        snprintf(shown, SHOWN, "%" PRIu32 "%s", *(const uint32_t *)field, unit);
        break;
    case ASIM_T_U64:
        snprintf(shown, SHOWN, "%" PRIu64 "%s", *(const uint64_t *)field, unit);
        break;
    case ASIM_T_I64:
        snprintf(shown, SHOWN, "%" PRId64, *(const int64_t *)field);
        break;
    case ASIM_T_DOUBLE:
        asim_topo_show_real(shown, SHOWN, *(const double *)field);
        break;
    case ASIM_T_RATE:
        asim_topo_show_rate(shown, SHOWN, *(const uint64_t *)field);
        break;
    case ASIM_T_TIME:
        asim_topo_show_delay(shown, SHOWN, *(const uint64_t *)field);
        break;
    case ASIM_T_SIZE:
        snprintf(shown, SHOWN, "%" PRIu64 " bytes", *(const uint64_t *)field);
        break;
    case ASIM_T_CHOICE:
        choice(shown, row->choices, *(const int *)field);
        break;
    case ASIM_T_STRING:
        break;
    }
}

static void write_key(struct asim_out *file, const struct asim_netconf *net,
                      const struct asim_option *row, const char *comma)
{
    const void *field = asim_netconf_field(net, row);
    char shown[SHOWN] = "";
    const char *text = shown;

    if (row->type == ASIM_T_STRING)
        text = *(char *const *)field ? *(char *const *)field : "";
    else
        show(shown, row, field);
    asim_out_printf(file, "%s\n  ", comma);
    asim_quote_json(file, row->key);
    asim_out_printf(file, ": ");
    asim_quote_json(file, text);
}

/* The whole file: the settings do not change during a run. */
static int begin(void *self, struct asim_world *world, struct asim_err *err)
{
    const struct asim_option *rows[MOST_KEYS];
    const struct asim_netconf *net = &world->set.net;
    const struct asim_cc *cc = asim_cc_number(net->cc_mode, NULL);
    const char *comma = "";
    struct asim_out *file = asim_report_out(self);
    size_t n = asim_netconf_keys(rows, MOST_KEYS);

    (void)err;
    asim_out_printf(file, "{");
    for (size_t i = 0; i < n && i < MOST_KEYS; i++) {
        if (rows[i]->flags & ASIM_F_NOOP ||
            !(asim_netconf_is_own(rows[i]) ||
              (cc && cc->member.options && asim_option_find(cc->member.options, rows[i]->key))))
            continue;
        write_key(file, net, rows[i], comma);
        comma = ",";
    }
    asim_out_printf(file, "\n}\n");
    return 0;
}

const struct asim_report asim_report_network = {
    .member = {.name = "network", .about = "network.json: the packet network's settings"},
    .in_out = ASIM_OUT_ALWAYS,
    .needs = ASIM_NET_OVER_TOPOLOGY,
    .file = "network.json",
    .begin = begin,
};
