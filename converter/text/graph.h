/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The graph of one rank, built node by node in the order of the file. Each layer has a slot for
 * each node that later nodes wait for. The next pass reads the slot and then overwrites it: so a
 * pass depends on the previous one.
 */
#ifndef ASIM_CONVERTER_TEXT_GRAPH_H
#define ASIM_CONVERTER_TEXT_GRAPH_H

#include "text/text.h"
#include "asim/trace.h"

#define ASIM_TEXT_NONE UINT64_MAX /* no node */

/* The ranks of a collective: all, the low dimensions (the model-parallel group), the rest. */
enum asim_text_span { ASIM_TEXT_ALL, ASIM_TEXT_LOW, ASIM_TEXT_HIGH };

/* The split of the ranks; low = 0: no split, every collective has all ranks. */
struct asim_text_split {
    uint32_t low;      /* ranks of the low part */
    uint32_t low_dims; /* dimensions of it, where dims are given */
};

struct asim_text_graph {
    const struct asim_layers *layers;
    const struct asim_text_options *opt;
    struct asim_text_split split; /* for the type of the file; see asim_text_split_of */
    struct asim_chakra_writer *writer;
    struct asim_err *err;
    int rc; /* first failure; nothing is written after it */
    uint32_t rank;
    uint64_t next_id, comms;
    uint64_t *comp[ASIM_LAYERS_PARTS], *comm[ASIM_LAYERS_PARTS]; /* [n] ids */
};

/* The nodes to wait for, in order, each once. */
struct asim_text_deps {
    uint64_t at[4];
    size_t n;
};
void asim_text_wait(struct asim_text_deps *deps, uint64_t id);

/* A computation of layer i. */
uint64_t asim_text_comp(struct asim_text_graph *g, size_t i, int part,
                        const struct asim_text_deps *deps);
/* Writes the collective after node `after`; returns ASIM_TEXT_NONE if the layer has none. infix
 * goes between the names of layer and collective. */
uint64_t asim_text_comm(struct asim_text_graph *g, size_t i, int part, uint64_t after,
                        const char *infix);
/* Returns first, or second if there is no first. */
uint64_t asim_text_or(uint64_t first, uint64_t second);

/* Splits the ranks for a layer of that type; dims or groups that do not divide are an error. */
int asim_text_split_of(struct asim_text_split *split, const struct asim_layers *layers, int kind,
                       const struct asim_text_options *opt, struct asim_err *err);

void asim_text_pass_extended(struct asim_text_graph *g);

/* One pass of the file's kind (published.c, extended.c). */
void asim_text_pass_published(struct asim_text_graph *g);

#endif
