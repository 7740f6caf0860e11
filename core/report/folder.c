/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Keeps the files of --out those of one run. CSV files have no place for the run's identity that
 * their readers would pass over, so identity.json has it, with a digest of the bytes of each file
 * and of its own values: {"identity": "…", "version": "…", "commit": "…", "options": {"cc": "…"},
 * "files": {"links.csv": "…"}, "digest": "…"}. A run that fails has none.
 */
#include "report/report.h"

#include <dirent.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/io/digest.h"
#include "asim/version.h"
#include "base/io/inputs.h"
#include "base/io/quote.h"
#include "sim/distributed/distribution.h"
#include "sim/world.h"

enum { PATH_BYTES = 4096 };

/* Files that the tool makes of a run's folder; they go with it. */
static const char *const made_later[] = {"identity.json", "compare.csv",    "verify.csv",
                                         "what_if.csv",   "inference.json", "report.html"};

struct folder {
    char *out;
    unsigned char opened[ASIM_REPORTS]; /* of the rows of asim_report_table */
};

/* What the user has linked there, and what this run reads, stays. */
static int remove_file(const struct asim_world *world, const char *path)
{
    struct stat st;

    return !lstat(path, &st) && S_ISREG(st.st_mode) && !asim_inputs_has(world->set.inputs, path) &&
           !unlink(path);
}

static int keeps(void *self, const char *path)
{
    const struct asim_world *world = self;

    return asim_inputs_has(world->set.inputs, path);
}

static void remove_old(struct asim_world *world, const struct folder *folder)
{
    char path[PATH_BYTES];
    size_t i = 0;

    for (const struct asim_member *const *row = asim_report_table; *row; row++, i++) {
        const struct asim_report *report = (const struct asim_report *)*row;

        if (!report->file)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder->out, report->file);
        if (remove_file(world, path) && !folder->opened[i] && report->in_out >= ASIM_OUT_NAMED)
            asim_world_diagnose(world,
                                "%s was of an earlier run and is removed: this one does not write "
                                "it (--reports=%s does)",
                                path, (*row)->name);
    }
    asim_digest_remove(folder->out, keeps, world);
    for (i = 0; i < sizeof made_later / sizeof *made_later; i++) {
        snprintf(path, sizeof path, "%s/%s", folder->out, made_later[i]);
        remove_file(world, path);
    }
}

/* timeline/rank_<r>.json */
static void remove_timelines(const struct asim_world *world, const char *out)
{
    char path[PATH_BYTES];
    struct dirent *entry;
    DIR *dir;

    snprintf(path, sizeof path, "%s/timeline", out);
    dir = opendir(path);
    while (dir && (entry = readdir(dir))) {
        unsigned rank;
        int n = 0;

        snprintf(path, sizeof path, "%s/timeline/%.255s", out, entry->d_name);
        if (sscanf(entry->d_name, "rank_%u.json%n", &rank, &n) == 1 && n && !entry->d_name[n])
            remove_file(world, path);
    }
    if (dir)
        closedir(dir);
}

/* The report's file in the folder; NULL: it has none there. */
static const char *name_of(const struct asim_report *report, const struct folder *folder,
                           const struct asim_world *world)
{
    const char *path = report->path ? report->path(world) : NULL;
    size_t n = strlen(folder->out);

    if (path && !strncmp(path, folder->out, n) && path[n] == '/' && !strchr(path + n + 1, '/'))
        return path + n + 1;
    return report->file;
}

static int put_file(struct asim_out *file, const struct folder *folder, const char *name,
                    const char **comma, struct asim_err *err)
{
    struct asim_digest digest = {.word = {0}};
    char path[PATH_BYTES], text[ASIM_DIGEST_TEXT];
    struct stat st;
    int code;

    snprintf(path, sizeof path, "%s/%s", folder->out, name);
    if (stat(path, &st) || !S_ISREG(st.st_mode)) /* not of this run's format, or /dev/null */
        return 0;
    code = asim_digest_add_file(&digest, path, err);
    if (!code)
        asim_out_printf(file, "%s\n    \"%s\": \"%s\"", *comma, name,
                        asim_digest_show(&digest, text));
    *comma = ",";
    return code;
}

/* As the user gave them: for people, and for what tells runs apart. */
static void put_options(struct asim_out *file, const struct asim_world *world)
{
    const struct asim_key_value *option = world->set.settings.given;
    const char *comma = "";

    for (; option && option->key; option++, comma = ",") {
        asim_out_printf(file, "%s\n    ", comma);
        asim_quote_json(file, option->key);
        asim_out_printf(file, ": ");
        asim_quote_json(file, option->value);
    }
}

static int write_identity(const struct folder *folder, const struct asim_world *world,
                          struct asim_err *err)
{
    char path[PATH_BYTES];
    const char *comma = "";
    struct asim_out file;
    int code;
    const char *name;
    size_t i = 0;

    snprintf(path, sizeof path, "%s/identity.json", folder->out);
    code = asim_out_open(&file, path, err);
    if (code)
        return code;
    asim_out_printf(&file,
                    "{\n  \"identity\": \"%s\",\n  \"version\": \"%s\",\n  \"commit\": "
                    "\"%s\",\n  \"options\": {",
                    world->set.identity, asim_version(), asim_commit());
    put_options(&file, world);
    asim_out_printf(&file, "\n  },\n  \"files\": {");
    for (const struct asim_member *const *row = asim_report_table; *row && !code; row++, i++) {
        name = name_of((const struct asim_report *)*row, folder, world);
        if (folder->opened[i] && name)
            code = put_file(&file, folder, name, &comma, err);
    }
    asim_out_printf(&file, "\n  }\n}\n");
    if (!code)
        return asim_out_commit(&file, err) ||
               asim_digest_note(folder->out, "files", json_object(), err);
    asim_out_discard(&file);
    return code;
}

static int close_folder(void *self, const struct asim_world *world, struct asim_err *err)
{
    struct folder *folder = self;
    int code = world->run.failed || world->run.event_bus.lost || !asim_distribution_reports(world)
                   ? 0
                   : write_identity(folder, world, err);

    ASIM_FREE(folder->out, folder);
    return code;
}

int asim_report_folder_open(struct asim_world *world, const char *out, const unsigned char *opened,
                            struct asim_err *err)
{
    struct asim_event_observer observer = {.close = close_folder};
    struct folder *folder;
    char path[PATH_BYTES];

    snprintf(path, sizeof path, "%s/identity.json", out);
    if (asim_inputs_refuse(world->set.inputs, path, err))
        return err->code;
    observer.self = folder = calloc(1, sizeof *folder);
    if (folder)
        folder->out = strdup(out);
    if (!folder || !folder->out) {
        free(folder);
        return asim_err_nomem(err, "opening reports");
    }
    memcpy(folder->opened, opened, sizeof folder->opened);
    if (asim_distribution_reports(world)) {
        remove_old(world, folder);
        remove_timelines(world, out);
    }
    if (!asim_event_bus_add(&world->run.event_bus, &observer))
        return 0;
    ASIM_FREE(folder->out, folder);
    return asim_err_nomem(err, "opening reports");
}
