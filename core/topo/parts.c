/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Numbers the parts of a fabric of InfraGraph, and the nodes that they become.
 */
#include "topo/parts.h"

#include <stdlib.h>
#include <string.h>

struct asim_parts_model *asim_parts_model_of(struct asim_parts_reader *r,
                                             const struct asim_ig_part *instance)
{
    const char *name = asim_yaml_text(asim_yaml_get(r->ig.document, instance->node, "device"));
    struct asim_ig_part *device = asim_ig_find(&r->devices, name, strlen(name));

    return device ? &r->model[device - r->devices.part.at] : NULL;
}

int asim_parts_is_port(const struct asim_parts_part *part)
{
    return part->port && part->links == 1;
}

int asim_parts_number(struct asim_parts_reader *r)
{
    for (size_t d = 0; d < r->devices.part.n; d++) {
        struct asim_parts_model *model = &r->model[d];

        for (size_t i = 0; i < model->parts.components.part.n; i++) {
            model->first[i] = model->size;
            model->size += asim_ig_count(&model->parts.components.part.at[i]);
        }
    }
    r->in_order = calloc(r->instances.part.n + 1, sizeof *r->in_order);
    r->first = calloc(r->instances.part.n + 1, sizeof *r->first);
    if (!r->in_order || !r->first)
        return asim_err_nomem(r->ig.err, "reading a fabric");
    for (size_t i = 0; i < r->instances.part.n; i++) {
        const struct asim_ig_part *instance = &r->instances.part.at[i];
        uint64_t size = asim_parts_model_of(r, instance)->size;

        r->in_order[instance->order] = i;
        r->first[i] = r->parts;
        r->parts += asim_ig_count(instance) * size;
        if (size > ASIM_BUILD_MAX_NODES || r->parts > ASIM_BUILD_MAX_NODES)
            return asim_ig_fail(&r->ig, instance->node,
                                "up to the instance '%s' the fabric has more than 16777216 parts.",
                                instance->name);
    }
    r->part = calloc(r->parts + 1, sizeof *r->part);
    return r->part ? 0 : asim_err_nomem(r->ig.err, "reading a fabric");
}

static int is_pci(const char *name)
{
    return strstr(name, "pci") || strstr(name, "PCI") || strstr(name, "Pci");
}

/* One pass numbers xpus, the next one switches and sets their types. */
static void number_instance(struct asim_parts_reader *r, const struct asim_parts_model *model,
                            uint64_t base, int pass)
{
    uint8_t *type = r->topo->node_type;

    for (size_t i = 0; i < model->parts.components.part.n; i++) {
        const struct asim_ig_part *component = &model->parts.components.part.at[i];
        int is_xpu = component->kind == ASIM_IG_XPU;

        for (uint64_t k = 0; k < asim_ig_count(component); k++) {
            struct asim_parts_part *part = &r->part[base + model->first[i] + k];
            int is_own = model->has_xpu && !asim_parts_is_port(part) && part->links;

            if (pass != !is_xpu)
                continue;
            part->node = is_xpu || is_own ? r->nodes++
                         : model->has_xpu ? ASIM_PARTS_NONE
                                          : r->nodes;
            if (is_own && !is_xpu && type)
                type[part->node] = component->kind == ASIM_IG_SWITCH && !is_pci(component->name)
                                       ? ASIM_NVSWITCH
                                       : ASIM_SWITCH;
        }
    }
    if (pass && !model->has_xpu) {
        if (type)
            type[r->nodes] = ASIM_SWITCH;
        r->nodes++;
    }
}

/* One pass over the instances in their order. */
static void number_pass(struct asim_parts_reader *r, int pass, uint32_t *per_server)
{
    for (size_t o = 0; o < r->instances.part.n; o++) {
        const struct asim_ig_part *instance = &r->instances.part.at[r->in_order[o]];
        const struct asim_parts_model *model = asim_parts_model_of(r, instance);
        uint64_t base = r->first[r->in_order[o]];

        for (uint64_t c = 0; c < asim_ig_count(instance); c++, base += model->size) {
            uint32_t before = r->nodes;

            number_instance(r, model, base, pass);
            if (!pass && model->has_xpu && !*per_server)
                *per_server = r->nodes - before;
            else if (!pass && model->has_xpu && *per_server != r->nodes - before)
                *per_server = ASIM_PARTS_NONE;
        }
    }
}

uint32_t asim_parts_nodes(struct asim_parts_reader *r)
{
    uint32_t per_server = 0;

    r->nodes = 0;
    number_pass(r, 0, &per_server);
    r->hosts = r->nodes;
    number_pass(r, 1, &per_server);
    return per_server == ASIM_PARTS_NONE ? 0 : per_server;
}
