/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Has what all loaders use, and frees a run.
 */
#include "tools/report/run.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/io/json.h"
#include "tools/median.h"
#include "tools/report/table.h"

ASIM_ORDER(by_value, double, [0])

uint64_t asim_run_median(double *values, size_t n)
{
    qsort(values, n, sizeof *values, by_value);
    return (uint64_t)asim_median(values, n);
}

const struct asim_run_coll *asim_run_main_coll(const struct asim_run *run)
{
    const struct asim_run_coll *most = NULL;

    for (size_t i = 0; i < run->colls.n; i++) {
        const struct asim_run_coll *coll = &run->colls.at[i];

        if (coll->busbw > 0 && (!most || (double)coll->bytes * (double)coll->rows >
                                             (double)most->bytes * (double)most->rows))
            most = coll;
    }
    return most;
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

/* Once for each file. */
static void doubt(struct asim_run *run, const char *sentence, const char *name)
{
    const uint32_t most = sizeof run->doubts / sizeof *run->doubts;
    char text[400];

    snprintf(text, sizeof text, sentence, name);
    for (uint32_t i = 0; i < run->n_doubts; i++)
        if (!strcmp(run->doubts[i], text))
            return;
    if (run->n_doubts < most && (run->doubts[run->n_doubts] = asim_arena_strdup(&run->arena, text)))
        run->n_doubts++;
}

void asim_run_doubt(struct asim_run *run, const char *name)
{
    doubt(run,
          "%s is of another run, or was changed since: nothing of it is shown. Remove it, or run "
          "again with its report.",
          name);
}

/* Each file is digested once: has a checked one is true by name. */
void asim_run_check_files(struct asim_run *run)
{
    json_t *files = json_object_get(run->identity.root, "files"), *value;
    const char *name;
    void *next;

    json_object_foreach_safe(files, next, name, value)
    {
        char path[ASIM_TABLE_PATH];

        snprintf(path, sizeof path, "%s/%s", run->folder, name);
        if (asim_identity_has(&run->identity, name))
            json_object_set_new(files, name, json_true());
        else if (access(path, F_OK))
            doubt(run, "%s, which the run wrote, is missing: nothing of it is shown.", name);
        else
            asim_run_doubt(run, name);
    }
}

int asim_run_owns(struct asim_run *run, const char *name)
{
    char path[ASIM_TABLE_PATH];

    snprintf(path, sizeof path, "%s/%s", run->folder, name);
    if (access(path, F_OK) || asim_identity_has(&run->identity, name))
        return 1;
    asim_run_doubt(run, name);
    return 0;
}

int asim_run_open(struct asim_run *run, struct asim_table *table, const char *name,
                  struct asim_err *err)
{
    memset(table, 0, sizeof *table);
    return asim_run_owns(run, name) ? asim_table_open(table, run->folder, name, err) : 0;
}

void asim_run_close(struct asim_run *run)
{
    asim_identity_close(&run->identity);
    asim_arena_fini(&run->arena);
    asim_map_fini(&run->losses);
    ASIM_FREE(run->figures.at, run->settings.at, run->options.at, run->ranks.at, run->names.at,
              run->ops.at, run->colls.at, run->path.at, run->blame, run->nodes.at, run->links.at,
              run->classes.at, run->changes.at, run->tiers.at, run->ratios.at, run->traffic.at);
    for (int i = 0; i < ASIM_SERIES; i++)
        free(run->series[i].points.at);
    for (int i = 0; i < 2; i++)
        free(run->slowdowns[i].at);
    ASIM_FREE(run->goodput, run->goodput_near);
    memset(run, 0, sizeof *run);
}
