/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Shapes of language models: decoders as GPT, Llama, Mixtral, Qwen3, DeepSeek and Nemotron have
 * them, and how many parameters such a shape has.
 */
#ifndef ASIM_CATALOGUE_MODEL_H
#define ASIM_CATALOGUE_MODEL_H

#include <stdint.h>

#include "asim/err.h"

struct asim_model {
    char name[64];
    /* One of AICB's names was asked for: its rows have only what its presets set, tensor-parallel
     * groups and a hidden size of their own; 0: none. */
    int as_aicb;
    uint32_t aicb_tp;
    uint64_t aicb_hidden;
    uint64_t layers, hidden, heads, kv_heads, head_dim, ffn, vocab;
    uint64_t positions;         /* learned embeddings; 0: rotary */
    int gated;                  /* an MLP has three matrices, else two */
    int tied;                   /* embedding and logits are one matrix */
    int qkv_bias, o_bias, bias; /* of query, key and value; of the output; of the MLP */
    int qk_norm;                /* queries and keys have a norm */
    uint64_t norm_terms;        /* of a norm: 1 scale, 2 with a shift */
    /* Experts of the layers behind the first dense_layers; 0: none. shared_ffn: inner size of all
     * shared experts together. */
    uint64_t experts, topk, expert_ffn, shared_ffn, dense_layers;
    /* Multi-head latent attention where kv_lora is above 0; q_lora 0: a full matrix for queries. */
    uint64_t q_lora, kv_lora, qk_rope, qk_nope, v_dim;
    double params;        /* published; of a file without a count: counted */
    double expert_params; /* of one expert in all layers */
};

/* A model of models.json by one of its names, or of a file: a word with '/' or ending with .json
 * names a configuration of Hugging Face (config.json), or a row as in models.json. An unknown name
 * is an error that names others. */
int asim_model_find(struct asim_model *model, const char *name, struct asim_err *err);
/* The parameters of the shape. */
double asim_model_count(const struct asim_model *model);
/* Bytes of the KV cache of one token on each of tp GPUs, 2 bytes an element: they share the heads
 * of keys and values, of which each has one at least, and a latent cache has no heads. */
uint64_t asim_model_kv_bytes(const struct asim_model *model, uint32_t tp);
/* Size of a head in scores and sums of values: operations of a pair of tokens are 4 times this. */
double asim_model_head_size(const struct asim_model *model);

#endif
