/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Finds formats of topology files. The content of the topology chooses the format, so that `asim
 * topo make` loses nothing unless the user asks for another format.
 */
#include "topologies/files.h"

#include "base/io/src.h"

const struct asim_topo_format *asim_files_format(const char *name, const struct asim_topo *topo,
                                                 struct asim_err *err)
{
    const struct asim_member *found;

    if (!name)
        name = topo->gpus_per_server || asim_files_count(topo, ASIM_NVSWITCH) ? "simai" : "astra";
    found = asim_family_find(asim_topo_format_table, "topology format", name, err);
    if (!found && err)
        err->code = ASIM_EUSAGE; /* names come from the command line only */
    return (const void *)found;
}

const struct asim_topo_format *asim_files_sniff(const char *path)
{
    struct asim_src src;
    const struct asim_topo_format *found = NULL;
    if (asim_src_open(&src, path, NULL))
        return NULL;
    for (size_t i = 0; asim_topo_format_table[i] && !found; i++) {
        const struct asim_topo_format *format = (const void *)asim_topo_format_table[i];
        if (format->sniff(src.data, src.size))
            found = format;
    }
    asim_src_close(&src);
    return found;
}

/* The topology itself counts hosts, and switches of both types together. */
uint32_t asim_files_count(const struct asim_topo *topo, int kind)
{
    uint32_t n = 0;
    for (uint32_t v = 0; v < topo->nodes; v++)
        n += topo->node_type[v] == kind;
    return n;
}
