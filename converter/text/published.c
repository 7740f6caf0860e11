/* SPDX-License-Identifier: GPL-2.0-only
 *
 * One pass of the types of chakra_converter Text (chakra.md#published-kinds), edge for edge. A
 * collective NONE has no node; nodes that would wait for it wait for the computation before it.
 */
#include "text/graph.h"

#define FWD ASIM_LAYERS_FWD
#define IG  ASIM_LAYERS_IG
#define WG  ASIM_LAYERS_WG

/* Collectives only, all at once: a benchmark of the network. */
static void pass_micro(struct asim_text_graph *g)
{
    for (size_t i = 0; i < g->layers->n; i++)
        asim_text_comm(g, i, WG, ASIM_TEXT_NONE, "_");
}

/* The weights are updated before the layer runs again, one pass later. */
static void pass_data(struct asim_text_graph *g)
{
    size_t n = g->layers->n;
    for (size_t i = 0; i < n; i++) {
        struct asim_text_deps deps = {.n = 0};
        if (i)
            asim_text_wait(&deps, g->comp[FWD][i - 1]);
        asim_text_wait(&deps, g->comm[WG][i]);
        g->comp[FWD][i] = asim_text_comp(g, i, FWD, &deps);
    }
    for (size_t i = n; i-- > 0;) {
        struct asim_text_deps deps = {.n = 0};
        asim_text_wait(&deps, i == n - 1 ? g->comp[FWD][i] : g->comp[IG][i + 1]);
        uint64_t wg = g->comp[WG][i] = asim_text_comp(g, i, WG, &deps);
        g->comm[WG][i] = asim_text_or(asim_text_comm(g, i, WG, wg, "_"), wg);
        deps = (struct asim_text_deps){{wg}, 1};
        if (i)
            g->comp[IG][i] = asim_text_comp(g, i, IG, &deps);
    }
}

/* The forward part of MODEL and of both hybrids: prev = the nodes of the previous pass for which
 * layer i waits. */
static void forward_model(struct asim_text_graph *g, const uint64_t *prev, int prev_first)
{
    for (size_t i = 0; i < g->layers->n; i++) {
        struct asim_text_deps deps = {.n = 0};
        if (prev_first)
            asim_text_wait(&deps, prev[i]);
        if (i)
            asim_text_wait(&deps, g->comm[FWD][i - 1]);
        if (!prev_first)
            asim_text_wait(&deps, prev[i]);
        uint64_t fwd = asim_text_comp(g, i, FWD, &deps);
        g->comm[FWD][i] = asim_text_or(asim_text_comm(g, i, FWD, fwd, "_"), fwd);
    }
}

/* The input gradient of layer i and its collective; returns the gradient's node. */
static uint64_t backward_ig(struct asim_text_graph *g, size_t i, const char *infix)
{
    size_t n = g->layers->n;
    struct asim_text_deps deps = {.n = 0};
    if (i == n - 1) {
        asim_text_wait(&deps, g->comm[FWD][i]);
    } else {
        asim_text_wait(&deps, g->comp[WG][i + 1]);
        asim_text_wait(&deps, g->comm[IG][i + 1]);
    }
    uint64_t ig = asim_text_comp(g, i, IG, &deps);
    g->comm[IG][i] = ASIM_TEXT_NONE;
    if (n - 1 - i != g->layers->stated - 1) /* the stated number decides, as in chakra_converter */
        g->comm[IG][i] = asim_text_comm(g, i, IG, ig, infix);
    return ig;
}

/* Nothing is reduced over replicas: every rank has its own part of the weights. */
static void pass_model(struct asim_text_graph *g)
{
    forward_model(g, g->comp[WG], 0);
    for (size_t i = g->layers->n; i-- > 0;) {
        struct asim_text_deps deps = {{backward_ig(g, i, "_")}, 1};
        g->comp[WG][i] = asim_text_comp(g, i, WG, &deps);
    }
}

/* MODEL and DATA at once; infix distinguishes their names. */
static void pass_hybrid(struct asim_text_graph *g, const char *infix)
{
    forward_model(g, g->comm[WG], 1);
    for (size_t i = g->layers->n; i-- > 0;) {
        struct asim_text_deps deps = {{backward_ig(g, i, infix)}, 1};
        uint64_t wg = g->comp[WG][i] = asim_text_comp(g, i, WG, &deps);
        g->comm[WG][i] = asim_text_or(asim_text_comm(g, i, WG, wg, "_"), wg);
    }
}

/* --- DLRM: embeddings are layer 0, whose all-to-alls overlap with the bottom layers --- */

static int is_word(const struct asim_layer_comm *comm, const char *word)
{
    const char *at = comm->word;
    while (*at && *at == *word)
        at++, word++;
    return *at == *word;
}

/* The last bottom layer waits for the embeddings, which an all-to-all delivers. */
static void forward_dlrm(struct asim_text_graph *g)
{
    g->comm[FWD][0] = ASIM_TEXT_NONE;
    for (size_t i = 0; i < g->layers->n; i++) {
        struct asim_text_deps deps = {.n = 0};
        asim_text_wait(&deps, asim_text_or(g->comm[WG][i], g->comp[WG][i]));
        if (i)
            asim_text_wait(&deps, g->comp[FWD][i - 1]);
        if (i == g->layers->last_bottom)
            asim_text_wait(&deps, g->comm[FWD][0]);
        uint64_t fwd = g->comp[FWD][i] = asim_text_comp(g, i, FWD, &deps);
        if (is_word(&g->layers->at[i].comm[FWD], "ALLTOALL"))
            g->comm[FWD][i] = asim_text_comm(g, i, FWD, fwd, "_");
    }
}

/* The gradients of layer 0 travel while the bottom layers compute. */
static void pass_dlrm(struct asim_text_graph *g)
{
    size_t n = g->layers->n;
    uint64_t all_to_all = ASIM_TEXT_NONE;
    forward_dlrm(g);
    for (size_t i = n; i-- > 0;) {
        struct asim_text_deps deps = {.n = 0};
        asim_text_wait(&deps, i == n - 1 ? g->comp[FWD][i] : g->comp[IG][i + 1]);
        if (i == 0)
            asim_text_wait(&deps, all_to_all);
        uint64_t wg = g->comp[WG][i] = asim_text_comp(g, i, WG, &deps);
        if (!is_word(&g->layers->at[i].comm[WG], "NONE"))
            g->comm[WG][i] = asim_text_comm(g, i, WG, wg, "_");
        deps = (struct asim_text_deps){{wg}, 1};
        if (i)
            g->comp[IG][i] = asim_text_comp(g, i, IG, &deps);
        if (i && i == g->layers->last_bottom + 1)
            all_to_all = asim_text_comm(g, 0, IG, g->comp[IG][i], "_");
    }
}

void asim_text_pass_published(struct asim_text_graph *g)
{
    switch (g->layers->kind) {
    case ASIM_LAYERS_MICRO:
        pass_micro(g);
        break;
    case ASIM_LAYERS_DATA:
        pass_data(g);
        break;
    case ASIM_LAYERS_MODEL:
        pass_model(g);
        break;
    case ASIM_LAYERS_DATA_MODEL:
        pass_hybrid(g, "_IG_COMM__");
        break;
    case ASIM_LAYERS_MODEL_DATA:
        pass_hybrid(g, "_");
        break;
    default:
        pass_dlrm(g);
    }
}
