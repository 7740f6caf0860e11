/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Reads flows.csv and links.csv.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tools/report/run.h"
#include "tools/report/table.h"

/* Largest first; of the same size the one that took longest. */
static int is_before(const struct asim_run_flow *a, const struct asim_run_flow *b)
{
    if (a->bytes != b->bytes)
        return a->bytes > b->bytes;
    return a->end - a->start > b->end - b->start;
}

static void keep_top(struct asim_run *run, const struct asim_run_flow *flow)
{
    uint32_t at = run->n_top;

    if (at == ASIM_RUN_TOP_FLOWS && !is_before(flow, &run->top[at - 1]))
        return;
    at -= at == ASIM_RUN_TOP_FLOWS;
    for (; at && is_before(flow, &run->top[at - 1]); at--)
        run->top[at] = run->top[at - 1];
    run->top[at] = *flow;
    run->n_top += run->n_top < ASIM_RUN_TOP_FLOWS;
}

int asim_run_keep_slowdown(struct asim_run *run, const struct asim_run_flow *flow)
{
    double slow = flow->ideal ? (double)(flow->end - flow->start) / (double)flow->ideal : 1;
    struct asim_run_slowdown one = {flow->bytes, slow > 1 ? slow : 1};
    int which = flow->is_background;

    return run->slowdowns[which].n < ASIM_RUN_SLOWDOWNS ? ASIM_VEC_PUSH(run->slowdowns[which], one)
                                                        : 0;
}

ASIM_ORDER(by_size, struct asim_run_slowdown, ->bytes, ->slowdown)

void asim_run_sort_slowdowns(struct asim_run *run)
{
    for (int i = 0; i < 2; i++)
        if (run->slowdowns[i].n)
            qsort(run->slowdowns[i].at, run->slowdowns[i].n, sizeof *run->slowdowns[i].at, by_size);
}

struct flow_columns {
    int src, dst, bytes, start, end, ideal, class;
};

static int find_flow_columns(struct flow_columns *at, const struct asim_table *table,
                             struct asim_err *err)
{
    at->src = asim_table_need(table, "src", err);
    at->dst = asim_table_need(table, "dst", err);
    at->bytes = asim_table_need(table, "bytes", err);
    at->start = asim_table_need(table, "start_ns", err);
    at->end = asim_table_need(table, "end_ns", err);
    at->ideal = asim_table_need(table, "ideal_ns", err);
    at->class = asim_table_find(table, "class");
    return err->code;
}

static int take_flow(struct asim_run *run, const struct asim_table *table,
                     const struct flow_columns *at, struct asim_err *err)
{
    struct asim_run_flow flow = {.src = (uint32_t)asim_table_u64(table, at->src, err),
                                 .dst = (uint32_t)asim_table_u64(table, at->dst, err),
                                 .bytes = asim_table_u64(table, at->bytes, err),
                                 .start = asim_table_u64(table, at->start, err),
                                 .end = asim_table_u64(table, at->end, err),
                                 .ideal = asim_table_u64(table, at->ideal, err),
                                 .is_background =
                                     !strncmp(asim_table_text(table, at->class), "background", 10)};

    if (!*asim_table_text(table, at->end))
        return 0; /* under way at the end of an interrupted run */
    asim_run_add_goodput(run, &flow);
    keep_top(run, &flow);
    if (!flow.is_background) {
        run->flows++;
        run->flow_bytes += flow.bytes;
        run->mean_base += (double)flow.ideal;
    }
    return asim_run_keep_slowdown(run, &flow) ? asim_err_nomem(err, "reading flows.csv") : 0;
}

int asim_run_load_flows(struct asim_run *run, struct asim_err *err)
{
    struct flow_columns at = {0};
    struct asim_table table;
    int code = asim_run_open(run, &table, "flows.csv", err);

    if (!code && table.file)
        code = find_flow_columns(&at, &table, err);
    if (!code && table.file)
        code = asim_run_open_goodput(run, err);
    run->has_flows = !code && table.file;
    while (!code && run->has_flows && (code = asim_table_row(&table, err)) > 0)
        code = take_flow(run, &table, &at, err);
    if (run->flows)
        run->mean_base /= (double)run->flows;
    asim_run_sort_slowdowns(run);
    asim_table_close(&table);
    return code;
}

