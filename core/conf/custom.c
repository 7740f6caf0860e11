/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Finds traces that replace a collective algorithm. The YAML file is one mapping of whole numbers
 * to strings, read with libyaml; any other shape is an error with its line. A node named twice is
 * an error too (ASTRA-sim takes the first). As in ASTRA-sim the id is that of the workload's node,
 * of every rank alike.
 *
 * Prefixes found are malloc'ed, owned by the struct and freed by asim_node_prefixes_fini. The map
 * is small (a person writes it), so looking up is a walk.
 */
#include "conf/custom.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/mem.h"
#include "base/text.h"
#include "conf/conf.h"
#include "base/io/yaml.h"

/* Rank 0's file stands for the set when a prefix is looked for: P.0.et exists where P does not. */
static const char FIRST[] = ".0.et";

/* Looks where the traces are, beside the file that names them if need be, and hands the prefix
 * back. The caller frees it; NULL = out of memory. */
char *asim_custom_resolve(const char *owner, const char *prefix)
{
    size_t n = strlen(prefix);
    char *file = malloc(n + sizeof FIRST), *found;

    if (!file)
        return NULL;
    memcpy(file, prefix, n);
    memcpy(file + n, FIRST, sizeof FIRST);
    found = asim_conf_resolve(owner, file);
    free(file);
    if (found)
        found[strlen(found) - (sizeof FIRST - 1)] = '\0';
    return found;
}

/* One sentence for every wrong shape; YAML tells the line of each node. */
static int bad(const char *path, const yaml_node_t *node, struct asim_err *err)
{
    struct asim_where at = {path, node ? (unsigned)node->start_mark.line + 1 : 0, 0};

    return asim_err_at(err, ASIM_EINVAL, at,
                       "expected a mapping of node ids to trace prefixes, such as \"7: "
                       "algorithms/ring\", with each id once.");
}

/* pair = key and value node. On failure nothing is added, so fini frees exactly what is there. */
static int add(struct asim_node_prefixes *prefixes, const char *path, const yaml_node_t *pair[2],
               struct asim_err *err)
{
    struct asim_node_prefix one = {0, NULL};

    if (pair[0]->type != YAML_SCALAR_NODE || pair[1]->type != YAML_SCALAR_NODE ||
        asim_text_u64((const char *)pair[0]->data.scalar.value, &one.node) ||
        !pair[1]->data.scalar.length)
        return bad(path, pair[0], err);
    if (asim_node_prefixes_get(prefixes, one.node))
        return bad(path, pair[0], err);
    one.prefix = asim_custom_resolve(path, (const char *)pair[1]->data.scalar.value);
    if (!one.prefix)
        return asim_err_nomem(err, "reading per-node algorithms");
    prefixes->at[prefixes->n++] = one;
    return 0;
}

/* Room for all pairs at once: the mapping knows how many it has. */
static int read_mapping(struct asim_node_prefixes *prefixes, const char *path,
                        yaml_document_t *document, struct asim_err *err)
{
    yaml_node_t *root = yaml_document_get_root_node(document);
    yaml_node_pair_t *at, *end;

    if (!root || root->type != YAML_MAPPING_NODE)
        return bad(path, root, err);
    at = root->data.mapping.pairs.start;
    end = root->data.mapping.pairs.top;
    prefixes->at = calloc((size_t)(end - at) + 1, sizeof *prefixes->at);
    if (!prefixes->at)
        return asim_err_nomem(err, "reading per-node algorithms");
    for (; at < end; at++) {
        const yaml_node_t *pair[2] = {yaml_document_get_node(document, at->key),
                                      yaml_document_get_node(document, at->value)};

        if (add(prefixes, path, pair, err))
            return ASIM_EINVAL;
    }
    return 0;
}

ASIM_ORDER(by_node, struct asim_node_prefix, ->node)

/* Sorts the map by id, so that messages about it come in a stated order. */
int asim_node_prefixes_read(struct asim_node_prefixes *prefixes, const char *path,
                            struct asim_err *err)
{
    yaml_document_t document;
    int code = asim_yaml_read(&document, path, err);

    *prefixes = (struct asim_node_prefixes){NULL, 0};
    if (code)
        return code;
    code = read_mapping(prefixes, path, &document, err);
    yaml_document_delete(&document);
    if (code)
        asim_node_prefixes_fini(prefixes);
    else
        qsort(prefixes->at, prefixes->n, sizeof *prefixes->at, by_node);
    return code;
}

const char *asim_node_prefixes_get(const struct asim_node_prefixes *prefixes, uint64_t node)
{
    for (size_t i = 0; i < prefixes->n; i++) /* few: a map is read by a person */
        if (prefixes->at[i].node == node)
            return prefixes->at[i].prefix;
    return NULL;
}

void asim_node_prefixes_fini(struct asim_node_prefixes *prefixes)
{
    for (size_t i = 0; i < prefixes->n; i++)
        free(prefixes->at[i].prefix);
    free(prefixes->at);
    *prefixes = (struct asim_node_prefixes){NULL, 0};
}
