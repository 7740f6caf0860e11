/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Reads models with the keys of Hugging Face's config.json, and counts their parameters: matrices,
 * biases, norms, learned positions, embeddings (once where they are tied), the low-rank projections
 * of latent attention, routed and shared experts and the router.
 *
 * What a configuration does not say follows from its model_type. An unknown model_type, or experts
 * in some layers only, is refused: the count would be wrong without a word.
 */
#include "catalogue/model.h"

#include <stdio.h>
#include <string.h>

#include "base/io/json.h"
#include "base/text.h"
#include "catalogue/table.h"
#include "base/io/foreign.h"

/* What the code of a model_type builds in. */
static const struct family {
    const char *name;
    int gated, tied, qkv_bias, bias, qk_norm; /* bias: of all other linear layers */
    uint64_t norm_terms;
    int has_positions;
    uint64_t more_positions; /* OPT's first two are padding */
} families[] = {
    {"llama", 1, 0, 0, 0, 0, 1, 0, 0},       {"mistral", 1, 0, 0, 0, 0, 1, 0, 0},
    {"mixtral", 1, 0, 0, 0, 0, 1, 0, 0},     {"qwen2", 1, 0, 1, 0, 0, 1, 0, 0},
    {"qwen3", 1, 0, 0, 0, 1, 1, 0, 0},       {"qwen3_moe", 1, 0, 0, 0, 1, 1, 0, 0},
    {"deepseek_v2", 1, 0, 0, 0, 0, 1, 0, 0}, {"deepseek_v3", 1, 0, 0, 0, 0, 1, 0, 0},
    {"nemotron", 0, 0, 0, 0, 0, 2, 0, 0},    {"gpt2", 0, 1, 1, 1, 0, 2, 1, 0},
    {"opt", 0, 1, 1, 1, 0, 2, 1, 2},
};
enum { FAMILIES = sizeof families / sizeof *families };
/* The most a number may be keeps products of sizes below 2^63. */
enum { MOST = 1 << 24 };

#define AT(field) offsetof(struct asim_model, field)
/* Keys of one field, of which the first given counts. */
static const struct size_key {
    const char *keys[3];
    size_t field;
    int must;
} size_keys[] = {
    {{"num_hidden_layers", "n_layer"}, AT(layers), 1},
    {{"hidden_size", "n_embd"}, AT(hidden), 1},
    {{"num_attention_heads", "n_head"}, AT(heads), 1},
    {{"vocab_size"}, AT(vocab), 1},
    {{"num_key_value_heads"}, AT(kv_heads), 0},
    {{"head_dim"}, AT(head_dim), 0},
    {{"intermediate_size", "ffn_dim", "n_inner"}, AT(ffn), 0},
    {{"max_position_embeddings", "n_positions"}, AT(positions), 0},
    {{"num_local_experts", "n_routed_experts", "num_experts"}, AT(experts), 0},
    {{"num_experts_per_tok"}, AT(topk), 0},
    {{"moe_intermediate_size"}, AT(expert_ffn), 0},
    {{"n_shared_experts"}, AT(shared_ffn), 0},
    {{"first_k_dense_replace"}, AT(dense_layers), 0},
    {{"q_lora_rank"}, AT(q_lora), 0},
    {{"kv_lora_rank"}, AT(kv_lora), 0},
    {{"qk_rope_head_dim"}, AT(qk_rope), 0},
    {{"qk_nope_head_dim"}, AT(qk_nope), 0},
    {{"v_head_dim"}, AT(v_dim), 0},
};

static int refuse(const char *path, const struct asim_model *model, const char *why,
                  struct asim_err *err)
{
    return asim_err_set(err, ASIM_EINVAL, "%s: the model '%s' %s.", path, model->name, why);
}

/* null counts as not given, as in Hugging Face's files. */
static int read_sizes(struct asim_model *model, const json_t *row, const char *path,
                      struct asim_err *err)
{
    char why[160];

    for (size_t i = 0; i < sizeof size_keys / sizeof *size_keys; i++) {
        const struct size_key *key = &size_keys[i];
        uint64_t *at = (uint64_t *)(void *)((char *)model + key->field);
        const json_t *value = NULL;

        for (int k = 0; k < 3 && key->keys[k] && (!value || json_is_null(value)); k++)
            value = json_object_get(row, key->keys[k]);
        if (json_is_integer(value) && json_integer_value(value) >= key->must &&
            json_integer_value(value) <= MOST)
            *at = (uint64_t)json_integer_value(value);
        else if (key->must || (value && !json_is_null(value))) {
            snprintf(why, sizeof why, "needs %s, a whole number from %d to %d", key->keys[0],
                     key->must, MOST);
            return refuse(path, model, why, err);
        }
    }
    return 0;
}

