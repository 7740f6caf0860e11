/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A device of InfraGraph as a machine: xpus, NICs, and what joins them. The file is a device, or an
 * infrastructure whose first device with an xpu is taken. All its xpus are of one kind and have
 * the same links.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "base/io/foreign.h"
#include "base/io/infragraph.h"
#include "tools/machine/import.h"

enum { MOST_GPUS = 1024 };

/* What an xpu has beyond PCIe. */
struct xpu {
    uint64_t peers; /* links to other xpus */
    double gbytes;
};

struct reader {
    struct asim_ig ig;
    struct asim_ig_device device;
    struct asim_import_host *found;
    struct xpu xpu[MOST_GPUS];
};

static const yaml_node_t *get(struct reader *r, const yaml_node_t *map, const char *key)
{
    return asim_yaml_get(r->ig.document, map, key);
}

static int is_pci(const char *name)
{
    for (; *name; name++)
        if (!strncasecmp(name, "pci", 3))
            return 1;
    return 0;
}

/* Each xpu of an end has links to the other end: one, or one to each part that it is not. */
static void add_links(struct reader *r, const struct asim_ig_joint *joint,
                      const struct asim_ig_end *end, const struct asim_ig_end *other)
{
    double gbytes = joint->link ? joint->link->gbytes : 0;
    uint64_t n = asim_ig_size(end), m = asim_ig_size(other);

    if (end->part->kind != ASIM_IG_XPU || is_pci(other->part->name) ||
        (other->part->kind != ASIM_IG_XPU && other->part->kind != ASIM_IG_SWITCH))
        return;
    if (other->part->kind == ASIM_IG_SWITCH)
        r->found->scale_up = ASIM_SCALE_UP_NVSWITCH;
    for (uint64_t i = end->from; i < end->from + n && i < MOST_GPUS; i++) {
        int is_among = other->part == end->part && i >= other->from && i < other->from + m;
        uint64_t links = joint->is_one_to_one ? i - end->from < m : m - (uint64_t)is_among;

        r->xpu[i].gbytes += gbytes * (double)links;
        r->xpu[i].peers += other->part->kind == ASIM_IG_XPU ? links : 0;
    }
}

/* Of an edge between the same xpus each has a link to each other one. */
static int see_joint(void *self, const struct asim_ig_joint *joint)
{
    struct reader *r = self;
    const struct asim_ig_end *a = &joint->a, *b = &joint->b;
    double gbytes = joint->link ? joint->link->gbytes : 0;

    if ((a->part->kind == ASIM_IG_NIC || b->part->kind == ASIM_IG_NIC) && gbytes > 0 &&
        (r->found->pcie_gbytes <= 0 || gbytes < r->found->pcie_gbytes))
        r->found->pcie_gbytes = gbytes;
    add_links(r, joint, a, b);
    if (a->part != b->part || a->from != b->from || asim_ig_size(a) != asim_ig_size(b) ||
        joint->is_one_to_one)
        add_links(r, joint, b, a);
    return 0;
}

static int count_parts(struct reader *r, const yaml_node_t *root)
{
    uint64_t count[ASIM_IG_SWITCH + 1] = {0};
    const struct asim_ig_part *xpu = NULL;

    for (size_t i = 0; i < r->device.components.part.n; i++) {
        const struct asim_ig_part *part = &r->device.components.part.at[i];

        if ((part->kind == ASIM_IG_XPU || part->kind == ASIM_IG_NIC) && !part->count &&
            !part->named)
            return asim_ig_fail(&r->ig, part->node,
                                "the component '%s' has no count, and no edge or connection names "
                                "its parts, as xpu[0:8] or xpu.0 would.",
                                part->name);
        if (part->kind == ASIM_IG_XPU && xpu)
            return asim_ig_fail(&r->ig, part->node,
                                "'%s' is a second component of accelerators; a machine file is of "
                                "one.",
                                part->name);
        xpu = part->kind == ASIM_IG_XPU ? part : xpu;
        count[part->kind] += asim_ig_count(part);
    }
    if (count[ASIM_IG_XPU] > MOST_GPUS || count[ASIM_IG_NIC] > MOST_GPUS)
        return asim_ig_fail(&r->ig, root, "a host of %s xpus or NICs; expected at most 1024.",
                            "more than 1024");
    r->found->gpus = (uint32_t)count[ASIM_IG_XPU];
    r->found->nics = (uint32_t)count[ASIM_IG_NIC];
    return 0;
}

