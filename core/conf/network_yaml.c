/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The network of the analytical backends, through libyaml (analytical.md#network-file):
 *
 *     topology: [ Ring, Switch ]
 *     npus_count: [ 4, 2 ]
 *     bandwidth: [ 100.0, 50.0 ]   # GB/s of 2^30 bytes
 *     latency: [ 300.0, 1000.0 ]   # ns per hop
 *
 * The reader checks every value and reports each fault with its line; ASTRA-sim ends with an exit
 * code only. An unknown key is an error; ASTRA-sim ignores it.
 *
 * Each list has one entry per dimension; dimension 0 is the innermost. The result owns no memory.
 */
#include "asim/net.h"

#include <stdio.h>
#include <string.h>
#include "base/text.h"
#include "base/io/yaml.h"
#include "base/io/foreign.h"

/* One file being read; all borrowed. Indices of lines and counts are those of keys[]. */
struct reading {
    struct asim_netshape *shape;
    yaml_document_t *doc;
    const char *path;
    struct asim_err *err;
    unsigned lines[4]; /* where each key stands, 0 = not there */
    size_t counts[4];
};

static const char *const topologies[] = {"Ring", "FullyConnected", "Switch"};
static const char *const keys[] = {"topology", "npus_count", "bandwidth", "latency"};

/* "?" outside the enum, so that a message can always be printed. */
const char *asim_net_topology_name(int topology)
{
    return topology >= 0 && topology < 3 ? topologies[topology] : "?";
}

/* libyaml counts from 0, editors from 1. */
static struct asim_where where(const struct reading *in, const yaml_node_t *node)
{
    return (struct asim_where){in->path, (unsigned)node->start_mark.line + 1,
                               (unsigned)node->start_mark.column + 1};
}

/* The scalar's text; NULL for anything else, or where it has a NUL inside.
 * Numbers are scalars, too: YAML's own types are not used, so 8 and "8" mean the same. */
static const char *scalar(const yaml_node_t *node)
{
    const char *text;

    if (!node || node->type != YAML_SCALAR_NODE)
        return NULL;
    text = (const char *)node->data.scalar.value;
    return strlen(text) == node->data.scalar.length ? text : NULL;
}

/* The four setters take one entry; 0 or ASIM_EINVAL, the sentence is made by read_list. */
static int set_topology(struct asim_netdim *dim, const char *text)
{
    for (int t = 0; t < 3; t++)
        if (!strcmp(topologies[t], text)) {
            dim->topology = t;
            return 0;
        }
    return ASIM_EINVAL;
}

/* A dimension of one rank is refused as in ASTRA-sim: it would make every hop count 0. */
static int set_npus(struct asim_netdim *dim, const char *text)
{
    uint64_t n;

    if (asim_text_u64(text, &n) || n < 2 || n > UINT32_MAX)
        return ASIM_EINVAL;
    dim->npus = (uint32_t)n;
    return 0;
}

/* Above 0, or nothing would ever arrive. */
static int set_bandwidth(struct asim_netdim *dim, const char *text)
{
    return asim_text_double(text, &dim->bandwidth_gbps) || dim->bandwidth_gbps <= 0 ? ASIM_EINVAL
                                                                                    : 0;
}

/* 0 is fine: then a message takes its bytes only. */
static int set_latency(struct asim_netdim *dim, const char *text)
{
    return asim_text_double(text, &dim->latency_ns) || dim->latency_ns < 0 ? ASIM_EINVAL : 0;
}

/* What an entry of each key must be, and how it is taken. */
static const struct {
    int (*set)(struct asim_netdim *dim, const char *text);
    const char *wanted;
} rows[] = {
    {set_topology, "Ring, FullyConnected or Switch"},
    {set_npus, "a whole number of ranks, 2 or more"},
    {set_bandwidth, "GB/s (of 2^30 bytes), above 0"},
    {set_latency, "ns per hop, 0 or more"},
};

/* check() compares the lengths of the lists. */
static int read_list(struct reading *in, int key, const yaml_node_t *list)
{
    if (list->type != YAML_SEQUENCE_NODE)
        return asim_err_at(in->err, ASIM_EINVAL, where(in, list),
                           "\"%s\" is not a list; expected one entry per dimension, such as "
                           "%s: [ %s ].",
                           keys[key], keys[key], key ? key == 1 ? "8" : "50.0" : "Ring");
    for (yaml_node_item_t *at = list->data.sequence.items.start; at < list->data.sequence.items.top;
         at++) {
        const yaml_node_t *node = yaml_document_get_node(in->doc, *at);
        const char *text = scalar(node);
        char safe[80];

        if (in->counts[key] == ASIM_DIMS)
            return asim_err_at(in->err, ASIM_ENOMEM, where(in, node ? node : list),
                               "\"%s\" has more than %d entries; that many dimensions are not "
                               "possible.",
                               keys[key], ASIM_DIMS);
        if (!text || rows[key].set(&in->shape->at[in->counts[key]], text))
            return asim_err_at(in->err, ASIM_EINVAL, where(in, node ? node : list),
                               "entry %zu of \"%s\" is '%s'; expected %s.", in->counts[key] + 1,
                               keys[key],
                               text ? asim_text_safe(safe, sizeof safe, text) : "not a single word",
                               rows[key].wanted);
        in->counts[key]++;
    }
    return 0;
}

static int read_pair(struct reading *in, const yaml_node_pair_t *pair)
{
    const yaml_node_t *key = yaml_document_get_node(in->doc, pair->key);
    const yaml_node_t *value = yaml_document_get_node(in->doc, pair->value);
    const char *name = scalar(key);
    char safe[80], hint[160];

    for (int k = 0; name && k < 4; k++) {
        if (strcmp(keys[k], name) != 0)
            continue;
        in->lines[k] = where(in, key).line;
        return read_list(in, k, value);
    }
    return asim_err_at(
        in->err, ASIM_EINVAL, where(in, key),
        "unknown key '%s'.%s Expected topology, npus_count, bandwidth and latency.",
        name ? asim_text_safe(safe, sizeof safe, name) : "",
        asim_text_hint(hint, sizeof hint, asim_text_nearest(name ? name : "", keys, 4)));
}

/* Checks the four lists together; each fault has the line of its key. */
static int check(struct reading *in)
{
    struct asim_where at = {in->path, 0, 0};
    uint64_t product = 1;

    for (int k = 0; k < 4; k++) {
        at.line = in->lines[k];
        if (!in->lines[k])
            return asim_err_at(in->err, ASIM_EINVAL, at,
                               "key \"%s\" is missing; expected topology, npus_count, bandwidth "
                               "and latency.",
                               keys[k]);
        if (!in->counts[k] || in->counts[k] != in->counts[0])
            return asim_err_at(in->err, ASIM_EINVAL, at,
                               "\"%s\" has %zu entries, \"topology\" %zu; each needs one per "
                               "dimension.",
                               keys[k], in->counts[k], in->counts[0]);
    }
    in->shape->n = in->counts[0];
    at.line = in->lines[1];
    for (size_t d = 0; d < in->shape->n; d++) {
        product *= in->shape->at[d].npus; /* both factors are below 2^32 */
        if (product > UINT32_MAX)
            return asim_err_at(in->err, ASIM_ENOMEM, at,
                               "the product of \"npus_count\" passes 2^32 ranks.");
    }
    return 0;
}

/* An empty file is no mapping either, and gets the same sentence. */
static int read_document(struct reading *in)
{
    yaml_node_t *root = yaml_document_get_root_node(in->doc);

    if (!root || root->type != YAML_MAPPING_NODE)
        return asim_err_at(in->err, ASIM_EINVAL, (struct asim_where){in->path, 1, 0},
                           "the file holds no settings; expected topology, npus_count, bandwidth "
                           "and latency, each a list with one entry per dimension.");
    for (yaml_node_pair_t *pair = root->data.mapping.pairs.start;
         pair < root->data.mapping.pairs.top; pair++)
        if (read_pair(in, pair))
            return ASIM_EINVAL;
    return check(in);
}

int asim_netshape_read(struct asim_netshape *shape, const char *path, struct asim_err *err)
{
    yaml_document_t doc;
    struct reading in = {.shape = shape, .path = path, .err = err, .doc = &doc};
    int code;

    memset(shape, 0, sizeof *shape);
    code = asim_yaml_read(&doc, path, err);
    if (!code) {
        code = read_document(&in);
        yaml_document_delete(&doc);
    }
    return asim_foreign_instead(code, path, "a network of", err);
}

/* Units of other files: bytes/s or bit/s instead of GB/s, seconds instead of ns. */
int asim_netshape_is_doubtful(const struct asim_netshape *shape, size_t d, char *buf, size_t size)
{
    const struct asim_netdim *dim = &shape->at[d];

    if (dim->bandwidth_gbps < 1e-3 || dim->bandwidth_gbps > 1e5)
        snprintf(buf, size,
                 "the bandwidth of dimension %zu is %g; the unit is GB/s of 2^30 bytes (400 Gb/s "
                 "are 46.6)",
                 d + 1, dim->bandwidth_gbps);
    else if ((dim->latency_ns > 0 && dim->latency_ns < 1) || dim->latency_ns > 1e8)
        snprintf(buf, size, "the latency of dimension %zu is %g; the unit is ns per hop", d + 1,
                 dim->latency_ns);
    else
        return 0;
    return 1;
}
