/* SPDX-License-Identifier: GPL-2.0-only
 *
 * See run.h: summary.json, topology.json, ranks.csv, and the order of the parts. summary.json must
 * be there, all else may be absent.
 */
#include "tools/report/run.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tools/report/table.h"

enum { BRIEF = 5 }; /* parts that the verdict needs */

/* *root is NULL where the file is absent. */
static int open_json(json_t **root, const struct asim_run *run, const char *name,
                     struct asim_err *err)
{
    char path[ASIM_TABLE_PATH];
    json_error_t bad;

    *root = NULL;
    snprintf(path, sizeof path, "%s/%s", run->folder, name);
    if (access(path, R_OK))
        return errno == ENOENT
                   ? 0
                   : asim_err_set(err, ASIM_EIO, "cannot read %s: %s.", path, strerror(errno));
    *root = json_load_file(path, JSON_REJECT_DUPLICATES, &bad);
    if (!*root && json_error_code(&bad) == json_error_out_of_memory)
        return asim_err_nomem(err, "reading a run");
    if (!*root || !json_is_object(*root)) {
        struct asim_where at = {path, *root ? 1 : (unsigned)(bad.line > 0 ? bad.line : 1), 0};

        json_decref(*root);
        *root = NULL;
        return asim_err_at(err, ASIM_EINVAL, at,
                           "this is no JSON object as asim writes it; run the case again with "
                           "--out.");
    }
    return 0;
}

static uint64_t number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);

    if (json_is_real(value))
        return json_real_value(value) > 0 ? (uint64_t)json_real_value(value) : 0;
    return json_is_integer(value) && json_integer_value(value) > 0
               ? (uint64_t)json_integer_value(value)
               : 0;
}

static void copy(char *to, size_t size, const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    snprintf(to, size, "%s", text ? text : "");
}

/* Figures as text, objects inside as "outer.inner". */
static int keep_figures(struct asim_run *run, json_t *object, const char *before,
                        struct asim_err *err)
{
    const char *key;
    json_t *value;
    int code = 0;

    json_object_foreach(object, key, value)
    {
        char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT), name[200];
        struct asim_run_figure figure = {0};

        snprintf(name, sizeof name, "%s%s%s", before, *before ? "." : "", key);
        if (json_is_object(value) && !*before) {
            code = keep_figures(run, value, name, err);
        } else if (text) {
            figure.key = asim_arena_strdup(&run->arena, name);
            figure.value = json_is_string(value)
                               ? asim_arena_strdup(&run->arena, json_string_value(value))
                               : asim_arena_strdup(&run->arena, text);
        }
        free(text);
        if (code)
            return code;
        if (!json_is_object(value) &&
            (!figure.key || !figure.value || ASIM_VEC_PUSH(run->figures, figure)))
            return asim_err_nomem(err, "reading summary.json");
    }
    return 0;
}

static int load_summary(struct asim_run *run, struct asim_err *err)
{
    json_t *root;
    int code = open_json(&root, run, "summary.json", err);

    if (code)
        return code;
    if (!root)
        return asim_err_set(err, ASIM_EINVAL,
                            "%s has no summary.json: name the folder that a run wrote with "
                            "--out=DIR.",
                            run->folder);
    code = keep_figures(run, root, "", err);
    copy(run->state, sizeof run->state, root, "state");
    run->finish = number(root, "finish_ns");
    run->n_ranks = (uint32_t)number(root, "ranks");
    run->messages = number(root, "messages");
    run->drops = number(root, "drops");
    run->marks = number(root, "ecn_marks");
    run->pauses = number(root, "pfc_pauses");
    run->wire_bytes = number(root, "wire_bytes");
    run->ranks_done = number(root, "ranks_finished");
    run->ops_done = number(root, "ops_finished");
    json_decref(root);
    return code;
}

static int by_id(const void *a, const void *b)
{
    const struct asim_run_node *x = a, *y = b;

    return (x->id > y->id) - (x->id < y->id);
}

