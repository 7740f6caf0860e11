/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What all reports share: words of --reports, opening and closing of files, columns.
 *
 * Reports receive an event, and close, in the alphabetic order of their table; no report may depend
 * on another one.
 */
#include "asim/asim.h"
#include "report/report.h"
#include "sim/distributed/distribution.h"
#include "sim/rank/event_bus.h"
#include "base/io/inputs.h"
#include "base/text.h"
#include "sim/distributed/totals.h"
#include "sim/world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The bus has no memory for this observer: closes it as after a failed run, so that it leaves no
 * file. */
static int refuse(struct asim_world *world, const struct asim_event_observer *observer,
                  struct asim_err *err)
{
    world->run.failed = 1;
    if (observer->close)
        observer->close(observer->self, world, NULL);
    return asim_err_nomem(err, "opening reports");
}

/* The words of --reports: "NAME" or "NAME:key=value:key=value", separated by commas. Returns the
 * first word for `name` and its length, NULL where there is none. */
static const char *word_of(const struct asim_world *world, const char *name, size_t *length)
{
    const char *list = world->set.reports ? world->set.reports : "";

    while (*list) {
        size_t n = strcspn(list, ":,");

        *length = strcspn(list, ",");
        if (n == strlen(name) && !strncmp(list, name, n))
            return list;
        list += *length + (list[*length] == ',');
    }
    return NULL;
}

/* A word of --reports must name a report that goes to --out, or all of them. */
static int check_word(const char *word, struct asim_err *err)
{
    const char *names[64] = {"all"};
    char safe[80], known[400];
    size_t n = 1;

    for (const struct asim_member *const *row = asim_report_table; *row; row++) {
        if (!((const struct asim_report *)*row)->in_out)
            continue;
        if (!strcmp((*row)->name, word))
            return 0;
        if (n < 64)
            names[n++] = (*row)->name;
    }
    if (!strcmp(word, "all"))
        return 0;
    return asim_err_set(err, ASIM_EUSAGE, "--reports names '%s'; known are: %s.",
                        asim_text_safe(safe, sizeof safe, word),
                        asim_text_list(known, sizeof known, names, n));
}

uint64_t asim_report_end_ns(const struct asim_world *world)
{
    struct asim_totals all;

    asim_totals_all(world, &all);
    return all.last_ns > all.net.last_ns ? all.last_ns : all.net.last_ns;
}

void asim_report_job_header(struct asim_out *file, const struct asim_world *world)
{
    if (world->set.scenario)
        asim_out_printf(file, ",job,job_rank");
}

void asim_report_job(struct asim_out *file, const struct asim_world *world, uint32_t rank)
{
    const struct asim_world_job *job;

    if (!world->set.scenario)
        return;
    if (rank >= world->set.n_ranks) {
        asim_out_write(file, ",,", 2);
        return;
    }
    job = asim_world_job_of(world, rank);
    asim_out_printf(file, ",%s,%u", job->name, rank - job->first);
}

char *asim_report_put_slowdown(char *at, uint64_t took, uint64_t ideal)
{
    uint64_t scaled;

    if (!ideal || took > UINT64_MAX / 20000)
        return at + sprintf(at, "%.4f", ideal ? (double)took / (double)ideal : 0.0);
    scaled = (took * 20000 / ideal + 1) / 2;
    at = asim_text_put_u64(at, scaled / 10000);
    *at++ = '.';
    for (uint64_t digit = 1000; digit; digit /= 10)
        *at++ = (char)('0' + scaled / digit % 10);
    return at;
}

/* "  flows  flows.csv: ..." a line; bytes needed, like snprintf. */
size_t asim_reports_list(char *buf, size_t size)
{
    size_t used = 0;

    if (size)
        *buf = '\0';
    for (const struct asim_member *const *row = asim_report_table; *row; row++)
        if (((const struct asim_report *)*row)->in_out >= ASIM_OUT_NAMED)
            used += (size_t)snprintf(used < size ? buf + used : NULL, used < size ? size - used : 0,
                                     "  %-10s %s\n", (*row)->name, (*row)->about);
    return used;
}

