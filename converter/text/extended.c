/* SPDX-License-Identifier: GPL-2.0-only
 *
 * One pass of the types that ASTRA-sim 1.0 and its tutorials have and chakra_converter refuses
 * (chakra.md#extended-kinds). ASTRA-sim 1.0 runs a loop that computes one thing at a time. Here
 * that order is a chain of dependencies, and a collective that blocks the loop is a link of the
 * chain. Forward layers wait for their own weight-gradient collective of the previous pass.
 */
#include "text/graph.h"

#define FWD ASIM_LAYERS_FWD
#define IG  ASIM_LAYERS_IG
#define WG  ASIM_LAYERS_WG

/* Appends a computation to the chain. */
static uint64_t step(struct asim_text_graph *g, size_t i, int part, struct asim_text_deps *chain)
{
    uint64_t id = asim_text_comp(g, i, part, chain);
    *chain = (struct asim_text_deps){{id}, 1};
    return id;
}

/* Appends a blocking collective, if the layer has one. */
static void block(struct asim_text_graph *g, size_t i, int part, struct asim_text_deps *chain)
{
    uint64_t id = asim_text_comm(g, i, part, chain->at[0], "_");
    if (id != ASIM_TEXT_NONE)
        *chain = (struct asim_text_deps){{id}, 1};
}

static void forward(struct asim_text_graph *g, size_t i, struct asim_text_deps *chain)
{
    asim_text_wait(chain, g->comm[WG][i]);
    step(g, i, FWD, chain);
    if (g->layers->kind != ASIM_LAYERS_REORDER) /* data parallel: nothing to exchange */
        block(g, i, FWD, chain);
}

/* The weight gradient, and its collective beside the following nodes. */
static void weight(struct asim_text_graph *g, size_t i, struct asim_text_deps *chain)
{
    uint64_t wg = step(g, i, WG, chain);
    g->comm[WG][i] = asim_text_comm(g, i, WG, wg, "_");
}

/* Recomputes from the nearest checkpoint up to the layer, exclusive: the loop of ASTRA-sim 1.0
 * leaves the replay when it reaches the layer that began it. */
static void recompute(struct asim_text_graph *g, size_t i, struct asim_text_deps *chain)
{
    size_t from = i;
    if (!(g->layers->marks[i] & ASIM_LAYERS_INITIATE))
        return;
    while (from && !(g->layers->marks[from] & ASIM_LAYERS_CHECKPOINT))
        from--;
    for (; from < i; from++) {
        step(g, from, FWD, chain);
        block(g, from, FWD, chain);
    }
}

static void backward_transformer(struct asim_text_graph *g, size_t i, struct asim_text_deps *chain)
{
    recompute(g, i, chain);
    step(g, i, IG, chain);
    block(g, i, IG, chain);
    weight(g, i, chain);
}

/* The input gradient's collective runs beside the weight gradient; the next layer needs both. */
static void backward_customized(struct asim_text_graph *g, size_t i, struct asim_text_deps *chain)
{
    uint64_t ig = step(g, i, IG, chain), comm = ASIM_TEXT_NONE;
    if (i)
        comm = asim_text_comm(g, i, IG, ig, "_");
    weight(g, i, chain);
    asim_text_wait(chain, comm);
}

static void backward_reorder(struct asim_text_graph *g, size_t i, struct asim_text_deps *chain)
{
    if (i)
        step(g, i, IG, chain);
    weight(g, i, chain);
}

void asim_text_pass_extended(struct asim_text_graph *g)
{
    struct asim_text_deps chain = {.n = 0};
    /* what the pass before ended with stands in the first slot of a row not used otherwise */
    asim_text_wait(&chain, g->comp[FWD][0]);
    for (size_t i = 0; i < g->layers->n; i++)
        forward(g, i, &chain);
    for (size_t i = g->layers->n; i-- > 0 && g->layers->kind != ASIM_LAYERS_INFERENCE;) {
        if (g->layers->kind == ASIM_LAYERS_CUSTOMIZED)
            backward_customized(g, i, &chain);
        else if (g->layers->kind == ASIM_LAYERS_REORDER)
            backward_reorder(g, i, &chain);
        else
            backward_transformer(g, i, &chain);
    }
    g->comp[FWD][0] = chain.at[0];
}
