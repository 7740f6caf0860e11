/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Reads summary.json, topology.json and network.json. summary.json must be there, the others may be
 * absent.
 */
#include "tools/report/run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "asim/net.h"
#include "base/io/json.h"
#include "base/text.h"
#include "tools/report/table.h"

/* *root is NULL where the file is absent. */
static int open_json(json_t **root, struct asim_run *run, const char *name, struct asim_err *err)
{
    char path[ASIM_TABLE_PATH];

    *root = NULL;
    if (!asim_run_owns(run, name))
        return 0;
    snprintf(path, sizeof path, "%s/%s", run->folder, name);
    if (access(path, R_OK))
        return errno == ENOENT
                   ? 0
                   : asim_err_set(err, ASIM_EIO, "cannot read %s: %s.", path, strerror(errno));
    if (asim_json_read(root, path, err))
        return err->code;
    if (json_is_object(*root))
        return 0;
    json_decref(*root);
    *root = NULL;
    return asim_err_at(err, ASIM_EINVAL, (struct asim_where){path, 1, 0},
                       "this is no JSON object as asim writes it; run the case again with --out.");
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
    asim_text_clean(to);
}

/* Figures as text, objects inside as "outer.inner"; arrays have tables of their own. */
static int keep_figures(struct asim_run *run, json_t *object, const char *before,
                        struct asim_err *err)
{
    const char *key;
    json_t *value;
    int code = 0;

    json_object_foreach(object, key, value)
    {
        char *text =
                 json_is_array(value)
                     ? NULL
                     : json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(9)),
             name[200];
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
        if (!json_is_object(value) && !json_is_array(value) &&
            (!figure.key || !figure.value || ASIM_VEC_PUSH(run->figures, figure)))
            return asim_err_nomem(err, "reading summary.json");
    }
    return 0;
}

/* What the flow level says of itself, as a sentence. */
static void keep_trust(struct asim_run *run, const json_t *error)
{
    const struct asim_packet_trust trust = {
        .held_percent = json_number_value(json_object_get(error, "held_up_percent")),
        .usual_percent = json_number_value(json_object_get(error, "usual_percent")),
        .most_percent = json_number_value(json_object_get(error, "most_percent")),
        .doubt = json_string_value(json_object_get(error, "doubt"))};

    if (!error)
        return;
    run->expected_error = trust.usual_percent;
    asim_packet_trust_say(&trust, run->trust, sizeof run->trust - 1);
    *run->trust = 'T';
    strcat(run->trust, ".");
}

static int load_summary(struct asim_run *run, struct asim_err *err)
{
    json_t *root;
    int code = open_json(&root, run, "summary.json", err);

    if (code)
        return code;
    if (!root) /* gone since the identity was read */
        return asim_err_set(err, ASIM_EIO, "cannot read %s/summary.json.", run->folder);
    code = keep_figures(run, root, "", err);
    copy(run->state, sizeof run->state, root, "state");
    run->finish = number(root, "finish_ns");
    if (!run->finish) /* ranks that do nothing, beside background traffic */
        run->finish = number(root, "simulated_ns");
    run->n_ranks = (uint32_t)number(root, "ranks");
    if (!code && number(root, "ranks") > ASIM_RUN_RANKS)
        code = asim_err_set(err, ASIM_EINVAL,
                            "%s/summary.json has %" PRIu64 " ranks; a run has at most %d.",
                            run->folder, number(root, "ranks"), ASIM_RUN_RANKS);
    run->messages = number(root, "messages");
    run->is_flow_level = json_is_null(json_object_get(root, "ecn_marks"));
    run->is_formulas = json_is_integer(json_object_get(root, "hosts")) && !number(root, "hosts");
    keep_trust(run, json_object_get(root, "expected_error"));
    run->drops = number(root, "drops");
    run->marks = number(root, "ecn_marks");
    run->pauses = number(root, "pfc_pauses");
    run->wire_bytes = number(root, "wire_bytes");
    run->ranks_done = number(root, "ranks_finished");
    run->ops_done = number(root, "ops_finished");
    code = code ? code : asim_run_load_tiers(run, root, err);
    json_decref(root);
    return code;
}

/* What `asim inference` wrote beside the files of its network. */
static int load_serving(struct asim_run *run, struct asim_err *err)
{
    json_t *root;
    int code = open_json(&root, run, "inference.json", err);

    if (code || !root)
        return code;
    run->serving.requests = number(root, "requests");
    run->serving.ttft_ns = number(root, "ttft_p50_ns");
    run->serving.tpot_ns = number(root, "tpot_p50_ns");
    run->serving.tokens_per_s = json_number_value(json_object_get(root, "output_tokens_per_s"));
    run->serving.kv_share = json_number_value(json_object_get(root, "kv_share"));
    run->serving.comm_share = json_number_value(json_object_get(root, "collective_share"));
    if (run->serving.requests)
        run->finish = number(root, "duration_ns");
    json_decref(root);
    return 0;
}

ASIM_ORDER(by_id, struct asim_run_node, ->id)

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
        code = load_serving(run, err);
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
