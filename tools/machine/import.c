/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Imports descriptions of machines. The first character tells XML from YAML.
 */
#include "tools/machine/import.h"

#include <string.h>
#include "base/io/src.h"
#include "base/io/foreign.h"

int asim_import_read(struct asim_import_host *found, const char *path, struct asim_err *err)
{
    struct asim_src src;
    const char *what;
    int is_xml, rc = asim_src_open(&src, path, err);

    *found = (struct asim_import_host){
        .generation = -1, .cpu = -1, .scale_up = -1, .notes = found->notes};
    if (rc)
        return rc;
    is_xml = src.data[src.at + strspn(src.data + src.at, " \t\r\n")] == '<';
    rc = is_xml ? asim_import_nccl(found, &src, err) : asim_import_infragraph(found, path, err);
    asim_src_close(&src);
    what = rc ? asim_foreign_file(path) : NULL;
    if (what && strstr(what, "of InfraGraph"))
        return rc; /* a device or a fabric with one, where err says what is wrong with it */
    return asim_foreign_instead(rc, path, "NCCL's topology", err);
}
