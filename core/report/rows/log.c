/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The lines of ASTRA-sim's log file for each op with trace-enabled (system-layer.md#issue-order and
 * system-layer.md#result-lines): a line "issue,…" when it gets its slot and "callback,…" when it
 * ends, both with rank, tick, id, name and the number of its type. Goes to log.log in
 * --logging-folder, as in ASTRA-sim, else to log.txt in --out; without either it is not written.
 *
 * Differs: three bracketed groups come before as there, but the first is simulated time; lines are
 * in order of time over all ranks; ops that take no time have a "callback" with trace-enabled only.
 *
 * Names are as in the trace but for control characters; beyond 255 bytes they are cut.
 *
 * Cost: an event at each end of an op and its body read again, only where it is on.
 */
#include "base/text.h"
#include "report/report.h"
#include "sim/rank/event.h"

#include <inttypes.h>
#include <stdio.h>

enum { NAME_MAX_BYTES = 256 };

/* The feed reads the op again if it has dropped it; if that fails, the run fails and leaves no
 * file. */
static void see(void *self, const struct asim_world *world, const struct asim_event *event)
{
    const char *what = event->kind == ASIM_EV_OP_ISSUE ? "issue" : "callback";
    struct asim_op op;
    char name[NAME_MAX_BYTES];

    if (asim_event_op(world, event, &op))
        return;
    snprintf(name, sizeof name, "%s", op.name ? op.name : "");
    for (char *c = name; *c; c++)
        if ((unsigned char)*c < ' ') /* one op, one line */
            *c = ' ';
    asim_text_clean(name);
    asim_out_printf(self,
                    "[%" PRIu64 " ns] [workload] [debug] %s,sys->id=%u, tick=%" PRIu64
                    ", node->id=%" PRIu64 ", node->name=%s, node->type=%u\n",
                    event->t, what, event->rank, event->t, op.id, name, (unsigned)op.type);
}

/* --logging-folder before --out, so that a script written for ASTRA-sim finds the file. Replaces
 * the file of an older run. */
static int open_log(struct asim_event_observer *observer, struct asim_world *world, const char *out,
                    struct asim_err *err)
{
    struct asim_out *file;
    const char *folder = world->set.log_folder;
    char path[4096];

    if (!world->set.system.trace_enabled || !(folder || out))
        return 0;
    if (!folder) {
        snprintf(path, sizeof path, "%s/log.txt", out);
        world->set.log_file = asim_arena_strdup(&world->arena, path);
        if (!world->set.log_file)
            return asim_err_nomem(err, "opening reports");
    }
    if (asim_report_open_file(&file, world, folder ? folder : out, folder ? "log.log" : "log.txt",
                              err))
        return ASIM_EIO;
    *observer = (struct asim_event_observer){.wants = 1u << ASIM_EV_OP_ISSUE | 1u << ASIM_EV_OP_END,
                                             .self = file,
                                             .on_event = see,
                                             .close = asim_report_file_close};
    return 0;
}

/* In --out, where the next run removes it. */
static const char *path(const struct asim_world *world)
{
    return world->set.log_file;
}

const struct asim_report asim_report_log = {
    .member = {.name = "log", .about = "log.txt: issue and callback of each op (trace-enabled)"},
    .path = path,
    .open = open_log,
};
