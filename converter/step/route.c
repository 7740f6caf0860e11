/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Routing of tokens. Each layer has a popularity of its experts: uniform, or Zipf with exponent a,
 * where the expert of popularity rank r has weight 1 / r^a and a permutation of the layer says
 * which expert that is. A token draws its k experts one after the other, by weight and without
 * replacement; with router groups it first draws the groups, by their sums of weights (as
 * DeepSeek-V3 limits the servers of a token). The generator is asim's own, seeded by layer and
 * rank: all micro-batches of a layer route alike.
 *
 * A recorded matrix has counts but no tokens: selection j of a rank, in the order of the experts,
 * goes to token j modulo their number, which spreads a token's experts as far as the counts allow.
 *
 * Capacity (Megatron Core): an expert takes ceil(factor · tokens · k / experts) tokens of each
 * rank; later ones are dropped.
 */

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "step/step.h"

enum { MOST_K = 1024 };
#define MOST_CHOICES 2e9 /* a few minutes */

struct draw {
    struct asim_step *step;
    struct asim_err *err;
    uint32_t experts, k, tokens; /* tokens of a rank */
    uint32_t groups, per_group;  /* router groups; 0 = none */
    double *weight;              /* by expert */
    double *sum;                 /* running sums of the weights that count for a token */
    uint32_t *taken;             /* by expert: tokens of this source, for the capacity */
    uint32_t *seen;              /* by expert, then by group: token + 1 that chose it last */
    uint32_t *recorded;          /* counts of a recorded matrix, or NULL */
    uint64_t capacity;           /* 0 = none */
    uint64_t state;              /* of the generator */
};

/* splitmix64 (Steele, Lea, Flood, 2014). */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static double random_unit(uint64_t *state)
{
    return (double)(next_random(state) >> 11) * 0x1p-53;
}

uint32_t asim_step_member(const struct asim_step *s, uint32_t local, uint32_t member)
{
    uint32_t block = s->etp * s->ep;

    return local / block * block + member * s->etp + local % s->etp;
}

/* --- popularity ------------------------------------------------------------------------------- */

/* The word of MoE layer `layer`: of a list, the last one stands for the rest. */
static void word_of(const char *list, uint32_t layer, char word[64])
{
    while (layer-- && strchr(list, ','))
        list = strchr(list, ',') + 1;
    size_t n = strcspn(list, ",");
    memcpy(word, list, n < 63 ? n : 63);
    word[n < 63 ? n : 63] = '\0';
}

static int exponent_of(const char *word, double *exponent, struct asim_err *err)
{
    char safe[64];

    *exponent = 0;
    if (!strcmp(word, "uniform"))
        return 0;
    if (!strncmp(word, "zipf:", 5) && !asim_text_double(word + 5, exponent) && *exponent >= 0 &&
        *exponent <= 10)
        return 0;
    return asim_err_set(err, ASIM_EUSAGE,
                        "token_distribution: '%s' is neither uniform, zipf:EXPONENT (0 to 10), nor "
                        "a file of recorded counts (.csv).",
                        asim_text_safe(safe, sizeof safe, word));
}

static int set_weights(struct draw *d, uint32_t layer, const char *list)
{
    char word[64];
    double exponent;
    uint64_t state = d->step->opt->seed * UINT64_C(0x100000001b3) + layer;

    word_of(list, layer, word);
    if (exponent_of(word, &exponent, d->err))
        return d->err->code;
    for (uint32_t e = 0; e < d->experts; e++)
        d->weight[e] = pow(e + 1.0, -exponent);
    for (uint32_t e = d->experts; e > 1; e--) { /* Fisher and Yates */
        uint32_t other = (uint32_t)(next_random(&state) % e);
        double weight = d->weight[e - 1];
        d->weight[e - 1] = d->weight[other];
        d->weight[other] = weight;
    }
    return 0;
}

/* --- one token -------------------------------------------------------------------------------- */

/* The first of the running sums above `at`. */
static uint32_t place_of(const double *sum, uint32_t n, double at)
{
    uint32_t low = 0, high = n - 1;

    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (sum[mid] > at)
            high = mid;
        else
            low = mid + 1;
    }
    return low;
}

/* Draws one of n by running sums, skipping those that have the mark. Where nearly all the weight is
 * taken, the next free one. */
static uint32_t draw_one(struct draw *d, uint32_t n, const uint32_t *seen, uint32_t mark)
{
    uint32_t at = 0;

    for (int tries = 0; tries < 64; tries++) {
        at = place_of(d->sum, n, random_unit(&d->state) * d->sum[n - 1]);
        if (seen[at] != mark)
            return at;
    }
    while (seen[at] == mark)
        at = (at + 1) % n;
    return at;
}