int asim_report_options(void **options, const struct asim_world *world,
                        const struct asim_report *report, struct asim_err *err)
{
    size_t length = 0;
    const char *word = word_of(world, report->member.name, &length);
    char words[400] = "";

    if (word && word[strcspn(word, ":,")] == ':')
        snprintf(words, sizeof words, "%.*s", (int)(length - strlen(report->member.name) - 1),
                 word + strlen(report->member.name) + 1);
    return asim_family_options(options, &report->member, words, ':', err);
}

/* Options of a report that has none are refused here; a report reads its own when it opens. */
static int check_options(const struct asim_world *world, struct asim_err *err)
{
    int code = 0;

    for (const struct asim_member *const *row = asim_report_table; !code && *row; row++) {
        void *options = NULL;

        code = asim_report_options(&options, world, (const struct asim_report *)*row, err);
        asim_family_options_free(options, *row);
    }
    return code;
}

/* A mistake in a new report's file, never a user's: hence ASIM_EBUG. */
static int check_rows(struct asim_err *err)
{
    int code = asim_family_check(asim_report_table, "report", err);
    size_t n = 0;

    for (const struct asim_member *const *row = asim_report_table; !code && *row; row++)
        if (n++ == ASIM_REPORTS)
            code = asim_err_set(err, ASIM_EBUG, "more than %d reports.", ASIM_REPORTS);
        else if (!((const struct asim_report *)*row)->open &&
                 !((const struct asim_report *)*row)->file &&
                 !((const struct asim_report *)*row)->path)
            code = asim_err_set(err, ASIM_EBUG, "the report '%s' lacks its hook.", (*row)->name);
    return code;
}

/* A network without what a report needs; one without any is told of as a whole
 * (asim_world_diagnose_unused). */
static void say_lacking(const struct asim_world *world, const char *word)
{
    for (const struct asim_member *const *row = asim_report_table; *row; row++) {
        unsigned needs = ((const struct asim_report *)*row)->needs;

        if (!strcmp((*row)->name, word) && needs && asim_world_has(world, ASIM_NET_FLOWS) &&
            !asim_world_has(world, needs))
            asim_world_diagnose(world, "--reports=%s has no effect on the flow level", word);
    }
}

/* Checks the words of --reports, and that there is a folder to write to. */
static int check_wanted(const struct asim_world *world, const char *out, struct asim_err *err)
{
    const char *list = world->set.reports ? world->set.reports : "";
    uint64_t interval = world->set.settings.report_interval_fs;
    char word[32];

    if (*list && !out)
        return asim_err_set(err, ASIM_EUSAGE,
                            "--reports needs a folder to write to; say --out=DIR");
    if (interval && interval < (uint64_t)ASIM_QLEN_NS * ASIM_FS_PER_NS)
        return asim_err_set(err, ASIM_EUSAGE,
                            "--report-interval is below 100ns, the distance of samples; queues_raw "
                            "and rates_raw in --reports have every change");
    while (*list) {
        size_t length = strcspn(list, ","), name = strcspn(list, ":,");

        snprintf(word, sizeof word, "%.*s", (int)(name < 31 ? name : 31), list);
        if (check_word(word, err))
            return ASIM_EUSAGE;
        say_lacking(world, word);
        list += length + (list[length] == ',');
    }
    return check_options(world, err) ? ASIM_EUSAGE : 0;
}

/* Whether the run asks for the report, as far as its row tells. */
static int is_asked(const struct asim_report *report, const struct asim_world *world,
                    const char *out)
{
    if (report->in_out >= ASIM_OUT_NAMED ? !asim_report_wanted(world, out, report->member.name)
                                         : report->in_out && !out && !report->open)
        return 0;
    return (!report->needs || asim_world_has(world, report->needs)) &&
           (!report->asks || report->asks(world));
}

