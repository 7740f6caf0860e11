/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Reads tiers, oversubscription and equal ways of summary.json, and traffic.csv.
 */
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include "tools/report/run.h"
#include "tools/report/table.h"

static uint64_t whole(const json_t *object, const char *key)
{
    json_int_t value = json_integer_value(json_object_get(object, key));

    return value > 0 ? (uint64_t)value : 0;
}

static double real(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

static void copy(char *to, size_t size, const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    snprintf(to, size, "%s", text ? text : "");
}

/* Absent from runs over formulas and of older versions. */
int asim_run_load_tiers(struct asim_run *run, const struct json_t *summary, struct asim_err *err)
{
    const json_t *ecmp = json_object_get(summary, "ecmp"), *value;
    size_t i;

    json_array_foreach(json_object_get(summary, "tiers"), i, value)
    {
        struct asim_run_tier tier = {.links = whole(value, "links"),
                                     .bytes = whole(value, "bytes"),
                                     .most_bytes = whole(value, "max_bytes"),
                                     .mean = real(value, "mean_utilisation"),
                                     .worst = real(value, "max_utilisation")};

        copy(tier.class, sizeof tier.class, value, "class");
        copy(tier.direction, sizeof tier.direction, value, "direction");
        if (ASIM_VEC_PUSH(run->tiers, tier))
            return asim_err_nomem(err, "reading summary.json");
    }
    json_array_foreach(json_object_get(summary, "oversubscription"), i, value)
    {
        struct asim_run_ratio ratio = {whole(value, "tier"), real(value, "built"),
                                       real(value, "seen")};

        if (ASIM_VEC_PUSH(run->ratios, ratio))
            return asim_err_nomem(err, "reading summary.json");
    }
    run->ways = (struct asim_run_ways){.flows = whole(ecmp, "flows"),
                                       .worst = whole(ecmp, "max_flows_per_way"),
                                       .port = whole(ecmp, "max_port"),
                                       .mean = real(ecmp, "mean_flows_per_way"),
                                       .even = real(ecmp, "even_flows_per_way")};
    copy(run->ways.at, sizeof run->ways.at, ecmp, "max_at");
    return 0;
}

static int add_type(struct asim_run *run, const char *type, uint64_t messages, uint64_t bytes)
{
    struct asim_run_traffic fresh = {.messages = messages, .bytes = bytes};
    size_t i = 0;

    snprintf(fresh.type, sizeof fresh.type, "%s", type);
    while (i < run->traffic.n && strcmp(run->traffic.at[i].type, fresh.type))
        i++;
    if (i == run->traffic.n)
        return ASIM_VEC_PUSH(run->traffic, fresh);
    run->traffic.at[i].messages += messages;
    run->traffic.at[i].bytes += bytes;
    return 0;
}

/* NVSwitches are no ranks: they count by type only. */
static int add_row(struct asim_run *run, const struct asim_table *table, const int at[5],
                   struct asim_err *err)
{
    const char *src = asim_table_text(table, at[0]), *dst = asim_table_text(table, at[1]);
    uint64_t bytes = asim_table_u64(table, at[4], err), from, to;

    if (add_type(run, asim_table_text(table, at[2]), asim_table_u64(table, at[3], err), bytes))
        return asim_err_nomem(err, "reading traffic.csv");
    if (!strcmp(src, "nvswitch") || !strcmp(dst, "nvswitch"))
        return 0;
    from = asim_table_u64(table, at[0], err) / run->grid_ranks;
    to = asim_table_u64(table, at[1], err) / run->grid_ranks;
    if (from < run->grid_side && to < run->grid_side)
        run->grid[from][to] += (double)bytes;
    return 0;
}

int asim_run_load_traffic(struct asim_run *run, struct asim_err *err)
{
    static const char *const names[] = {"src_rank", "dst_rank", "collective", "messages", "bytes"};
    struct asim_table table;
    int code = asim_run_open(run, &table, "traffic.csv", err), at[5];

    for (int i = 0; !code && table.file && i < 5; i++)
        if ((at[i] = asim_table_need(&table, names[i], err)) < 0)
            code = ASIM_EINVAL;
    run->has_traffic = !code && table.file;
    run->grid_ranks = run->n_ranks ? (run->n_ranks + ASIM_RUN_GRID - 1) / ASIM_RUN_GRID : 1;
    run->grid_side = (run->n_ranks + run->grid_ranks - 1) / run->grid_ranks;
    while (!code && run->has_traffic && (code = asim_table_row(&table, err)) > 0)
        code = add_row(run, &table, at, err);
    asim_table_close(&table);
    return code;
}
