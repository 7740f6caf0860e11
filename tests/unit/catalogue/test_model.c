/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The catalogue of models: each count of parameters within 0.5 % of the published one, each row
 * with its source; configurations of Hugging Face, and what is wrong with others.
 */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "catalogue/model.h"
#include "cli/embedded.h"
#include "check.h"

static void test_counts(void)
{
    json_t *root = json_loads(catalogue_files[0].text, 0, NULL), *rows, *row;
    struct asim_model model;
    struct asim_err err = {0};
    size_t i;

    rows = json_object_get(root, "models");
    CHECK(json_array_size(rows) >= 19);
    json_array_foreach(rows, i, row)
    {
        const char *name = json_string_value(json_object_get(row, "name"));
        double published = json_number_value(json_object_get(row, "params")), counted;

        CHECK_U64(asim_model_find(&model, name, &err), 0);
        if (model.as_aicb) /* the same name; its sizes are checked by the other models */
            CHECK(json_integer_value(json_object_get(row, "hidden_size")) ==
                  (json_int_t)model.hidden);
        counted = asim_model_count(&model);
        if (fabs(counted / published - 1) > 0.005)
            printf("%s: counted %.0f, published %.0f\n", name, counted, published);
        CHECK(fabs(counted / published - 1) <= 0.005);
        CHECK(json_string_length(json_object_get(row, "source")) > 10);
    }
    json_decref(root);
}

static int found(struct asim_model *model, const char *text, struct asim_err *err)
{
    FILE *file = fopen("config.json", "w");

    fputs(text, file);
    fclose(file);
    memset(err, 0, sizeof *err);
    return asim_model_find(model, "config.json", err);
}

static void refuses(const char *text, const char *words)
{
    struct asim_model model;
    struct asim_err err;

    CHECK(found(&model, text, &err) != 0);
    if (!strstr(err.text, words))
        printf("'%s' lacks '%s'\n", err.text, words);
    CHECK(strstr(err.text, words) != NULL);
}

#define SIZES                                                                                      \
    "\"hidden_size\": 64, \"num_hidden_layers\": 2, \"num_attention_heads\": 4, "                  \
    "\"intermediate_size\": 128, \"vocab_size\": 1000"

static void test_files(void)
{
    struct asim_model model;
    struct asim_err err;

    CHECK_U64(found(&model, "{\"model_type\": \"llama\", \"rope_theta\": 1e4, " SIZES "}", &err),
              0);
    CHECK_U64(model.kv_heads, 4);
    CHECK_U64(model.head_dim, 16);
    /* by hand: 2 embeddings, 2 layers of 4 h h + 3 h f + 2 h, a last norm */
    CHECK(model.params == 2 * 64000 + 2 * (4 * 4096 + 3 * 8192 + 128) + 64);
    CHECK_U64(found(&model,
                    "{\"model_type\": \"llama\", \"tie_word_embeddings\": true, "
                    "\"num_key_value_heads\": 2, \"attention_bias\": true, " SIZES "}",
                    &err),
              0);
    CHECK(model.params == 64000 + 2 * (3 * 4096 + 64 + 64 + 64 + 3 * 8192 + 128) + 64);
    CHECK_U64(asim_model_kv_bytes(&model, 1), 2 * 2 * 2 * 2 * 16);
    CHECK_U64(asim_model_kv_bytes(&model, 2), 2 * 2 * 2 * 1 * 16);
    CHECK_U64(asim_model_kv_bytes(&model, 8), 2 * 2 * 2 * 1 * 16); /* each GPU has a head */
    CHECK_U64(found(&model,
                    "{\"model_type\": \"gpt2\", \"n_embd\": 64, \"n_layer\": 2, \"n_head\": 4, "
                    "\"n_inner\": null, \"n_positions\": 8, \"vocab_size\": 1000}",
                    &err),
              0);
    CHECK(model.params == 64 * 1008 + 2 * (12 * 4096 + 13 * 64) + 2 * 64);
    refuses("{", "this is not valid JSON");
    refuses("{\"model_type\": \"llama\"}", "needs num_hidden_layers, a whole number from 1");
    refuses("{\"model_type\": \"rwkv\", " SIZES "}", "needs a model_type that is known: llama");
    refuses("{\"model_type\": \"llama\", \"num_key_value_heads\": 3, " SIZES "}",
            "cannot be split");
    refuses("{\"model_type\": \"llama\", \"head_dim\": \"16\", " SIZES "}", "needs head_dim");
    refuses("{\"model_type\": \"llama\", \"max_position_embeddings\": \"64\", " SIZES "}",
            "needs max_position_embeddings, a whole number");
    refuses("{\"model_type\": \"llama\", \"mlp_bias\": 1, " SIZES "}", "needs mlp_bias, true");
    refuses("{\"model_type\": \"mixtral\", \"num_local_experts\": 8, " SIZES "}",
            "needs num_experts_per_tok");
    refuses("{\"model_type\": \"deepseek_v3\", \"kv_lora_rank\": 8, " SIZES "}",
            "needs qk_rope_head_dim");
    refuses("{\"model_type\": \"qwen3_moe\", \"num_experts\": 8, \"num_experts_per_tok\": 2, "
            "\"decoder_sparse_step\": 2, " SIZES "}",
            "some layers only");
}

static void test_names(void)
{
    struct asim_model model;
    struct asim_err err = {0};

    CHECK_U64(asim_model_find(&model, "llama-405b", &err), 0);
    CHECK(model.as_aicb && model.layers == 126);
    CHECK_U64(asim_model_find(&model, "DeepSeek-V3", &err), 0);
    CHECK(!model.as_aicb && model.hidden == 7168);
    CHECK_U64(asim_model_kv_bytes(&model, 1), 2 * 61 * 576);
    CHECK_U64(asim_model_kv_bytes(&model, 8), 2 * 61 * 576); /* no heads to share */
    CHECK_U64(asim_model_find(&model, "deepseek671", &err), 0);
    CHECK(model.as_aicb && model.hidden == 7168 && model.aicb_hidden == 18432 &&
          model.aicb_tp == 1);
    CHECK(asim_model_find(&model, "llama-3-80b", &err) != 0);
    CHECK(strstr(err.text, "Did you mean 'llama-3-8b'?") != NULL);
}

int main(void)
{
    test_counts();
    test_files();
    test_names();
    return CHECK_DONE();
}
