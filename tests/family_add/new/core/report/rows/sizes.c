/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Throwaway report with a knob: sizes.csv, the number of messages of at least `min` bytes.
 */
#include <inttypes.h>
#include <stdlib.h>
#include "report/report.h"

struct sizes_options {
    uint64_t min_bytes;
};

static const struct asim_option options[] = {
    {.key = "min",
     .type = ASIM_T_SIZE,
     .offset = offsetof(struct sizes_options, min_bytes),
     .def = "0",
     .help = "smallest message counted"},
    {.key = NULL},
};

struct sizes {
    struct asim_report_file own;
    void *opt;
    uint64_t messages;
};

static void count(void *self, const struct asim_world *world, const struct asim_event *event)
{
    struct sizes *sizes = self;

    (void)world;
    sizes->messages += event->of.fct.bytes >= ((struct sizes_options *)sizes->opt)->min_bytes;
}

static int begin(void *self, struct asim_world *world, struct asim_err *err)
{
    struct sizes *sizes = self;

    return asim_report_options(&sizes->opt, world, sizes->own.report, err);
}

static int end(void *self, const struct asim_world *world, struct asim_err *err)
{
    (void)world, (void)err;
    asim_out_printf(asim_report_out(self), "%" PRIu64 "\n", ((struct sizes *)self)->messages);
    return 0;
}

static void drop(void *self)
{
    struct sizes *sizes = self;

    asim_family_options_free(sizes->opt, &sizes->own.report->member);
}

const struct asim_report asim_report_sizes = {
    .member = {.name = "sizes",
               .about = "sizes.csv: number of messages (option min: smallest size)",
               .options = options,
               .options_size = sizeof(struct sizes_options)},
    .in_out = ASIM_OUT_NAMED,
    .file = "sizes.csv",
    .head = "messages",
    .wants = 1u << ASIM_EV_FCT,
    .see = count,
    .size = sizeof(struct sizes),
    .begin = begin,
    .end = end,
    .drop = drop,
};
