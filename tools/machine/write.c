/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Reads and writes JSON of machines.
 */
#include "tools/machine/write.h"

#include <stdlib.h>
#include <string.h>
#include "asim/machine.h"
#include "base/io/out.h"
#include "base/io/json.h"

json_t *asim_machine_read_json(const char *name, struct asim_err *err)
{
    const char *text = strchr(name, '/') || strstr(name, ".json") ? NULL : asim_machine_text(name);
    json_t *root;

    asim_json_read(&root, text ? strchr(text, '{') : name, err);
    return root;
}

int asim_machine_write_json(const json_t *root, const char *path, struct asim_err *err)
{
    char *text = json_dumps(root, JSON_INDENT(4) | JSON_REAL_PRECISION(6));
    struct asim_out out;
    int rc = text ? asim_out_open(&out, path, err) : asim_err_nomem(err, "writing a machine file");

    if (!rc) {
        asim_out_printf(&out, "%s\n", text);
        rc = asim_out_commit(&out, err);
    }
    free(text);
    return rc;
}
