/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Reads what a run was of from identity.json: its options, asim's version, and what `asim run` has
 * noted, which names the workload as the user did and has the recorded step.
 */
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include "tools/report/run.h"

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

/* What `asim run` has noted. */
static void keep_run(struct asim_run *run, const json_t *noted)
{
    const char *workload = json_string_value(json_object_get(noted, "workload")),
               *network = json_string_value(json_object_get(noted, "topology"));

    if (workload && network)
        name_run(run, workload, network);
    run->recorded_ms = json_number_value(json_object_get(noted, "recorded_step_ms"));
    if (run->recorded_ms > 0)
        run->recorded_error = ((double)run->finish / 1e6 / run->recorded_ms - 1) * 100;
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
    char serving[64];
    int code = keep_options(run, err);

    snprintf(run->version, sizeof run->version, "%s%s%s", version ? version : "",
             commit && *commit ? " " : "", commit ? commit : "");
    workload = option_of(run, "workload");
    workload = *workload ? workload : option_of(run, "scenario");
    name_run(run, *workload ? workload : serving_of(run, serving), option_of(run, "topology"));
    run->has_timeline = asim_identity_has(&run->identity, "timeline.pftrace");
    keep_run(run, json_object_get(root, "run"));
    return code;
}