struct columns {
    int from, port, to, rate, frames, bytes, utilisation, peak, marks, pauses, drops, class, paused;
};

static int find_columns(struct columns *at, const struct asim_table *table, struct asim_err *err)
{
    at->from = asim_table_need(table, "from", err);
    at->port = asim_table_need(table, "port", err);
    at->to = asim_table_need(table, "to", err);
    at->rate = asim_table_need(table, "rate_bps", err);
    at->frames = asim_table_find(table, "frames");
    at->bytes = asim_table_need(table, "bytes", err);
    at->utilisation = asim_table_need(table, "utilisation", err);
    at->peak = asim_table_find(table, "peak_queue_bytes");
    at->marks = asim_table_find(table, "ecn_marks");
    at->pauses = asim_table_find(table, "pauses_sent");
    at->drops = asim_table_find(table, "drops");
    at->class = asim_table_find(table, "class");
    at->paused = asim_table_find(table, "paused_ns");
    return err->code;
}

static struct asim_run_link read_link(const struct asim_table *table, const struct columns *at,
                                      struct asim_err *err)
{
    struct asim_run_link link = {.from = (uint32_t)asim_table_u64(table, at->from, err),
                                 .port = (uint32_t)asim_table_u64(table, at->port, err),
                                 .to = (uint32_t)asim_table_u64(table, at->to, err),
                                 .rate_bps = asim_table_u64(table, at->rate, err),
                                 .frames = asim_table_u64(table, at->frames, err),
                                 .bytes = asim_table_u64(table, at->bytes, err),
                                 .peak_queue = asim_table_u64(table, at->peak, err),
                                 .marks = asim_table_u64(table, at->marks, err),
                                 .pauses = asim_table_u64(table, at->pauses, err),
                                 .drops = asim_table_u64(table, at->drops, err),
                                 .paused_ns = asim_table_u64(table, at->paused, err),
                                 .utilisation = asim_table_real(table, at->utilisation, err)};

    snprintf(link.class, sizeof link.class, "%s", asim_table_text(table, at->class));
    return link;
}

/* "leaf" of "leaf 9". */
static size_t kind_length(const struct asim_run_node *node)
{
    return strcspn(node->name, " ");
}

/* Where links.csv has no class: from the nodes at both ends, the lower tier first. */
static void derive_class(const struct asim_run *run, struct asim_run_link *link)
{
    const struct asim_run_node *a = asim_run_node_of(run, link->from),
                               *b = asim_run_node_of(run, link->to), *low, *high;

    if (*link->class || !a || !b) {
        if (!*link->class)
            snprintf(link->class, sizeof link->class, "link");
        return;
    }
    low = a->tier <= b->tier ? a : b;
    high = low == a ? b : a;
    if (!strcmp(a->type, "nvswitch") || !strcmp(b->type, "nvswitch"))
        snprintf(link->class, sizeof link->class, "nvlink");
    else
        snprintf(link->class, sizeof link->class, "%.*s-%.*s", (int)kind_length(low), low->name,
                 (int)kind_length(high), high->name);
}

static void find_loss(struct asim_run *run, struct asim_run_link *link)
{
    const uint64_t *bits = asim_map_get(&run->losses, link->from, link->port);

    if (bits)
        memcpy(&link->error_rate, bits, sizeof link->error_rate);
    run->lost += link->error_rate * (double)link->frames;
}

static int sum_class(struct asim_run *run, const struct asim_run_link *link)
{
    struct asim_run_class *class, fresh = {.links = 0};
    size_t i = 0;

    while (i < run->classes.n && strcmp(run->classes.at[i].name, link->class))
        i++;
    snprintf(fresh.name, sizeof fresh.name, "%s", link->class);
    if (i == run->classes.n && ASIM_VEC_PUSH(run->classes, fresh))
        return ASIM_ENOMEM;
    class = &run->classes.at[i];
    class->links++;
    class->mean += (link->utilisation - class->mean) / class->links;
    class->worst = class->worst > link->utilisation ? class->worst : link->utilisation;
    class->peak_queue = class->peak_queue > link->peak_queue ? class->peak_queue : link->peak_queue;
    class->marks += link->marks;
    class->pauses += link->pauses;
    class->drops += link->drops;
    return 0;
}

