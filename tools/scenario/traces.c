/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Makes the traces of jobs with a generator. A generator runs as a process of the asim tool, so a
 * job has the traces that the same words make on a command line.
 */
#include "tools/scenario/traces.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "asim/scenario.h"
#include "base/io/out.h"
#include "cli/args.h"
#include "cli/child.h"
#include "cli/file_set.h"
#include "cli/interrupt.h"
#include "cli/temporary.h"

/* NOT_FOUND: exit code of a program that could not be started. */
enum { MOST_WORDS = 128, PATH = ASIM_CHILD_PATH, NOT_FOUND = 127 };

/* Options of the generators that say where the traces go, and how many ranks there are, with the
 * other name of the last one. */
static const struct generator {
    const char *word, *prefix_option, *text_option, *ranks_option, *ranks_alias;
} generators[] = {{"generate", "--out", NULL, "ranks", "n"},
                  {"llm", "--et", "--output", "world_size", "N"}};

struct line {
    char self[PATH], text[PATH], prefix[PATH + 80], other[PATH + 80], log[PATH], ranks[40];
    const char *words[MOST_WORDS];
    size_t n;
};

static const struct generator *find(const char *word)
{
    for (size_t i = 0; i < sizeof generators / sizeof *generators; i++)
        if (!strcmp(generators[i].word, word))
            return &generators[i];
    return NULL;
}

/* Words are separated by blanks; there are no quotes. */
static int split(struct line *line, const struct asim_scenario_job *job, const char *source,
                 struct asim_err *err)
{
    struct asim_where at = {source, job->line, 0};
    char *save = NULL;

    if (strlen(job->generate) >= sizeof line->text)
        return asim_err_at(err, ASIM_EINVAL, at, "the generator of job '%s' is too long.",
                           job->name);
    snprintf(line->text, sizeof line->text, "%s", job->generate);
    line->words[line->n++] = line->self;
    line->words[line->n++] = "trace";
    for (char *word = strtok_r(line->text, " \t\n", &save); word;
         word = strtok_r(NULL, " \t\n", &save)) {
        if (line->n == MOST_WORDS - 5)
            return asim_err_at(err, ASIM_EINVAL, at,
                               "the generator of job '%s' has more than %d words.", job->name,
                               MOST_WORDS - 7);
        line->words[line->n++] = word;
    }
    return 0;
}

/* The place of an option in the words; 0: they do not have it. */
static size_t place_of(const struct line *line, const char *key, const char *alias)
{
    const struct asim_option row = {.key = key, .alias = alias};

    for (size_t i = 1; i < line->n; i++)
        if (*line->words[i] == '-' && asim_args_is(line->words[i], &row))
            return i;
    return 0;
}

/* A step with the ops of each rank has no text. */
static int writes_text(const struct line *line, const struct generator *generator)
{
    size_t at = place_of(line, "schedule", NULL);
    const char *value = at ? strchr(line->words[at], '=') : NULL;

    if (at && !value && at + 1 < line->n)
        value = line->words[at + 1] - 1;
    return generator->text_option && (!value || !strcmp(value + 1, "rows"));
}

static int make_one(const struct asim_scenario_job *job, const char *source, const char *folder,
                    int force, struct asim_err *err)
{
    struct line *line = calloc(1, sizeof *line);
    const struct generator *generator;
    int code = line ? split(line, job, source, err) : asim_err_nomem(err, "making traces"), got = 0;

    generator = code ? NULL : find(line->words[2]);
    if (!code && !generator)
        code = asim_err_at(err, ASIM_EINVAL, (struct asim_where){source, job->line, 0},
                           "the generator of job '%s' begins with '%.60s'; known are generate and "
                           "llm of asim trace.",
                           job->name, line->words[2]);
    if (!code) {
        snprintf(line->prefix, sizeof line->prefix, "%s=%.1800s/%s/trace", generator->prefix_option,
                 folder, job->name);
        line->words[line->n++] = line->prefix;
        if (writes_text(line, generator)) {
            snprintf(line->other, sizeof line->other, "%s=%.1800s/%s/workload.txt",
                     generator->text_option, folder, job->name);
            line->words[line->n++] = line->other;
        }
        if (job->ranks && !place_of(line, generator->ranks_option, generator->ranks_alias)) {
            snprintf(line->ranks, sizeof line->ranks, "--%s=%u", generator->ranks_option,
                     job->ranks);
            line->words[line->n++] = line->ranks;
        }
        line->words[line->n++] = "--force";
        if (!force)
            code = asim_file_set_refuse_existing_set(strchr(line->prefix, '=') + 1, err);
        snprintf(line->log, sizeof line->log, "%.1800s/%s/log.txt", folder, job->name);
        if (!code)
            code = asim_out_mkparent(line->log, err);
    }
    if (!code)
        code = asim_child_tool(line->self, err);
    if (!code)
        code = asim_child_run(line->words, line->n, line->log, &got, err);
    if (!code && got == NOT_FOUND)
        code = asim_err_at(err, ASIM_EINVAL, (struct asim_where){source, job->line, 0},
                           "job '%s' has a generator, which needs the asim tool, and there is no "
                           "program %s: name it by the variable ASIM_TOOL.",
                           job->name, line->self);
    else if (!code && got)
        code = asim_err_at(err, ASIM_EINVAL, (struct asim_where){source, job->line, 0},
                           "the generator of job '%s' ended with exit code %d: asim trace %s",
                           job->name, got, job->generate);
    free(line);
    return code;
}

