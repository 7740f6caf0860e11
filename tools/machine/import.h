/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Descriptions of a host by others: NCCL's topology (NCCL_TOPO_DUMP_FILE, XML) and a device of
 * InfraGraph (YAML). Both tell what is there and hardly how quick it is.
 */
#ifndef ASIM_TOOLS_MACHINE_IMPORT_H
#define ASIM_TOOLS_MACHINE_IMPORT_H

#include <stdint.h>
#include "asim/machine.h"

/* 0, or -1 for the words, where the file does not say. */
struct asim_import_host {
    uint32_t gpus, nics;
    int generation, cpu, scale_up;
    double nic_gbytes, nvlink_gbytes, pcie_gbytes; /* one direction, a NIC or a GPU */
};

/* By its first character: < is XML. Fails where the file has no GPU. */
int asim_import_read(struct asim_import_host *found, const char *path, struct asim_err *err);
/* One each. */
int asim_import_nccl(struct asim_import_host *found, char *text, const char *path,
                     struct asim_err *err);
int asim_import_infragraph(struct asim_import_host *found, const char *path, struct asim_err *err);

#endif