/* The more used first; then the longer queue, then the order of the file. */
static int is_worse(const struct asim_run_link *a, const struct asim_run_link *b)
{
    if (a->utilisation != b->utilisation)
        return a->utilisation > b->utilisation;
    return a->peak_queue > b->peak_queue;
}

static void keep_worst(struct asim_run *run, uint32_t index)
{
    const uint32_t most = sizeof run->worst / sizeof *run->worst;
    const struct asim_run_link *link = &run->links.at[index];
    uint32_t at = run->n_worst;

    if (at == most && !is_worse(link, &run->links.at[run->worst[at - 1]]))
        return;
    at -= at == most;
    for (; at && is_worse(link, &run->links.at[run->worst[at - 1]]); at--)
        run->worst[at] = run->worst[at - 1];
    run->worst[at] = index;
    run->n_worst += run->n_worst < most;
}

static void keep_longest(struct asim_run *run, uint32_t index)
{
    const struct asim_run_link *link = &run->links.at[index];

    if (link->peak_queue && !asim_run_is_host(run, link->from) &&
        (run->longest == ASIM_RUN_NONE ||
         link->peak_queue > run->links.at[run->longest].peak_queue))
        run->longest = index;
}

/* Bytes into a host, over all of its ports. */
struct into {
    uint32_t host;
    double bytes;
};

ASIM_ORDER(by_host, struct into, ->host)

/* Sums the entries of a host. Returns the number of hosts and leaves the bytes of each in bytes. */
static uint32_t sum_hosts(struct into *into, size_t n, double *bytes)
{
    uint32_t hosts = 0;

    if (n)
        qsort(into, n, sizeof *into, by_host);
    for (size_t i = 0; i < n; i++)
        if (i && into[i].host == into[i - 1].host)
            bytes[hosts - 1] += into[i].bytes;
        else
            bytes[hosts++] = into[i].bytes;
    return hosts;
}

/* Of the host at the busiest link, the ports of its class in the same direction. */
static void sum_ports(struct asim_run *run, const struct asim_run_link *link)
{
    const struct asim_run_link *worst = &run->links.at[run->worst[0]];
    int is_into = asim_run_is_host(run, worst->to);

    if (!strcmp(link->class, worst->class) &&
        (is_into ? link->to == worst->to : link->from == worst->from)) {
        run->worst_ports++;
        run->worst_bytes += link->bytes;
    }
}

static int find_median(struct asim_run *run, struct asim_err *err)
{
    struct into *into = malloc((run->links.n + 1) * sizeof *into);
    double *bytes = malloc((run->links.n + 1) * sizeof *bytes);
    size_t n = 0;

    for (size_t l = 0; into && bytes && l < run->links.n; l++) {
        const struct asim_run_link *link = &run->links.at[l];

        if (asim_run_is_host(run, link->to) &&
            !strcmp(link->class, run->links.at[run->worst[0]].class))
            into[n++] = (struct into){link->to, (double)link->bytes};
        sum_ports(run, link);
    }
    if (into && bytes) {
        run->n_into = sum_hosts(into, n, bytes);
        run->median_into = asim_run_median(bytes, run->n_into);
    }
    n = into && bytes;
    ASIM_FREE(into, bytes);
    return n ? 0 : asim_err_nomem(err, "reading links.csv");
}

int asim_run_load_links(struct asim_run *run, struct asim_err *err)
{
    struct asim_table table;
    struct columns at = {0};
    int code = asim_run_open(run, &table, "links.csv", err);

    if (!code && table.file)
        code = find_columns(&at, &table, err);
    run->has_links = !code && table.file;
    while (!code && (code = asim_table_row(&table, err)) > 0) {
        struct asim_run_link link = read_link(&table, &at, err);

        derive_class(run, &link);
        find_loss(run, &link);
        code = ASIM_VEC_PUSH(run->links, link) || sum_class(run, &link)
                   ? asim_err_nomem(err, "reading links.csv")
                   : 0;
        if (!code) {
            keep_worst(run, (uint32_t)run->links.n - 1);
            keep_longest(run, (uint32_t)run->links.n - 1);
        }
    }
    asim_table_close(&table);
    return code ? code : find_median(run, err);
}
