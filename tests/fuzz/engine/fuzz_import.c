/* SPDX-License-Identifier: GPL-2.0-only
 *
 * NCCL's topologies (XML) and devices of InfraGraph (YAML), made machines; what is made is read.
 */
#include "fuzz/engine/target.h"
#include "tools/machine/import.h"

static int import(json_t **made, const char *path, struct asim_err *err)
{
    struct asim_import_host found = {.gpus = 0};
    struct asim_import_like like = {"a100-hdr", "fuzz", 1};
    struct asim_machine machine;
    char *text;
    int rc = asim_import_read(&found, path, err);

    if (!rc)
        rc = asim_import_make(made, &found, path, &like, err);
    text = rc ? NULL : json_dumps(*made, 0);
    if (text) {
        rc = asim_machine_read(&machine, text, err);
        asim_machine_fini(&machine);
    }
    free(text);
    return rc;
}

TARGET(".xml", json_t *, import(&made, path, &err), json_decref(made))
