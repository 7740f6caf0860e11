/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Reports turn the events of a run into files and lines. A report opens as an observer of the event
 * bus (sim/rank/event_bus.h), unless the run does not ask for it. It writes files as
 * "<name>.partial" and renames them at the end, also of an interrupted or stalled run; a failed run
 * leaves no file.
 *
 * Reports open after the world is read and before time starts. A report may read everything in the
 * world and change nothing. It owns its state and frees it in close, which the bus calls exactly
 * once.
 */
#ifndef ASIM_REPORT_REPORT_H
#define ASIM_REPORT_REPORT_H

#include "asim/ext/family.h"
#include "base/io/out.h"
#include "sim/sim.h"

/* Family report: row symbols asim_report_<file>, table asim_report_table. A report is one file, or
 * has `open`. */
struct asim_report {
    struct asim_member member;
    /* Whether the report writes to the folder --out; 0 = no, or another option decides. Without
     * --out, or where --reports does not name it, the run does not ask for this report. */
    enum {
        ASIM_OUT_ALWAYS = 1,
        ASIM_OUT_NAMED,  /* <name>.csv, where --reports has the name or 'all' */
        ASIM_OUT_BY_NAME /* <name>.csv, where --reports has the name: not part of 'all' */
    } in_out;
    unsigned needs; /* of the network (net/net.h); without, the run does not ask for this report */
    int (*asks)(const struct asim_world *world); /* a further condition, or NULL */

    /* One file: its name in --out, or `path` anywhere, also of one that `open` opens ("" or NULL:
     * the run does not ask). */
    const char *file;
    const char *(*path)(const struct asim_world *world);
    const char *head; /* the columns of its first line, or NULL */
    int has_jobs;     /* those of asim_report_job_header follow, and end the rows, too */
    /* Of its observer (sim/rank/event_bus.h). */
    unsigned wants;
    void (*see)(void *self, const struct asim_world *world, const struct asim_event *event);
    /* Bytes of self, which begins with a struct asim_report_file and is zeroed; 0: no more than
     * this. begin: once the file is open. end: writes the rest; not after a failed run. drop: frees
     * what self has. Each may be NULL; where begin or end fails there is no file. */
    size_t size;
    int (*begin)(void *self, struct asim_world *world, struct asim_err *err);
    int (*end)(void *self, const struct asim_world *world, struct asim_err *err);
    void (*drop)(void *self);

    /* More or less than one file: fills *observer, or leaves it unchanged if the run does not ask
     * for this report. out: the --out folder or NULL. */
    int (*open)(struct asim_event_observer *observer, struct asim_world *world, const char *out,
                struct asim_err *err);
};
/* The beginning of the state of a report that is one file. */
struct asim_report_file {
    struct asim_out *out;
    const struct asim_report *report;
};
static inline struct asim_out *asim_report_out(const void *self)
{
    return ((const struct asim_report_file *)self)->out;
}
extern const struct asim_member *const asim_report_table[];
enum { ASIM_REPORTS = 64 }; /* most rows */

/* Whether --out is given and --reports names this report, or 'all' where that includes it. */
int asim_report_wanted(const struct asim_world *world, const char *out, const char *name);

/* The report's own options: member.options, filled from its word in --reports
 * (NAME:key=value:key=value). *options is NULL where the row has none; else its state owns the
 * struct and frees it with asim_family_options_free. */
int asim_report_options(void **options, const struct asim_world *world,
                        const struct asim_report *report, struct asim_err *err);

/* Refuses an output that is an input, also under another name of the same file. */
int asim_report_check_place(const struct asim_world *world, const char *path, struct asim_err *err);
/* Opens folder/name. A process that leaves the writing to another one opens /dev/null. */
int asim_report_open_file(struct asim_out **file, const struct asim_world *world,
                          const char *folder, const char *name, struct asim_err *err);
/* Writes a number into a binary file, little-endian on every machine. */
static inline void asim_report_put(uint8_t *at, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}
/* The first sample of queue lengths after t, which shows the length at t. The grid begins at
 * qlen_start_ns of the network; between two samples a length may be reported that no sample shows,
 * and the ends of windows decide which. */
static inline uint64_t asim_report_sample_after(const struct asim_world *world, uint64_t t)
{
    uint64_t first = world->set.net.qlen_start_ns % ASIM_QLEN_NS;

    return t < first ? first : t + ASIM_QLEN_NS - (t - first) % ASIM_QLEN_NS;
}
/* The last finish of a rank or the end of the last frame, the later of the two, ns. */
uint64_t asim_report_end_ns(const struct asim_world *world);
/* Of runs of a scenario, at the end of a line: the columns job and job_rank, and their values for a
 * rank. Empty for a node without a rank. */
void asim_report_job_header(struct asim_out *file, const struct asim_world *world);
void asim_report_job(struct asim_out *file, const struct asim_world *world, uint32_t rank);
/* took / ideal with four decimals, rounded half up. Returns the end; 32 bytes are enough. */
char *asim_report_put_slowdown(char *at, uint64_t took, uint64_t ideal);
/* Commits and frees it: the close hook of reports that are one file. */
int asim_report_file_close(void *self, const struct asim_world *world, struct asim_err *err);

/* The last step of opening the reports (folder.c): removes what earlier runs left in the folder
 * under the names of reports, and adds an observer that writes identity.json once all files of this
 * run are there. opened: a flag for each row of asim_report_table whose files this run writes. */
int asim_report_folder_open(struct asim_world *world, const char *out, const unsigned char *opened,
                            struct asim_err *err);

#endif
