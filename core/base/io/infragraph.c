/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Reads parts of InfraGraph files. Names are found by bisection, so a file of 2 MB takes a moment.
 */
#include "base/io/infragraph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"

int asim_ig_fail(struct asim_ig *ig, const yaml_node_t *node, const char *what, const char *text)
{
    char safe[60], sentence[300];

    asim_text_safe(safe, sizeof safe, text);
    for (size_t i = 0, n = 0; n + 1 < sizeof sentence; i++) {
        if (what[i] == '%' && what[i + 1] == 's') {
            size_t length = strlen(safe);

            length = length < sizeof sentence - 1 - n ? length : sizeof sentence - 1 - n;
            memcpy(sentence + n, safe, length);
            n += length;
            i++;
        } else {
            sentence[n++] = what[i];
        }
        sentence[n] = 0;
        if (!what[i])
            break;
    }
    return asim_err_at(ig->err, ASIM_EINVAL, (struct asim_where){ig->path, asim_yaml_line(node), 0},
                       "%s", sentence);
}

static const yaml_node_t *get(struct asim_ig *ig, const yaml_node_t *map, const char *key)
{
    return asim_yaml_get(ig->document, map, key);
}

int asim_ig_known(struct asim_ig *ig, const yaml_node_t *map)
{
    static const char *const keys[] = {
        "name",      "description", "choice", "type",       "count", "physical",
        "bandwidth", "latency",     "ep1",    "ep2",        "link",  "scheme",
        "component", "instance",    "device", "components", "links", "edges",
        "devices",   "instances",   "custom", "cpu",        "npu",   "nic",
        "port",      "switch",      "memory", "xpu",        "gpu",   "connections"};
    enum { N = sizeof keys / sizeof *keys };

    if (!map || map->type != YAML_MAPPING_NODE)
        return 0;
    for (yaml_node_pair_t *pair = map->data.mapping.pairs.start; pair < map->data.mapping.pairs.top;
         pair++) {
        const yaml_node_t *key = yaml_document_get_node(ig->document, pair->key);
        const char *near = asim_text_nearest(asim_yaml_text(key), keys, N);
        char said[100];

        if (!near || !strcmp(near, asim_yaml_text(key)) || get(ig, map, near))
            continue;
        snprintf(said, sizeof said, "the key '%%s' is not read. Did you mean '%s'?", near);
        return asim_ig_fail(ig, key, said, asim_yaml_text(key));
    }
    return 0;
}

static enum asim_ig_kind kind_of(const char *word)
{
    if (!strcmp(word, "xpu") || !strcmp(word, "npu") || !strcmp(word, "gpu"))
        return ASIM_IG_XPU;
    if (!strcmp(word, "nic"))
        return ASIM_IG_NIC;
    return !strcmp(word, "switch") || !strcmp(word, "custom") ? ASIM_IG_SWITCH : ASIM_IG_OTHER;
}

/* GB/s of "gigabits_per_second", "g_bits_per_second", "giga_bytes_per_second" …; 0 = no such key.
 */
static double rate_unit(const char *key)
{
    static const struct {
        char start;
        double giga;
    } units[] = {{'k', 1e-6}, {'m', 1e-3}, {'g', 1}, {'t', 1e3}};
    int bits = strstr(key, "bits_per_second") != NULL;

    for (size_t i = 0; (bits || strstr(key, "bytes_per_second")) && i < 4; i++)
        if (*key == units[i].start)
            return bits ? units[i].giga / 8 : units[i].giga;
    return 0;
}

/* ns of "ns", "us", "ms" and their long forms; 0 = no such key. */
static double time_unit(const char *key)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"ns", 1},          {"us", 1e3},           {"ms", 1e6},
                 {"nanoseconds", 1}, {"microseconds", 1e3}, {"milliseconds", 1e6}};

    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (!strcmp(key, units[i].name))
            return units[i].ns;
    return 0;
}

static int check_unquoted(struct asim_ig *ig, const yaml_node_t *node)
{
    return node && node->type == YAML_SCALAR_NODE &&
                   node->data.scalar.style != YAML_PLAIN_SCALAR_STYLE
               ? asim_ig_fail(ig, node,
                              "'%s' is a text where a number is expected; write it without "
                              "quotes.",
                              asim_yaml_text(node))
               : 0;
}

/* {choice: UNIT, UNIT: NUMBER}. */
static int read_quantity(struct asim_ig *ig, const yaml_node_t *map, double (*unit)(const char *),
                         double least, double *out)
{
    if (!map)
        return 0;
    if (map->type != YAML_MAPPING_NODE)
        return asim_ig_fail(ig, map,
                            "a rate or latency is {UNIT: NUMBER}, as "
                            "{gigabits_per_second: 400}; found '%s'.",
                            asim_yaml_text(map));
    for (yaml_node_pair_t *pair = map->data.mapping.pairs.start; pair < map->data.mapping.pairs.top;
         pair++) {
        const char *key = asim_yaml_text(yaml_document_get_node(ig->document, pair->key));
        const char *text = asim_yaml_text(yaml_document_get_node(ig->document, pair->value));
        double number;

        if (!strcmp(key, "choice"))
            continue;
        if (strstr(key, "transfers_per_second"))
            return asim_ig_fail(ig, map,
                                "'%s' is the rate of one wire, and nothing tells how many there "
                                "are; give gigabits_per_second.",
                                key);
        if (unit(key) <= 0)
            return asim_ig_fail(ig, map,
                                "'%s' is no unit of it; expected gigabits_per_second, or ns.", key);
        if (check_unquoted(ig, yaml_document_get_node(ig->document, pair->value)))
            return ASIM_EINVAL;
        if (asim_text_double(text, &number) || !(number >= least && number < 1e9))
            return asim_ig_fail(ig, map, "the rate or latency '%s' is no number above 0.", text);
        *out = number * unit(key);
    }
    return 0;
}