/* Limits the sums to the groups that this token draws. */
static void limit_groups(struct draw *d, uint32_t mark)
{
    uint32_t *seen = d->seen + d->experts;
    double sum = 0;

    for (uint32_t g = 0; g < d->groups; g++) {
        for (uint32_t e = 0; e < d->per_group; e++)
            sum += d->weight[g * d->per_group + e];
        d->sum[g] = sum;
    }
    for (uint32_t i = 0; i < d->step->opt->router_topk_groups; i++)
        seen[draw_one(d, d->groups, seen, mark)] = mark;
    sum = 0;
    for (uint32_t e = 0; e < d->experts; e++) {
        int allowed = seen[e / d->per_group] == mark;
        sum += allowed ? d->weight[e] : 0;
        d->sum[e] = sum;
        if (!allowed) /* an expert of weight 0 is never drawn, but may be the next free one */
            d->seen[e] = mark;
    }
}

/* --- one source ------------------------------------------------------------------------------- */

struct counts {
    uint32_t *rows, *copies, *servers; /* of one source */
    uint64_t *dropped;
};

/* Counts one token's selections, each destination once where it counts tokens. */
static void count_token(struct draw *d, const struct counts *c, const uint32_t *chosen, uint32_t n)
{
    const struct asim_step *s = d->step;
    uint32_t per_rank = d->experts / s->ep, members[MOST_K], n_members = 0;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t member = chosen[i] / per_rank, j = 0, other = 0;

        if (d->capacity && d->taken[chosen[i]] >= d->capacity) {
            ++*c->dropped;
            continue;
        }
        d->taken[chosen[i]]++;
        c->rows[member]++;
        while (j < n_members && members[j] != member)
            j++;
        if (j < n_members)
            continue;
        c->copies[member]++;
        while (other < n_members &&
               members[other] / s->routes.per_server != member / s->routes.per_server)
            other++;
        if (other == n_members)
            c->servers[member / s->routes.per_server]++;
        members[n_members++] = member;
    }
}

static void draw_source(struct draw *d, const struct counts *c)
{
    uint32_t chosen[MOST_K];
    double sum = 0;

    for (uint32_t e = 0; e < d->experts; e++)
        d->sum[e] = sum += d->weight[e];
    memset(d->seen, 0, (d->experts + d->groups) * sizeof *d->seen);
    for (uint32_t t = 0; t < d->tokens; t++) {
        if (d->groups)
            limit_groups(d, t + 1);
        for (uint32_t i = 0; i < d->k; i++) {
            chosen[i] = draw_one(d, d->experts, d->seen, t + 1);
            d->seen[chosen[i]] = t + 1;
        }
        count_token(d, c, chosen, d->k);
    }
}

/* Selection j goes to token j mod tokens, so a token's selections are `tokens` apart. */
static int spread_source(struct draw *d, const struct counts *c, const uint32_t *recorded)
{
    uint64_t n = 0, tokens = d->tokens;
    uint32_t *list, chosen[MOST_K];

    for (uint32_t e = 0; e < d->experts; e++)
        n += recorded[e];
    list = n <= UINT32_MAX ? malloc((n ? n : 1) * sizeof *list) : NULL;
    if (!list)
        return asim_err_nomem(d->err, "routing tokens");
    if (n > tokens * MOST_K) {
        free(list);
        return asim_err_set(d->err, ASIM_EINVAL,
                            "the recorded counts give a token more than %d experts on average.",
                            MOST_K);
    }
    n = 0;
    for (uint32_t e = 0; e < d->experts; e++)
        for (uint32_t i = 0; i < recorded[e]; i++)
            list[n++] = e;
    for (uint64_t t = 0; t < tokens; t++) {
        uint32_t k = 0;
        for (uint64_t j = t; j < n && k < MOST_K; j += tokens)
            chosen[k++] = list[j];
        count_token(d, c, chosen, k);
    }
    free(list);
    return 0;
}

/* --- all layers ------------------------------------------------------------------------------- */

