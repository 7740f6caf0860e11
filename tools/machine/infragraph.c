/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A device of InfraGraph (the model of Keysight/infragraph): components with a choice (xpu, nic,
 * switch, cpu; older files: type) and a count, links with a bandwidth, and edges that join
 * components by a link, or connections as "xpu.0.LINK.sw.0". The file is a device, or an
 * infrastructure whose first device with an xpu is taken. A component without a count has as many
 * parts as edges and connections name. What xpu 0 has counts for all.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "base/io/yaml.h"
#include "base/mem.h"
#include "base/text.h"
#include "tools/machine/import.h"

enum { MOST_PARTS = 1 << 20, MOST_GPUS = 1024 };
enum kind { OTHER, XPU, NIC, SWITCH };

struct part { /* a component, or a link with its rate */
    const char *name;
    const yaml_node_t *node;
    uint64_t count; /* 0 = not stated: from `named` */
    uint64_t named; /* the highest index that is named, + 1 */
    enum kind kind;
    double gbytes; /* of a link; 0 = not stated */
};

/* "xpu[0:8]", "xpu.3", "xpu": a component and indices from `from` to `to` - 1; to 0 = all. */
struct end {
    struct part *part;
    uint64_t from, to;
};

struct device {
    yaml_document_t *document;
    const char *path;
    ASIM_VEC(struct part) component;
    ASIM_VEC(struct part) link;
    struct asim_import_host *found;
    uint64_t peers; /* xpus that xpu 0 has a link to */
    double nvlink;
    struct asim_err *err;
};

static int fail(struct device *d, const yaml_node_t *node, const char *what, const char *text)
{
    char safe[60];

    return asim_err_at(d->err, ASIM_EINVAL, (struct asim_where){d->path, asim_yaml_line(node), 0},
                       what, asim_text_safe(safe, sizeof safe, text));
}

static const yaml_node_t *get(struct device *d, const yaml_node_t *map, const char *key)
{
    return asim_yaml_get(d->document, map, key);
}

/* --- components and links --------------------------------------------------------------------- */

static enum kind kind_of(const char *word)
{
    if (!strcmp(word, "xpu") || !strcmp(word, "npu") || !strcmp(word, "gpu"))
        return XPU;
    if (!strcmp(word, "nic"))
        return NIC;
    return !strcmp(word, "switch") || !strcmp(word, "custom") ? SWITCH : OTHER;
}

/* "gigabits_per_second", "g_bits_per_second", "giga_bytes_per_second" …; 0 = no such key. */
static double unit_of(const char *key)
{
    static const struct {
        const char *start;
        double giga;
    } units[] = {{"k", 1e-6}, {"m", 1e-3}, {"g", 1}, {"t", 1e3}};
    const char *kind = strstr(key, "bits_per_second");

    if (!kind && !strstr(key, "bytes_per_second"))
        return 0;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (*key == *units[i].start)
            return kind ? units[i].giga / 8 : units[i].giga;
    return 0;
}

static int read_rate(struct device *d, struct part *link)
{
    const yaml_node_t *physical = get(d, link->node, "physical");
    const yaml_node_t *rate = get(d, physical ? physical : link->node, "bandwidth");

    if (!rate)
        return 0;
    if (rate->type != YAML_MAPPING_NODE)
        return fail(d, rate, "a bandwidth is {gigabits_per_second: NUMBER}; found '%s'.",
                    asim_yaml_text(rate));
    for (yaml_node_pair_t *pair = rate->data.mapping.pairs.start;
         pair < rate->data.mapping.pairs.top; pair++) {
        const char *key = asim_yaml_text(yaml_document_get_node(d->document, pair->key));
        const char *text = asim_yaml_text(yaml_document_get_node(d->document, pair->value));
        double number;

        if (!strcmp(key, "choice"))
            continue;
        if (unit_of(key) <= 0)
            return fail(d, rate, "'%s' is no unit of a bandwidth; expected gigabits_per_second.",
                        key);
        if (asim_text_double(text, &number) || !(number > 0 && number < 1e9))
            return fail(d, rate, "the bandwidth '%s' is no number above 0.", text);
        link->gbytes = number * unit_of(key);
    }
    return 0;
}