/* A key that resembles one that is read, of a field that nothing gives. Other keys are not read. */
static int refuse_slips(const struct asim_model *model, json_t *row, const char *path,
                        struct asim_err *err)
{
    enum { KEYS = sizeof size_keys / sizeof *size_keys };
    const char *all[3 * KEYS], *missing[3 * KEYS], *name;
    size_t n_all = 0, n_missing = 0;
    char safe[64], why[200];
    json_t *value;

    for (size_t i = 0; i < KEYS; i++) {
        int is_there = 0;

        for (int k = 0; k < 3 && size_keys[i].keys[k]; k++) {
            all[n_all++] = size_keys[i].keys[k];
            is_there |= json_object_get(row, size_keys[i].keys[k]) != NULL;
        }
        for (int k = 0; k < 3 && size_keys[i].keys[k] && !is_there; k++)
            missing[n_missing++] = size_keys[i].keys[k];
    }
    json_object_foreach(row, name, value)
    {
        const char *known = asim_text_nearest(name, all, n_all);
        const char *near = asim_text_nearest(name, missing, n_missing);

        if (!near || (known && !strcmp(known, name)))
            continue;
        snprintf(why, sizeof why, "has '%s', which is not read; '%s' is",
                 asim_text_safe(safe, sizeof safe, name), near);
        return refuse(path, model, why, err);
    }
    return 0;
}

/* Without the key, or with null, as other says. A value that is no flag sets *bad to the name. */
static int flag(const json_t *row, const char *name, int other, const char **bad)
{
    const json_t *value = json_object_get(row, name);

    if (value && !json_is_null(value) && !json_is_boolean(value))
        *bad = name;
    return json_is_boolean(value) ? json_is_true(value) : other;
}

static int read_family(struct asim_model *model, const json_t *row, const char *path,
                       struct asim_err *err)
{
    const char *type = json_string_value(json_object_get(row, "model_type"));
    const char *names[FAMILIES], *bad = NULL;
    const struct family *family = NULL;
    char list[300], why[400];

    for (size_t i = 0; i < FAMILIES; i++) {
        names[i] = families[i].name;
        if (type && !strcmp(type, families[i].name))
            family = &families[i];
    }
    if (!family) {
        snprintf(why, sizeof why,
                 "needs a model_type that is known: %s; give the one that it is built like",
                 asim_text_list(list, sizeof list, names, FAMILIES));
        return refuse(path, model, why, err);
    }
    model->gated = family->gated;
    model->tied = flag(row, "tie_word_embeddings", family->tied, &bad);
    model->qkv_bias = flag(row, "attention_bias", family->qkv_bias, &bad);
    model->o_bias = flag(row, "attention_bias", family->bias, &bad);
    model->bias = flag(row, "mlp_bias", family->bias, &bad);
    model->qk_norm = family->qk_norm;
    model->norm_terms = family->norm_terms;
    model->positions = family->has_positions ? model->positions + family->more_positions : 0;
    if (!bad)
        return 0;
    snprintf(why, sizeof why, "needs %s, true or false", bad);
    return refuse(path, model, why, err);
}

static int fill_rest(struct asim_model *model, const json_t *row, const char *path,
                     struct asim_err *err)
{
    const json_t *step = json_object_get(row, "decoder_sparse_step");

    if (!model->kv_heads)
        model->kv_heads = model->heads;
    if (!model->head_dim)
        model->head_dim = model->hidden / model->heads;
    if (!model->ffn)
        model->ffn = 4 * model->hidden;
    if (!model->expert_ffn)
        model->expert_ffn = model->ffn;
    model->shared_ffn *= model->expert_ffn;
    if (!model->head_dim || model->heads % model->kv_heads)
        return refuse(path, model, "has heads that cannot be split among its key-value heads", err);
    if (model->experts && (!model->topk || model->topk > model->experts))
        return refuse(path, model, "needs num_experts_per_tok, of its experts", err);
    if (model->kv_lora && (!model->qk_rope || !model->qk_nope || !model->v_dim))
        return refuse(path, model, "needs qk_rope_head_dim, qk_nope_head_dim and v_head_dim", err);
    if (model->dense_layers > model->layers || (step && json_integer_value(step) != 1) ||
        json_array_size(json_object_get(row, "mlp_only_layers")))
        return refuse(path, model, "has experts in some layers only, which is not modelled", err);
    return 0;
}

static int read_model(struct asim_model *model, const json_t *row, const char *path,
                      struct asim_err *err)
{
    const char *name = json_string_value(json_object_get(row, "name"));
    int code;