static int read_link(struct asim_ig *ig, struct asim_ig_part *link)
{
    const yaml_node_t *physical = get(ig, link->node, "physical");

    if (!physical)
        physical = link->node;
    link->latency_ns = -1;
    return asim_ig_known(ig, physical) ||
                   read_quantity(ig, get(ig, physical, "bandwidth"), rate_unit, 1e-9,
                                 &link->gbytes) ||
                   read_quantity(ig, get(ig, physical, "latency"), time_unit, 0, &link->latency_ns)
               ? ASIM_EINVAL
               : 0;
}

static int read_counted(struct asim_ig *ig, struct asim_ig_part *part)
{
    const yaml_node_t *choice = get(ig, part->node, "choice"),
                      *count = get(ig, part->node, "count");

    static const char *const choices[] = {"custom", "device", "cpu",    "npu", "nic",
                                          "memory", "port",   "switch", "xpu", "gpu"};
    enum { N = sizeof choices / sizeof *choices };
    const char *near = choice ? asim_text_nearest(asim_yaml_text(choice), choices, N) : NULL;

    if (near && strcmp(near, asim_yaml_text(choice)) != 0)
        return asim_ig_fail(ig, choice,
                            "the choice '%s' is none of custom, device, cpu, npu, nic, memory, "
                            "port, switch.",
                            asim_yaml_text(choice));
    part->kind = kind_of(asim_yaml_text(choice ? choice : get(ig, part->node, "type")));
    if (check_unquoted(ig, count))
        return ASIM_EINVAL;
    if (count && (asim_text_u64(asim_yaml_text(count), &part->count) || !part->count ||
                  part->count > ASIM_IG_MOST))
        return asim_ig_fail(ig, count, "the count '%s' is no whole number from 1 to 1048576.",
                            asim_yaml_text(count));
    return 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct asim_ig_part *)a)->name, ((const struct asim_ig_part *)b)->name);
}

int asim_ig_read(struct asim_ig *ig, const yaml_node_t *list, enum asim_ig_list what,
                 struct asim_ig_parts *parts)
{
    static const char *const nouns[] = {"component", "link", "instance"};
    const yaml_node_t *node;

    for (size_t i = 0; (node = asim_yaml_item(ig->document, list, i)) != NULL; i++) {
        struct asim_ig_part part = {
            .name = asim_yaml_text(get(ig, node, "name")), .node = node, .order = i};

        if (!*part.name)
            return asim_ig_fail(ig, node, "a %s without a name.", nouns[what]);
        if (asim_ig_known(ig, node))
            return ASIM_EINVAL;
        if (what == ASIM_IG_LINKS ? read_link(ig, &part) : read_counted(ig, &part))
            return ASIM_EINVAL;
        if (ASIM_VEC_PUSH(parts->part, part))
            return asim_err_nomem(ig->err, "reading InfraGraph");
    }
    if (parts->part.n)
        qsort(parts->part.at, parts->part.n, sizeof *parts->part.at, by_name);
    for (size_t i = 1; i < parts->part.n; i++)
        if (!strcmp(parts->part.at[i].name, parts->part.at[i - 1].name))
            return asim_ig_fail(ig, parts->part.at[i].node, "the name '%s' stands twice.",
                                parts->part.at[i].name);
    return 0;
}

struct asim_ig_part *asim_ig_find(const struct asim_ig_parts *parts, const char *name, size_t n)
{
    size_t low = 0, high = parts->part.n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strncmp(parts->part.at[middle].name, name, n);

