/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Device traces (Kineto JSON) without a host trace, linked and converted.
 */
#include <string.h>

#include "convert/convert.h"
#include "fuzz/engine/target.h"
#include "link/link.h"

static int convert(struct asim_convert *made, const char *path, struct asim_err *err)
{
    static char host[96], linked[96], et[96];
    struct asim_link_options opt = {host, path, linked, 0, 0, 1};
    struct asim_convert_options convert_opt = {.input = linked, .output = et};
    struct asim_linking link;
    int rc;

    snprintf(host, sizeof host, "%s.host", path);
    snprintf(linked, sizeof linked, "%s.linked", path);
    snprintf(et, sizeof et, "%s.0.et", path);
    rc = asim_link_run(&link, &opt, err);
    asim_link_fini(&link);
    memset(made, 0, sizeof *made);
    return rc ? rc : asim_convert_run(made, &convert_opt, err);
}

TARGET(".json", struct asim_convert, convert(&made, path, &err), asim_convert_fini(&made))
