/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Reads what a run was of: its options and asim's version (identity.json), and what `asim run` has
 * noted in metrics.csv, which names the workload as the user did and has the recorded step.
 */
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "tools/report/run.h"
#include "tools/report/table.h"

static int keep_options(struct asim_run *run, struct asim_err *err)
{
    json_t *value;
    const char *key;

    json_object_foreach(json_object_get(run->identity.root, "options"), key, value)
    {
        const char *text = json_string_value(value);
        struct asim_run_figure option = {asim_arena_strdup(&run->arena, key),
                                         asim_arena_strdup(&run->arena, text ? text : "")};

        if (!option.key || !option.value || ASIM_VEC_PUSH(run->options, option))
            return asim_err_nomem(err, "reading identity.json");
    }
    return 0;
}

static const char *option_of(const struct asim_run *run, const char *key)
{
    for (size_t i = 0; i < run->options.n; i++)
        if (!strcmp(run->options.at[i].key, key))
            return run->options.at[i].value;
    return "";
}

/* The last part of a path; of a folder that ends with '/' the part before. */
static void last_part(char *to, size_t size, const char *path)
{
    size_t end = strlen(path), begin;

    while (end > 1 && path[end - 1] == '/')
        end--;
    for (begin = end; begin && path[begin - 1] != '/';)
        begin--;
    snprintf(to, size, "%.*s", (int)(end - begin), path + begin);
}

static void name_run(struct asim_run *run, const char *workload, const char *network)
{
    char what[64], where[64];

    last_part(what, sizeof what, *workload ? workload : run->folder);
    last_part(where, sizeof where, network);
    snprintf(run->title, sizeof run->title, "%s%s%s", what, *where ? " × " : "", where);
}

/* The row of the run in metrics.csv beside its files or, of several backends, a folder above. The
 * last row with its identity counts: a run with --auto-calibrate adds one. */
static void read_metrics(struct asim_run *run, const char *folder)
{
    struct asim_err own = {0}; /* a file of another program is no metrics.csv */
    struct asim_table table;
    int code = asim_table_open(&table, folder, "metrics.csv", &own);
    int identity = asim_table_find(&table, "identity");
    int workload = asim_table_find(&table, "workload"),
        network = asim_table_find(&table, "topology");
    int recorded = asim_table_find(&table, "real_t_step_ms"),
        error = asim_table_find(&table, "step_error_percent");

    while (!code && asim_table_row(&table, &own) > 0) {
        if (strcmp(asim_table_text(&table, identity), run->identity.text) != 0)
            continue;
        name_run(run, asim_table_text(&table, workload), asim_table_text(&table, network));
        if (*asim_table_text(&table, error)) {
            run->recorded_ms = asim_table_real(&table, recorded, &own);
            run->recorded_error = asim_table_real(&table, error, &own);
        }
    }
    asim_table_close(&table);
}

/* Of a run that serves requests: its model and instances. "" for other runs. */
static const char *serving_of(const struct asim_run *run, char text[64])
{
    const char *model = option_of(run, "model"), *mixed = option_of(run, "mixed"),
               *prefill = option_of(run, "prefill");
    char name[24];

    last_part(name, sizeof name, *model ? model : "serving");
    *text = '\0';
    if (*mixed)
        snprintf(text, 64, "%s, %.9s mixed", name, mixed);
    else if (*prefill)
        snprintf(text, 64, "%s, %.9s prefill and %.9s decode", name, prefill,
                 option_of(run, "decode"));
    return text;
}

int asim_run_load_origin(struct asim_run *run, struct asim_err *err)
{
    const json_t *root = run->identity.root;
    const char *version = json_string_value(json_object_get(root, "version")),
               *commit = json_string_value(json_object_get(root, "commit")), *workload;
    char path[ASIM_TABLE_PATH], serving[64];
    int code = keep_options(run, err);

    snprintf(run->version, sizeof run->version, "%s%s%s", version ? version : "",
             commit && *commit ? " " : "", commit ? commit : "");
    workload = option_of(run, "workload");
    workload = *workload ? workload : option_of(run, "scenario");
    name_run(run, *workload ? workload : serving_of(run, serving), option_of(run, "topology"));
    snprintf(path, sizeof path, "%s/timeline.pftrace", run->folder);
    run->has_timeline =
        json_object_get(json_object_get(root, "files"), "timeline.pftrace") && !access(path, R_OK);
    snprintf(path, sizeof path, "%s/..", run->folder);
    read_metrics(run, path);
    read_metrics(run, run->folder);
    return code;
}
