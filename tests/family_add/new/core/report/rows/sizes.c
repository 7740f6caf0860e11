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

extern const struct asim_report asim_report_sizes;

struct sizes {
    struct asim_out *file;
    struct sizes_options *opt;
    uint64_t messages;
};

static void count(void *self, const struct asim_world *world, const struct asim_event *event)
{
    struct sizes *sizes = self;

    (void)world;
    sizes->messages += event->of.fct.bytes >= sizes->opt->min_bytes;
}

static int close_sizes(void *self, const struct asim_world *world, struct asim_err *err)
{
    struct sizes *sizes = self;
    int code;

    asim_out_printf(sizes->file, "messages\n%" PRIu64 "\n", sizes->messages);
    code = asim_report_file_close(sizes->file, world, err);
    asim_family_options_free(sizes->opt, &asim_report_sizes.member);
    free(sizes);
    return code;
}

static int open_sizes(struct asim_event_observer *observer, struct asim_world *world,
                      const char *out, struct asim_err *err)
{
    struct sizes *sizes;
    void *opt;

    if (!asim_report_wanted(world, out, "sizes"))
        return 0;
    if (asim_report_options(&opt, world, &asim_report_sizes, err))
        return ASIM_EINVAL;
    sizes = calloc(1, sizeof *sizes);
    if (!sizes || asim_report_file(&sizes->file, world, out, "sizes.csv", err)) {
        free(sizes);
        asim_family_options_free(opt, &asim_report_sizes.member);
        return asim_err_nomem(err, "opening reports");
    }
    sizes->opt = opt;
    *observer = (struct asim_event_observer){
        .wants = 1u << ASIM_EV_FCT, .self = sizes, .on_event = count, .close = close_sizes};
    return 0;
}

const struct asim_report asim_report_sizes = {
    .member = {.name = "sizes",
               .about = "sizes.csv: number of messages (option min: smallest size)",
               .options = options,
               .options_size = sizeof(struct sizes_options)},
    .in_out = ASIM_OUT_NAMED,
    .open = open_sizes,
};