/* Closes the state of a report that is one file; `code` is that of its last step. */
static int close_state(struct asim_report_file *self, const struct asim_world *world, int code,
                       struct asim_err *err)
{
    if (code) {
        asim_out_discard(self->out);
        free(self->out);
    } else {
        code = asim_report_file_close(self->out, world, err);
    }
    if (self->report->drop)
        self->report->drop(self);
    free(self);
    return code;
}

static int close_one_file(void *self, const struct asim_world *world, struct asim_err *err)
{
    const struct asim_report *report = ((struct asim_report_file *)self)->report;
    int ends = report->end && !world->run.failed;

    return close_state(self, world, ends ? report->end(self, world, err) : 0, err);
}

static int open_one_file(const struct asim_report *report, struct asim_event_observer *observer,
                         struct asim_world *world, const char *out, struct asim_err *err)
{
    const char *path = report->path ? report->path(world) : report->file;
    struct asim_report_file *self;
    int code = 0;

    if (!path || !*path)
        return 0;
    self = calloc(1, report->size ? report->size : sizeof *self);
    if (!self)
        return asim_err_nomem(err, "opening reports");
    self->report = report;
    if (asim_report_open_file(&self->out, world, report->path ? NULL : out, path, err)) {
        free(self);
        return ASIM_EIO;
    }
    if (report->head)
        asim_out_printf(self->out, "%s", report->head);
    if (report->has_jobs)
        asim_report_job_header(self->out, world);
    if (report->head)
        asim_out_write(self->out, "\n", 1);
    if (report->begin && (code = report->begin(self, world, err)))
        return close_state(self, world, code, err);
    *observer = (struct asim_event_observer){
        .wants = report->wants, .self = self, .on_event = report->see, .close = close_one_file};
    return 0;
}

/* If one fails, the world closes those opened before it. */
int asim_reports_open(struct asim_world *world, const char *out, struct asim_err *err)
{
    unsigned char opened[ASIM_REPORTS] = {0};
    char identity[ASIM_IDENTITY_BYTES];
    size_t i = 0;
    int code;

    if (check_rows(err))
        return ASIM_EBUG;
    if (check_wanted(world, out, err))
        return ASIM_EUSAGE;
    if (out && asim_distribution_reports(world) &&
        (code = asim_world_identity(world, identity, err)))
        return code;
    for (const struct asim_member *const *row = asim_report_table; *row; row++, i++) {
        const struct asim_report *report = (const struct asim_report *)*row;
        struct asim_event_observer observer = {0};

        if (!is_asked(report, world, out))
            continue;
        if (report->open ? report->open(&observer, world, out, err)
                         : open_one_file(report, &observer, world, out, err))
            return ASIM_EIO;
        if (observer.close || observer.on_event)
            if (asim_event_bus_add(&world->run.event_bus, &observer))
                return refuse(world, &observer, err);
        opened[i] = observer.close != NULL;
    }
    return out ? asim_report_folder_open(world, out, opened, err) : 0;
}

int asim_report_wanted(const struct asim_world *world, const char *out, const char *name)
{
    size_t length;

    for (const struct asim_member *const *row = asim_report_table; *row; row++)
        if (!strcmp((*row)->name, name) &&
            ((const struct asim_report *)*row)->in_out == ASIM_OUT_BY_NAME)
            return out && word_of(world, name, &length);
    return out && (word_of(world, name, &length) || word_of(world, "all", &length));
}

int asim_report_check_place(const struct asim_world *world, const char *path, struct asim_err *err)
{
    return asim_inputs_has(world->set.inputs, path)
               ? asim_err_set(err, ASIM_EINVAL,
                              "%s is an input of this run; give the output another name.", path)
               : 0;
}

/* *file is malloc'ed and freed by asim_report_file_close; NULL on failure. */
int asim_report_open_file(struct asim_out **file, const struct asim_world *world,
                          const char *folder, const char *name, struct asim_err *err)
{
    size_t size = (folder ? strlen(folder) : 0) + strlen(name) + 2;
    char *path = malloc(size);
    int code;

    *file = calloc(1, sizeof **file);
    if (!path || !*file) {
        ASIM_FREE(path, *file);
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
