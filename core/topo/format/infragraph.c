/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Fabrics of InfraGraph (rdma-network.md#infragraph-fabrics): devices, instances of them, and
 * edges between components of instances. Rank r is the r-th xpu in the order of instances. A NIC
 * with one link to an xpu is that xpu's port: the link behind it has the lower of the two rates and
 * the sum of the latencies. Other parts of a device with xpus are switches, those beside PCIe
 * NVSwitches; an instance of a device without xpus is one switch. The format is read only.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "topo/parts.h"

/* Where the file has no latency: a cable with its two ports, and one inside a host. ns. */
static const double usual_ns = 500, inside_ns = 250;

struct span { /* what one end of an edge names */
    uint64_t base, stride, copies_from, first, from, n;
};

static const yaml_node_t *get(struct asim_parts_reader *r, const yaml_node_t *map, const char *key)
{
    return asim_yaml_get(r->ig.document, map, key);
}

static int nomem(struct asim_parts_reader *r)
{
    return asim_err_nomem(r->ig.err, "reading a fabric");
}

/* --- devices and instances -------------------------------------------------------------------- */

static int read_models(struct asim_parts_reader *r)
{
    r->model = calloc(r->devices.part.n + 1, sizeof *r->model);
    if (!r->model)
        return nomem(r);
    for (size_t d = 0; d < r->devices.part.n; d++) {
        struct asim_parts_model *model = &r->model[d];
        size_t n;

        model->node = r->devices.part.at[d].node;
        if (asim_ig_device(&r->ig, model->node, &model->parts))
            return ASIM_EINVAL;
        n = model->parts.components.part.n;
        model->first = calloc(n + 1, sizeof *model->first);
        if (!model->first)
            return nomem(r);
        for (size_t i = 0; i < n; i++)
            model->has_xpu |= model->parts.components.part.at[i].kind == ASIM_IG_XPU;
    }
    for (size_t i = 0; i < r->instances.part.n; i++)
        if (!asim_parts_model_of(r, &r->instances.part.at[i]))
            return asim_ig_fail(&r->ig, r->instances.part.at[i].node,
                                "the instance '%s' is of no device of the file.",
                                r->instances.part.at[i].name);
    return 0;
}

/* --- edges between instances ------------------------------------------------------------------ */

struct far_end {
    struct asim_ig_end instance, component;
    const struct asim_parts_model *model;
};

static int read_far(struct asim_parts_reader *r, const yaml_node_t *at, const char *instance,
                    const char *component, struct far_end *end, const char **rest)
{
    const char *behind;

    if (asim_ig_end(&r->ig, at, instance, &r->instances, &end->instance, &behind))
        return ASIM_EINVAL;
    end->model = asim_parts_model_of(r, end->instance.part);
    return asim_ig_end(&r->ig, at, component ? component : behind + (*behind == '.'),
                       &end->model->parts.components, &end->component, rest);
}

struct far_edge {
    struct far_end a, b;
    const struct asim_ig_part *link;
    int is_one_to_one;
};

static int read_far_edge(struct asim_parts_reader *r, const yaml_node_t *at, struct far_edge *edge)
{
    const yaml_node_t *ep1 = get(r, at, "ep1"), *ep2 = get(r, at, "ep2");
    const char *link = asim_yaml_text(get(r, at, "link")), *rest;

    return asim_ig_scheme(&r->ig, at, &edge->is_one_to_one) ||
                   read_far(r, at, asim_yaml_text(get(r, ep1, "instance")),
                            asim_yaml_text(get(r, ep1, "component")), &edge->a, &rest) ||
                   read_far(r, at, asim_yaml_text(get(r, ep2, "instance")),
                            asim_yaml_text(get(r, ep2, "component")), &edge->b, &rest) ||
                   asim_ig_link(&r->ig, at, link, strlen(link), &r->links, &edge->link)
               ? ASIM_EINVAL
               : 0;
}

/* "host.0.nic.0.LINK.leaf.0.port.0". */
static int read_far_connection(struct asim_parts_reader *r, const yaml_node_t *at,
                               struct far_edge *edge)
{
    const char *text = asim_yaml_text(at), *link, *rest = "";
    size_t n;

    edge->is_one_to_one = 1;
    if (read_far(r, at, text, NULL, &edge->a, &link))
        return ASIM_EINVAL;
    n = *link == '.' ? strcspn(link + 1, ".") : 0;
    if (n && link[1 + n] &&
        (read_far(r, at, link + 2 + n, NULL, &edge->b, &rest) ||
         asim_ig_link(&r->ig, at, link + 1, n, &r->links, &edge->link)))
        return ASIM_EINVAL;
    if (!n || !link[1 + n] || *rest)
        return asim_ig_fail(&r->ig, at,
                            "the connection '%s' is no \"host.0.nic.0.LINK.leaf.0.port.0\".", text);
    return 0;
}

/* --- pairs ------------------------------------------------------------------------------------ */

static uint64_t part_at(const struct span *span, uint64_t i)
{
    return span->base + (span->copies_from + i / span->n) * span->stride + span->first +
           span->from + i % span->n;
}

/* A link inside a device: what the parts have. */
static void count_pair(struct asim_parts_reader *r, uint64_t p, uint64_t q,
                       const struct asim_ig_part *link, const enum asim_ig_kind *kind)
{
    struct asim_parts_part *part = &r->part[p];

    part->links++;
    if (kind[0] != ASIM_IG_NIC || kind[1] != ASIM_IG_XPU)
        return;
    part->port = q + 1;
    part->gbytes = link ? link->gbytes : 0;
    part->latency_ns = link && link->latency_ns > 0 ? link->latency_ns : 0;
}

static int link_pair(struct asim_parts_reader *r, const yaml_node_t *at, uint64_t p, uint64_t q,
                     const struct asim_ig_part *link)
{
    const uint64_t ends[2] = {p, q};
    double gbytes = link ? link->gbytes : 0, ns = link ? link->latency_ns : -1;
    uint32_t node[2];

    if (r->inside && (asim_parts_is_port(&r->part[p]) || asim_parts_is_port(&r->part[q])))
        return 0; /* the xpu's own */
    if (ns < 0)
        ns = r->inside ? inside_ns : usual_ns;
    for (int i = 0; i < 2; i++) {
        const struct asim_parts_part *part = &r->part[ends[i]];

        node[i] = part->node;
        if (node[i] == ASIM_PARTS_NONE && !asim_parts_is_port(part))
            return asim_ig_fail(&r->ig, at, "an end of this edge has no edge inside its %s.",
                                "device");
        if (!asim_parts_is_port(part))
            continue;
        node[i] = r->part[part->port - 1].node;
        gbytes = part->gbytes > 0 ? fmin(gbytes, part->gbytes) : gbytes;
        ns += part->latency_ns;
    }
    if (gbytes <= 0)
        return asim_ig_fail(&r->ig, at, "the link '%s' has no bandwidth.",
                            link ? link->name : "(none)");
    if (node[0] == node[1])
        return asim_ig_fail(&r->ig, at, "the link '%s' joins a part to itself.",
                            link ? link->name : "(none)");
    return asim_topo_link(r->topo,
                          &(struct asim_link){.a = node[0],
                                              .b = node[1],
                                              .rate_bps = (uint64_t)llround(gbytes * 8e9),
                                              .delay_fs = (uint64_t)llround(ns * 1e6)},
                          r->ig.err);
}

/* The parts of an edge, one with one or each with each; of a component with itself each pair once.
 */
struct pairs {
    const yaml_node_t *at;
    struct span a, b;
    uint64_t n_a, n_b;
    const struct asim_ig_part *link;
    enum asim_ig_kind kind[2];
    int is_one_to_one;
};

static int see_pair(struct asim_parts_reader *r, const struct pairs *e, uint64_t i, uint64_t k)
{
    uint64_t p = part_at(&e->a, i), q = part_at(&e->b, k);
    const enum asim_ig_kind back[2] = {e->kind[1], e->kind[0]};

    if (p == q)
        return 0;
    if (++r->pairs > 2 * ASIM_BUILD_MAX_LINKS)
        return asim_ig_fail(&r->ig, e->at, "with this edge the fabric has more than %s links.",
                            "67108864");
    if (r->is_linking)
        return link_pair(r, e->at, p, q, e->link);
    if (r->inside) {
        count_pair(r, p, q, e->link, e->kind);
        count_pair(r, q, p, e->link, back);
    }
    return 0;
}

static int each_pair(struct asim_parts_reader *r, const struct pairs *e)
{
    int is_same = !memcmp(&e->a, &e->b, sizeof e->a), code = 0;

    if (e->is_one_to_one && e->n_a != e->n_b)
        return asim_ig_fail(&r->ig, e->at,
                            "the ends of this %s edge have different numbers of "
                            "parts.",
                            "one2one");
    for (uint64_t i = 0; i < e->n_a && !code; i++) {
        uint64_t from = e->is_one_to_one ? i : is_same ? i + 1 : 0;
        uint64_t to = e->is_one_to_one ? i + 1 : e->n_b;

        for (uint64_t k = from; k < to && !code; k++)
            code = see_pair(r, e, i, k);
    }
    return code;
}

static int join_inside(void *self, const struct asim_ig_joint *joint)
{
    struct asim_parts_reader *r = self;
    const struct asim_ig_part *parts = r->inside->parts.components.part.at;
    const struct pairs e = {.at = joint->at,
                            .a = {.base = r->base,
                                  .first = r->inside->first[joint->a.part - parts],
                                  .from = joint->a.from,
                                  .n = asim_ig_size(&joint->a)},
                            .b = {.base = r->base,
                                  .first = r->inside->first[joint->b.part - parts],
                                  .from = joint->b.from,
                                  .n = asim_ig_size(&joint->b)},
                            .n_a = asim_ig_size(&joint->a),
                            .n_b = asim_ig_size(&joint->b),
                            .link = joint->link,
                            .kind = {joint->a.part->kind, joint->b.part->kind},
                            .is_one_to_one = joint->is_one_to_one};

    return each_pair(r, &e);
}

static struct span span_of(const struct asim_parts_reader *r, const struct far_end *end)
{
    return (struct span){
        .base = r->first[end->instance.part - r->instances.part.at],
        .stride = end->model->size,
        .copies_from = end->instance.from,
        .first = end->model->first[end->component.part - end->model->parts.components.part.at],
        .from = end->component.from,
        .n = asim_ig_size(&end->component)};
}

static int join_far(struct asim_parts_reader *r, const yaml_node_t *at, const struct far_edge *edge)
{
    const struct pairs e = {
        .at = at,
        .a = span_of(r, &edge->a),
        .b = span_of(r, &edge->b),
        .n_a = asim_ig_size(&edge->a.instance) * asim_ig_size(&edge->a.component),
        .n_b = asim_ig_size(&edge->b.instance) * asim_ig_size(&edge->b.component),
        .link = edge->link,
        .kind = {edge->a.component.part->kind, edge->b.component.part->kind},
        .is_one_to_one = edge->is_one_to_one};

    return each_pair(r, &e);
}

/* mode 0: only finds counts. */
static int each_far(struct asim_parts_reader *r, const yaml_node_t *root, int is_joining)
{
    const yaml_node_t *lists[] = {get(r, root, "edges"), get(r, root, "connections")}, *at;
    struct far_edge edge;
    int code = 0;

    for (int list = 0; list < 2; list++)
        for (size_t i = 0; !code && (at = asim_yaml_item(r->ig.document, lists[list], i)) != NULL;
             i++) {
            code = list ? read_far_connection(r, at, &edge) : read_far_edge(r, at, &edge);
            if (!code && is_joining)
                code = join_far(r, at, &edge);
        }
    return code;
}

static int each_inside(struct asim_parts_reader *r)
{
    int code = 0;

    for (size_t o = 0; o < r->instances.part.n && !code; o++) {
        const struct asim_ig_part *instance = &r->instances.part.at[r->in_order[o]];

        r->inside = asim_parts_model_of(r, instance);
        r->base = r->first[r->in_order[o]];
        for (uint64_t c = 0; r->inside->has_xpu && c < asim_ig_count(instance) && !code; c++) {
            code = asim_ig_joints(&r->ig, r->inside->node, &r->inside->parts, join_inside, r);
            r->base += r->inside->size;
        }
    }
    r->inside = NULL;
    return code;
}

static int read_fabric(struct asim_parts_reader *r, const yaml_node_t *root)
{
    if (asim_ig_known(&r->ig, root) ||
        asim_ig_read(&r->ig, get(r, root, "devices"), ASIM_IG_INSTANCES, &r->devices) ||
        asim_ig_read(&r->ig, get(r, root, "links"), ASIM_IG_LINKS, &r->links) ||
        asim_ig_read(&r->ig, get(r, root, "instances"), ASIM_IG_INSTANCES, &r->instances) ||
        read_models(r) || each_far(r, root, 0) || asim_parts_number(r) || each_inside(r))
        return ASIM_EINVAL;
    asim_parts_nodes(r);
    if (!r->hosts)
        return asim_ig_fail(&r->ig, root, "no instance has a %s, so the fabric has no rank.",
                            "xpu");
    if (asim_topo_nodes(r->topo, r->nodes, r->ig.err))
        return ASIM_ENOMEM;
    r->topo->gpus_per_server = asim_parts_nodes(r);
    r->is_linking = 1;
    r->pairs = 0;
    return each_inside(r) || each_far(r, root, 1) ? ASIM_EINVAL : 0;
}

static void free_all(struct asim_parts_reader *r)
{
    for (size_t d = 0; r->model && d < r->devices.part.n; d++) {
        asim_ig_device_fini(&r->model[d].parts);
        free(r->model[d].first);
    }
    ASIM_FREE(r->model, r->devices.part.at, r->instances.part.at, r->links.part.at, r->in_order,
              r->first, r->part);
}

/* --- the format ------------------------------------------------------------------------------- */

/* A text with a key "instances" or "devices" at the start of a line, or JSON with one. */
static int sniff(const char *data, size_t size)
{
    static const char *const keys[] = {"instances:", "devices:", "\"instances\":", "\"devices\":"};
    size_t head = size < 1 << 16 ? size : 1 << 16;

    for (size_t i = 0; i < head; i++) {
        if (i && data[i - 1] != '\n' && data[i - 1] != ' ' && data[i - 1] != '{' &&
            data[i - 1] != ',')
            continue;
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
            size_t n = strlen(keys[k]);

            if (size - i >= n && !memcmp(data + i, keys[k], n))
                return 1;
        }
    }
    return 0;
}