    memset(model, 0, sizeof *model);
    snprintf(model->name, sizeof model->name, "%.63s", name ? name : "config");
    code = read_sizes(model, row, path, err);
    if (!code)
        code = read_family(model, row, path, err);
    if (!code)
        code = fill_rest(model, row, path, err);
    model->params = json_number_value(json_object_get(row, "params"));
    if (model->params <= 0)
        model->params = code ? 0 : asim_model_count(model);
    model->expert_params = (double)((model->layers - model->dense_layers) * (model->gated ? 3 : 2) *
                                    model->hidden * model->expert_ffn);
    return code;
}

/* Where AICB differs, its number counts under its name. */
static void read_aicb(struct asim_model *model, const json_t *aicb, const char *name)
{
    const json_t *names = json_object_get(aicb, "names");

    for (size_t i = 0; i < json_array_size(names); i++)
        model->as_aicb |= !strcmp(name, json_string_value(json_array_get(names, i)));
    if (!model->as_aicb)
        return;
    snprintf(model->name, sizeof model->name, "%.63s", json_string_value(json_array_get(names, 0)));
    model->aicb_tp =
        (uint32_t)json_integer_value(json_object_get(aicb, "tensor_model_parallel_size"));
    model->aicb_hidden = (uint64_t)json_integer_value(json_object_get(aicb, "hidden_size"));
}

static int is_file(const char *name)
{
    size_t n = strlen(name);

    return strchr(name, '/') || (n > 5 && !strcmp(name + n - 5, ".json"));
}

int asim_model_find(struct asim_model *model, const char *name, struct asim_err *err)
{
    struct asim_catalogue models;
    const json_t *row;
    int code;

    if (is_file(name)) {
        json_t *root;

        code = asim_json_read(&root, name, err);
        if (!code)
            code = read_model(model, root, name, err);
        if (!code)
            code = refuse_slips(model, root, name, err);
        json_decref(root);
        return asim_foreign_instead(code, name, "a config.json", err);
    }
    code = asim_catalogue_open(&models, "models", "model", NULL, err);
    row = code ? NULL : asim_catalogue_row(&models, ASIM_CATALOGUE_BUILT_IN, name);
    if (!code && !row)
        code = asim_catalogue_refuse(&models, name, "a Hugging Face config.json is taken as a file",
                                     err);
    if (!code)
        code = read_model(model, row, "models.json", err);
    if (!code)
        read_aicb(model, json_object_get(row, "aicb"), name);
    asim_catalogue_close(&models);
    return code;
}

static uint64_t attention(const struct asim_model *m)
{
    uint64_t q = m->heads * m->head_dim, kv = m->kv_heads * m->head_dim;
    uint64_t wide = m->heads * (m->qk_nope + m->qk_rope); /* all queries of latent attention */

    if (!m->kv_lora)
        return m->hidden * (2 * q + 2 * kv) + (m->qkv_bias ? q + 2 * kv : 0) +
               (m->o_bias ? m->hidden : 0) + (m->qk_norm ? 2 * m->head_dim : 0);
    return (m->q_lora ? m->hidden * m->q_lora + m->q_lora * (1 + wide) : m->hidden * wide) +
           m->hidden * (m->kv_lora + m->qk_rope) + m->kv_lora +
           m->kv_lora * m->heads * (m->qk_nope + m->v_dim) + m->heads * m->v_dim * m->hidden;
}

static uint64_t mlp(const struct asim_model *m, uint64_t ffn)
{
    uint64_t matrices = m->gated ? 3 : 2;

    return matrices * m->hidden * ffn + (m->bias ? (matrices - 1) * ffn + m->hidden : 0);
}

double asim_model_count(const struct asim_model *m)
{
    uint64_t experts = m->experts ? m->layers - m->dense_layers : 0;
    uint64_t routed = m->experts * mlp(m, m->expert_ffn) + m->hidden * m->experts;
    double ends = (double)((m->tied ? 1 : 2) * m->vocab + m->positions) * (double)m->hidden;
    double layers =
        (double)m->layers * (double)attention(m) +
        (double)(m->layers - experts) * (double)mlp(m, m->ffn) +
        (double)experts * (double)(routed + (m->shared_ffn ? mlp(m, m->shared_ffn) : 0));

    return ends + layers + (double)((2 * m->layers + 1) * m->norm_terms * m->hidden);
}

uint64_t asim_model_kv_bytes(const struct asim_model *m, uint32_t tp)
{
    uint64_t heads = (m->kv_heads + tp - 1) / tp;

    return 2 * m->layers * (m->kv_lora ? m->kv_lora + m->qk_rope : 2 * heads * m->head_dim);
}

double asim_model_head_size(const struct asim_model *m)
{
    return m->kv_lora ? (double)(m->qk_nope + m->qk_rope + m->v_dim) / 2 : (double)m->head_dim;
}
