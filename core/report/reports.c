/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What all reports share. See report.h.
 *
 * Order of the table is alphabetic, and so is the order in which reports see an event and are
 * closed: no report may depend on another's having run.
 */
#include "report/report.h"
#include "sim/distributed/distribution.h"
#include "sim/rank/event_bus.h"
#include "base/io/file_id.h"
#include "base/io/rank_path.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The table of observers is full: this one is closed as after a failed run, so that it leaves no
 * file. */
static int refuse(struct asim_world *world, const struct asim_event_observer *observer,
                  struct asim_err *err)
{
    world->run.failed = 1;
    if (observer->close)
        observer->close(observer->self, world, NULL);
    return asim_err_set(err, ASIM_ENOMEM, "more than %d reports in one run; leave some out",
                        ASIM_EVENT_OBSERVERS);
}

/* A word of --reports that names none it could. */
static int check_word(const char *word, struct asim_err *err)
{
    const char *names[ASIM_EVENT_OBSERVERS + 1] = {"all"};
    char safe[80], known[400];
    size_t n = 1;

    for (const struct asim_member *const *row = asim_report_table;
         *row && n <= ASIM_EVENT_OBSERVERS; row++)
        if (((const struct asim_report *)*row)->in_out)
            names[n++] = (*row)->name;
    for (size_t i = 0; i < n; i++)
        if (!strcmp(names[i], word))
            return 0;
    return asim_err_set(err, ASIM_EUSAGE, "--reports names '%s'; known are: %s.",
                        asim_text_safe(safe, sizeof safe, word),
                        asim_text_list(known, sizeof known, names, n));
}

/* What is wanted, and a folder to write it to. */
static int check_wanted(const struct asim_world *world, const char *out, struct asim_err *err)
{
    const char *list = world->set.reports ? world->set.reports : "";
    char word[32];

    if (*list && !out)
        return asim_err_set(err, ASIM_EUSAGE,
                            "--reports needs a folder to write to; say --out=DIR");
    while (*list) {
        size_t length = strcspn(list, ",");

        snprintf(word, sizeof word, "%.*s", (int)(length < 31 ? length : 31), list);
        if (check_word(word, err))
            return ASIM_EUSAGE;
        list += length + (list[length] == ',');
    }
    return 0;
}

/* A file of an earlier run beside those of this one would be taken for its own. */
static void note_old(const struct asim_world *world, const char *out)
{
    char path[4096];

    for (const struct asim_member *const *row = asim_report_table; out && *row; row++) {
        const struct asim_report *report = (const struct asim_report *)*row;

        snprintf(path, sizeof path, "%s/%s.csv", out, (*row)->name);
        if (report->in_out == ASIM_OUT_NAMED && !asim_report_wanted(world, out, (*row)->name) &&
            !access(path, F_OK))
            asim_world_diagnose(world,
                                "%s is of an earlier run: this one does not write it (--reports=%s "
                                "does)",
                                path, (*row)->name);
    }
}

/* Reports opened before one fails belong to the world and are dropped with it. */
int asim_reports_open(struct asim_world *world, const char *out, struct asim_err *err)
{
    if (check_wanted(world, out, err))
        return ASIM_EUSAGE;
    note_old(world, out);
    for (const struct asim_member *const *row = asim_report_table; *row; row++) {
        struct asim_event_observer observer = {0};

        if (((const struct asim_report *)*row)->open(&observer, world, out, err))
            return ASIM_EIO;
        if (observer.close || observer.on_event)
            if (asim_event_bus_add(&world->run.event_bus, &observer))
                return refuse(world, &observer, err);
    }
    return 0;
}

int asim_report_wanted(const struct asim_world *world, const char *out, const char *name)
{
    const char *list = world->set.reports ? world->set.reports : "";
    size_t n = strlen(name);

    if (!out)
        return 0;
    while (*list) {
        size_t length = strcspn(list, ",");

        if ((length == n && !strncmp(list, name, n)) || (length == 3 && !strncmp(list, "all", 3)))
            return 1;
        list += length + (list[length] == ',');
    }
    return 0;
}

/* Whether the file is a trace of the workload, which its name tells. 1, 0 or ASIM_ENOMEM. */
static int is_trace(const struct asim_world *world, const char *path)
{
    const char *workload = world->set.inputs[0], *name = path + asim_text_dirlen(path);
    const char *stem = workload + asim_text_dirlen(workload);
    char *trace;
    int same;

    if (asim_rank_path_parse(name, stem) < 0)
        return 0;
    trace = malloc(strlen(workload) + strlen(name) + 1);
    if (!trace)
        return ASIM_ENOMEM;
    strcat(strcpy(trace, workload), name + strlen(stem));
    same = asim_file_same(trace, path);
    free(trace);
    return same;
}

int asim_report_check_place(const struct asim_world *world, const char *path, struct asim_err *err)
{
    int same = is_trace(world, path);

    for (const char *const *input = world->set.inputs; *input && !same; input++)
        same = asim_file_same(*input, path);
    if (same < 0)
        return asim_err_nomem(err, "opening reports");
    return same ? asim_err_set(err, ASIM_EINVAL,
                               "%s is an input of this run; give the output another name.", path)
                : 0;
}

/* *file is malloc'ed and freed by asim_report_file_close; NULL on failure. */
int asim_report_file(struct asim_out **file, const struct asim_world *world, const char *folder,
                     const char *name, struct asim_err *err)
{
    size_t size = (folder ? strlen(folder) : 0) + strlen(name) + 2;
    char *path = malloc(size);
    int code;

    *file = calloc(1, sizeof **file);
    if (!path || !*file) {
        free(path);
        free(*file);
        return asim_err_nomem(err, "opening reports");
    }
    snprintf(path, size, "%s%s%s", folder ? folder : "", folder ? "/" : "", name);
    code = asim_report_check_place(world, path, err);
    if (!code)
        code = asim_out_open(*file, asim_distribution_reports(world) ? path : "/dev/null", err);
    free(path);
    if (code) {
        free(*file);
        *file = NULL;
    }
    return code;
}

/* A run that failed leaves no file; a stalled or interrupted one does. Where one report cannot be
 * written the others are no run's. */
int asim_report_file_close(void *self, const struct asim_world *world, struct asim_err *err)
{
    int code = 0;

    if (world->run.failed || world->run.event_bus.lost)
        asim_out_discard(self);
    else
        code = asim_out_commit(self, err);
    free(self);
    return code;
}