        if (!order && !parts->part.at[middle].name[n])
            return &parts->part.at[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* "[2:4]", "[2]", ".2" or "" behind a name; *rest behind it. */
static int read_range(struct asim_ig_end *end, const char *text, const char **rest)
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
    if ((*text == '[' && *at++ != ']') || end->to <= end->from || end->to > ASIM_IG_MOST)
        return ASIM_EINVAL;
    *rest = at;
    return 0;
}

int asim_ig_end(struct asim_ig *ig, const yaml_node_t *at, const char *text,
                const struct asim_ig_parts *parts, struct asim_ig_end *end, const char **rest)
{
    size_t n = strcspn(text, "[.");

    end->part = asim_ig_find(parts, text, n);
    if (!end->part)
        return asim_ig_fail(ig, at, "'%s' names no component or instance.", text);
    if (read_range(end, text + n, rest))
        return asim_ig_fail(ig, at, "'%s' is no name with indices, as xpu[0:8] or xpu.0.", text);
    if (end->part->count && end->to > end->part->count)
        return asim_ig_fail(ig, at, "'%s' names more parts than the count says.", text);
    if (end->to > end->part->named)
        end->part->named = end->to;
    return 0;
}

uint64_t asim_ig_count(const struct asim_ig_part *part)
{
    return part->count ? part->count : part->named ? part->named : 1;
}

uint64_t asim_ig_size(const struct asim_ig_end *end)
{
    return end->to ? end->to - end->from : asim_ig_count(end->part);
}

int asim_ig_link(struct asim_ig *ig, const yaml_node_t *at, const char *name, size_t n,
                 const struct asim_ig_parts *links, const struct asim_ig_part **link)
{
    *link = asim_ig_find(links, name, n);
    return n && !*link ? asim_ig_fail(ig, at, "'%s' names no link.", name) : 0;
}

int asim_ig_scheme(struct asim_ig *ig, const yaml_node_t *edge, int *is_one_to_one)
{
    const char *scheme = asim_yaml_text(get(ig, edge, "scheme"));

    if (asim_ig_known(ig, edge) || asim_ig_known(ig, get(ig, edge, "ep1")) ||
        asim_ig_known(ig, get(ig, edge, "ep2")))
        return ASIM_EINVAL;
    *is_one_to_one = !strcmp(scheme, "one2one");
    return *is_one_to_one || !*scheme || !strcmp(scheme, "many2many")
               ? 0
               : asim_ig_fail(ig, edge,
                              "the scheme '%s' of an edge is not read; one2one and "
                              "many2many are.",
                              scheme);
}

static int read_edge(struct asim_ig *ig, const struct asim_ig_device *d, const yaml_node_t *edge,
                     struct asim_ig_joint *joint)
{
    const char *link = asim_yaml_text(get(ig, edge, "link")), *rest;
    const char *one = asim_yaml_text(get(ig, get(ig, edge, "ep1"), "component"));
    const char *two = asim_yaml_text(get(ig, get(ig, edge, "ep2"), "component"));

    return asim_ig_scheme(ig, edge, &joint->is_one_to_one) ||
                   asim_ig_end(ig, edge, one, &d->components, &joint->a, &rest) ||
                   asim_ig_end(ig, edge, two, &d->components, &joint->b, &rest) ||
                   asim_ig_link(ig, edge, link, strlen(link), &d->links, &joint->link)
               ? ASIM_EINVAL
               : 0;
}

/* "xpu.0.LINK.sw.0". */
static int read_connection(struct asim_ig *ig, const struct asim_ig_device *d,
                           const yaml_node_t *node, struct asim_ig_joint *joint)
{
    const char *text = asim_yaml_text(node), *link, *rest = "";
    size_t n;

    joint->is_one_to_one = 1;
    if (asim_ig_end(ig, node, text, &d->components, &joint->a, &link))
        return ASIM_EINVAL;
    n = *link == '.' ? strcspn(link + 1, ".") : 0;
    if (n && link[1 + n] &&
        (asim_ig_end(ig, node, link + 2 + n, &d->components, &joint->b, &rest) ||
         asim_ig_link(ig, node, link + 1, n, &d->links, &joint->link)))
        return ASIM_EINVAL;
    if (!n || !link[1 + n] || *rest)
        return asim_ig_fail(ig, node, "the connection '%s' is no \"xpu.0.LINK.sw.0\".", text);
    return 0;
}

int asim_ig_joints(struct asim_ig *ig, const yaml_node_t *root, const struct asim_ig_device *device,
                   int (*see)(void *self, const struct asim_ig_joint *joint), void *self)
{
    const yaml_node_t *lists[] = {get(ig, root, "edges"), get(ig, root, "connections")};
    struct asim_ig_joint joint;
    int code = 0;

    for (int list = 0; list < 2; list++)
        for (size_t i = 0;
             !code && (joint.at = asim_yaml_item(ig->document, lists[list], i)) != NULL; i++) {
            code = list ? read_connection(ig, device, joint.at, &joint)
                        : read_edge(ig, device, joint.at, &joint);
            if (!code && see)
                code = see(self, &joint);
        }
    return code;
}

/* A first pass finds the counts that nothing states. */
int asim_ig_device(struct asim_ig *ig, const yaml_node_t *root, struct asim_ig_device *device)
{
    *device = (struct asim_ig_device){0};
    return asim_ig_known(ig, root) ||
                   asim_ig_read(ig, get(ig, root, "components"), ASIM_IG_COMPONENTS,
                                &device->components) ||
                   asim_ig_read(ig, get(ig, root, "links"), ASIM_IG_LINKS, &device->links) ||
                   asim_ig_joints(ig, root, device, NULL, NULL)
               ? ASIM_EINVAL
               : 0;
}

void asim_ig_device_fini(struct asim_ig_device *device)
{
    ASIM_FREE(device->components.part.at, device->links.part.at);
    *device = (struct asim_ig_device){0};
}