static int read_component(struct device *d, struct part *part)
{
    const yaml_node_t *choice = get(d, part->node, "choice"), *count = get(d, part->node, "count");

    part->kind = kind_of(asim_yaml_text(choice ? choice : get(d, part->node, "type")));
    if (count && (asim_text_u64(asim_yaml_text(count), &part->count) || !part->count ||
                  part->count > MOST_PARTS))
        return fail(d, count, "the count '%s' is no whole number from 1 to 1048576.",
                    asim_yaml_text(count));
    return 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct part *)a)->name, ((const struct part *)b)->name);
}

/* Sorted by name, each name once. */
static int read_parts(struct device *d, const yaml_node_t *list, int is_link)
{
    const yaml_node_t *node;

    for (size_t i = 0; (node = asim_yaml_item(d->document, list, i)) != NULL; i++) {
        struct part part = {.name = asim_yaml_text(get(d, node, "name")), .node = node};

        if (!*part.name)
            return fail(d, node, "a %s without a name.", is_link ? "link" : "component");
        if (is_link ? read_rate(d, &part) : read_component(d, &part))
            return ASIM_EINVAL;
        if (is_link ? ASIM_VEC_PUSH(d->link, part) : ASIM_VEC_PUSH(d->component, part))
            return asim_err_nomem(d->err, "reading InfraGraph");
    }
    return 0;
}

static int check_names(struct device *d, struct part *parts, size_t n)
{
    if (n)
        qsort(parts, n, sizeof *parts, by_name);
    for (size_t i = 1; i < n; i++)
        if (!strcmp(parts[i].name, parts[i - 1].name))
            return fail(d, parts[i].node, "the name '%s' stands twice.", parts[i].name);
    return 0;
}

static struct part *find(struct part *parts, size_t n, const char *name, size_t length)
{
    size_t low = 0, high = n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strncmp(parts[middle].name, name, length);

