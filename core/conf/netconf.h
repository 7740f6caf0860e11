/* SPDX-License-Identifier: GPL-2.0-only
 *
 * config.txt of the RDMA network: every key of the HPCC / ASTRA-sim / SimAI files. A key belongs to
 * the network (netconf_keys.c) or to congestion controls (options of the rows in cc/algo/). Users
 * see one list of keys.
 */
#ifndef ASIM_CONF_NETCONF_H
#define ASIM_CONF_NETCONF_H

#include <stddef.h>
#include <stdint.h>
#include "asim/err.h"
#include "asim/ext/option.h"
#include "base/diagnostics.h"
#include "conf/netconf_keys.h"

int asim_netconf_defaults(struct asim_netconf *net, struct asim_err *err);
/* Starts from the defaults. Unknown keys are errors with line and did-you-mean; diagnostics name
 * the keys without effect. A repeated key: the last wins, with a diagnostic; LINK_DOWN may come
 * several times. */
int asim_netconf_read(struct asim_netconf *net, const char *path,
                      const struct asim_diagnostics *diagnostics, struct asim_err *err);
/* One more key, as if `KEY value` stood at the end of the file: maps and link events too. */
int asim_netconf_set(struct asim_netconf *net, const char *const kv[2], struct asim_err *err);

/* --- keys with one value (asim/netconf.h lists them; maps and link events are read by hand) --- */
/* 1 for a key of the network itself, 0 for an option of congestion controls only. */
int asim_netconf_is_own(const struct asim_option *row);
/* Parses the value into the field of every row with that key. */
int asim_netconf_put(struct asim_netconf *net, const struct asim_option *row, const char *value,
                     struct asim_where at, struct asim_err *err);
/* Says which settings contradict each other or have no effect beside others (netconf_notes.c).
 * source: the file, for the sentences. */
int asim_netconf_diagnose(const struct asim_netconf *net, const char *source,
                          const struct asim_diagnostics *diagnostics, struct asim_err *err);
/* Says which settings that differ from the defaults have no effect on the flow level. */
int asim_netconf_diagnose_flows(const struct asim_netconf *net, const char *source,
                                const struct asim_diagnostics *diagnostics, struct asim_err *err);
/* Start-up check: rows of one key agree in type, default and range. */
int asim_netconf_check(struct asim_err *err);

#endif
