/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Popularity of experts: all alike, or Zipf's law. GPUs of an instance hold as many experts each,
 * in an order drawn for each layer; a layer ends when the GPU that most tokens go to has ended. A
 * token names an expert at most once, so no GPU can get more than all tokens for each expert it
 * holds.
 */
#include "tools/inference/inference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/map.h"
#include "base/text.h"

static double popularity(const struct asim_experts *experts, uint64_t i)
{
    return pow((double)(i + 1), -experts->exponent);
}

/* The share of a GPU's tokens that the busiest gets in one layer, where 1 is an even one. */
static double busiest_of(const struct asim_experts *experts, uint32_t *order, uint64_t n,
                         uint32_t gpus)
{
    double most = 0;

    for (uint32_t gpu = 0; gpu < gpus; gpu++) {
        double share = 0;

        for (uint64_t i = n * gpu / gpus; i < n * (gpu + 1) / gpus; i++)
            share += popularity(experts, order[i]);
        most = fmax(most, share);
    }
    return most * gpus / experts->sum;
}

static void shuffle(uint32_t *order, uint64_t n, uint64_t layer)
{
    for (uint64_t i = n - 1; i; i--) {
        uint64_t k = asim_mix64(asim_mix64(layer + 1) ^ i) % (i + 1);
        uint32_t other = order[k];

        order[k] = order[i];
        order[i] = other;
    }
}

int asim_experts_read(struct asim_experts *experts, const char *word,
                      const struct asim_model *model, uint32_t gpus, struct asim_err *err)
{
    uint64_t n = model->experts, layers = n ? model->layers - model->dense_layers : 0;
    uint32_t *order;

    *experts = (struct asim_experts){.sum = (double)n, .busiest = 1};
    if (!strcmp(word, "uniform"))
        return 0;
    if (strncmp(word, "zipf:", 5) || asim_text_double(word + 5, &experts->exponent) ||
        !(experts->exponent >= 0 && experts->exponent <= 10))
        return asim_err_set(err, ASIM_EUSAGE,
                            "--experts=%s is neither uniform nor zipf:EXPONENT (0 to 10).", word);
    if (!n || !layers)
        return asim_err_set(err, ASIM_EUSAGE, "--experts=%s: the model %s has no experts.", word,
                            model->name);
    order = malloc(n * sizeof *order);
    if (!order)
        return asim_err_nomem(err, "spreading experts");
    experts->sum = 0;
    for (uint64_t i = 0; i < n; i++) {
        experts->sum += popularity(experts, i);
        order[i] = (uint32_t)i;
    }
    experts->busiest = 0;
    for (uint64_t layer = 0; layer < layers; layer++) {
        shuffle(order, n, layer);
        experts->busiest += busiest_of(experts, order, n, gpus) / (double)layers;
    }
    experts->busiest = fmin(experts->busiest, (double)n / (double)model->topk);
    free(order);
    return 0;
}

double asim_experts_named(const struct asim_experts *experts, const struct asim_model *model,
                          double tokens)
{
    double named = 0;

    for (uint64_t i = 0; i < model->experts; i++) {
        double each = fmin(1, (double)model->topk * popularity(experts, i) / experts->sum);

        named += 1 - pow(1 - each, tokens);
    }
    return named;
}
