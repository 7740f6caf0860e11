/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Set-up of the switches.
 */
#ifndef ASIM_FABRIC_SWITCH_SETUP_H
#define ASIM_FABRIC_SWITCH_SETUP_H

struct asim_err;
struct asim_fabric;

/* Compares the least memory of wires and switches with the machine's: without this check
 * the system would kill the process. */
int asim_switches_check_memory(const struct asim_fabric *fabric, struct asim_err *err);
/* Memory for all switches; the ports of those of this process, when workers are known. 0 or
 * ASIM_ENOMEM; the caller closes them in all cases. */
int asim_switches_allocate(struct asim_fabric *fabric);
int asim_switches_open(struct asim_fabric *fabric);
void asim_switches_close(struct asim_fabric *fabric);

#endif
