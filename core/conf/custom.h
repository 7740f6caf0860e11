/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The paths of collective algorithms given as Chakra traces
 * (system-layer.md#system-file and system-layer.md#custom-algorithms): a prefix per kind of
 * collective in the system file, and a YAML file that names one per trace node.
 *
 * Read once when a world opens; const afterwards.
 */
#ifndef ASIM_CONF_CUSTOM_H
#define ASIM_CONF_CUSTOM_H

#include <stdint.h>

struct asim_err;
struct asim_node_prefixes;

int asim_node_prefixes_read(struct asim_node_prefixes *prefixes, const char *path,
                            struct asim_err *err);
/* NULL where the node has none. */
const char *asim_node_prefixes_get(const struct asim_node_prefixes *prefixes, uint64_t node);
void asim_node_prefixes_fini(struct asim_node_prefixes *prefixes);

/* malloc'ed prefix to use for one named inside file `owner`: as it stands if <prefix>.0.et is
 * there, else beside owner if it is there, else as it stands. NULL = out of memory. */
char *asim_custom_resolve(const char *owner, const char *prefix);

#endif