static int make_layer(struct draw *d, uint32_t layer, struct asim_step_route *route)
{
    const struct asim_step *s = d->step;
    uint32_t servers = s->routes.servers;
    int rc = 0;

    route->rows = calloc((size_t)s->stage_ranks * s->ep, sizeof *route->rows);
    route->copies = calloc((size_t)s->stage_ranks * s->ep, sizeof *route->copies);
    route->servers = calloc((size_t)s->stage_ranks * servers, sizeof *route->servers);
    if (!route->rows || !route->copies || !route->servers)
        return asim_err_nomem(d->err, "routing tokens");
    if (!d->recorded)
        rc = set_weights(d, layer, s->opt->distribution ? s->opt->distribution : "uniform");
    for (uint32_t r = 0; !rc && r < s->stage_ranks; r++) {
        const struct counts c = {route->rows + (size_t)r * s->ep, route->copies + (size_t)r * s->ep,
                                 route->servers + (size_t)r * servers, &route->dropped};
        memset(d->taken, 0, d->experts * sizeof *d->taken);
        d->state = s->opt->seed * UINT64_C(0x9e3779b97f4a7c15) + ((uint64_t)layer << 32 | r);
        if (d->recorded)
            rc = spread_source(d, &c,
                               d->recorded + ((size_t)layer * s->stage_ranks + r) * d->experts);
        else
            draw_source(d, &c);
    }
    return rc;
}

/* DeepEP's normal kernels go over the network to the GPU of the own index in the other server, so
 * each server needs as many members of an expert group, in equal places. */
static int fold_servers(struct asim_step *s, struct asim_err *err)
{
    uint32_t gps = s->opt->gpus_per_server, span = s->etp * s->ep;
    struct asim_step_routes *routes = &s->routes;

    routes->per_server = span <= gps ? s->ep : gps > s->etp ? gps / s->etp : 1;
    routes->servers = s->ep / routes->per_server;
    if ((span <= gps && gps % span == 0) ||
        (span % gps == 0 && (gps % s->etp == 0 || s->etp % gps == 0)))
        return 0;
    if (s->opt->dispatch != ASIM_STEP_NORMAL) {
        routes->per_server = s->ep;
        routes->servers = 1;
        return 0;
    }
    return asim_err_set(err, ASIM_EUSAGE,
                        "ep=%u x etp=%u does not fill servers of %u GPUs evenly, as "
                        "--dispatch=normal needs; change gpus_per_server, or take low-latency.",
                        s->ep, s->etp, gps);
}

static int is_file(const char *distribution)
{
    size_t n = distribution ? strlen(distribution) : 0;

    return n > 4 && !strcmp(distribution + n - 4, ".csv");
}

static int make_layers(struct draw *d)
{
    struct asim_step *s = d->step;
    int rc = 0;

    d->weight = calloc(d->experts, sizeof *d->weight);
    d->sum = calloc(d->experts + d->groups, sizeof *d->sum);
    d->taken = calloc(d->experts, sizeof *d->taken);
    d->seen = calloc(d->experts + d->groups, sizeof *d->seen);
    s->routes.at = calloc(s->routes.layers ? s->routes.layers : 1, sizeof *s->routes.at);
    if (!d->weight || !d->sum || !d->taken || !d->seen || !s->routes.at)
        rc = asim_err_nomem(d->err, "routing tokens");
    if (!rc && is_file(s->opt->distribution))
        rc = asim_step_recorded(s, s->opt->distribution, &d->recorded, d->err);
    for (uint32_t layer = 0; !rc && layer < s->routes.layers; layer++)
        rc = make_layer(d, layer, &s->routes.at[layer]);
    ASIM_FREE(d->weight, d->sum, d->taken, d->seen, d->recorded);
    return rc;
}

int asim_step_routes_make(struct asim_step *s, struct asim_err *err)
{
    const struct asim_llm_options *o = s->opt;
    struct draw d = {.step = s, .err = err, .experts = o->experts, .k = o->topk};
    double capacity, choices;
    int rc;

    if (!o->moe)
        return 0;
    rc = fold_servers(s, err);
    if (rc)
        return rc;
    s->routes.layers = s->layers > s->first_moe ? s->layers - s->first_moe : 0;
    choices = (double)s->routes.layers * s->stage_ranks * (double)(s->tokens / s->tp) * o->topk;
    if (choices > MOST_CHOICES)
        return asim_err_set(err, ASIM_EUSAGE,
                            "%.3g choices of an expert are too many to draw (at most %.3g): take "
                            "fewer layers, ranks or tokens of a micro-batch.",
                            choices, MOST_CHOICES);
    d.tokens = (uint32_t)(s->tokens / s->tp);
    d.groups = o->router_groups;
    d.per_group = d.groups ? d.experts / d.groups : 0;
    capacity = o->capacity_factor * d.tokens * d.k / d.experts;
    d.capacity = o->capacity_factor > 0 ? (uint64_t)ceil(capacity) : 0;
    return make_layers(&d);
}

void asim_step_routes_close(struct asim_step *s)
{
    for (uint32_t i = 0; s->routes.at && i < s->routes.layers; i++) {
        ASIM_FREE(s->routes.at[i].rows, s->routes.at[i].copies, s->routes.at[i].servers);
    }
    free(s->routes.at);
    s->routes.at = NULL;
}
