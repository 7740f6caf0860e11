/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Writes a training step: PREFIX.<rank>.et of every rank, and PREFIX.system.json with the settings
 * that let its communications overlap. One rank is in memory at a time; routes of tokens are there
 * for all.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/file_set.h"
#include "base/io/out.h"
#include "step/emit.h"
#include "base/text.h"
#include "step/step.h"

static void take(uint64_t *least, uint64_t *most, uint64_t *sum, uint64_t value)
{
    *least = value < *least ? value : *least;
    *most = value > *most ? value : *most;
    *sum += value;
}

static void sum_up(struct asim_step_summary *all, const struct asim_step_traffic *one)
{
    for (int k = 0; k < ASIM_STEP_KINDS; k++) {
        take(&all->least.ops[k], &all->most.ops[k], &all->sum.ops[k], one->ops[k]);
        take(&all->least.bytes[k], &all->most.bytes[k], &all->sum.bytes[k], one->bytes[k]);
    }
    take(&all->least.compute_ns, &all->most.compute_ns, &all->sum.compute_ns, one->compute_ns);
    take(&all->least.nodes, &all->most.nodes, &all->sum.nodes, one->nodes);
}

static uint32_t largest_group(const struct asim_step *s)
{
    return s->ep > s->etp ? s->ep : s->etp;
}

/* The order is the same for all ranks of a stage; ids begin at 1 in each rank. */
static int write_rank(const struct asim_step *s, uint32_t rank, const char *path,
                      struct asim_step_summary *all, struct asim_err *err)
{
    struct asim_step_emit e = {
        .step = s, .place = asim_step_place_of(s, rank), .err = err, .next_id = 1};
    struct asim_step_order order;
    int rc = asim_step_order_make(&order, s, e.place.stage, err);

    e.sizes = calloc(largest_group(s), sizeof *e.sizes);
    if (!rc && !e.sizes)
        rc = asim_err_nomem(err, "writing a training step");
    if (!rc)
        rc = asim_chakra_writer_open(&e.writer, path, err);
    if (!rc)
        rc = asim_chakra_writer_metadata(e.writer, "0.0.4", NULL, 0, err);
    e.rc = rc;
    if (!rc) {
        asim_step_put_groups(&e);
        asim_step_passes(&e, &order);
    }
    ASIM_FREE(order.list.at, e.sizes);
    if (!e.rc) {
        sum_up(all, &e.traffic);
        return asim_chakra_writer_commit(e.writer, err);
    }
    asim_chakra_writer_discard(e.writer);
    return e.rc;
}

/* The defaults of a run without a system file, but with as much at once as the step allows: a rank
 * that could do one collective at a time would hold one and wait in another. */
static int write_system(struct asim_file_set *set, const char *prefix, struct asim_err *err)
{
    struct asim_out out;
    int rc = asim_file_set_open(set, &out, prefix, ".system.json", err);

    if (rc)
        return rc;
    asim_out_printf(&out, "{\n  \"scheduling-policy\": \"FIFO\",\n"
                          "  \"collective-optimization\": \"localBWAware\",\n"
                          "  \"preferred-dataset-splits\": 4,\n"
                          "  \"active-chunks-per-dimension\": 1024,\n"
                          "  \"concurrent-collectives\": 1024,\n"
                          "  \"endpoint-delay\": 10,\n  \"local-mem-bw\": 1600,\n"
                          "  \"all-reduce-implementation\": [\"treeOrRing\"],\n"
                          "  \"reduce-scatter-implementation\": [\"ring\"],\n"
                          "  \"all-gather-implementation\": [\"ring\"],\n"
                          "  \"all-to-all-implementation\": [\"direct\"]\n}\n");
    return asim_out_commit(&out, err);
}

static int write_all(struct asim_step *s, struct asim_step_summary *all, struct asim_err *err)
{
    const struct asim_llm_options *o = s->opt;
    struct asim_file_set set = {0};
    int rc = asim_file_set_begin(&set, o->et, o->world, o->force, err);

    for (uint32_t rank = 0; !rc && rank < o->world; rank++) {
        const char *temp_name;
        rc = asim_file_set_rank(&set, o->et, rank, &temp_name, err);
        if (!rc)
            rc = write_rank(s, rank, temp_name, all, err);
    }
    if (!rc)
        rc = write_system(&set, o->et, err);
    return asim_file_set_end(&set, rc, err);
}

/* Pairs that a rank of the stage receives in a layer. */
static uint64_t received(const struct asim_step *s, const struct asim_step_route *route,
                         uint32_t local)
{
    struct asim_step_place place = asim_step_place_of(s, local);
    uint64_t sum = 0;

    for (uint32_t from = 0; from < s->ep; from++)
        sum += route->rows[(size_t)asim_step_member(s, local, from) * s->ep + place.expert];
    return sum;
}