        if (!order && !parts[middle].name[length])
            return &parts[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* --- edges ------------------------------------------------------------------------------------ */

/* "[2:4]", "[2]", ".2" or "" behind a name; *rest behind it. */
static int read_range(struct end *end, const char *text, const char **rest)
{
    char *at;

    end->from = end->to = 0;
    *rest = text;
    if (!*text)
        return 0;
    if ((*text != '[' && *text != '.') || text[1] < '0' || text[1] > '9')
        return ASIM_EINVAL;
    end->from = strtoull(text + 1, &at, 10);
    end->to = end->from + 1;
    if (*text == '[' && *at == ':' && at[1] >= '0' && at[1] <= '9')
        end->to = strtoull(at + 1, &at, 10);
    if ((*text == '[' && *at++ != ']') || end->to <= end->from || end->to > MOST_PARTS)
        return ASIM_EINVAL;
    *rest = at;
    return 0;
}

static int read_end(struct device *d, const yaml_node_t *at, const char *text, struct end *end,
                    const char **rest)
{
    size_t n = strcspn(text, "[.");

    end->part = find(d->component.at, d->component.n, text, n);
    if (!end->part)
        return fail(d, at, "'%s' names no component of the device.", text);
    if (read_range(end, text + n, rest))
        return fail(d, at, "'%s' is no component with indices, as xpu[0:8] or xpu.0.", text);
    if (end->part->count && end->to > end->part->count)
        return fail(d, at, "'%s' names more parts than the component's count.", text);
    if (end->to > end->part->named)
        end->part->named = end->to;
    return 0;
}

static uint64_t count_of(const struct part *part)
{
    return part->count ? part->count : part->named ? part->named : 1;
}

static uint64_t parts_of(const struct end *end)
{
    return end->to ? end->to - end->from : count_of(end->part);
}

static int is_pci(const char *name)
{
    for (; *name; name++)
        if (!strncasecmp(name, "pci", 3))
            return 1;
    return 0;
}

/* What xpu 0 has beyond PCIe: `links` of them to `other`. */
static void add_links(struct device *d, const struct part *other, double gbytes, uint64_t links)
{
    if (is_pci(other->name) || (other->kind != XPU && other->kind != SWITCH))
        return;
    if (other->kind == SWITCH)
        d->found->scale_up = ASIM_SCALE_UP_NVSWITCH;
    else
        d->peers += links;
    d->nvlink += gbytes * (double)links;
}

/* A link between a and b. Of an edge between xpus each has one to each other. */
static void see_link(struct device *d, const struct end *a, const struct end *b, double gbytes,
                     int is_one_to_one)
{
    if ((a->part->kind == NIC || b->part->kind == NIC) && gbytes > 0 &&
        (d->found->pcie_gbytes <= 0 || gbytes < d->found->pcie_gbytes))
        d->found->pcie_gbytes = gbytes;
    if (a->part->kind == XPU && !a->from)
        add_links(d, b->part, gbytes,
                  is_one_to_one ? 1 : parts_of(b) - (a->part == b->part && !b->from));
    else if (b->part->kind == XPU && !b->from)
        add_links(d, a->part, gbytes, is_one_to_one ? 1 : parts_of(a));
}

static int rate_of(struct device *d, const yaml_node_t *at, const char *name, size_t n,
                   double *gbytes)
{
    struct part *link = find(d->link.at, d->link.n, name, n);

    if (n && !link)
        return fail(d, at, "'%s' names no link of the device.", name);
    *gbytes = link ? link->gbytes : 0;
    return 0;
}

static int read_edge(struct device *d, const yaml_node_t *edge, int is_counting)
{
    const char *link = asim_yaml_text(get(d, edge, "link")), *rest;
    const char *one = asim_yaml_text(get(d, get(d, edge, "ep1"), "component"));
    const char *two = asim_yaml_text(get(d, get(d, edge, "ep2"), "component"));
    struct end a, b;
    double gbytes = 0;

    if (read_end(d, edge, one, &a, &rest) || read_end(d, edge, two, &b, &rest) ||
        rate_of(d, edge, link, strlen(link), &gbytes))
        return ASIM_EINVAL;
    if (!is_counting)
        see_link(d, &a, &b, gbytes, !strcmp(asim_yaml_text(get(d, edge, "scheme")), "one2one"));
    return 0;
}

/* "xpu.0.LINK.sw.0". */
static int read_connection(struct device *d, const yaml_node_t *node, int is_counting)
{
    const char *text = asim_yaml_text(node), *link, *rest;
    struct end a, b;
    size_t n;
    double gbytes = 0;

    if (read_end(d, node, text, &a, &link))
        return ASIM_EINVAL;
    n = *link == '.' ? strcspn(link + 1, ".") : 0;
    if (!n || !link[1 + n])
        return fail(d, node, "the connection '%s' is no \"xpu.0.LINK.sw.0\".", text);
    if (read_end(d, node, link + 2 + n, &b, &rest) || rate_of(d, node, link + 1, n, &gbytes))
        return ASIM_EINVAL;
    if (*rest)
        return fail(d, node, "the connection '%s' is no \"xpu.0.LINK.sw.0\".", text);
    if (!is_counting)
        see_link(d, &a, &b, gbytes, 1);
    return 0;
}

/* A first pass finds the counts that nothing states. */
static int read_joints(struct device *d, const yaml_node_t *root, int is_counting)
{
    const yaml_node_t *edges = get(d, root, "edges"), *connections = get(d, root, "connections");
    const yaml_node_t *node;
    int code = 0;

    for (size_t i = 0; !code && (node = asim_yaml_item(d->document, edges, i)) != NULL; i++)
        code = read_edge(d, node, is_counting);
    for (size_t i = 0; !code && (node = asim_yaml_item(d->document, connections, i)) != NULL; i++)
        code = read_connection(d, node, is_counting);
    return code;
}

/* --- the device ------------------------------------------------------------------------------- */

static int settle(struct device *d, const yaml_node_t *root)
{
    struct asim_import_host *found = d->found;
    uint64_t count[SWITCH + 1] = {0};

    for (size_t i = 0; i < d->component.n; i++) {
        const struct part *part = &d->component.at[i];

        if ((part->kind == XPU || part->kind == NIC) && !part->count && !part->named)
            return fail(d, part->node,
                        "the component '%s' has no count, and no edge or connection names its "
                        "parts, as xpu[0:8] or xpu.0 would.",
                        part->name);
        count[part->kind] += count_of(part);
    }
    if (count[XPU] > MOST_GPUS || count[NIC] > MOST_GPUS)
        return fail(d, root, "a host of %s xpus or NICs; expected at most 1024.", "more than 1024");
    found->gpus = (uint32_t)count[XPU];
    found->nics = (uint32_t)count[NIC];
    if (found->scale_up < 0 && d->peers && d->peers + 1 == found->gpus)
        found->scale_up = ASIM_SCALE_UP_MESH;
    else if (found->scale_up < 0 && d->peers)
        return fail(d, root,
                    "its xpus are joined in part (%s has no link to some); expected a "
                    "switch, or a link from each to each other.",
                    "xpu 0");
    if (found->scale_up >= 0)
        found->nvlink_gbytes = d->nvlink;
    return 0;
}

static int has_xpu(const struct device *d)
{
    size_t i = 0;

    while (i < d->component.n && d->component.at[i].kind != XPU)
        i++;
    return i < d->component.n;
}

static int read_device(struct device *d, const yaml_node_t *root)
{
    d->component.n = d->link.n = 0;
    if (read_parts(d, get(d, root, "components"), 0) || read_parts(d, get(d, root, "links"), 1) ||
        check_names(d, d->component.at, d->component.n) || check_names(d, d->link.at, d->link.n))
        return ASIM_EINVAL;
    if (!has_xpu(d))
        return 0;
    return read_joints(d, root, 1) || read_joints(d, root, 0) || settle(d, root) ? ASIM_EINVAL : 0;
}

/* The first device with an xpu; the fabric around it is a topology. */
static int read_root(struct device *d)
{
    const yaml_node_t *root = yaml_document_get_root_node(d->document), *device;
    const yaml_node_t *inside = get(d, root, "infrastructure");
    const yaml_node_t *devices = get(d, inside ? inside : root, "devices");
    int code = 0;

    if (!devices)
        return read_device(d, root);
    for (size_t i = 0;
         !code && !d->found->gpus && (device = asim_yaml_item(d->document, devices, i)) != NULL;
         i++)
        code = read_device(d, device);
    if (!code && d->found->gpus && get(d, inside ? inside : root, "instances"))
        asim_diagnose(&d->found->notes,
                      "a machine is one device; the instances and the links between them are a "
                      "topology, which --topology takes and 'asim topo convert' writes");
    return code;
}

int asim_import_infragraph(struct asim_import_host *found, const char *path, struct asim_err *err)
{
    yaml_document_t document;
    struct device d = {.document = &document, .path = path, .found = found, .err = err};
    int rc = asim_yaml_read(&document, path, err);

    if (rc)
        return rc;
    rc = read_root(&d);
    free(d.component.at);
    free(d.link.at);
    yaml_document_delete(&document);
    if (!rc && !found->gpus)
        rc = asim_err_at(err, ASIM_EINVAL, (struct asim_where){path, 1, 0},
                         "no device of this file has a component xpu; expected a device of "
                         "InfraGraph with components, links and edges.");
    return rc;
}