int asim_scenario_traces_make(const char *scenario, const char *folder, int force, size_t *made,
                              struct asim_err *err)
{
    const char *source = scenario[0] == '{' ? "the JSON given" : scenario;
    const struct asim_scenario_job *job;
    struct asim_scenario *read;
    int code = asim_scenario_read(&read, scenario, err);

    *made = 0;
    for (size_t i = 0; !code && (job = asim_scenario_job(read, i)); i++) {
        if (!job->generate)
            continue;
        code = make_one(job, source, folder, force, err);
        ++*made;
    }
    if (!code && asim_interrupted())
        code = asim_err_set(err, ASIM_EINTR, "interrupted while traces were made");
    asim_scenario_close(read);
    return code;
}

static int has_generator(const char *path)
{
    const struct asim_scenario_job *job;
    struct asim_scenario *scenario;
    int found = 0;

    if (asim_scenario_read(&scenario, path, NULL))
        return 0; /* the run says why */
    for (size_t i = 0; (job = asim_scenario_job(scenario, i)); i++)
        found |= job->generate != NULL;
    asim_scenario_close(scenario);
    return found;
}

char *asim_scenario_traces_for(struct asim_app *app)
{
    char *folder;
    size_t made;

    if (!has_generator(app->settings.scenario))
        return NULL;
    folder = malloc(PATH);
    if (!folder) {
        asim_err_nomem(&app->err, "making traces");
        return NULL;
    }
    if (app->settings.out && strlen(app->settings.out) > PATH - 256) {
        asim_err_set(&app->err, ASIM_EUSAGE, "the name of --out is longer than %d bytes.",
                     PATH - 256);
        free(folder);
        return NULL;
    }
    if (app->settings.out) {
        snprintf(folder, PATH, "%s/traces", app->settings.out);
        app->traces_are_new = access(folder, F_OK) != 0;
    } else {
        if (asim_temporary_folder(folder, &app->err)) {
            free(folder);
            return NULL;
        }
        app->traces_are_temporary = 1;
    }
    asim_scenario_traces_make(app->settings.scenario, folder, 1, &made, &app->err);
    return folder;
}

/* Files of a folder, then the folder itself. */
static void drop_folder(const char *path)
{
    char file[PATH + 300];
    struct dirent *entry;
    DIR *dir = opendir(path);

    while (dir && (entry = readdir(dir))) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
            continue;
        snprintf(file, sizeof file, "%.2000s/%s", path, entry->d_name);
        unlink(file);
    }
    if (dir)
        closedir(dir);
    rmdir(path);
}

void asim_scenario_traces_drop(const char *folder)
{
    char path[PATH + 300];
    struct dirent *entry;
    DIR *dir = opendir(folder);

    while (dir && (entry = readdir(dir))) {
        if (*entry->d_name == '.') /* no job has such a name */
            continue;
        snprintf(path, sizeof path, "%.2000s/%s", folder, entry->d_name);
        drop_folder(path);
    }
    if (dir)
        closedir(dir);
    rmdir(folder);
}

int asim_scenario_traces_open(struct asim_scenario_traces *traces, const char *scenario,
                              struct asim_err *err)
{
    struct asim_app app = {.settings = {.scenario = (char *)(uintptr_t)scenario}};

    traces->folder = asim_scenario_traces_for(&app);
    traces->is_temporary = app.traces_are_temporary;
    if (app.err.code)
        *err = app.err;
    return app.err.code;
}

void asim_scenario_traces_close(struct asim_scenario_traces *traces)
{
    if (traces->is_temporary)
        asim_scenario_traces_drop(traces->folder);
    free(traces->folder);
}