static void sum_tokens(struct asim_step_tokens *sum, const struct asim_step *s)
{
    sum->layers = s->routes.layers;
    sum->ranks = s->stage_ranks;
    sum->recorded = s->routes.recorded;
    sum->dispatch_bytes = asim_step_dispatch_bytes(s);
    sum->combine_bytes = asim_step_combine_bytes(s);
    for (uint32_t i = 0; i < s->routes.layers; i++) {
        const struct asim_step_route *route = &s->routes.at[i];
        sum->dropped += route->dropped;
        for (size_t k = 0; k < (size_t)s->stage_ranks * s->ep; k++) {
            sum->pairs += route->rows[k];
            sum->gpus += route->copies[k];
        }
        for (size_t k = 0; k < (size_t)s->stage_ranks * s->routes.servers; k++)
            sum->servers += route->servers[k];
        for (uint32_t r = 0; r < s->stage_ranks; r++) {
            uint64_t pairs = received(s, route, r);
            sum->most_pairs = pairs > sum->most_pairs ? pairs : sum->most_pairs;
        }
    }
}

int asim_step_write(const struct asim_llm *llm, const struct asim_llm_times *measured,
                    struct asim_step_summary *all, struct asim_err *err)
{
    struct asim_step step;
    int rc = asim_step_plan(&step, llm, err);

    memset(all, 0, sizeof *all);
    memset(&all->least, 0xff, sizeof all->least);
    if (!rc)
        rc = asim_step_kernels(&step, measured, err);
    if (!rc)
        rc = asim_step_routes_make(&step, err);
    if (!rc)
        rc = write_all(&step, all, err);
    if (!rc)
        sum_tokens(&all->tokens, &step);
    asim_step_routes_close(&step);
    return rc;
}

/* Per rank and MoE layer, of one micro-batch. */
static void print_tokens(const struct asim_step_tokens *t)
{
    double n = (double)t->layers * t->ranks;
    const struct {
        const char *name;
        uint64_t tokens;
    } rows[] = {{"pairs", t->pairs}, {"gpus", t->gpus}, {"servers", t->servers}};

    printf("\nof a rank, MoE layer and micro-batch, own part included:\n%-16s %14s %16s %16s\n",
           "tokens_to", "mean_tokens", "dispatch_bytes", "combine_bytes");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double mean = (double)rows[i].tokens / n;
        printf("%-16s %14.2f %16.0f %16.0f\n", rows[i].name, mean, mean * (double)t->dispatch_bytes,
               mean * (double)t->combine_bytes);
    }
    printf("the rank with most pairs has %" PRIu64 ", %.2f times the mean; %" PRIu64
           " pairs were beyond the experts' capacity\n",
           t->most_pairs, (double)t->most_pairs * n / (double)(t->pairs ? t->pairs : 1),
           t->dropped);
    if (t->recorded)
        printf("the counts of %" PRIu32 " rank%s are recorded; all %" PRIu32
               " ranks of a stage repeat them\n",
               t->recorded, asim_text_s(t->recorded), t->ranks);
}

/* Kinds that no rank uses have no line. */
void asim_step_print(const struct asim_llm *llm, const struct asim_step_summary *all)
{
    static const char *const names[] = {"tensor",
                                        "expert_tensor",
                                        "expert_rail",
                                        "expert_server",
                                        "data_gather",
                                        "data_reduce",
                                        "expert_gather",
                                        "expert_reduce",
                                        "data_gather_2",
                                        "data_reduce_2",
                                        "expert_gather_2",
                                        "expert_reduce_2",
                                        "",
                                        "",
                                        "",
                                        "",
                                        "context_ring",
                                        "pipeline",
                                        "world"};

    printf("%s.{0..%u}.et: %" PRIu64 " to %" PRIu64 " nodes, %" PRIu64 " to %" PRIu64
           " ns of computation each\n",
           llm->opt->et, llm->opt->world - 1, all->least.nodes, all->most.nodes,
           all->least.compute_ns, all->most.compute_ns);
    printf("%-16s %10s %10s %16s %16s %18s\n", "traffic", "ops_min", "ops_max", "bytes_min",
           "bytes_max", "bytes_all_ranks");
    for (int k = 0; k < ASIM_STEP_KINDS; k++)
        if (all->sum.ops[k])
            printf("%-16s %10" PRIu64 " %10" PRIu64 " %16" PRIu64 " %16" PRIu64 " %18" PRIu64 "\n",
                   names[k], all->least.ops[k], all->most.ops[k], all->least.bytes[k],
                   all->most.bytes[k], all->sum.bytes[k]);
    if (all->tokens.layers)
        print_tokens(&all->tokens);
}