static int read_file(struct asim_topo *topo, struct asim_src *src, struct asim_err *err)
{
    yaml_document_t document;
    struct asim_parts_reader r = {.ig = {&document, src->name, err}, .topo = topo};
    const yaml_node_t *root, *inside;
    int rc = asim_yaml_read_src(&document, src, err);

    if (rc)
        return rc;
    root = yaml_document_get_root_node(&document);
    inside = get(&r, root, "infrastructure");
    root = inside ? inside : root;
    if (get(&r, root, "instances"))
        rc = read_fabric(&r, root);
    else
        rc = asim_ig_fail(&r.ig, root,
                          "this InfraGraph has no %s, so it is no fabric; 'asim machine import' "
                          "makes a machine of a device.",
                          "instances");
    free_all(&r);
    yaml_document_delete(&document);
    return rc;
}

static int write_file(const struct asim_topo *topo, const char *path, struct asim_err *err)
{
    (void)topo;
    return asim_err_set(err, ASIM_EUSAGE,
                        "%s: InfraGraph is read, not written; --to=astra or --to=simai.", path);
}

const struct asim_topo_format asim_topo_format_infragraph = {
    .member = {"infragraph", "InfraGraph (YAML): devices, instances and edges; read only.", NULL,
               0},
    .sniff = sniff,
    .read = read_file,
    .write = write_file,
};
