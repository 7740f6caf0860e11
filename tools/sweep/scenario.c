/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Writes the scenarios of points whose keys are "scenario.PATH": the file of the key scenario with
 * the values at these paths, as background.0.load. All are written, and read as a run reads them,
 * before the first run.
 */
#include "tools/sweep/sweep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "asim/scenario.h"
#include "asim/trace.h"
#include "base/io/file_id.h"
#include "base/io/json.h"
#include "base/io/out.h"

static const char prefix[] = "scenario.";

int asim_sweep_has_scenarios(const struct asim_sweep *sweep)
{
    for (size_t k = 0; k < sweep->keys.n; k++)
        if (asim_sweep_behind(sweep->keys.at[k].name, prefix))
            return 1;
    return 0;
}

/* A reader of scenarios gives one without jobs an idle one. */
static int has_jobs(const char *file)
{
    json_t *root = NULL;
    int has = asim_json_read(&root, file, &(struct asim_err){0}) ||
              !json_object_get(root, "background") || json_object_get(root, "jobs");

    json_decref(root);
    return has;
}

int asim_sweep_is_traffic(const struct asim_sweep *sweep)
{
    for (size_t k = 0; k < sweep->keys.n; k++) {
        const struct asim_sweep_key *key = &sweep->keys.at[k];
        size_t v = 0;

        if (strcmp(key->name, "scenario"))
            continue;
        while (v < key->values.n && !has_jobs(key->values.at[v]))
            v++;
        return v == key->values.n;
    }
    return 0;
}

void asim_sweep_scenario(const struct asim_sweep *sweep, size_t point, char *path, size_t size)
{
    snprintf(path, size, "%.1000s/scenarios/%zu.json", sweep->folder, point + 1);
}

/* A number, true, false or a list as JSON has it; anything else is a string. */
static json_t *value_of(const char *text)
{
    json_t *value = json_loads(text, JSON_DECODE_ANY, NULL);

    return value ? value : json_string(text);
}

/* The place where the path ends gets the value; places before it must be there. */
static int put(json_t *at, const char *path, const char *text, const char *file,
               struct asim_err *err)
{
    for (const char *word = path;; word += strcspn(word, ".") + 1) {
        size_t n = strcspn(word, "."), index;
        char name[64], number[24];

        snprintf(name, sizeof name, "%.*s", (int)(n < 63 ? n : 63), word);
        index = strtoul(name, NULL, 10);
        snprintf(number, sizeof number, "%zu", index); /* of one place one name: no 00 */
        if (json_is_array(at) && (strcmp(name, number) || index >= json_array_size(at)))
            return asim_err_set(err, ASIM_EUSAGE,
                                "'scenario.%s': the list in %s has %zu entries, numbered from 0, "
                                "and no '%s'.",
                                path, file, json_array_size(at), name);
        if (!word[n] && json_is_object(at) && n)
            return json_object_set_new(at, name, value_of(text)) ? asim_err_nomem(err, "a scenario")
                                                                 : 0;
        if (!word[n] && json_is_array(at))
            return json_array_set_new(at, index, value_of(text)) ? asim_err_nomem(err, "a scenario")
                                                                 : 0;
        at = json_is_array(at) ? json_array_get(at, index) : json_object_get(at, name);
        if (!at || !word[n])
            return asim_err_set(err, ASIM_EUSAGE,
                                "'scenario.%s': %s has no '%s' there; expected a path such as "
                                "scenario.background.0.load.",
                                path, file, name);
    }
}

/* A run finds workloads beside the scenario's file, too, from where the copy is away. */
static void keep_workloads(json_t *root, const char *file)
{
    const char *slash = strrchr(file, '/');
    char beside[ASIM_SWEEP_PATH];
    uint32_t ranks;
    size_t i;
    json_t *job;

    json_array_foreach(json_object_get(root, "jobs"), i, job)
    {
        const char *workload = json_string_value(json_object_get(job, "workload"));

        if (!slash || !workload || !asim_trace_ranks(workload, &ranks, &(struct asim_err){0}))
            continue;
        snprintf(beside, sizeof beside, "%.*s/%.1000s", (int)(slash - file), file, workload);
        if (!asim_trace_ranks(beside, &ranks, &(struct asim_err){0}))
            json_object_set_new(job, "workload", json_string(beside));
    }
}

static int write_one(const struct asim_sweep *sweep, size_t point, struct asim_err *err)
{
    const char *file = asim_sweep_value(sweep, point, "scenario"), *key;
    char path[ASIM_SWEEP_PATH], *text = NULL;
    struct asim_scenario *scenario = NULL;
    struct asim_out out;
    json_t *root;
    int code = asim_json_read(&root, file, err);

    if (code)
        return code;
    for (size_t k = 0; k < sweep->keys.n && !code; k++)
        if ((key = asim_sweep_behind(sweep->keys.at[k].name, prefix)))
            code = put(root, key, asim_sweep_at(sweep, point, k), file, err);
    keep_workloads(root, file);
    if (!code && !(text = json_dumps(root, JSON_INDENT(1))))
        code = asim_err_nomem(err, "writing a scenario");
    json_decref(root);
    asim_sweep_scenario(sweep, point, path, sizeof path);
    if (!code)
        code = asim_out_open(&out, path, err);
    if (!code) {
        asim_out_printf(&out, "%s\n", text);
        code = asim_out_commit(&out, err);
    }
    free(text);
    if (!code)
        code = asim_scenario_read(&scenario, path, err);
    asim_scenario_close(scenario);
    return code;
}

/* A scenario of an earlier sweep in this folder would be replaced by one made of it. */
static int check_place(const struct asim_sweep *sweep, const char *path, struct asim_err *err)
{
    const struct asim_sweep_key *key = sweep->keys.at;

    while (strcmp(key->name, "scenario") != 0) /* there is one (grid.c) */
        key++;
    for (size_t v = 0; v < key->values.n; v++)
        if (asim_file_same(path, key->values.at[v]))
            return asim_err_set(err, ASIM_EINVAL,
                                "%s is an input and an output of this sweep; give another "
                                "--output-dir.",
                                path);
    return 0;
}

int asim_sweep_write_scenarios(const struct asim_sweep *sweep, struct asim_err *err)
{
    char folder[ASIM_SWEEP_PATH], path[ASIM_SWEEP_PATH];

    if (!asim_sweep_has_scenarios(sweep))
        return 0;
    snprintf(folder, sizeof folder, "%.1000s/scenarios", sweep->folder);
    for (size_t i = 0; i < sweep->n; i++) {
        asim_sweep_scenario(sweep, i, path, sizeof path);
        if (check_place(sweep, path, err))
            return err->code;
    }
    if (asim_out_mkdir(folder, err))
        return err->code;
    for (size_t i = 0; i < sweep->n; i++)
        if (write_one(sweep, i, err))
            return err->code;
    return 0;
}
