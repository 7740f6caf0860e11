/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Writes the traces of a layer file: one graph per rank, equal except for ids and groups. Ids
 * continue from rank to rank, as in chakra_converter. The groups file has the form of ASTRA-sim's
 * comm-group-configuration.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/io/out.h"
#include "text/graph.h"
#include "cli/file_set.h"
#include "text/text.h"

#define SCHEMA "1.0.2-chakra.1.0.0"

static int init(struct asim_text_graph *g)
{
    size_t n = g->layers->n;
    for (int part = 0; part < ASIM_LAYERS_PARTS; part++) {
        g->comp[part] = malloc(n * sizeof(uint64_t));
        g->comm[part] = malloc(n * sizeof(uint64_t));
        if (!g->comp[part] || !g->comm[part])
            return asim_err_nomem(g->err, "converting a layer file");
    }
    return 0;
}

static void fini(struct asim_text_graph *g)
{
    for (int part = 0; part < ASIM_LAYERS_PARTS; part++) {
        ASIM_FREE(g->comp[part], g->comm[part]);
    }
}

/* Before the first pass every slot is ASIM_TEXT_NONE. */
static void clear(struct asim_text_graph *g)
{
    for (int part = 0; part < ASIM_LAYERS_PARTS; part++) {
        memset(g->comp[part], 0xff, g->layers->n * sizeof(uint64_t));
        memset(g->comm[part], 0xff, g->layers->n * sizeof(uint64_t));
    }
    g->comms = 0;
}

/* Writes a rank under a temporary name; the file appears when it is complete. */
static int write_rank(struct asim_text_graph *g, const char *path)
{
    struct asim_chakra_attr attrs[] = {{.name = "schema", .type = ASIM_CHAKRA_STRING},
                                       {.name = "input_file", .type = ASIM_CHAKRA_STRING}};
    attrs[0].value.s = SCHEMA;
    attrs[1].value.s = g->layers->text;
    g->rc = asim_chakra_writer_open(&g->writer, path, g->err);
    if (g->rc)
        return g->rc;
    g->rc = asim_chakra_writer_metadata(g->writer, NULL, attrs, 2, g->err);
    clear(g);
    for (uint32_t p = 0; p < g->opt->passes && !g->rc; p++) {
        if (g->layers->kind <= ASIM_LAYERS_OLD)
            asim_text_pass_published(g);
        else
            asim_text_pass_extended(g);
    }
    if (!g->rc)
        return asim_chakra_writer_commit(g->writer, g->err);
    asim_chakra_writer_discard(g->writer);
    return g->rc;
}

/* Ids continue through the ranks, as in chakra_converter: two ranks never share an id. */
static int write_ranks(struct asim_text_graph *g, struct asim_text_result *result,
                       struct asim_file_set *set)
{
    int rc = 0;
    for (g->rank = 0; g->rank < g->opt->ranks && !rc; g->rank++) {
        uint64_t first = g->next_id;
        const char *temp_name;
        rc = asim_file_set_rank(set, g->opt->output, g->rank, &temp_name, g->err);
        if (!rc)
            rc = write_rank(g, temp_name);
        result->nodes = g->next_id - first;
        result->comms = g->comms;
    }
    return rc;
}

/* n ranks from `base` in steps of `stride`. */
struct ranks {
    uint32_t base, stride, n;
};

static void write_group(struct asim_out *out, uint32_t id, struct ranks ranks)
{
    asim_out_printf(out, "%s\n  \"%" PRIu32 "\": [", id == 1 ? "" : ",", id);
    for (uint32_t k = 0; k < ranks.n; k++)
        asim_out_printf(out, "%s%" PRIu32, k ? ", " : "", ranks.base + k * ranks.stride);
    asim_out_printf(out, "]");
}

/* Low groups are consecutive ranks, high groups take the same position in each low group. */
static int write_groups(const struct asim_text_graph *g, struct asim_file_set *set)
{
    struct asim_out out = {0};
    uint32_t low = g->split.low, high = g->opt->ranks / low;
    int rc = asim_file_set_open(set, &out, g->opt->output, ".groups.json", g->err);

    if (rc)
        return rc;
    asim_out_printf(&out, "{");
    for (uint32_t i = 0; i < high; i++)
        write_group(&out, i + 1, (struct ranks){i * low, 1, low});
    for (uint32_t i = 0; i < low; i++)
        write_group(&out, high + i + 1, (struct ranks){i, low, high});
    asim_out_printf(&out, "\n}\n");
    return asim_out_commit(&out, g->err);
}

int asim_text_write(const struct asim_layers *layers, const struct asim_text_options *opt,
                    struct asim_text_result *result, struct asim_err *err)
{
    struct asim_text_graph g = {.layers = layers, .opt = opt, .err = err};
    struct asim_file_set set = {.force = 1};
    int rc = init(&g);

    if (!rc)
        rc = asim_text_split_of(&g.split, layers, layers->kind, opt, err);
    if (!rc && !opt->compat) /* chakra_converter replaces files without asking */
        rc = asim_file_set_begin(&set, opt->output, opt->ranks, opt->force, err);
    if (!rc)
        rc = asim_inputs_add(&set.inputs, layers->src.name, err);
    if (!rc)
        rc = write_ranks(&g, result, &set);
    result->has_groups = !rc && g.split.low && !opt->n_dims;
    if (result->has_groups)
        rc = write_groups(&g, &set);
    rc = asim_file_set_end(&set, rc, err);
    fini(&g);
    return rc;
}
