/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A device of InfraGraph (the model of Keysight/infragraph): components with a choice (xpu, nic,
 * switch, cpu; older files: type) and a count, links with a bandwidth, and edges that join
 * components by a link. The file is a device, or an infrastructure whose first device with an xpu
 * is taken.
 */
#include "tools/machine/import.h"

#include <string.h>
#include "base/io/yaml.h"

struct device {
    yaml_document_t *document;
    const yaml_node_t *components, *links, *edges;
};

static const char *text_of(const yaml_node_t *node)
{
    return node && node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : "";
}

static const yaml_node_t *get(yaml_document_t *document, const yaml_node_t *map, const char *key)
{
    if (!map || map->type != YAML_MAPPING_NODE)
        return NULL;
    for (yaml_node_pair_t *pair = map->data.mapping.pairs.start; pair < map->data.mapping.pairs.top;
         pair++)
        if (!strcmp(text_of(yaml_document_get_node(document, pair->key)), key))
            return yaml_document_get_node(document, pair->value);
    return NULL;
}

static const yaml_node_t *item(yaml_document_t *document, const yaml_node_t *list, size_t i)
{
    if (!list || list->type != YAML_SEQUENCE_NODE ||
        list->data.sequence.items.start + i >= list->data.sequence.items.top)
        return NULL;
    return yaml_document_get_node(document, list->data.sequence.items.start[i]);
}

/* xpu[0:8] and xpu.0 name the component xpu. 1 if `text` does. */
static int names(const char *text, const yaml_node_t *component, yaml_document_t *document)
{
    const char *name = text_of(get(document, component, "name"));
    size_t n = strlen(name);

    return n && !strncmp(text, name, n) && (!text[n] || text[n] == '[' || text[n] == '.');
}

static int is_kind(yaml_document_t *document, const yaml_node_t *component, const char *kind)
{
    const char *word = text_of(get(document, component, "choice"));

    if (!word[0])
        word = text_of(get(document, component, "type"));
    return !strcmp(word, kind) ||
           (!strcmp(kind, "xpu") && (!strcmp(word, "npu") || !strcmp(word, "gpu")));
}

static uint32_t count_of(const struct device *d, const char *kind)
{
    const yaml_node_t *component;
    uint32_t n = 0;

    for (size_t i = 0; (component = item(d->document, d->components, i)) != NULL; i++)
        if (is_kind(d->document, component, kind)) {
            long count = atol(text_of(get(d->document, component, "count")));

            n += count > 0 ? (uint32_t)count : 1;
        }
    return n;
}

/* GB/s of a link, 0 where it has no bandwidth. */
static double rate_of(const struct device *d, const char *name)
{
    const yaml_node_t *link;

    for (size_t i = 0; (link = item(d->document, d->links, i)) != NULL; i++) {
        const yaml_node_t *rate;

        if (strcmp(text_of(get(d->document, link, "name")), name))
            continue;
        rate = get(d->document, get(d->document, link, "physical"), "bandwidth");
        if (get(d->document, rate, "gigabits_per_second"))
            return atof(text_of(get(d->document, rate, "gigabits_per_second"))) / 8;
        if (get(d->document, rate, "g_bits_per_second"))
            return atof(text_of(get(d->document, rate, "g_bits_per_second"))) / 8;
        return atof(text_of(get(d->document, rate, "g_bytes_per_second")));
    }
    return 0;
}

/* The component that one end of an edge names, or NULL. */
static const yaml_node_t *end_of(const struct device *d, const yaml_node_t *edge, const char *end)
{
    const char *text = text_of(get(d->document, get(d->document, edge, end), "component"));
    const yaml_node_t *component;

    for (size_t i = 0; (component = item(d->document, d->components, i)) != NULL; i++)
        if (names(text, component, d->document))
            return component;
    return NULL;
}

/* The GPUs' links to switches that are not of PCIe, and the NICs' rate where an edge has one. */
static void read_edge(struct asim_import_host *found, const struct device *d,
                      const yaml_node_t *edge)
{
    const yaml_node_t *a = end_of(d, edge, "ep1"), *b = end_of(d, edge, "ep2"), *other;
    double rate = rate_of(d, text_of(get(d->document, edge, "link")));
    const char *name;

    if (!a || !b)
        return;
    if (is_kind(d->document, a, "nic") || is_kind(d->document, b, "nic"))
        found->pcie_gbytes = rate > 0 ? rate : found->pcie_gbytes;
    other = is_kind(d->document, a, "xpu") ? b : is_kind(d->document, b, "xpu") ? a : NULL;
    name = text_of(get(d->document, other, "name"));
    if (!other || strstr(name, "pci"))
        return;
    if (is_kind(d->document, other, "xpu"))
        found->scale_up = ASIM_SCALE_UP_MESH;
    else if (is_kind(d->document, other, "switch") || is_kind(d->document, other, "custom"))
        found->scale_up = ASIM_SCALE_UP_NVSWITCH;
    if (found->scale_up >= 0 && rate > 0) {
        long count = atol(text_of(get(d->document, other, "count")));

        found->nvlink_gbytes = rate * (double)(count > 0 ? count : 1);
    }
}

static int read_device(struct asim_import_host *found, yaml_document_t *document,
                       const yaml_node_t *root)
{
    struct device d = {document, get(document, root, "components"), get(document, root, "links"),
                       get(document, root, "edges")};
    const yaml_node_t *edge;

    found->gpus = count_of(&d, "xpu");
    if (!found->gpus)
        return 0;
    found->nics = count_of(&d, "nic");
    for (size_t i = 0; (edge = item(document, d.edges, i)) != NULL; i++)
        read_edge(found, &d, edge);
    return 1;
}

static void read_root(struct asim_import_host *found, yaml_document_t *document)
{
    const yaml_node_t *root = yaml_document_get_root_node(document), *device;
    const yaml_node_t *inside = get(document, root, "infrastructure");
    const yaml_node_t *devices = get(document, inside ? inside : root, "devices");

    if (!devices) {
        read_device(found, document, root);
        return;
    }
    for (size_t i = 0; (device = item(document, devices, i)) != NULL; i++)
        if (read_device(found, document, device))
            return;
}

int asim_import_infragraph(struct asim_import_host *found, const char *path, struct asim_err *err)
{
    yaml_document_t document;
    int rc = asim_yaml_read(&document, path, err);

    if (rc)
        return rc;
    read_root(found, &document);
    yaml_document_delete(&document);
    if (!found->gpus)
        return asim_err_at(err, ASIM_EINVAL, (struct asim_where){path, 1, 0},
                           "no device of this file has a component xpu; expected a device of "
                           "InfraGraph with components, links and edges.");
    return 0;
}
