/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Reports: what becomes of the events of a run. A report opens as a observer of the world's events
 * (sim/rank/event_bus.h), or says it is not wanted. Files are written under "<name>.partial" and
 * renamed at the end, an interrupted or stalled run's included; a run that failed leaves no file.
 *
 * A report is opened after the world is read and before time starts; it may look at everything in
 * the world and change nothing. Its state is its own, and freed in close, which is called exactly
 * once.
 */
#ifndef ASIM_REPORT_REPORT_H
#define ASIM_REPORT_REPORT_H

#include "asim/ext/family.h"
#include "base/io/out.h"
#include "sim/rank/event.h"
#include "sim/distributed/distribution.h"
#include "sim/world.h"

/* Family report: row symbols asim_report_<file>, table asim_report_table. */
struct asim_report {
    struct asim_member member;
    /* Whether it goes to the folder --out: 0 = not as such. */
    enum { ASIM_OUT_ALWAYS = 1, ASIM_OUT_NAMED /* <name>.csv, where --reports has it */ } in_out;
    /* Fills *observer, or leaves it alone if the run does not want this report. out is the --out
     * folder or NULL. */
    int (*open)(struct asim_event_observer *observer, struct asim_world *world, const char *out,
                struct asim_err *err);
};
extern const struct asim_member *const asim_report_table[];

/* Whether --out is given and --reports names this report (ASIM_OUT_NAMED), or 'all'. */
int asim_report_wanted(const struct asim_world *world, const char *out, const char *name);

/* The report's own options: member.options, filled from its word in --reports
 * (NAME:key=value:key=value). *options is NULL where the row has none; else its state owns the
 * struct and frees it with asim_family_options_free. */
int asim_report_options(void **options, const struct asim_world *world,
                        const struct asim_report *report, struct asim_err *err);

/* Refuses an output that is an input, by whatever name. */
int asim_report_check_place(const struct asim_world *world, const char *path, struct asim_err *err);
/* A observer's state that is one output file, opened at folder/name; in a process that leaves the
 * writing to another, at nowhere. */
int asim_report_file(struct asim_out **file, const struct asim_world *world, const char *folder,
                     const char *name, struct asim_err *err);
/* A number of a binary file, little-endian, whatever the machine. */
static inline void asim_report_put(uint8_t *at, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}
/* Commits and frees it: the close hook of reports that are one file. */
int asim_report_file_close(void *self, const struct asim_world *world, struct asim_err *err);

#endif
