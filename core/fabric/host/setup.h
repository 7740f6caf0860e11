/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Set-up of the hosts.
 */
#ifndef ASIM_FABRIC_HOST_SETUP_H
#define ASIM_FABRIC_HOST_SETUP_H

struct asim_cc_config;
struct asim_err;
struct asim_fabric;

/* The congestion control that the configuration names, with its options, which *config gets. */
int asim_hosts_choose_cc(struct asim_fabric *fabric, struct asim_cc_config *config,
                         struct asim_err *err);
/* Sets max_rtt and max_bdp, when routes are known. */
int asim_hosts_find_rtt(struct asim_fabric *fabric, struct asim_err *err);
/* What frames of hosts need before links are made: sizes, timeouts, hooks. */
void asim_hosts_prepare(struct asim_fabric *fabric);
/* Memory for all hosts; the NICs of those of this process, when workers are known. 0 or
 * ASIM_ENOMEM; the caller closes them in all cases. */
int asim_hosts_allocate(struct asim_fabric *fabric);
int asim_hosts_open(struct asim_fabric *fabric);
void asim_hosts_close(struct asim_fabric *fabric);

#endif