static int settle(struct reader *r, const yaml_node_t *root)
{
    struct asim_import_host *found = r->found;
    const struct xpu *first = &r->xpu[0];

    if (count_parts(r, root))
        return ASIM_EINVAL;
    for (uint32_t i = 1; i < found->gpus; i++)
        if (r->xpu[i].peers != first->peers || fabs(r->xpu[i].gbytes - first->gbytes) > 1e-6) {
            char text[96];

            snprintf(text, sizeof text, "xpu %u has links of %g GB/s to others, xpu 0 of %g", i,
                     r->xpu[i].gbytes, first->gbytes);
            return asim_ig_fail(&r->ig, root, "%s; a machine file has one rate for all.", text);
        }
    if (found->scale_up < 0 && first->peers && first->peers + 1 == found->gpus)
        found->scale_up = ASIM_SCALE_UP_MESH;
    else if (found->scale_up < 0 && first->peers)
        return asim_ig_fail(&r->ig, root,
                            "its xpus are joined in part (%s has no link to some); expected a "
                            "switch, or a link from each to each other.",
                            "xpu 0");
    if (found->scale_up >= 0)
        found->nvlink_gbytes = first->gbytes;
    return 0;
}

static int read_device(struct reader *r, const yaml_node_t *root)
{
    size_t i = 0;
    int code = asim_ig_device(&r->ig, root, &r->device);

    while (i < r->device.components.part.n && r->device.components.part.at[i].kind != ASIM_IG_XPU)
        i++;
    if (!code && i < r->device.components.part.n)
        code = asim_ig_joints(&r->ig, root, &r->device, see_joint, r) || settle(r, root)
                   ? ASIM_EINVAL
                   : 0;
    asim_ig_device_fini(&r->device);
    return code;
}

/* The first device with an xpu; the fabric around it is a topology. */
static int read_root(struct reader *r)
{
    const yaml_node_t *root = yaml_document_get_root_node(r->ig.document), *device;
    const yaml_node_t *inside = get(r, root, "infrastructure");
    const yaml_node_t *devices = get(r, inside ? inside : root, "devices");
    int code = 0;

    if (!devices)
        return read_device(r, root);
    for (size_t i = 0;
         !code && !r->found->gpus && (device = asim_yaml_item(r->ig.document, devices, i)) != NULL;
         i++)
        code = read_device(r, device);
    if (!code && r->found->gpus && get(r, inside ? inside : root, "instances"))
        asim_diagnose(&r->found->notes,
                      "a machine is one device; the instances and the links between them are a "
                      "topology, which --topology takes and 'asim topo convert' writes");
    return code;
}

int asim_import_infragraph(struct asim_import_host *found, const char *path, struct asim_err *err)
{
    yaml_document_t document;
    struct reader r = {.ig = {&document, path, err}, .found = found};
    int rc = asim_yaml_read(&document, path, err);

    if (rc)
        return rc;
    rc = read_root(&r);
    yaml_document_delete(&document);
    if (!rc && !found->gpus)
        rc = asim_foreign_instead(
            asim_err_at(err, ASIM_EINVAL, (struct asim_where){path, 1, 0},
                        "no device of this file has a component xpu; expected a device of "
                        "InfraGraph with components, links and edges."),
            path, "a device", err);
    return rc;
}