/* Both directions of links that lose frames. */
static int keep_losses(struct asim_run *run, const json_t *links)
{
    json_t *value;
    size_t i;

    json_array_foreach(links, i, value)
    {
        double rate = json_number_value(json_object_get(value, "error_rate"));
        uint64_t bits, *a, *b;

        if (!(rate > 0))
            continue;
        memcpy(&bits, &rate, sizeof bits);
        a = asim_map_put(&run->losses, number(value, "a"), number(value, "port_a"));
        if (a)
            *a = bits;
        b = asim_map_put(&run->losses, number(value, "b"), number(value, "port_b"));
        if (!a || !b)
            return ASIM_ENOMEM;
        *b = bits;
    }
    return 0;
}

static int load_topology(struct asim_run *run, struct asim_err *err)
{
    json_t *root, *nodes, *value;
    size_t i;
    int code = open_json(&root, run, "topology.json", err);

    if (code || !root)
        return code;
    nodes = json_object_get(root, "nodes");
    json_array_foreach(nodes, i, value)
    {
        struct asim_run_node node = {.id = (uint32_t)number(value, "id"),
                                     .tier = (uint32_t)number(value, "tier")};

        copy(node.type, sizeof node.type, value, "type");
        copy(node.name, sizeof node.name, value, "name");
        if (ASIM_VEC_PUSH(run->nodes, node)) {
            json_decref(root);
            return asim_err_nomem(err, "reading topology.json");
        }
    }
    code = keep_losses(run, json_object_get(root, "links"));
    json_decref(root);
    if (code)
        return asim_err_nomem(err, "reading topology.json");
    if (run->nodes.n)
        qsort(run->nodes.at, run->nodes.n, sizeof *run->nodes.at, by_id);
    run->has_topology = run->nodes.n > 0;
    return 0;
}

/* The file as it is, for the page. */
static int load_settings(struct asim_run *run, struct asim_err *err)
{
    struct asim_run_figure setting = {.key = "network.json"};
    json_t *root;
    char *text;
    int code = open_json(&root, run, setting.key, err);

    if (code || !root)
        return code;
    text = json_dumps(root, JSON_INDENT(2));
    json_decref(root);
    setting.value = text ? asim_arena_strdup(&run->arena, text) : NULL;
    free(text);
    return !setting.value || ASIM_VEC_PUSH(run->settings, setting)
               ? asim_err_nomem(err, "reading network.json")
               : 0;
}

int asim_run_load_json(struct asim_run *run, struct asim_err *err)
{
    int code = load_summary(run, err);

    if (!code)
        code = load_topology(run, err);
    return code || run->is_brief ? code : load_settings(run, err);
}

const struct asim_run_node *asim_run_node_of(const struct asim_run *run, uint32_t id)
{
    struct asim_run_node key = {.id = id};

    return run->nodes.n ? bsearch(&key, run->nodes.at, run->nodes.n, sizeof key, by_id) : NULL;
}

