/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Writes the frame of pages: of `asim report`, of sweeps, of charts.
 */
#include "tools/page.h"

#include <string.h>
#include "cli/embedded.h"

const char *asim_page_file(const char *name)
{
    for (const struct asim_embedded *file = report_page_files; file->name; file++)
        if (!strcmp(file->name, name))
            return file->text;
    return "";
}

void asim_page_begin(struct asim_out *out)
{
    asim_out_printf(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
                         "<meta name=\"viewport\" content=\"width=device-width\"/>\n"
                         "<link rel=\"icon\" href=\"data:,\"/>\n<title>asim: ");
}

void asim_page_body(struct asim_out *out, const char *command)
{
    asim_out_printf(out,
                    "</title>\n<style>\n%s\n%s%s</style>\n</head>\n<body>\n"
                    "<header><h1>asim %s</h1></header>\n<main>\n",
                    asim_page_file("uPlot.min.css"), asim_page_file("palette.css"),
                    asim_page_file("asim-report.css"), command);
}

void asim_page_end(struct asim_out *out, int has_charts)
{
    asim_out_printf(out, "</main>\n<script>\n%s\n%s</script>\n</body>\n</html>\n",
                    has_charts ? asim_page_file("uPlot.iife.min.js") : "",
                    asim_page_file("page.js"));
}
