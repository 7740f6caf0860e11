/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Descriptions of a host by others: NCCL's and RCCL's topology (NCCL_TOPO_DUMP_FILE, XML) and a
 * device of InfraGraph (YAML). Both tell what is there and hardly how quick it is.
 */
#ifndef ASIM_TOOLS_MACHINE_IMPORT_H
#define ASIM_TOOLS_MACHINE_IMPORT_H

#include <jansson.h>
#include <stdint.h>
#include "asim/machine.h"
#include "base/diagnostics.h"
#include "base/io/src.h"

/* 0, or -1 for the words, where the file does not say. */
struct asim_import_host {
    uint32_t gpus, nics;
    int generation, cpu, scale_up;
    double nic_gbytes, nvlink_gbytes, pcie_gbytes; /* one direction, a NIC or a GPU */
    double graph_gbytes;                           /* what NCCL's search gives these links */
    char gpu[24];                                  /* as the file has it: "sm 80", "gfx942" */
    struct asim_diagnostics notes;                 /* what the file has and nothing uses */
};

/* The machine whose numbers stand for what a description does not tell. */
struct asim_import_like {
    const char *name, *as; /* as: name of the new machine */
    int is_given;          /* by the user, who then takes its rates scaled */
};

/* A machine file as a tree, which the caller ends with json_decref, also after a failure. Refuses a
 * machine of another generation, and one of other links that the user did not name. */
int asim_import_make(json_t **root, const struct asim_import_host *found, const char *path,
                     const struct asim_import_like *like, struct asim_err *err);

/* By its first character: < is XML. Fails where the file has no GPU. */
int asim_import_read(struct asim_import_host *found, const char *path, struct asim_err *err);
/* One each. */
int asim_import_nccl(struct asim_import_host *found, const struct asim_src *src,
                     struct asim_err *err);
int asim_import_infragraph(struct asim_import_host *found, const char *path, struct asim_err *err);

#endif