int asim_run_is_host(const struct asim_run *run, uint32_t id)
{
    const struct asim_run_node *node = asim_run_node_of(run, id);

    return node && !node->tier;
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

uint64_t asim_run_median(uint64_t *values, size_t n)
{
    if (!n)
        return 0;
    qsort(values, n, sizeof *values, by_value);
    return values[(n - 1) / 2];
}

static int by_rank(const void *a, const void *b)
{
    const struct asim_run_rank *x = a, *y = b;

    return (x->rank > y->rank) - (x->rank < y->rank);
}

struct rank_columns {
    int rank, finish, compute, hidden, exposed, comm, waiting, cpu, idle, ops;
};

static int find_rank_columns(struct asim_run *run, const struct asim_table *table,
                             struct rank_columns *at, struct asim_err *err)
{
    at->rank = asim_table_need(table, "rank", err);
    at->finish = asim_table_need(table, "finish_ns", err);
    at->compute = asim_table_need(table, "compute_ns|gpu_ns", err);
    at->hidden = asim_table_need(table, "hidden_comm_ns|comm_hidden_ns|hidden_ns|overlap_ns", err);
    at->exposed = asim_table_find(table, "comm_exposed_ns|exposed_ns");
    at->comm = asim_table_find(table, "comm_ns");
    at->waiting = asim_table_find(table, "waiting_ns|wait_ns");
    at->cpu = asim_table_find(table, "cpu_bound_ns|cpu_only_ns");
    at->idle = asim_table_find(table, "idle_ns");
    at->ops = asim_table_find(table, "ops");
    run->has_breakdown = at->waiting >= 0 && at->exposed >= 0;
    return at->rank < 0 || at->finish < 0 || at->compute < 0 || at->hidden < 0 ? ASIM_EINVAL : 0;
}

/* Without the breakdown: exposed communication is communication beside computation, and the rest of
 * the time is `other`. */
static struct asim_run_rank read_rank(const struct asim_run *run, const struct asim_table *table,
                                      const struct rank_columns *at, struct asim_err *err)
{
    struct asim_run_rank rank = {.rank = (uint32_t)asim_table_u64(table, at->rank, err),
                                 .finish = asim_table_u64(table, at->finish, err),
                                 .compute = asim_table_u64(table, at->compute, err),
                                 .hidden = asim_table_u64(table, at->hidden, err),
                                 .waiting = asim_table_u64(table, at->waiting, err),
                                 .cpu = asim_table_u64(table, at->cpu, err),
                                 .idle = asim_table_u64(table, at->idle, err),
                                 .ops = asim_table_u64(table, at->ops, err)};
    uint64_t known, comm;

    if (run->has_breakdown) {
        rank.exposed = asim_table_u64(table, at->exposed, err);
    } else {
        comm = asim_table_u64(table, at->comm, err);
        rank.exposed = comm > rank.hidden ? comm - rank.hidden : 0;
        rank.waiting = rank.cpu = rank.idle = 0;
    }
    known = rank.compute + rank.exposed + rank.waiting + rank.cpu + rank.idle;
    if (run->has_breakdown && known + rank.hidden == rank.finish)
        rank.compute += rank.hidden; /* a breakdown that tells hidden time apart from compute */
    else if (known < rank.finish)
        rank.other = rank.finish - known;
    return rank;
}

static int find_median(struct asim_run *run, struct asim_err *err)
{
    uint64_t *compute = malloc((run->ranks.n + 1) * sizeof *compute);

    if (!compute)
        return asim_err_nomem(err, "reading ranks.csv");
    for (size_t i = 0; i < run->ranks.n; i++)
        compute[i] = run->ranks.at[i].compute;
    run->median_compute = asim_run_median(compute, run->ranks.n);
    free(compute);
    return 0;
}

int asim_run_load_ranks(struct asim_run *run, struct asim_err *err)
{
    struct asim_table table;
    struct rank_columns at = {0};
    int code = asim_table_open(&table, run->folder, "ranks.csv", err);

    if (!code && table.file)
        code = find_rank_columns(run, &table, &at, err);
    while (!code && (code = asim_table_row(&table, err)) > 0) {
        struct asim_run_rank rank = read_rank(run, &table, &at, err);

        code = ASIM_VEC_PUSH(run->ranks, rank) ? asim_err_nomem(err, "reading ranks.csv") : 0;
    }
    asim_table_close(&table);
    if (run->ranks.n)
        qsort(run->ranks.at, run->ranks.n, sizeof *run->ranks.at, by_rank);
    return code ? code : find_median(run, err);
}

uint32_t asim_run_name(struct asim_run *run, struct asim_map *known, const char *text)
{
    uint64_t hi = 0xcbf29ce484222325u, lo = 0x9e3779b97f4a7c15u, *at;
    const char *copy;

    for (const char *c = text; *c; c++) {
        hi = (hi ^ (unsigned char)*c) * 0x100000001b3u;
        lo = asim_mix64(lo + (unsigned char)*c);
    }
    at = asim_map_get(known, hi, lo);
    if (at)
        return (uint32_t)*at;
    copy = asim_arena_strdup(&run->arena, text);
    at = asim_map_put(known, hi, lo);
    if (!copy || !at || ASIM_VEC_PUSH(run->names, copy))
        return ASIM_RUN_NONE;
    *at = run->names.n - 1;
    return (uint32_t)*at;
}

static int load_others(struct asim_run *run, struct asim_err *err)
{
    struct asim_table table;
    int code = asim_table_open(&table, run->folder, "compare.csv", err), name, finish, comm,
        exposed;

    if (code || !table.file) {
        asim_table_close(&table);
        return code;
    }
    name = asim_table_need(&table, "run", err);
    finish = asim_table_need(&table, "finish_ns", err);
    comm = asim_table_find(&table, "comm_ns");
    exposed = asim_table_find(&table, "exposed_comm_ns|exposed_ns");
    code = name < 0 || finish < 0 ? ASIM_EINVAL : 0;
    while (!code && (code = asim_table_row(&table, err)) > 0) {
        const char *text = asim_table_text(&table, name);
        struct asim_run_other *other = run->others;
        uint64_t end = asim_table_u64(&table, finish, err);

        while (other < run->others + run->n_others && strcmp(other->name, text))
            other++;
        if (other == run->others + ASIM_RUN_OTHERS)
            continue;
        if (other == run->others + run->n_others) {
            snprintf(other->name, sizeof other->name, "%s", text);
            run->n_others++;
        }
        other->finish = other->finish > end ? other->finish : end;
        other->comm += asim_table_u64(&table, comm, err);
        other->exposed += asim_table_u64(&table, exposed, err);
        code = 0;
    }
    asim_table_close(&table);
    return code;
}

static int doubt(struct asim_run *run, const char *name, uint64_t found, uint64_t want,
                 const char *unit)
{
    char text[300];

    if (found == want || run->n_doubts == sizeof run->doubts / sizeof *run->doubts)
        return 0;
    snprintf(text, sizeof text,
             "%s is of another run: it has %" PRIu64 " %s, summary.json has %" PRIu64
             ". Remove it, or run again with its report.",
             name, found, unit, want);
    run->doubts[run->n_doubts] = asim_arena_strdup(&run->arena, text);
    return !run->doubts[run->n_doubts++];
}

/* A run replaces its own reports and leaves older ones of the same folder in place. Reports that
 * contradict summary.json are told. */
static int check_files(struct asim_run *run, struct asim_err *err)
{
    uint64_t bytes = 0;
    int code = 0;

    for (size_t l = 0; l < run->links.n; l++)
        bytes += run->links.at[l].bytes;
    code |= doubt(run, "ranks.csv", run->ranks.n, run->ranks_done, "ranks");
    if (!strcmp(run->state, "finished")) {
        if (!run->is_brief)
            code |= doubt(run, "ops.csv", run->ops_seen, run->ops_done, "ops");
        if (run->has_flows)
            code |= doubt(run, "flows.csv", run->flows, run->messages, "messages");
        if (run->n_others)
            code |= doubt(run, "compare.csv", run->others[0].finish, run->finish,
                          "ns until the finish");
    }
    if (run->has_links)
        code |= doubt(run, "links.csv", bytes, run->wire_bytes, "bytes on all links");
    return code ? asim_err_nomem(err, "checking the reports") : 0;
}

int asim_run_load(struct asim_run *run, const char *folder, int is_brief, struct asim_err *err)
{
    static int (*const parts[])(struct asim_run *, struct asim_err *) = {
        asim_run_load_json, asim_run_load_ranks, asim_run_load_links,  asim_run_load_ops,
        asim_run_study_ops, asim_run_load_flows, asim_run_load_series, load_others};
    const size_t n = is_brief ? BRIEF : sizeof parts / sizeof *parts;
    struct asim_err own = {0};
    int code = 0;

    memset(run, 0, sizeof *run);
    run->folder = folder;
    run->is_brief = is_brief;
    asim_arena_init(&run->arena, 0);
    asim_map_init(&run->losses);
    for (size_t i = 0; !code && i < n; i++) {
        code = parts[i](run, &own);
        code = code ? code : own.code; /* a cell that is no number */
    }
    if (!code)
        code = check_files(run, &own);
    if (code && err && !err->code)
        *err = own;
    return code;
}

void asim_run_close(struct asim_run *run)
{
    asim_arena_fini(&run->arena);
    asim_map_fini(&run->losses);
    free(run->figures.at);
    free(run->settings.at);
    free(run->ranks.at);
    free(run->names.at);
    free(run->ops.at);
    free(run->colls.at);
    free(run->path.at);
    free(run->blame);
    free(run->nodes.at);
    free(run->links.at);
    free(run->classes.at);
    for (int i = 0; i < ASIM_SERIES; i++)
        free(run->series[i].points.at);
    free(run->goodput);
    memset(run, 0, sizeof *run);
}
